//! Plays tasks side by side: `--jobs` sessions are active at a time, and sessions that only wait for strays and for
//! their peer's end do not count.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::dialect::Dialect;
use super::plan::Task;
use super::play::{Played, Stage, Stop, play};
use super::prelude::{Opened, open};
use super::session::{Session, Setting};
use super::survey::{EraFacts, Survey};
use super::times::Times;
use super::values::{self, Allowed};
use crate::judge::Recording;
use crate::script::Script;
use crate::spec::Revision;
use crate::transcript::{Purpose, Request, What};

/// One script's part in a session that is over.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The script.
    pub script: &'a Script,
    /// What came of it.
    pub fate: Fate,
    /// How long it took.
    pub took: Duration,
}

/// What became of a script.
#[derive(Debug)]
pub(super) enum Fate {
    /// It was played.
    Played(Played),
    /// It was not: the server speaks another revision.
    OtherRevision(String),
    /// It was not: what it needs has turned out to be of no use.
    Skipped(String),
    /// It was not: the session could not be opened.
    NotOpened(String),
    /// It was not: the run's time was up.
    OutOfTime,
}

/// A session that is over, and who played in it.
#[derive(Debug)]
pub(super) struct Finished<'a> {
    /// The revision asked for.
    pub revision: Revision,
    /// The session; `None` where no process was started.
    pub recording: Option<Recording>,
    /// The scripts, in the order of their plays.
    pub parts: Vec<Part<'a>>,
    /// Whether several scripts shared the peer.
    pub shared: bool,
}

/// What all sessions of a run need.
pub(super) struct Context<'a> {
    /// How peers are started.
    pub setting: &'a Setting,
    /// The calls that may be made.
    pub allowed: &'a Allowed,
    /// What is known of the server.
    pub survey: &'a Survey,
    /// How long things may take.
    pub times: Times,
    /// Sessions whose peer outlived the end of its input: once that is known, later ones are not waited for so long.
    pub outlived: AtomicUsize,
    /// Whether a tool that we picked did not answer.
    pub tool_silent: AtomicBool,
    /// Whether an answer did not come, which counts only when it does not come again.
    pub in_doubt: AtomicBool,
}

impl Context<'_> {
    /// Whether no case is begun any more: the run's time is up, but for what is kept to play again.
    fn is_late(&self) -> bool {
        let kept = if self.in_doubt.load(Ordering::Relaxed) { self.times.reserve } else { Duration::ZERO };
        self.times.budget.remaining() <= kept
    }
}

/// So many sessions show that a server outlives its input.
const PROVEN: usize = 2;
/// Sessions that may be ending beside those that are active.
const ENDING: usize = 20;

/// Plays all tasks.
pub(super) fn run<'a>(tasks: Vec<Task<'a>>, context: &Context<'_>, jobs: usize) -> Vec<Finished<'a>> {
    let queue = Mutex::new(VecDeque::from(tasks));
    let slots = Slots::new(jobs);
    let finished = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs + ENDING {
            scope.spawn(|| {
                loop {
                    let slot = slots.take();
                    let Some(task) = lock(&queue).pop_front() else { return };
                    let (rest, done) = run_task(&task, context, slot);
                    lock(&finished).extend(done);
                    if let Some(rest) = rest {
                        lock(&queue).push_front(rest);
                    }
                }
            });
        }
    });
    finished.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Permits for active sessions.
struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A permit; dropping it gives it back.
pub(super) struct Slot<'a>(Option<&'a Slots>);

impl Slots {
    fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    fn take(&self) -> Slot<'_> {
        let mut free = lock(&self.free);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Slot(Some(self))
    }
}

impl Slot<'_> {
    /// A permit for a session that runs alone.
    pub(super) fn alone() -> Self {
        Slot(None)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let Some(slots) = self.0 {
            *lock(&slots.free) += 1;
            slots.freed.notify_one();
        }
    }
}

