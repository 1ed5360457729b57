//! Judges a session that is over: each case by its outcomes and by what the rules saw while it was played.

use std::collections::BTreeSet;

use super::weigh::{Weighed, breach_of, weigh};
use super::{Breach, CaseResult, Decision, Proof, Recording, SessionEnd, Verdict};
use crate::peer::{Exit, Rung};
use crate::rules;
use crate::script::{On, Script};
use crate::spec::{Class, Ledger, RequirementId};
use crate::transcript::{Link, Linked, What};
use crate::wire::EnvelopeFault;

/// One case of a session, judged.
#[derive(Clone, Debug)]
pub struct JudgedCase {
    /// What became of it.
    pub result: CaseResult,
    /// What was found while it was played.
    pub findings: Vec<Weighed>,
}

/// What a script's play gave beside the transcript.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// What its outcomes decided.
    pub decisions: Vec<Decision>,
    /// Why it cannot be judged: with which verdict, and the reason.
    pub cut_short: Option<(Verdict, String)>,
    /// Milliseconds from its first step to its last.
    pub duration_ms: f64,
}

/// What a session gave.
#[derive(Clone, Debug)]
pub struct JudgedSession {
    /// Found before the first case, or about the process as a whole.
    pub own: Vec<Weighed>,
    /// Its cases, in order.
    pub cases: Vec<JudgedCase>,
}

/// Judges a session and the plays in it, which stand in the order of the transcript's.
#[must_use]
pub fn judge_session(recording: &Recording, plays: &[(&Script, Account)], ledger: &Ledger) -> JudgedSession {
    let transcript = &recording.transcript;
    let opening = opening_case(recording);
    let mut own = Vec::new();
    let mut cases: Vec<JudgedCase> = plays.iter().map(|(script, account)| start(script, account, recording)).collect();
    let first_words = transcript.lines().find(|(_, line)| !line.messages.is_empty()).map(|(event, _)| event);
    let mut told = BTreeSet::new();
    for breach in rules::judge(recording) {
        // A flood of one kind of noise is one thing to tell.
        let place = transcript.play_of(breach.event);
        if !told.insert((place, breach.requirement.clone(), breach.verdict, shape_of(&breach.message))) {
            continue;
        }
        let about_process = is_of_process(recording, &breach) || is_before_speech(recording, &breach, first_words);
        let play = transcript.play_of(breach.event).filter(|_| !about_process);
        match play.and_then(|play| Some((plays.get(play)?, cases.get_mut(play)?))) {
            Some(((_, account), _)) if is_told_by_case(&breach, account) => {}
            Some(((script, _), case)) => {
                let breach = blame(breach, script, ledger);
                case.findings.extend(weigh(&breach, recording, &case.result.id, ledger));
            }
            None => own.extend(weigh(&breach, recording, opening, ledger)),
        }
    }
    for ((_, account), case) in plays.iter().zip(&mut cases) {
        decide(case, account, recording, ledger);
    }
    JudgedSession { own, cases }
}

/// Whether it is the death of a peer that the case itself has words for.
fn is_told_by_case(breach: &Breach, account: &Account) -> bool {
    let tells_exit =
        |decision: &Decision| decision.on == Some(On::Exit) && decision.verdict.is_some_and(|it| it >= Verdict::Info);
    breach.requirement.as_str() == "jsonrpc.survives-malformed" && account.decisions.iter().any(tells_exit)
}

/// A message without the numbers in it, which vary from play to play, and without what stands behind a colon: the
/// instance, not the kind.
#[must_use]
pub fn shape_of(message: &str) -> String {
    let message = message.split_once(": ").map_or(message, |(kind, _)| kind);
    let mut shape = String::with_capacity(message.len());
    let mut in_number = false;
    for c in message.chars() {
        let digit = c.is_ascii_digit();
        if !(digit && in_number) {
            shape.push(if digit { '#' } else { c });
        }
        in_number = digit;
    }
    shape
}

/// The case that stands for the session itself.
#[must_use]
pub fn opening_case(recording: &Recording) -> &'static str {
    match recording.transcript.asked.era() {
        crate::spec::Era::Legacy => "lifecycle/initialize",
        crate::spec::Era::Modern => "discover/discover",
    }
}

/// Whether a breach is about the end of the process after the last case, not about that case.
fn is_of_process(recording: &Recording, breach: &Breach) -> bool {
    let about_end = matches!(breach.requirement.as_str(), "robust.leaked-process" | "robust.slow-start")
        || breach.requirement.as_str().starts_with("stdio.eof-");
    about_end && !ends_in_play(recording)
}

/// Whether it is noise that came before the peer had said anything: every session of the peer begins so.
fn is_before_speech(recording: &Recording, breach: &Breach, first_words: Option<usize>) -> bool {
    let is_noise = recording.transcript.line(breach.event).is_some_and(|line| line.messages.is_empty());
    let answers = |event| recording.transcript.requests.iter().any(|r| r.answer.is_some_and(|(at, _)| at == event));
    is_noise && !answers(breach.event) && first_words.is_none_or(|first| breach.event < first)
}

/// Whether the script itself closed stdin or sent a signal.
fn ends_in_play(recording: &Recording) -> bool {
    let events = &recording.transcript.events;
    let closed = events.iter().position(|event| matches!(event.what, What::StdinClosed | What::Signalled(_)));
    // The player goes on after a close of its own; the end of a session is followed by the process only.
    closed.is_some_and(|closed| recording.transcript.closed_by_play(closed))
}

