//! `lifecycle.version-echo`: a server that answers a version to somebody agrees to it when it is asked for it
//! (basic/lifecycle#version-negotiation). It takes several processes to see that.

use std::collections::BTreeMap;

use super::pool::Finished;
use crate::judge::{Breach, Recording, Weighed, weigh};
use crate::spec::{Era, Ledger};
use crate::transcript::Transcript;

/// Compares what the sessions of a run were answered to `initialize`.
pub(super) fn across(finished: &[Finished<'_>], ledger: &Ledger) -> Vec<Weighed> {
    let mut answers: BTreeMap<String, (&Recording, String)> = BTreeMap::new();
    for recording in finished.iter().filter_map(|session| session.recording.as_ref()) {
        if let Some((asked, answered)) = first_exchange(&recording.transcript) {
            answers.entry(asked).or_insert((recording, answered));
        }
    }
    let claimed: Vec<&String> = answers.values().map(|(_, answered)| answered).collect();
    answers
        .iter()
        .filter(|(asked, (_, answered))| claimed.contains(asked) && *asked != answered)
        .filter_map(|(asked, (recording, answered))| {
            let message = format!("answers {answered} when asked for {asked}, though it answers {asked} to others");
            let event = recording.transcript.requests.first()?.answer?.0;
            let breach = Breach::new("lifecycle.version-echo", event, message).about(0);
            weigh(&breach, recording, "lifecycle/initialize", ledger)
        })
        .collect()
}

/// The version that the first request of a session asks for, and the one that it is answered with.
fn first_exchange(transcript: &Transcript) -> Option<(String, String)> {
    if transcript.asked.era() != Era::Legacy || transcript.requests.first()?.method != "initialize" {
        return None;
    }
    let sent = transcript.sent_text(transcript.requests.first()?.event)?;
    let sent: serde_json::Value = serde_json::from_str(sent.trim_end()).ok()?;
    let asked = sent.pointer("/params/protocolVersion")?.as_str()?.to_owned();
    Some((asked, transcript.agreed()?.to_owned()))
}
