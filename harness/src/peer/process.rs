//! The handle of one running peer.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::ending::{self, Ended, Patience};
use super::events::{Mailbox, lock};
use super::launch::{self, Launch, MARKER, SpawnError};
use super::outbox::Outbox;
use super::pipes::{self, Line, MaybeTap, Tap};
use super::private::PrivateDirs;
use super::registry::{Marks, Refusal};
use super::stderr::{Kept, Limits, Stderr};
use super::unix::{self, Life, Signal};
use super::{Deadline, PeerEvent, diagnose, spawner};

/// A process under test with its three pipes.
///
/// Dropping it kills the process and all that it started; [`Peer::end`] does so in steps and tells how it went.
/// One consumer should read the events.
#[derive(Debug)]
pub struct Peer {
    pub(super) marks: Marks,
    pub(super) mail: Mailbox,
    /// Gone once the peer is reaped.
    pub(super) child: Option<Child>,
    outbox: Option<Outbox>,
    kept: Arc<Mutex<Kept>>,
    started: Instant,
    /// Removed last, when nothing can write there any more.
    _dirs: Option<PrivateDirs>,
}

impl Peer {
    /// Starts a peer, with its threads already reading.
    pub fn spawn(launch: &Launch, limits: &Limits, tap: Option<Arc<dyn Tap>>) -> Result<Self, SpawnError> {
        let marker = marker();
        let prepared = launch::prepare(launch, &marker)?;
        let started = Instant::now();
        let (child, marks) = spawner::spawn(prepared.command, marker).map_err(|refusal| match refusal {
            Refusal::Stopping => SpawnError::Stopping { program: diagnose::program(launch) },
            Refusal::Failed(error) => diagnose::explain(launch, error),
        })?;
        let (poster, mail) = Mailbox::new();
        let mut peer = Self {
            marks,
            mail,
            child: Some(child),
            outbox: None,
            kept: Arc::new(Mutex::new(Kept::new(*limits))),
            started,
            _dirs: prepared.dirs,
        };
        // From here on an early return drops the peer, which kills the process.
        peer.attach(poster, tap).map_err(|error| diagnose::explain(launch, error))?;
        match diagnose::impostor(launch, peer.marks.leader) {
            Some(error) => Err(error),
            None => Ok(peer),
        }
    }

    /// Starts the threads.
    fn attach(&mut self, poster: super::events::Poster, tap: MaybeTap) -> io::Result<()> {
        let Some(child) = &mut self.child else {
            return Ok(());
        };
        let (line, nudge) = io::pipe()?;
        let line: Line = Arc::new(line);
        // The exit first: the ending ladder relies on it, and so does a failure below.
        pipes::watch_exit(self.marks.leader, poster.clone())?;
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&self.kept);
            pipes::drain_stderr(stderr, Arc::clone(&line), kept, poster.clone(), tap.clone())?;
        }
        if let Some(stdout) = child.stdout.take() {
            pipes::read_stdout(stdout, Arc::clone(&line), poster.clone(), tap.clone())?;
        }
        if let Some(stdin) = child.stdin.take() {
            self.outbox = Some(Outbox::start(stdin, line, nudge, poster, tap)?);
        }
        Ok(())
    }

    /// The number of the process.
    pub fn pid(&self) -> u32 {
        self.marks.leader.as_raw_pid().unsigned_abs()
    }

    /// When the process was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Queues bytes for stdin. Never blocks. Each call becomes a write of its own.
    ///
    /// When all that is queued has been handed over, [`PeerEvent::Written`] tells. Bytes queued after stdin was
    /// closed are dropped, with [`PeerEvent::WriteFailed`].
    pub fn write(&self, bytes: Vec<u8>) {
        if let Some(outbox) = &self.outbox {
            outbox.write(bytes);
        }
    }

    /// Closes stdin once the queued bytes are through.
    pub fn close_stdin(&self) {
        if let Some(outbox) = &self.outbox {
            outbox.close();
        }
    }

    /// Drops what is queued and closes stdin now, for a peer that never reads.
    pub fn abandon_writes(&self) {
        if let Some(outbox) = &self.outbox {
            outbox.abandon();
        }
    }

    /// Bytes queued and not yet taken by the pipe.
    pub fn queued(&self) -> u64 {
        self.outbox.as_ref().map_or(0, Outbox::queued)
    }

    /// Bytes that the pipe has taken and the peer has not read. Unknown once stdin is closed.
    pub fn unread(&self) -> Option<u64> {
        self.outbox.as_ref().and_then(Outbox::unread)
    }

    /// Sends a signal to the process, and not to its group. Says whether there was a process to take it.
    pub fn signal(&self, signal: Signal) -> bool {
        unix::peek(self.marks.leader) == Life::Running && unix::signal_process(self.marks.leader, signal)
    }

    /// The next event seen by the deadline; `None` when there was none.
    ///
    /// An event seen in time is delivered even if this is called too late, so a drained queue is read with a
    /// deadline in the past. After an exit, `StdoutClosed` may come late or never: another process may hold the pipe.
    pub fn next(&self, deadline: Deadline) -> Option<PeerEvent> {
        self.next_stamped(deadline).map(|(_, event)| event)
    }

    /// As [`Peer::next`], with the time at which the event was seen.
    pub fn next_stamped(&self, deadline: Deadline) -> Option<(Instant, PeerEvent)> {
        self.mail.next(deadline)
    }

    /// What stderr has brought so far.
    pub fn stderr(&self) -> Stderr {
        lock(&self.kept).look()
    }

    /// Processor time spent by the process and what it started, in steps of 10 ms. `None` where the system can't
    /// tell.
    pub fn cpu(&self) -> Option<Duration> {
        super::sweep::cpu(self.marks.leader)
    }

    /// Ends the peer, step by step, and sweeps up after it. Events that still arrive go to `on`.
    ///
    /// Takes no longer than the patience, plus half a second if processes were left behind, plus what the kernel
    /// needs to kill. Stdin is closed after what is queued; call [`Peer::abandon_writes`] first to give that up.
    pub fn end(mut self, patience: &Patience, on: &mut dyn FnMut(PeerEvent)) -> Ended {
        ending::end(&mut self, patience, on)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if self.child.is_some() {
            ending::kill(self);
        }
    }
}

/// A marker that no other peer has. Inside a peer of another harness it goes behind that one's marker, so that the
/// outer harness still finds its own.
fn marker() -> String {
    // The hasher's keys come from the system's randomness.
    let nonce = || RandomState::new().hash_one((std::process::id(), Instant::now()));
    let own = format!("{:016x}{:016x}", nonce(), nonce());
    match std::env::var(MARKER) {
        Ok(outer) => format!("{outer}.{own}"),
        Err(_) => own,
    }
}
