//! Why a session failed: the step, what the server does, the bytes, and what would be right.

use std::fmt;

use super::super::diagnose::Mute;
use crate::judge::{Breach, Finding, Proof, Recording, Verdict, last_words, opening_case, weigh, window};
use crate::peer::{Exit, Rung};
use crate::rules;
use crate::spec::{Ledger, RequirementId};
use crate::transcript::{RequestIndex, escape};

/// Why a session failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step, where it is one step's.
    pub step: Option<String>,
    /// What the server does, in the present tense.
    pub message: String,
    /// What the client had sent, where that matters.
    pub sent: Option<String>,
    /// The bytes that show it, as text with `\xNN` for what is not printable UTF-8.
    pub received: Option<String>,
    /// What would be right.
    pub expected: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = &self.step {
            write!(f, "{step}: ")?;
        }
        write!(f, "the server {}", self.message)?;
        let lines = [("sent", &self.sent), ("got", &self.received), ("expected", &Some(self.expected.clone()))];
        for (name, text) in lines {
            if let Some(text) = text {
                write!(f, "\n  {name:<9} {text}")?;
            }
        }
        Ok(())
    }
}

impl Failure {
    /// Names its step as another failure does, where both are about one method.
    pub(super) fn named_as(self, other: &Self) -> Self {
        let is_same = |method: &String| other.step.as_ref().is_some_and(|step| step.starts_with(method.as_str()));
        let step = if self.step.as_ref().is_some_and(is_same) { other.step.clone() } else { self.step };
        Self { step, ..self }
    }
}

/// A step that went wrong, and when.
#[derive(Debug)]
pub(super) struct Stop {
    /// Why.
    pub failure: Box<Failure>,
    /// The number of events until then: what is in them can be the reason.
    pub events: usize,
}

/// How much of a text of the server stands in a sentence.
const SHORT: usize = 160;

/// The beginning of a text of the server, safe to show.
pub(super) fn short(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHORT).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    escape(head.as_bytes()) + more
}

/// What no client can read past: lines that are no messages, and answers that are no responses to what was asked.
const UNREADABLE: [&str; 3] = ["purity", "framing", "text"];
const UNRELATED: [&str; 3] = ["envelope", "ids", "answered"];

/// The first thing up to an event, as `check` judges it, that no client can read past.
pub(super) fn broken(recording: &Recording, events: usize) -> Option<Failure> {
    let read = |names: [&str; 3]| {
        let mut breaches = Vec::new();
        for rule in rules::ALL.iter().filter(|rule| names.contains(&rule.name)) {
            rule.judge(recording, &mut breaches);
        }
        breaches
    };
    let mut breaches = read(UNREADABLE);
    breaches.extend(read(UNRELATED).into_iter().filter(|breach| breach.request.is_some()));
    breaches.retain(|breach| breach.event < events && breach.proof == Proof::Bytes);
    breaches.sort_by_key(|breach| breach.event);
    breaches.iter().find_map(|breach| fatal(breach, recording))
}

/// A breach as a failure, if it breaks a MUST of the revision in force.
fn fatal(breach: &Breach, recording: &Recording) -> Option<Failure> {
    let weighed = weigh(breach, recording, opening_case(recording), Ledger::embedded())?;
    let Finding { requirement, verdict, message, evidence, .. } = weighed.finding;
    (verdict == Verdict::Fail).then(|| Failure {
        step: breach.request.map(|index| step_of(recording, index)),
        message,
        // A line that is no message has nothing to do with what was sent before it.
        sent: evidence.sent.filter(|_| breach.request.is_some()),
        received: evidence.received,
        expected: expected(requirement.as_str()),
    })
}

fn step_of(recording: &Recording, index: RequestIndex) -> String {
    recording.transcript.requests[index].method.clone()
}

fn expected(requirement: &str) -> String {
    let row = Ledger::embedded().find(&RequirementId::new(requirement));
    row.map(|row| row.expected.clone()).unwrap_or_default()
}

/// A process that does not end as it should when its stdin is closed.
pub(super) fn unended(recording: &Recording) -> Option<Failure> {
    let ended = &recording.ended;
    let waited = ended.elapsed.as_secs_f64();
    let message = match (ended.rung, ended.exit) {
        (Rung::Terminated, _) => format!("runs on after its stdin is closed; SIGTERM ended it ({waited:.1} s in all)"),
        (Rung::Killed, _) => {
            format!("runs on after its stdin is closed and after SIGTERM; SIGKILL ended it ({waited:.1} s in all)")
        }
        (Rung::AlreadyExited | Rung::StdinClosed, Some(exit @ Exit::Signal { .. })) => {
            format!("crashes ({exit}) at the end of the session")
        }
        (Rung::AlreadyExited | Rung::StdinClosed, _) => return None,
    };
    let crashed = matches!(ended.exit, Some(Exit::Signal { .. })) && ended.rung <= Rung::StdinClosed;
    Some(Failure {
        step: Some("end".to_owned()),
        message,
        sent: None,
        received: last_words(recording).filter(|_| crashed),
        expected: "the process ends by itself when its stdin is closed".to_owned(),
    })
}

/// A server that runs and does not answer `initialize`.
pub(super) fn of_mute(mute: &Mute) -> Failure {
    let recording = &mute.recording;
    // Noise explains a silence that is not told apart further.
    let noise = broken(recording, usize::MAX).filter(|_| mute.silence.is_plain());
    noise.unwrap_or_else(|| Failure {
        step: Some("initialize".to_owned()),
        message: mute.silence.message(),
        sent: None,
        received: recording.transcript.lines().next().map(|(_, line)| window(&line.bytes, 0)),
        expected: expected(mute.silence.requirement()),
    })
}
