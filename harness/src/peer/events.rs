//! What a peer does, in the order in which we saw it, and the queue that carries it.
//!
//! The queue itself is unbounded, so the end of a process or of a write is never lost and never waits. Chunks of
//! stdout must first find room in a window of fixed size: a flood blocks the peer and not our memory.

use std::fmt;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::Deadline;

/// Chunks of stdout that may wait unread. With chunks of at most 64 KiB this bounds the memory at 2 MiB a peer.
const WINDOW: usize = 32;

/// Something that a peer did, or that happened to what we wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerEvent {
    /// Bytes from stdout, cut wherever the pipe cut them.
    Stdout(Vec<u8>),
    /// Stdout is at its end: every process that held it has closed it.
    StdoutClosed,
    /// Everything queued so far has been handed to the kernel.
    Written {
        /// Bytes handed over since the start.
        total: u64,
    },
    /// A write failed, or came after stdin was closed. What was queued is dropped and stdin is closed.
    WriteFailed(io::ErrorKind),
    /// The process has ended. Its stdout may still hold bytes, or be held open by another process.
    Exited(Exit),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal {
        /// The number on this system.
        number: i32,
        /// The usual name, as `SIGSEGV`.
        name: &'static str,
        /// Whether the kernel says that it dumped core.
        core: bool,
    },
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal { name, core, .. } => write!(f, "{name}{}", if *core { ", core dumped" } else { "" }),
        }
    }
}

/// A message in the queue, with the time at which it was seen.
#[derive(Debug)]
struct Mail {
    at: Instant,
    what: What,
}

/// What a message tells: an event for the caller, or news for the ending ladder only.
#[derive(Debug)]
enum What {
    Event(PeerEvent),
    StderrClosed,
    /// The process is gone, and somebody else took its exit status.
    Vanished,
}

/// The sending side, one for each thread of a peer.
#[derive(Debug, Clone)]
pub(super) struct Poster {
    mail: Sender<Mail>,
    window: Sender<()>,
}

impl Poster {
    /// Puts an event into the queue. If nobody is left to read it, it is dropped.
    pub(super) fn post(&self, event: PeerEvent) {
        self.send(Instant::now(), What::Event(event));
    }

    /// Puts a chunk of stdout into the queue as soon as there is room. Says whether anybody still reads.
    pub(super) fn post_chunk(&self, bytes: Vec<u8>) -> bool {
        let at = Instant::now();
        self.window.send(()).is_ok() && self.send(at, What::Event(PeerEvent::Stdout(bytes)))
    }

    /// Tells that stderr is at its end.
    pub(super) fn stderr_closed(&self) {
        self.send(Instant::now(), What::StderrClosed);
    }

    /// Tells that the process is gone without a status for us.
    pub(super) fn vanished(&self) {
        self.send(Instant::now(), What::Vanished);
    }

    fn send(&self, at: Instant, what: What) -> bool {
        self.mail.send(Mail { at, what }).is_ok()
    }
}

/// What the messages taken so far have told about the end of a peer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// How and when the process ended.
    pub(super) exit: Option<(Exit, Instant)>,
    /// The process is gone and its status is lost.
    pub(super) vanished: bool,
    /// Stdout is at its end.
    pub(super) stdout_closed: bool,
    /// Stderr is at its end.
    pub(super) stderr_closed: bool,
}

impl Seen {
    /// Whether the process is known to be over.
    pub(super) fn gone(&self) -> bool {
        self.exit.is_some() || self.vanished
    }
}

/// What a look into the queue brought.
pub(super) enum News {
    /// An event for the caller.
    Event(Instant, PeerEvent),
    /// Something that only changed what is [`Seen`].
    Noted,
}

/// The receiving side. Dropping it lets every thread of the peer end.
#[derive(Debug)]
pub(super) struct Mailbox {
    mail: Receiver<Mail>,
    window: Receiver<()>,
    /// A message that was seen after the deadline of the wait that met it.
    late: Mutex<Option<Mail>>,
    seen: Mutex<Seen>,
}

impl Mailbox {
    /// A queue and its sending side.
    pub(super) fn new() -> (Poster, Self) {
        let (mail, inbox) = unbounded();
        let (window, taken) = bounded(WINDOW);
        let mailbox = Self { mail: inbox, window: taken, late: Mutex::default(), seen: Mutex::default() };
        (Poster { mail, window }, mailbox)
    }

