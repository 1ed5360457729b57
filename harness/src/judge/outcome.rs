//! What the outcomes of a step make of what happened. Pure: it looks at the transcript only.

use serde_json::json;

use super::{Proof, Verdict};
use crate::peer::Exit;
use crate::script::{Like, Match, On, Outcome, Pattern};
use crate::spec::RequirementId;
use crate::transcript::{Link, RequestIndex, Transcript, What, escape};
use crate::wire::{FrameId, IdMatch};

/// The part of a session that a step is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The session so far.
    pub transcript: &'a Transcript,
    /// The first event of the step.
    pub since: usize,
    /// The request whose reply is meant.
    pub target: Option<RequestIndex>,
}

/// What a step was worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The outcome's verdict; `None` where no outcome matched: the level of the requirement.
    pub verdict: Option<Verdict>,
    /// What was matched.
    pub on: Option<On>,
    /// The requirement to blame.
    pub requirement: Option<RequirementId>,
    /// What the peer did.
    pub message: String,
    /// The event that shows it.
    pub event: usize,
    /// The request that it is about.
    pub request: Option<RequestIndex>,
    /// What shows it.
    pub proof: Proof,
}

/// Decides a step: the first outcome that fits. `None` where nothing came that an outcome could be about: whether an
/// answer is owed is the rules' affair.
#[must_use]
pub fn decide(outcomes: &[Outcome], situation: &Situation<'_>, first: Option<RequirementId>) -> Option<Decision> {
    let last = situation.transcript.events.len().saturating_sub(1);
    let decision = |outcome: &Outcome, event: usize, message: String| Decision {
        verdict: Some(outcome.verdict),
        on: Some(outcome.on),
        requirement: outcome.requirement.clone().or_else(|| first.clone()),
        message: outcome.says.clone().unwrap_or(message),
        event,
        request: situation.target,
        proof: if matches!(outcome.on, On::Silence | On::Exit) { Proof::Absence } else { Proof::Bytes },
    };
    for outcome in outcomes {
        match seen(outcome, situation) {
            Seen::Nothing => {}
            Seen::Fits(event) => return Some(decision(outcome, event, what_happened(outcome.on, situation, event))),
            Seen::Unjudgeable(event) => {
                let message = "answers with values that JSON readers do not agree on; not judged further".to_owned();
                // The outcome's own words are about an answer that fits.
                return Some(Decision {
                    verdict: Some(Verdict::Info),
                    message,
                    ..decision(outcome, event, String::new())
                });
            }
        }
    }
    let event = reply_event(situation).or_else(|| exit_event(situation).filter(|_| waits_for_exit(outcomes)))?;
    Some(Decision {
        verdict: None,
        on: None,
        requirement: first,
        message: mismatch(outcomes, situation).unwrap_or_else(|| what_happened(On::Reply, situation, event)),
        event: event.min(last),
        request: situation.target,
        proof: Proof::Bytes,
    })
}

fn waits_for_exit(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(|outcome| matches!(outcome.on, On::Exit))
}

/// What an outcome finds.
enum Seen {
    Nothing,
    Fits(usize),
    Unjudgeable(usize),
}

fn seen(outcome: &Outcome, situation: &Situation<'_>) -> Seen {
    match outcome.on {
        On::Reply => match &outcome.to {
            None => reply_event(situation).map_or(Seen::Nothing, |event| {
                let text = situation.target.and_then(|index| situation.transcript.answer_text(index));
                fits(outcome.like.as_ref(), text, event)
            }),
            Some(to) => any_message(outcome, situation, |link, id| is_to(to, link, id)),
        },
        On::Message => any_message(outcome, situation, |link, _| matches!(link, Link::NoResponse | Link::Unknown)),
        On::Silence => {
            let answered =
                reply_event(situation).is_some() || situation.target.is_none() && answered_without_id(situation);
            let over = exit_event(situation).is_some()
                || closed_event(situation).is_some()
                || situation.transcript.overflow().is_some();
            if answered || over {
                Seen::Nothing
            } else {
                Seen::Fits(situation.transcript.events.len().saturating_sub(1))
            }
        }
        On::Exit => exit_event(situation).map_or(Seen::Nothing, |event| {
            let text = situation.transcript.exit().map(exit_text);
            fits(outcome.like.as_ref(), text.as_deref(), event)
        }),
        On::Closed => closed_event(situation).map_or(Seen::Nothing, Seen::Fits),
    }
}

