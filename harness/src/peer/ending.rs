//! The ending ladder: close stdin, wait, SIGTERM, wait, SIGKILL; then sweep, reap, and read what is left.
//!
//! The order is what makes it safe. The exit is noticed without reaping, so that the numbers of the process and of
//! its group stay taken while the group is killed and its strays are looked for. Only then is the leader reaped.

use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use super::events::{News, Seen};
use super::registry::{self, STEP};
use super::sweep::{self, Found, Leaked, Lineage};
use super::unix::{self, Life, Signal};
use super::{Deadline, Exit, Peer, PeerEvent, Stderr};

/// How long each step of the ladder may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From the close of stdin to SIGTERM.
    pub eof: Duration,
    /// From SIGTERM to SIGKILL.
    pub term: Duration,
    /// From the exit to the end of stdout and stderr.
    pub drain: Duration,
    /// What a process may still do after its leader's exit before it counts as left behind.
    pub follow: Duration,
}

/// The rung of the ladder at which the process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// It had ended before.
    AlreadyExited,
    /// It ended when stdin was closed.
    StdinClosed,
    /// It ended on SIGTERM.
    Terminated,
    /// It had to be killed.
    Killed,
}

/// How a peer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// What it took.
    pub rung: Rung,
    /// The exit; `None` if even SIGKILL did not end it in time, or somebody else took its status.
    pub exit: Option<Exit>,
    /// The processes that it left behind, dead by now.
    pub leaked: Vec<Leaked>,
    /// Processes that were ended and may have been this peer's, or that of one that lived at the same time.
    pub strays: usize,
    /// Stdout did not end with the process: something else held it.
    pub stdout_held: bool,
    /// All of stderr.
    pub stderr: Stderr,
    /// How long the ending took.
    pub elapsed: Duration,
}

/// How long a SIGKILL may take to show. Only a process stuck in the kernel needs more than a moment.
const KILL: Duration = Duration::from_secs(5);

/// How long a sweep may take.
const SWEEP: Duration = Duration::from_secs(2);

/// Where events go.
type On<'a> = &'a mut dyn FnMut(PeerEvent);

/// Climbs the ladder.
pub(super) fn end(peer: &mut Peer, patience: &Patience, on: On<'_>) -> Ended {
    let start = Instant::now();
    let mut ending = Ending { lineage: sweep::lineage(peer.marks.leader), peer, on };
    let rung = ending.stop(patience);
    ending.finish(rung, patience, start)
}

/// Kills without a ladder, for a handle that is dropped.
pub(super) fn kill(peer: &mut Peer) {
    let mut ending = Ending { lineage: sweep::lineage(peer.marks.leader), peer, on: &mut drop };
    ending.peer.abandon_writes();
    ending.signal(Signal::Kill);
    // The thread that watches may be the very one that could not be started, so look as well as listen.
    let deadline = Deadline::after(KILL);
    while unix::peek(ending.peer.marks.leader) == Life::Running && !deadline.passed() {
        ending.wait_for_exit(STEP);
    }
    let hasty = Patience { eof: Duration::ZERO, term: Duration::ZERO, drain: Duration::ZERO, follow: Duration::ZERO };
    ending.finish(Rung::Killed, &hasty, Instant::now());
}

struct Ending<'a> {
    peer: &'a mut Peer,
    on: On<'a>,
    /// All that is known to descend from the leader.
    lineage: Lineage,
}

