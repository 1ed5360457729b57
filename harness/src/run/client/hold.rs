//! Holds a session from the start of the process to its end, and says what came of it.

use std::time::Duration;

use super::super::check::describe;
use super::super::diagnose;
use super::super::session::{Session, Setting};
use super::super::times::Times;
use super::call::ToolCall;
use super::failure::{self, Failure, Stop};
use super::opening::{Opening, open};
use super::talk::talk;
use crate::judge::Recording;
use crate::peer::{Deadline, Rung};
use crate::spec::Revision;

/// What a session does.
pub struct SessionOptions {
    /// How its peer is started.
    pub setting: Setting,
    /// The revision that it speaks; without one, the newest that the server speaks.
    pub revision: Option<Revision>,
    /// The calls, in order.
    pub calls: Vec<ToolCall>,
    /// For the first answer of the process.
    pub startup: Duration,
    /// For the answer of a request.
    pub request: Duration,
    /// For the whole session.
    pub budget: Duration,
}

/// What a session brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The names of all tools, as the server lists them.
    pub tools: Vec<String>,
    /// The texts that were kept, each with its name.
    pub saved: Vec<(String, String)>,
}

/// What came of a session.
#[derive(Debug)]
pub enum Held {
    /// Every step was right, and the process ended when its stdin was closed.
    Whole(Outcome),
    /// A step failed.
    Failed(Box<Failure>),
    /// The server did not come up: why, in a few lines.
    NotStarted(String),
}

/// Holds one session with a server.
#[must_use]
pub fn hold(options: &SessionOptions) -> Held {
    let times = Times::new(options.startup, options.request, Deadline::after(options.budget));
    // A setting that is used again keeps the end of its first run, which only makes later waits prove less.
    let _ = options.setting.budget.set(times.budget);
    match open(options, &times) {
        Opening::NotStarted(trouble) => Held::NotStarted(describe(&trouble)),
        Opening::Mute(mute) => Held::Failed(Box::new(failure::of_mute(&mute))),
        Opening::Begun(mut begun) => {
            let done = talk(&mut begun, &options.calls, options.revision.is_some(), &times);
            close(begun.session, done, &times)
        }
    }
}

/// Closes stdin and waits for the end; then all that was said is looked at.
fn close(session: Session, done: Result<Outcome, Stop>, times: &Times) -> Held {
    let (transcript, ended) = session.finish(Duration::ZERO, times);
    let recording = Recording { transcript, ended, patient: true };
    let events = done.as_ref().err().map_or(usize::MAX, |stop| stop.events);
    let broken = failure::broken(&recording, events);
    match done {
        Err(_) if is_stillborn(&recording) => {
            let exit = recording.ended.exit.map_or_else(|| "its stdout was closed".to_owned(), |exit| exit.to_string());
            Held::NotStarted(describe(&diagnose::exited(exit, &recording.transcript, &recording.ended)))
        }
        Err(Stop { failure, .. }) => Held::Failed(match broken {
            Some(broken) => Box::new(broken.named_as(&failure)),
            None => failure,
        }),
        Ok(outcome) => match broken.or_else(|| failure::unended(&recording)) {
            Some(failure) => Held::Failed(Box::new(failure)),
            None => Held::Whole(outcome),
        },
    }
}

/// Whether the process ended by itself before it answered anything.
fn is_stillborn(recording: &Recording) -> bool {
    recording.ended.rung == Rung::AlreadyExited && recording.transcript.first_answer().is_none()
}
