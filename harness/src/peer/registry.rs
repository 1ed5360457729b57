//! The peers that live now.
//!
//! Its one lock orders three things that must not overlap: starting a peer, looking for processes that a peer left
//! behind, and reaping a peer. So a child that has just been forked is never taken for a stray, and a number is
//! never acted on after it was given back.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use rustix::process::Pid;

use super::Deadline;
use super::events::lock;
use super::unix::{self, Signal};
use super::{private, sweep};

/// How long [`kill_all`] may take.
const KILL_ALL: Duration = Duration::from_secs(2);

/// The pause between two looks at what is still alive.
pub(super) const STEP: Duration = Duration::from_millis(5);

static STOPPING: AtomicBool = AtomicBool::new(false);
static LIVE: Mutex<Live> = Mutex::new(Live { peers: BTreeMap::new() });

/// What tells the processes of one peer from all others.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux lets us look for what was left"))]
#[derive(Debug, Clone)]
pub(super) struct Marks {
    /// The process that we started, whose number is also that of its group.
    pub(super) leader: Pid,
    /// The value of the marker in its environment.
    pub(super) marker: String,
    /// The inodes of its three pipes.
    pub(super) pipes: Vec<u64>,
}

/// Why a peer was not admitted.
#[derive(Debug)]
pub(super) enum Refusal {
    /// [`kill_all`] was called.
    Stopping,
    /// The system refused.
    Failed(io::Error),
}

/// All live peers, by the number of their leaders.
#[derive(Debug)]
pub(super) struct Live {
    peers: BTreeMap<i32, Entry>,
}

#[derive(Debug)]
struct Entry {
    marks: Marks,
    /// No other peer has lived at the same time.
    alone: bool,
}

#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux lets us look for what was left"))]
impl Live {
    /// Whether this number is that of a peer we started.
    pub(super) fn is_leader(&self, pid: i32) -> bool {
        self.peers.contains_key(&pid)
    }

    /// Whether what is nobody's may be killed along with this peer: no other peer lives, or all are to go.
    pub(super) fn may_clear_strays(&self, leader: Pid) -> bool {
        let only = self.peers.len() == 1 && self.is_leader(leader.as_raw_pid());
        only || STOPPING.load(Ordering::SeqCst)
    }

    /// Whether no other peer has lived beside this one.
    pub(super) fn was_alone(&self, leader: Pid) -> bool {
        self.peers.get(&leader.as_raw_pid()).is_some_and(|entry| entry.alone)
    }

    fn enter(&mut self, marks: Marks) {
        let alone = self.peers.is_empty();
        if !alone {
            for entry in self.peers.values_mut() {
                entry.alone = false;
            }
        }
        self.peers.insert(marks.leader.as_raw_pid(), Entry { marks, alone });
    }
}

/// The live peers, locked.
pub(super) fn live() -> MutexGuard<'static, Live> {
    lock(&LIVE)
}

/// Starts a peer and enters it, in one step.
pub(super) fn admit(marker: &str, spawn: impl FnOnce() -> io::Result<Child>) -> Result<(Child, Marks), Refusal> {
    let mut live = live();
    if STOPPING.load(Ordering::SeqCst) {
        return Err(Refusal::Stopping);
    }
    let child = spawn().map_err(Refusal::Failed)?;
    let marks = Marks { leader: Pid::from_child(&child), marker: marker.to_owned(), pipes: pipes(&child) };
    live.enter(marks.clone());
    Ok((child, marks))
}

/// Reaps a peer and strikes it off, in one step. `reap` says whether the number is free now.
pub(super) fn retire(leader: Pid, reap: impl FnOnce() -> bool) {
    let mut live = live();
    if reap() {
        live.peers.remove(&leader.as_raw_pid());
    }
}

/// Both ends of a pipe have one inode, so ours tell which pipe a process holds.
fn pipes(child: &Child) -> Vec<u64> {
    let fds = [
        child.stdin.as_ref().map(AsFd::as_fd),
        child.stdout.as_ref().map(AsFd::as_fd),
        child.stderr.as_ref().map(AsFd::as_fd),
    ];
    let stats = fds.into_iter().flatten().filter_map(|fd| rustix::fs::fstat(fd).ok());
    stats.map(|stat| stat.st_ino).collect()
}

/// Kills every live peer with all that it started, removes its private directories, and lets no new one start. For
/// Ctrl-C and for panics.
///
/// Returns when nothing is left alive, or after two seconds. The handles of the peers stay usable: they see an exit.
pub fn kill_all() {
    kill();
    private::remove_all();
}

fn kill() {
    STOPPING.store(true, Ordering::SeqCst);
    let deadline = Deadline::after(KILL_ALL);
    // A panic hook may run on the very thread that holds the lock, so do not insist on it.
    let live = loop {
        match LIVE.try_lock() {
            Ok(live) => break live,
            Err(TryLockError::Poisoned(poisoned)) => break PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) if deadline.passed() => return,
            Err(TryLockError::WouldBlock) => thread::park_timeout(STEP),
        }
    };
    let lineages: Vec<_> = live.peers.values().map(|entry| sweep::lineage(entry.marks.leader)).collect();
    for entry in live.peers.values() {
        unix::signal_group(entry.marks.leader, Signal::Kill);
    }
    loop {
        let mut quiet = true;
        for (entry, lineage) in live.peers.values().zip(&lineages) {
            let look = sweep::look(&live, &entry.marks, lineage, true);
            quiet &= look.is_quiet() && unix::peek(entry.marks.leader) != unix::Life::Running;
        }
        if quiet || deadline.passed() {
            return;
        }
        thread::park_timeout(STEP);
    }
}
