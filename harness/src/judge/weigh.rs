//! Turns breaches into findings: how heavy they are in the revision in force, and the bytes that show them.

use super::{Breach, Decision, Evidence, Finding, Proof, Recording, Verdict};
use crate::spec::{Class, Ledger, Level, RequirementId, Revision};
use crate::transcript::{Kept, Transcript, What, escape};

/// A finding, and what a confirmation needs to know of it.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// The finding.
    pub finding: Finding,
    /// What shows it.
    pub proof: Proof,
}

/// How much of a line is shown whole.
const SHOWN: usize = 4096;
/// How much of a longer one is shown around the offset.
const AROUND: usize = 400;

/// Weighs a breach. `None` where the ledger has no such row in this revision.
#[must_use]
pub fn weigh(breach: &Breach, recording: &Recording, case: &str, ledger: &Ledger) -> Option<Weighed> {
    let transcript = &recording.transcript;
    let revision = transcript.revision();
    let row = ledger.find(&breach.requirement)?;
    let heaviest = heaviest(ledger, &breach.requirement, revision)?;
    let verdict = breach.verdict.unwrap_or(heaviest).min(heaviest);
    let line = transcript.line(breach.event).filter(|_| breach.proof == Proof::Bytes);
    let finding = Finding {
        requirement: breach.requirement.clone(),
        verdict,
        class: row.class,
        revision: revision.to_string(),
        case: case.to_owned(),
        message: breach.message.clone(),
        source: row.source(revision),
        order_dependent: false,
        stream_offset: line.map(|line| line.offset),
        evidence: Evidence {
            sent: sent_before(transcript, breach),
            received: received(recording, breach),
            offset: breach.offset,
        },
        reproduce: String::new(),
    };
    Some(Weighed { finding, proof: breach.proof })
}

/// The heaviest verdict of a row in a revision; `None` where it does not belong there.
fn heaviest(ledger: &Ledger, id: &RequirementId, revision: Revision) -> Option<Verdict> {
    let row = ledger.find(id)?;
    if !row.revisions().contains(revision) {
        return None;
    }
    let level = row.level(revision);
    Some(match (row.class, level) {
        (Class::Robustness, Level::Fail) => Verdict::Warn,
        (_, level) => level.into(),
    })
}

/// A decision as a breach; `None` where it is no breach.
#[must_use]
pub(super) fn breach_of(decision: &Decision) -> Option<Breach> {
    if matches!(decision.verdict, Some(Verdict::Pass | Verdict::Skip)) {
        return None;
    }
    Some(Breach {
        requirement: decision.requirement.clone()?,
        verdict: decision.verdict,
        event: decision.event,
        offset: 0,
        request: decision.request,
        stimulus: None,
        message: decision.message.clone(),
        proof: decision.proof,
    })
}

/// What we had sent: the request that it is about, or the last thing before it.
fn sent_before(transcript: &Transcript, breach: &Breach) -> Option<String> {
    let by_request = breach.request.map(|index| transcript.requests[index].event);
    let event = breach.stimulus.or(by_request).or_else(|| {
        let before = &transcript.events[..breach.event.min(transcript.events.len())];
        before.iter().rposition(|event| matches!(event.what, What::Sent(_)))
    })?;
    match &transcript.events.get(event)?.what {
        What::Sent(sent) => Some(window(&sent.bytes, 0).trim_end_matches("\\x0a").to_owned()),
        _ => None,
    }
}

fn received(recording: &Recording, breach: &Breach) -> Option<String> {
    match &recording.transcript.events.get(breach.event)?.what {
        What::Received(line) if breach.proof == Proof::Bytes => Some(window(&line.bytes, breach.offset)),
        What::Overflow { head, .. } => Some(window(head, 0)),
        What::Exited(exit) => Some(exited(recording, exit)),
        What::StdoutClosed => recording.transcript.exit().map(|exit| exited(recording, exit)),
        _ => None,
    }
}

/// An exit, with what stands last on stderr.
fn exited(recording: &Recording, exit: &impl std::fmt::Display) -> String {
    let words = last_words(recording).map(|words| format!("; {words}"));
    format!("{exit}{}", words.unwrap_or_default())
}

/// What stands last on stderr, where anything does.
pub(crate) fn last_words(recording: &Recording) -> Option<String> {
    let lines = recording.ended.stderr.last_lines(3);
    (!lines.is_empty()).then(|| format!("stderr: {}", escape(lines.join(" / ").as_bytes())))
}

/// A line as text: whole, or around the offset.
pub(crate) fn window(kept: &Kept, offset: usize) -> String {
    let bytes = kept.head();
    if kept.whole().is_some() && bytes.len() <= SHOWN {
        return escape(bytes);
    }
    let from = if offset < bytes.len() { offset.saturating_sub(AROUND / 4) } else { 0 };
    let part = &bytes[from..bytes.len().min(from + AROUND)];
    let before = if from > 0 { format!("…[{from} bytes]…") } else { String::new() };
    let behind = kept.length().saturating_sub((from + part.len()) as u64);
    let after = if behind > 0 { format!("…[{behind} bytes]…") } else { String::new() };
    format!("{before}{}{after}", escape(part))
}