fn fits(like: Option<&Like>, text: Option<&str>, event: usize) -> Seen {
    let Some(like) = like else { return Seen::Fits(event) };
    let (Ok(pattern), Some(text)) = (Pattern::parse(&like.0), text) else { return Seen::Unjudgeable(event) };
    match pattern.matches(text) {
        Match::Fits => Seen::Fits(event),
        Match::Differs => Seen::Nothing,
        Match::Unjudgeable => Seen::Unjudgeable(event),
    }
}

fn any_message(outcome: &Outcome, situation: &Situation<'_>, wanted: impl Fn(Link, Option<&FrameId>) -> bool) -> Seen {
    let messages = situation.transcript.messages().filter(|(event, ..)| *event >= situation.since);
    for (event, line, linked) in messages {
        if is_of_earlier_case(situation, linked.link) {
            continue;
        }
        if !wanted(linked.link, linked.message.id.as_ref()) {
            continue;
        }
        let text = line.bytes.text().and_then(|text| text.get(linked.range.clone()));
        match fits(outcome.like.as_ref(), text, event) {
            Seen::Nothing => {}
            seen => return seen,
        }
    }
    Seen::Nothing
}

fn is_to(to: &str, link: Link, id: Option<&FrameId>) -> bool {
    if to == "null" {
        return matches!(link, Link::WithoutId(_))
            || link != Link::NoResponse && id.is_none_or(|id| id.raw() == "null");
    }
    link != Link::NoResponse && id.is_some_and(|id| id.compare(&FrameId::new(to)) != IdMatch::Different)
}

fn answered_without_id(situation: &Situation<'_>) -> bool {
    let mut since = situation.transcript.messages().filter(|(event, ..)| *event >= situation.since);
    since.any(|(.., linked)| matches!(linked.link, Link::WithoutId(_)) && !is_of_earlier_case(situation, linked.link))
}

/// Whether it is a late word on a bad line of an earlier case.
fn is_of_earlier_case(situation: &Situation<'_>, link: Link) -> bool {
    let begin = situation.transcript.plays.last().map_or(0, |play| play.first);
    matches!(link, Link::WithoutId(Some(sent)) if sent < begin)
}

fn reply_event(situation: &Situation<'_>) -> Option<usize> {
    situation.transcript.requests.get(situation.target?)?.answer.map(|(event, _)| event)
}

fn exit_event(situation: &Situation<'_>) -> Option<usize> {
    situation.transcript.events.iter().position(|event| matches!(event.what, What::Exited(_)))
}

fn closed_event(situation: &Situation<'_>) -> Option<usize> {
    situation.transcript.events.iter().position(|event| matches!(event.what, What::StdoutClosed))
}

fn exit_text(exit: &Exit) -> String {
    match exit {
        Exit::Code(code) => json!({ "code": code }),
        Exit::Signal { name, .. } => json!({ "signal": name }),
    }
    .to_string()
}

/// Where the reply leaves the path of the accepted one.
fn mismatch(outcomes: &[Outcome], situation: &Situation<'_>) -> Option<String> {
    let text = situation.transcript.answer_text(situation.target?)?;
    let accepted = outcomes.iter().find(|outcome| outcome.verdict == Verdict::Pass && outcome.on == On::Reply)?;
    let pattern = Pattern::parse(&accepted.like.as_ref()?.0).ok()?;
    Some(format!("answers {}: {}", method(situation), pattern.mismatch(text)?))
}

fn method<'a>(situation: &'a Situation<'_>) -> &'a str {
    situation
        .target
        .and_then(|index| situation.transcript.requests.get(index))
        .map_or("the message", |request| request.method.as_str())
}

fn what_happened(on: On, situation: &Situation<'_>, event: usize) -> String {
    match on {
        On::Reply | On::Message => {
            let line = situation.transcript.line(event).map(|line| line.bytes.head()).unwrap_or_default();
            format!("answers {} with {}", method(situation), escape(&line[..line.len().min(100)]))
        }
        On::Silence => format!("does not answer {}", method(situation)),
        On::Exit => match situation.transcript.exit() {
            Some(exit) => format!("ends ({exit})"),
            None => "ends".to_owned(),
        },
        On::Closed => "closes its stdout".to_owned(),
    }
}
