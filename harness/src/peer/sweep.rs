//! Finding what a peer left behind.
//!
//! A process belongs to a peer if it is in its group, descends from it, carries its marker in the environment, or
//! holds one of its pipes. With a subreaper every orphan becomes our child, so that the search is a walk through our
//! own descendants; without one, all of `/proc` is read. Elsewhere than on Linux only the group can be killed.

use std::collections::BTreeMap;

/// A process that outlived its peer and had to be killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaked {
    /// Its number, free again by now.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
    /// It had left the session of its peer, and so could not be reached through the group.
    pub setsid: bool,
}

/// Processes by number, with the time of their start, which tells a number from its next owner.
pub(super) type Lineage = BTreeMap<i32, u64>;

/// A process found alive.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// What to report of it.
    pub(super) leaked: Leaked,
    /// Whether it is certain that this peer started it.
    pub(super) certain: bool,
}

/// One look at what is left of a peer beside its leader.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// What is alive.
    pub(super) alive: Vec<Found>,
    /// A dead one was reaped. Its children may have come to us behind our back, so another look is due.
    reaped: bool,
}

impl Look {
    /// Whether nothing is left.
    pub(super) fn is_quiet(&self) -> bool {
        self.alive.is_empty() && !self.reaped
    }
}

#[cfg(target_os = "linux")]
pub use linux::become_subreaper;
#[cfg(target_os = "linux")]
pub(super) use linux::{cpu, lineage, look};

