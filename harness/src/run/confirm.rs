//! Nobody is accused on the strength of one play: what was found is played again alone, on a fresh process, with twice
//! the patience, while no other peer of the server lives.

use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::plan::Task;
use super::pool::{Context, Finished, Slot, run_task};
use crate::judge::{Finding, Proof, Verdict, Weighed, shape_of};
use crate::script::Script;
use crate::spec::{Class, Revision};

/// What playing a case again showed.
pub(super) type Again = Vec<Weighed>;

/// Plays one script alone.
pub(super) fn play_alone<'a>(script: &'a Script, revision: Revision, context: &Context<'_>) -> Vec<Finished<'a>> {
    let context = Context {
        times: context.times.doubled(),
        outlived: AtomicUsize::new(0),
        tool_silent: AtomicBool::new(false),
        in_doubt: AtomicBool::new(false),
        ..*context
    };
    let task = Task { revision, prelude: script.session, scripts: vec![script] };
    run_task(&task, &context, Slot::alone()).1
}

/// Whether it is about input that a client must not send, or rests on an answer without an id, by which nobody knows
/// what was meant.
fn is_of_bad_line(finding: &Finding) -> bool {
    finding.class == Class::Robustness
        || matches!(
            finding.requirement.as_str(),
            "jsonrpc.parse-error"
                | "jsonrpc.invalid-request"
                | "jsonrpc.id-null-request"
                | "jsonrpc.unsolicited-response"
        )
}

/// What remains of a finding once its case was played again.
pub(super) fn weigh_again(first: Weighed, shared: bool, again: &Again) -> Weighed {
    let shape = shape_of(&first.finding.message);
    let same = |second: &&Weighed| second.finding.requirement == first.finding.requirement;
    let second = again.iter().filter(same).find(|second| shape_of(&second.finding.message) == shape);
    let second = second.or_else(|| again.iter().filter(same).max_by_key(|second| second.finding.verdict));
    // An answer that was missing once may turn out to be a line without an end, where there was time to see that.
    let endless = || again.iter().find(|second| second.finding.requirement.as_str() == "stdio.line-terminated");
    let second = second.or_else(|| if first.proof == Proof::Absence { endless() } else { None });
    if let Some(second) = second {
        return second.clone();
    }
    let mut finding = first.finding;
    match (first.proof, shared) {
        (Proof::Absence, false) => {
            finding.verdict = Verdict::Info;
            finding.message += " (once; not when played again alone)";
        }
        // Late words on several bad lines tell nobody which of them they are for.
        (_, true) if is_of_bad_line(&finding) => {
            finding.verdict = Verdict::Info;
            finding.order_dependent = true;
        }
        // After other traffic an answer may well be missing for good: that is a finding, of another kind.
        (_, true) => finding.order_dependent = true,
        (Proof::Bytes, false) => finding.message += " (in one of two plays)",
    }
    Weighed { finding, proof: first.proof }
}