/// Plays a task on one process. Where the peer is lost on the way, gives back what is left to play.
pub(super) fn run_task<'a>(
    task: &Task<'a>,
    context: &Context<'_>,
    slot: Slot<'_>,
) -> (Option<Task<'a>>, Vec<Finished<'a>>) {
    let shared = task.scripts.len() > 1;
    let facts = context.survey.facts(task.revision);
    let times = Times { round_trip: facts.round_trip, usual_start: facts.startup, ..context.times };
    if context.is_late() {
        return (None, vec![unplayed(task, None, |_| Fate::OutOfTime)]);
    }
    let dialect = Dialect::new(task.revision);
    let label = task.scripts.first().map_or("session", |script| script.id.as_str());
    let session = match open(context.setting, &dialect, facts, task.prelude, &times, label) {
        Ok(Opened::Ready(session)) => session,
        Ok(Opened::OtherRevision(session, agreed)) => {
            let recording = end(session, Duration::ZERO, &times, context, slot);
            return (None, vec![unplayed(task, Some(recording), |_| Fate::OtherRevision(agreed.clone()))]);
        }
        Ok(Opened::Stuck(session)) => {
            let recording = end(session, Duration::ZERO, &times, context, slot);
            let why = || "the session could not be opened".to_owned();
            return (None, vec![unplayed(task, Some(recording), |_| Fate::NotOpened(why()))]);
        }
        Err(error) => {
            return (None, vec![unplayed(task, None, |_| Fate::NotOpened(error.to_string()))]);
        }
    };
    let (session, parts) = play_all(session, task, &dialect, facts, &times, context);
    let left = task.scripts[parts.len()..].to_vec();
    let mut session = session;
    session.transcript_mut().end_plays();
    let recording = end(session, times.grace(), &times, context, slot);
    let rest = (!left.is_empty()).then(|| Task { scripts: left, ..task.clone() });
    (rest, vec![Finished { revision: task.revision, recording: Some(recording), parts, shared }])
}

/// Plays one script after the other, as long as the peer lasts.
fn play_all<'a>(
    mut session: Session,
    task: &Task<'a>,
    dialect: &Dialect,
    facts: &EraFacts,
    times: &Times,
    context: &Context<'_>,
) -> (Session, Vec<Part<'a>>) {
    let mut parts = Vec::new();
    for &script in &task.scripts {
        if !parts.is_empty() && context.is_late() {
            break;
        }
        if context.tool_silent.load(Ordering::Relaxed) && values::is_our_pick(script, context.allowed) {
            let reason = "the tool that was picked did not answer an earlier case; name one with --call".to_owned();
            parts.push(Part { script, fate: Fate::Skipped(reason), took: Duration::ZERO });
            continue;
        }
        let began = session.now();
        let nonce = nonce(context.setting.seed, script.id.as_str());
        let bindings = values::bindings(script, dialect, facts, context.allowed, &nonce);
        let our_pick = values::is_our_pick(script, context.allowed);
        let stage = Stage { dialect, cheap: &facts.cheap, times, our_pick };
        let played = play(&mut session, script, bindings, &stage);
        let silent = matches!(played.stopped, Some(Stop::ToolSilent(_)));
        context.tool_silent.fetch_or(silent, Ordering::Relaxed);
        context.in_doubt.fetch_or(went_unanswered(&session, |request| request.owed), Ordering::Relaxed);
        // Nothing that is played behind a barrier that went unanswered could be judged.
        let is_deaf = went_unanswered(&session, |request| request.purpose == Purpose::Barrier);
        let lost = matches!(played.stopped, Some(Stop::PeerLost)) || session.is_over() || silent || is_deaf;
        parts.push(Part { script, fate: Fate::Played(played), took: session.now().saturating_sub(began) });
        if lost {
            break;
        }
    }
    (session, parts)
}

/// Whether a request of this kind was waited for in vain in the last play.
fn went_unanswered(session: &Session, wanted: impl Fn(&Request) -> bool) -> bool {
    let transcript = session.transcript();
    let first = transcript.plays.last().map_or(0, |play| play.first);
    transcript.events[first..]
        .iter()
        .any(|event| matches!(event.what, What::Unanswered(index) if wanted(&transcript.requests[index])))
}

fn unplayed<'a>(task: &Task<'a>, recording: Option<Recording>, fate: impl Fn(&Script) -> Fate) -> Finished<'a> {
    let parts = task.scripts.iter().map(|&script| Part { script, fate: fate(script), took: Duration::ZERO }).collect();
    Finished { revision: task.revision, recording, parts, shared: task.scripts.len() > 1 }
}

/// Ends a session. Its permit goes to the next one meanwhile, but where no process bears another beside it.
fn end(session: Session, grace: Duration, times: &Times, context: &Context<'_>, slot: Slot<'_>) -> Recording {
    let _kept = context.survey.solitary.then_some(slot);
    let patient = context.outlived.load(Ordering::Relaxed) < PROVEN;
    let times = if patient { *times } else { Times { impatient: true, ..*times } };
    let (transcript, ended) = session.finish(grace, &times);
    if matches!(ended.rung, crate::peer::Rung::Terminated | crate::peer::Rung::Killed) {
        context.outlived.fetch_add(1, Ordering::Relaxed);
    }
    Recording { transcript, ended, patient }
}

/// Letters and digits that a server cannot know beforehand.
fn nonce(seed: u32, label: &str) -> String {
    let mut random = fastrand::Rng::with_seed(u64::from(seed).wrapping_add(super::session::hash_of(label)));
    (0..8).map(|_| random.alphanumeric().to_ascii_lowercase()).collect()
}