impl Ending<'_> {
    /// Brings the leader to its end, and says on which rung it was.
    fn stop(&mut self, patience: &Patience) -> Rung {
        if unix::peek(self.peer.marks.leader) != Life::Running {
            self.peer.abandon_writes();
            self.wait_for_exit(KILL);
            return Rung::AlreadyExited;
        }
        self.peer.close_stdin();
        if self.wait_for_exit(patience.eof) {
            return Rung::StdinClosed;
        }
        self.peer.abandon_writes();
        self.signal(Signal::Term);
        // A stopped process would keep the signal pending for ever.
        self.signal(Signal::Cont);
        if self.wait_for_exit(patience.term) {
            return Rung::Terminated;
        }
        self.signal(Signal::Kill);
        self.wait_for_exit(KILL);
        Rung::Killed
    }

    /// Sweeps, reaps and reads what is left.
    fn finish(&mut self, rung: Rung, patience: &Patience, start: Instant) -> Ended {
        self.peer.abandon_writes();
        // The number is still the leader's. Where nothing can be looked for, this is all that clears the group.
        let alive = self.outlivers(rung, patience.follow);
        unix::signal_group(self.peer.marks.leader, Signal::Kill);
        let is_any_left = !alive.is_empty();
        let strays = alive.iter().filter(|found| !found.certain).count();
        let leaked = blame(alive, rung);
        let held_until_sweep = !leaked.is_empty() && !self.seen().stdout_closed;
        if is_any_left {
            self.clear();
        }
        self.reap();
        self.pump(Deadline::after(patience.drain), |seen| seen.stdout_closed && seen.stderr_closed);
        let seen = self.seen();
        Ended {
            rung,
            exit: seen.exit.map(|(exit, _)| exit),
            leaked,
            strays,
            stdout_held: held_until_sweep || !seen.stdout_closed,
            stderr: self.peer.stderr(),
            elapsed: start.elapsed(),
        }
    }

    fn seen(&self) -> Seen {
        self.peer.mail.seen()
    }

    /// Signals the group, after noting who is in the family.
    fn signal(&mut self, signal: Signal) {
        self.lineage.append(&mut sweep::lineage(self.peer.marks.leader));
        unix::signal_group(self.peer.marks.leader, signal);
    }

    fn wait_for_exit(&mut self, wait: Duration) -> bool {
        self.pump(Deadline::after(wait), Seen::gone)
    }

    /// Hands on events until `done` or the deadline. Says whether it was `done`.
    fn pump(&mut self, deadline: Deadline, done: impl Fn(&Seen) -> bool) -> bool {
        while !done(&self.seen()) {
            match self.peer.mail.news(deadline) {
                Some(News::Event(_, event)) => (self.on)(event),
                Some(News::Noted) => {}
                None => return done(&self.seen()),
            }
        }
        true
    }

    /// Finds what outlived the leader. It is given a moment to follow by itself, unless the leader had to be killed.
    fn outlivers(&mut self, rung: Rung, follow: Duration) -> Vec<Found> {
        let grace = match self.seen().exit {
            Some((_, at)) if rung != Rung::Killed => Deadline::since(at, follow),
            _ => Deadline::at(Instant::now()),
        };
        // What dies and leaves children as fast as we look would be looked at for ever.
        let end = Deadline::after(follow + SWEEP);
        loop {
            let look = sweep::look(&registry::live(), &self.peer.marks, &self.lineage, false);
            if look.is_quiet() || end.passed() {
                return look.alive;
            }
            if !look.alive.is_empty() {
                if grace.passed() {
                    return look.alive;
                }
                self.pump(Deadline::after(STEP).earlier(grace), |_| false);
            }
        }
    }

    /// Kills what is left, until nothing is.
    fn clear(&mut self) {
        let deadline = Deadline::after(SWEEP);
        loop {
            let look = sweep::look(&registry::live(), &self.peer.marks, &self.lineage, true);
            if look.is_quiet() || deadline.passed() {
                return;
            }
            self.pump(Deadline::after(STEP).earlier(deadline), |_| false);
        }
    }

    /// Gives the number of the leader back. One that did not even die keeps it, and stays in the registry.
    fn reap(&mut self) {
        let Some(mut child) = self.peer.child.take() else {
            return;
        };
        if !self.seen().gone() && unix::peek(self.peer.marks.leader) == Life::Running {
            return;
        }
        // It has ended, so this does not wait; an error means that somebody else has reaped it.
        registry::retire(self.peer.marks.leader, || !matches!(child.wait_timeout(STEP), Ok(None)));
    }
}

/// Which of the processes found alive are to be reported.
fn blame(alive: Vec<Found>, rung: Rung) -> Vec<Leaked> {
    let counts = |found: &Found| found.certain && (rung != Rung::Killed || found.leaked.setsid);
    alive.into_iter().filter(counts).map(|found| found.leaked).collect()
}