fn start(script: &Script, account: &Account, recording: &Recording) -> JudgedCase {
    JudgedCase {
        result: CaseResult {
            id: script.id.to_string(),
            revision: recording.transcript.revision().to_string(),
            verdict: Verdict::Pass,
            ended: Some(ended(recording)),
            duration_ms: account.duration_ms,
            reason: None,
            requirements: script.requirements.clone(),
        },
        findings: Vec::new(),
    }
}

/// A peer that does not survive input which a client must not send breaks what its case is about, if that is robustness;
/// so does one that fails in a case which is about nothing else.
fn blame(breach: Breach, script: &Script, ledger: &Ledger) -> Breach {
    let is_own = |id: &&RequirementId| {
        id.as_str().starts_with("robust.") && ledger.find(id).is_some_and(|row| row.class == Class::Robustness)
    };
    let is_blamed = match breach.requirement.as_str() {
        "jsonrpc.survives-malformed" => true,
        "jsonrpc.response-required" => script.requirements.iter().all(|id| is_own(&id)),
        _ => false,
    };
    match script.requirements.iter().find(is_own).filter(|_| is_blamed) {
        Some(id) => Breach { requirement: id.clone(), ..breach },
        None => breach,
    }
}

/// Whether the reply that a decision rests on cannot be read, is malformed or has the wrong id: the rules have said so,
/// and what it would mean otherwise is nobody's guess.
fn is_told_by_rules(recording: &Recording, breach: &Breach) -> bool {
    let Some(line) = recording.transcript.line(breach.event).filter(|_| breach.proof == Proof::Bytes) else {
        return false;
    };
    let is_malformed = |linked: &Linked| {
        // A missing id is what a bad line draws.
        let counts = |fault: &EnvelopeFault| !matches!(fault, EnvelopeFault::IdNull | EnvelopeFault::IdMissing);
        linked.message.faults.iter().any(counts)
            || matches!(linked.link, Link::Loose(_) | Link::Cancellation(_) | Link::WithoutId(None))
    };
    line.messages.is_empty() || line.messages.iter().any(is_malformed)
}

/// Adds what the outcomes decided, and draws the verdict.
fn decide(case: &mut JudgedCase, account: &Account, recording: &Recording, ledger: &Ledger) {
    let skipped = account.decisions.iter().find(|decision| decision.verdict == Some(Verdict::Skip));
    let decided = account
        .decisions
        .iter()
        .filter_map(breach_of)
        .filter(|breach| !is_told_by_rules(recording, breach))
        .filter_map(|breach| weigh(&breach, recording, &case.result.id, ledger));
    let decided: Vec<Weighed> = decided.collect();
    for weighed in decided {
        // A rule and the case speak of the same line: the case says it better.
        let is_same = |other: &Weighed| {
            let (one, other) = (&weighed.finding, &other.finding);
            one.stream_offset.is_some()
                && (&one.requirement, one.stream_offset) == (&other.requirement, other.stream_offset)
        };
        match case.findings.iter_mut().find(|other| is_same(other)) {
            Some(other) if other.finding.verdict > weighed.finding.verdict => {}
            Some(other) => *other = weighed,
            None => case.findings.push(weighed),
        }
    }
    case.result.verdict = case.findings.iter().map(|weighed| weighed.finding.verdict).max().unwrap_or(Verdict::Pass);
    if case.findings.iter().any(|weighed| weighed.finding.verdict >= Verdict::Warn) {
        return;
    }
    // A case that has decided on a hint is decided, also where the peer was lost behind that.
    let is_about = |weighed: &Weighed| case.result.requirements.contains(&weighed.finding.requirement);
    let is_decided = case.result.verdict == Verdict::Info
        && (case.findings.iter().any(is_about)
            || account.decisions.iter().any(|decision| decision.verdict == Some(Verdict::Info)));
    if let Some((verdict, reason)) = account.cut_short.as_ref().filter(|_| !is_decided) {
        case.result.verdict = *verdict;
        case.result.reason = Some(reason.clone());
    } else if let Some(skip) = skipped {
        case.result.verdict = Verdict::Skip;
        case.result.reason = Some(skip.message.clone());
    }
}

/// How a session ended.
#[must_use]
pub fn ended(recording: &Recording) -> SessionEnd {
    let transcript = &recording.transcript;
    let asked = transcript.events.iter().position(|event| matches!(event.what, What::StdinClosed | What::Signalled(_)));
    let exited = transcript.events.iter().position(|event| matches!(event.what, What::Exited(_)));
    let by_itself = exited.is_some_and(|exited| asked.is_none_or(|asked| exited < asked));
    let signalled = transcript.events.iter().any(|event| matches!(event.what, What::Signalled(_)));
    match (recording.ended.rung, recording.ended.exit) {
        (_, None) => SessionEnd::Hung,
        _ if !recording.ended.leaked.is_empty() => SessionEnd::Leaked,
        (Rung::Killed, _) => SessionEnd::Killed,
        (Rung::Terminated, _) => SessionEnd::Terminated,
        (_, Some(Exit::Signal { .. })) if !signalled => SessionEnd::Crashed,
        _ if by_itself => SessionEnd::Exited,
        _ => SessionEnd::Clean,
    }
}