    /// The next event that was seen by the deadline, with the time at which it was seen.
    pub(super) fn next(&self, deadline: Deadline) -> Option<(Instant, PeerEvent)> {
        loop {
            if let News::Event(at, event) = self.news(deadline)? {
                return Some((at, event));
            }
        }
    }

    /// The next message that was seen by the deadline.
    ///
    /// One that came in time is delivered even if we look too late, so a slow machine never turns an answer into
    /// silence. One that came after the deadline waits for the next call, so a flood never extends a wait.
    pub(super) fn news(&self, deadline: Deadline) -> Option<News> {
        let waiting = lock(&self.late).take();
        let mail = match waiting {
            Some(mail) => mail,
            None => self.mail.recv_deadline(deadline.instant()).ok()?,
        };
        if mail.at > deadline.instant() {
            *lock(&self.late) = Some(mail);
            return None;
        }
        Some(self.open(mail))
    }

    /// What has been told so far.
    pub(super) fn seen(&self) -> Seen {
        *lock(&self.seen)
    }

    fn open(&self, mail: Mail) -> News {
        let mut seen = lock(&self.seen);
        match mail.what {
            What::StderrClosed => seen.stderr_closed = true,
            What::Vanished => seen.vanished = true,
            What::Event(event) => {
                match &event {
                    // Each chunk in the queue has its token in the window, so there is one to take.
                    PeerEvent::Stdout(_) => drop(self.window.try_recv()),
                    PeerEvent::StdoutClosed => seen.stdout_closed = true,
                    PeerEvent::Exited(exit) => seen.exit = Some((*exit, mail.at)),
                    PeerEvent::Written { .. } | PeerEvent::WriteFailed(_) => {}
                }
                return News::Event(mail.at, event);
            }
        }
        News::Noted
    }
}

/// Locks whatever a panicking thread may have left: everything behind these locks is valid after each statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_event_in_time_is_delivered_after_the_deadline() {
        let (poster, mailbox) = Mailbox::new();
        poster.post(PeerEvent::StdoutClosed);
        let deadline = Deadline::at(Instant::now());
        assert_eq!(mailbox.next(deadline).map(|(_, event)| event), Some(PeerEvent::StdoutClosed));
    }

    #[test]
    fn a_late_event_waits_for_the_next_call() {
        let (poster, mailbox) = Mailbox::new();
        let deadline = Deadline::at(Instant::now());
        while Instant::now() == deadline.instant() {}
        poster.post(PeerEvent::StdoutClosed);
        assert_eq!(mailbox.next(deadline), None);
        assert_eq!(mailbox.next(deadline), None);
        assert!(!mailbox.seen().stdout_closed);
        let later = Deadline::after(Duration::from_secs(60));
        assert_eq!(mailbox.next(later).map(|(_, event)| event), Some(PeerEvent::StdoutClosed));
        assert!(mailbox.seen().stdout_closed);
    }

    #[test]
    fn the_end_passes_a_full_window() {
        let (poster, mailbox) = Mailbox::new();
        for _ in 0..WINDOW {
            assert!(poster.post_chunk(vec![b'x']));
        }
        let reader = std::thread::spawn({
            let poster = poster.clone();
            move || poster.post_chunk(vec![b'y'])
        });
        poster.post(PeerEvent::Exited(Exit::Code(0)));
        let deadline = Deadline::after(Duration::from_secs(60));
        let events: Vec<_> = (0..WINDOW + 2).filter_map(|_| mailbox.next(deadline)).collect();
        assert_eq!(events.len(), WINDOW + 2);
        assert!(reader.join().unwrap());
        assert!(mailbox.seen().gone());
    }

    #[test]
    fn a_dropped_mailbox_frees_a_blocked_reader() {
        let (poster, mailbox) = Mailbox::new();
        for _ in 0..WINDOW {
            assert!(poster.post_chunk(vec![b'x']));
        }
        let reader = std::thread::spawn(move || poster.post_chunk(vec![b'y']));
        drop(mailbox);
        assert!(!reader.join().unwrap());
    }
}
