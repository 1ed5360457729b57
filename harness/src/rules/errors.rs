//! Error codes: `jsonrpc.error-code-range` in every revision, and the partition of 2026-07-28: `errors.reserved-range`,
//! `errors.retired-codes`, `errors.legacy-subrange`, `errors.defined-meaning` (basic/index#error-codes).

use crate::judge::{Breach, Recording};
use crate::spec::Era;
use crate::transcript::{Link, Linked};

/// Names error codes that the revision in force reserves or retires.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    for (event, _, linked) in transcript.messages() {
        let Some(code) = code_of(linked) else { continue };
        let request = match linked.link {
            Link::Answer(index, _) | Link::Again(index) | Link::Loose(index) => Some(index),
            _ => None,
        };
        // In the modern era only requests with modern metadata are judged by its partition.
        let modern = transcript.asked.era() == Era::Modern
            && request.is_some_and(|index| transcript.requests[index].standing.is_lawful());
        let breach = if modern { modern_code(event, code) } else { None };
        let breach = breach.or_else(|| reserved_by_jsonrpc(event, code));
        breaches.extend(breach.map(|breach| Breach { request, ..breach.at(linked.range.start) }));
    }
}

fn code_of(linked: &Linked) -> Option<i64> {
    linked.message.error_code.as_deref()?.parse().ok()
}

fn reserved_by_jsonrpc(event: usize, code: i64) -> Option<Breach> {
    let standard = matches!(code, -32700 | -32603..=-32600);
    let server = (-32099..=-32000).contains(&code);
    if !(-32768..=-32000).contains(&code) || standard || server {
        return None;
    }
    let message = format!("uses error code {code}, which JSON-RPC reserves without a meaning");
    Some(Breach::new("jsonrpc.error-code-range", event, message))
}

fn modern_code(event: usize, code: i64) -> Option<Breach> {
    let (id, what) = match code {
        -32002 | -32042 => ("errors.retired-codes", "which this revision retired"),
        -32020 => ("errors.defined-meaning", "which means an HTTP header mismatch"),
        -32021 | -32022 => return None,
        -32099..=-32023 => ("errors.reserved-range", "which this revision reserves"),
        -32019..=-32000 => ("errors.legacy-subrange", "which has no agreed meaning in this revision"),
        _ => return None,
    };
    Some(Breach::new(id, event, format!("uses error code {code}, {what}")))
}
