//! Writing to a peer's stdin without ever waiting for it.
//!
//! What is written is queued, piece by piece, and one thread hands it to the pipe. Each piece is its own `write`, so
//! that a message cut in two arrives in two. The pipe's own end is non-blocking: a full pipe leaves the thread
//! waiting for room *or* for a nudge, and thus a peer that never reads can be given up at any time.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, Weak};

use rustix::event::PollFlags;
use rustix::io::Errno;

use super::PeerEvent;
use super::events::{Poster, lock};
use super::pipes::{self, Line, MaybeTap};
use super::unix;

/// The writing side as the handle of a peer holds it.
#[derive(Debug)]
pub(super) struct Outbox {
    jobs: Arc<Mutex<Jobs>>,
    /// The other end of the line of all threads; dropping it stops them.
    nudge: PipeWriter,
    /// Stdin itself belongs to the thread, so that it closes when the thread says so.
    stdin: Weak<OwnedFd>,
    poster: Poster,
}

/// What there is to write.
#[derive(Debug, Default)]
struct Jobs {
    pieces: VecDeque<Vec<u8>>,
    /// Bytes not yet taken by the pipe, those of the piece in hand included.
    queued: u64,
    /// Close stdin after the last piece, and take no more.
    closing: bool,
    /// Close stdin at once.
    abandoned: bool,
}

impl Outbox {
    /// Starts the writing thread.
    pub(super) fn start(
        stdin: ChildStdin,
        line: Line,
        nudge: PipeWriter,
        poster: Poster,
        tap: MaybeTap,
    ) -> io::Result<Self> {
        let stdin = Arc::new(OwnedFd::from(stdin));
        rustix::io::ioctl_fionbio(&stdin, true)?;
        rustix::io::ioctl_fionbio(&nudge, true)?;
        rustix::io::ioctl_fionbio(&line, true)?;
        let outbox = Self { jobs: Arc::default(), nudge, stdin: Arc::downgrade(&stdin), poster: poster.clone() };
        let writer = Writer { jobs: Arc::clone(&outbox.jobs), line, stdin, poster, tap, total: 0 };
        pipes::start("peer-stdin", move || writer.run())?;
        Ok(outbox)
    }

    /// Queues a piece.
    pub(super) fn write(&self, bytes: Vec<u8>) {
        let mut jobs = lock(&self.jobs);
        if jobs.closing {
            drop(jobs);
            self.poster.post(PeerEvent::WriteFailed(ErrorKind::BrokenPipe));
            return;
        }
        jobs.queued += bytes.len() as u64;
        jobs.pieces.push_back(bytes);
        drop(jobs);
        self.wake();
    }

    /// Closes stdin after what is queued.
    pub(super) fn close(&self) {
        lock(&self.jobs).closing = true;
        self.wake();
    }

    /// Drops what is queued and closes stdin.
    pub(super) fn abandon(&self) {
        let mut jobs = lock(&self.jobs);
        jobs.give_up();
        jobs.abandoned = true;
        drop(jobs);
        self.wake();
    }

    /// Bytes that the pipe has not taken yet.
    pub(super) fn queued(&self) -> u64 {
        lock(&self.jobs).queued
    }

    /// Bytes that the pipe has taken and the peer has not read, where the system can tell.
    pub(super) fn unread(&self) -> Option<u64> {
        let stdin = self.stdin.upgrade()?;
        rustix::io::ioctl_fionread(&stdin).ok()
    }

    fn wake(&self) {
        // A full line has nudges enough in it, and a cut one has nobody left to wake.
        let _ = rustix::io::write(&self.nudge, &[0]);
    }
}

impl Jobs {
    fn give_up(&mut self) {
        self.pieces.clear();
        self.queued = 0;
        self.closing = true;
    }
}

/// The writing thread's own.
struct Writer {
    jobs: Arc<Mutex<Jobs>>,
    line: Line,
    stdin: Arc<OwnedFd>,
    poster: Poster,
    tap: MaybeTap,
    total: u64,
}

/// What the writing thread does next.
enum Next {
    Write(Vec<u8>),
    Rest,
    Close,
}

/// How writing one piece went.
enum Went {
    Through,
    Stopped,
    Failed(ErrorKind),
}

impl Writer {
    /// Writes until told to close. Dropping the writer closes stdin.
    fn run(mut self) {
        loop {
            match self.next() {
                Next::Close => return,
                Next::Rest => {
                    if self.wait(None).cut {
                        return;
                    }
                }
                Next::Write(piece) => match self.push(&piece) {
                    Went::Through => self.tell_when_drained(),
                    Went::Stopped => return,
                    Went::Failed(kind) => {
                        lock(&self.jobs).give_up();
                        self.poster.post(PeerEvent::WriteFailed(kind));
                        return;
                    }
                },
            }
        }
    }

    fn next(&self) -> Next {
        let mut jobs = lock(&self.jobs);
        if jobs.abandoned {
            return Next::Close;
        }
        match jobs.pieces.pop_front() {
            Some(piece) => Next::Write(piece),
            None if jobs.closing => Next::Close,
            None => Next::Rest,
        }
    }

    fn push(&mut self, piece: &[u8]) -> Went {
        // Before the peer can answer it, so that a trace has both in order.
        if let Some(tap) = &self.tap {
            tap.sent(piece);
        }
        let mut rest = piece;
        while !rest.is_empty() {
            let woken = self.wait(Some(&self.stdin));
            if woken.cut || lock(&self.jobs).abandoned {
                return Went::Stopped;
            }
            if !woken.ready {
                continue;
            }
            match rustix::io::write(&self.stdin, rest) {
                Ok(count) => {
                    let (sent, left) = rest.split_at(count.min(rest.len()));
                    self.count(sent);
                    rest = left;
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(errno) => return Went::Failed(unix::kind(errno)),
            }
        }
        Went::Through
    }

    fn count(&mut self, sent: &[u8]) {
        self.total += sent.len() as u64;
        let mut jobs = lock(&self.jobs);
        jobs.queued = jobs.queued.saturating_sub(sent.len() as u64);
    }

    fn tell_when_drained(&self) {
        let jobs = lock(&self.jobs);
        let drained = jobs.pieces.is_empty() && !jobs.abandoned;
        drop(jobs);
        if drained {
            self.poster.post(PeerEvent::Written { total: self.total });
        }
    }

    /// Waits for room in the pipe or for a nudge, and takes the nudges off the line.
    fn wait(&self, stdin: Option<&Arc<OwnedFd>>) -> unix::Woken {
        let pipe = stdin.map(|fd| (fd.as_fd(), PollFlags::OUT));
        let woken = unix::wait_ready(pipe, &self.line, PollFlags::IN);
        if woken.nudged {
            let mut nudges = [0; 64];
            // What is left wakes us once more, which does no harm.
            let _ = rustix::io::read(&self.line, &mut nudges);
        }
        woken
    }
}