#[cfg(not(target_os = "linux"))]
pub use elsewhere::become_subreaper;
#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{cpu, lineage, look};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::process::{Pid, WaitOptions, getpid, waitpid};

    use super::super::Deadline;
    use super::super::proc::{self, Stat};
    use super::super::registry::{Live, Marks};
    use super::super::unix::{self, Signal};
    use super::{Found, Leaked, Lineage, Look};

    static SUBREAPER: AtomicBool = AtomicBool::new(false);

    /// Makes every orphan below us our child, so that none can leave unseen. Says whether that worked.
    ///
    /// This changes the whole process, so only a `main` may call it. From then on, a process below us that has left
    /// our session is taken for something that a peer left behind, and is killed when the last peer ends.
    pub fn become_subreaper() -> bool {
        // An inherited "ignore" for SIGCHLD would make the kernel reap our peers by itself; any handler ends that.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGCHLD, Arc::<AtomicBool>::default());
        let done = rustix::process::set_child_subreaper(Some(getpid())).is_ok();
        SUBREAPER.store(done, Ordering::SeqCst);
        done
    }

    /// All that descends from `leader` now.
    pub(in super::super) fn lineage(leader: Pid) -> Lineage {
        let mut lineage = Lineage::new();
        let mut queue = proc::children(leader.as_raw_pid());
        while let Some(pid) = queue.pop() {
            if let Some(stat) = proc::stat(pid)
                && lineage.insert(pid, stat.start).is_none()
            {
                queue.extend(proc::children(pid));
            }
        }
        lineage
    }

    /// The processor time of `leader` and all that descends from it.
    pub(in super::super) fn cpu(leader: Pid) -> Option<Duration> {
        let own = proc::stat(leader.as_raw_pid())?.cpu;
        let family = lineage(leader).into_keys().filter_map(proc::stat).map(|stat| stat.cpu);
        Some(own + family.sum::<Duration>())
    }

    /// How long one look follows processes that fork as it goes.
    const FOLLOWED: Duration = Duration::from_millis(250);

    /// Looks for what is left of a peer, and reaps its dead if they have become ours. What is met can be killed on the
    /// spot: a process that forks and ends again and again is gone by the time that a list of them is made.
    pub(in super::super) fn look(live: &Live, marks: &Marks, lineage: &Lineage, kill: bool) -> Look {
        let me = getpid().as_raw_pid();
        let mut search = Search {
            live,
            marks,
            lineage,
            me,
            // Not by `getsid`: in a container the leader of our session may be outside, with a number of 0.
            session: proc::stat(me).map_or(0, |stat| stat.session),
            subreaper: SUBREAPER.load(Ordering::SeqCst),
            met: BTreeSet::new(),
            kill,
            until: Deadline::after(FOLLOWED),
            look: Look::default(),
        };
        if search.subreaper && proc::lists_children() {
            search.walk();
        } else {
            search.scan();
        }
        search.look
    }

    /// How a process is tied to the peer.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Tie {
        /// It is the peer's.
        Certain,
        /// It is nobody else's.
        Likely,
    }

    struct Search<'a> {
        live: &'a Live,
        marks: &'a Marks,
        lineage: &'a Lineage,
        me: i32,
        session: i32,
        subreaper: bool,
        met: BTreeSet<i32>,
        kill: bool,
        until: Deadline,
        look: Look,
    }

    impl Search<'_> {
        /// Goes through everything that descends from us, but not below other peers.
        fn walk(&mut self) {
            let mut queue: Vec<_> = proc::children(self.me).into_iter().map(|pid| (pid, None)).collect();
            while let Some((pid, tie)) = queue.pop() {
                let tie = if pid == self.marks.leader.as_raw_pid() {
                    Some(Tie::Certain)
                } else if self.live.is_leader(pid) || !self.met.insert(pid) {
                    continue;
                } else {
                    self.meet(pid, tie)
                };
                if self.until.passed() {
                    return;
                }
                queue.extend(proc::children(pid).into_iter().map(|child| (child, tie)));
            }
        }

        /// Goes through all processes.
        fn scan(&mut self) {
            for pid in proc::all() {
                if pid != self.me && !self.live.is_leader(pid) {
                    self.meet(pid, None);
                }
            }
        }

        /// Notes a process, if it is tied to the peer by itself or through its parent.
        fn meet(&mut self, pid: i32, inherited: Option<Tie>) -> Option<Tie> {
            let stat = proc::stat(pid)?;
            let tie = inherited.or_else(|| self.tie(pid, &stat))?;
            let number = Pid::from_raw(pid)?;
            if stat.is_dead() {
                let ours = stat.parent == self.me;
                let reaped = ours && matches!(waitpid(Some(number), WaitOptions::NOHANG), Ok(Some(_)));
                self.look.reaped |= reaped;
            } else {
                if self.kill {
                    unix::signal_process(number, Signal::Kill);
                }
                self.look.alive.push(Found {
                    leaked: Leaked {
                        pid: pid.unsigned_abs(),
                        name: proc::name(pid).unwrap_or_else(|| stat.name.clone()),
                        setsid: stat.session != self.session,
                    },
                    certain: tie == Tie::Certain,
                });
            }
            Some(tie)
        }

        fn tie(&self, pid: i32, stat: &Stat) -> Option<Tie> {
            let certain = stat.group == self.marks.leader.as_raw_pid()
                || self.lineage.get(&pid) == Some(&stat.start)
                || proc::environ_holds(pid, &self.marks.marker)
                || proc::holds_pipe(pid, &self.marks.pipes);
            if certain {
                return Some(Tie::Certain);
            }
            // An orphan in a session of its own, with a scrubbed environment and no pipe of ours. We never start
            // one, so it is some peer's. While another peer lives it may be that one's, at work: leave it.
            let stray = self.subreaper && stat.parent == self.me && stat.session != self.session;
            if !stray || !self.live.may_clear_strays(self.marks.leader) {
                return None;
            }
            let alone = self.live.was_alone(self.marks.leader);
            Some(if alone { Tie::Certain } else { Tie::Likely })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::time::Duration;

    use rustix::process::Pid;

    use super::super::registry::{Live, Marks};
    use super::{Lineage, Look};

    /// There is no subreaper on this system.
    pub fn become_subreaper() -> bool {
        false
    }

    /// There is no cheap way to ask on this system.
    pub(in super::super) fn cpu(_leader: Pid) -> Option<Duration> {
        None
    }

    /// There is no cheap way to list descendants on this system.
    pub(in super::super) fn lineage(_leader: Pid) -> Lineage {
        Lineage::new()
    }

    /// Nothing is found on this system; what stayed in the group is killed all the same.
    pub(in super::super) fn look(_live: &Live, _marks: &Marks, _lineage: &Lineage, _kill: bool) -> Look {
        Look::default()
    }
}
