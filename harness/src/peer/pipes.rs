//! The threads that read: stdout, stderr and the exit. The one that writes is in `outbox`.
//!
//! Each reader waits on its pipe and on the *line*, a pipe of our own whose other end lives in the [`Peer`]. When
//! the peer's handle goes, the line is cut and every thread ends, even if a process that we could not find still
//! holds stdout open.
//!
//! [`Peer`]: super::Peer

use std::io::{self, PipeReader};
use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdout};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::Pid;

use super::PeerEvent;
use super::events::{Poster, lock};
use super::stderr::Kept;
use super::unix::{self, Life};

/// The most that is read at once, which is what a pipe holds by default.
const CHUNK: usize = 64 * 1024;

/// Somebody who watches the bytes as they pass. Called from the I/O threads, so it must be quick.
pub trait Tap: Send + Sync {
    /// These bytes have just been handed to the kernel for the peer's stdin.
    fn sent(&self, bytes: &[u8]);
    /// These bytes have just been read from the peer's stdout.
    fn received(&self, bytes: &[u8]);
    /// These bytes have just been read from the peer's stderr.
    fn stderr(&self, bytes: &[u8]);
}

/// A tap that may be missing.
pub(super) type MaybeTap = Option<Arc<dyn Tap>>;

/// Our end of the line that tells a peer's threads to stop.
pub(super) type Line = Arc<PipeReader>;

/// Starts the thread that reads stdout into the queue.
pub(super) fn read_stdout(stdout: ChildStdout, line: Line, poster: Poster, tap: MaybeTap) -> io::Result<()> {
    start("peer-stdout", move || {
        let over = read_to_end(&stdout, &line, |bytes| {
            if let Some(tap) = &tap {
                tap.received(bytes);
            }
            poster.post_chunk(bytes.to_vec())
        });
        if over {
            poster.post(PeerEvent::StdoutClosed);
        }
    })
}

/// Starts the thread that drains stderr. It never waits for anybody, since a peer may block on a full stderr.
pub(super) fn drain_stderr(
    stderr: ChildStderr,
    line: Line,
    kept: Arc<Mutex<Kept>>,
    poster: Poster,
    tap: MaybeTap,
) -> io::Result<()> {
    start("peer-stderr", move || {
        let over = read_to_end(&stderr, &line, |bytes| {
            if let Some(tap) = &tap {
                tap.stderr(bytes);
            }
            lock(&kept).add(bytes);
            true
        });
        if over {
            poster.stderr_closed();
        }
    })
}

/// Starts the thread that notices the exit. It leaves the process unreaped, so that its number stays its own.
pub(super) fn watch_exit(pid: Pid, poster: Poster) -> io::Result<()> {
    start("peer-exit", move || match unix::await_exit(pid) {
        Life::Ended(exit) => poster.post(PeerEvent::Exited(exit)),
        Life::Running | Life::Unknown => poster.vanished(),
    })
}

/// Starts a named thread, and leaves it: each ends by itself when the peer or its handle does.
pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(run).map(drop)
}

/// Reads until the end, or until `take` or the line says stop. Says whether the end was reached.
fn read_to_end(pipe: impl AsFd, line: &Line, mut take: impl FnMut(&[u8]) -> bool) -> bool {
    let mut buffer = vec![0; CHUNK];
    loop {
        let woken = unix::wait_ready(Some((pipe.as_fd(), PollFlags::IN)), line, PollFlags::empty());
        if woken.cut {
            return false;
        }
        match rustix::io::read(&pipe, buffer.as_mut_slice()) {
            Ok(0) => return true,
            Ok(count) => {
                if !buffer.get(..count).is_some_and(&mut take) {
                    return false;
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // Nothing more can be read, which is the end for every purpose of ours.
            Err(_) => return true,
        }
    }
}
