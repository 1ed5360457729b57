//! The JSON-RPC envelope: `jsonrpc`, result xor error, integer code, string message (JSON-RPC 2.0 sections 4 and 5).

use super::purity::glimpse;
use crate::judge::{Breach, Recording, Verdict};
use crate::transcript::{Link, Linked};
use crate::wire::{EnvelopeFault, MessageKind};

/// Names what is wrong with the envelope of each message.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    for (event, line) in recording.transcript.lines() {
        for linked in &line.messages {
            for fault in &linked.message.faults {
                if let Some(breach) = of_fault(event, linked, fault) {
                    breaches.push(with_request(breach.at(linked.range.start), linked.link));
                }
            }
            if let Some(key) = linked.message.duplicate_keys.first() {
                let message = format!("writes the member \"{}\" twice in one object", glimpse(key.as_bytes()));
                breaches.push(Breach::new("jsonrpc.duplicate-keys", event, message).weighing(Verdict::Warn));
            }
        }
    }
}

fn with_request(breach: Breach, link: Link) -> Breach {
    match link {
        Link::Answer(request, _) | Link::Again(request) | Link::Loose(request) => breach.about(request),
        _ => breach,
    }
}

fn of_fault(event: usize, linked: &Linked, fault: &EnvelopeFault) -> Option<Breach> {
    let is_request = linked.message.kind == MessageKind::Request;
    let (id, message) = match fault {
        EnvelopeFault::JsonrpcMissing => ("jsonrpc.version-member", "leaves out the member jsonrpc".to_owned()),
        EnvelopeFault::JsonrpcWrong(raw) => {
            ("jsonrpc.version-member", format!("has jsonrpc {} instead of \"2.0\"", glimpse(raw.as_bytes())))
        }
        EnvelopeFault::ResultAndError => {
            ("jsonrpc.result-xor-error", "has both result and error in one response".to_owned())
        }
        EnvelopeFault::NeitherMethodNorResult => {
            ("jsonrpc.message-shape", "writes an object with neither method nor result nor error".to_owned())
        }
        EnvelopeFault::MixesMethodAndResult => {
            ("jsonrpc.message-shape", "mixes method with result or error in one object".to_owned())
        }
        EnvelopeFault::IdNull | EnvelopeFault::IdKind(_) if is_request => {
            ("jsonrpc.server-request-id", "sends a request whose id is no string and no integer".to_owned())
        }
        EnvelopeFault::IdKind(_) => {
            ("jsonrpc.message-shape", "answers with an id that is no string and no number".to_owned())
        }
        // `ids` and `silence` judge responses without an id by what they can mean.
        EnvelopeFault::IdNull | EnvelopeFault::IdMissing => return None,
        EnvelopeFault::MethodNotString => ("jsonrpc.message-shape", "has a method that is no string".to_owned()),
        EnvelopeFault::ResultNotObject(raw) => {
            ("jsonrpc.result-object", format!("has a result that is no object: {}", glimpse(raw.as_bytes())))
        }
        EnvelopeFault::ErrorNotObject => ("jsonrpc.error-shape", "has an error that is no object".to_owned()),
        EnvelopeFault::ErrorCodeMissing => ("jsonrpc.error-shape", "leaves out the error's code".to_owned()),
        EnvelopeFault::ErrorCodeNotInteger(raw) => {
            ("jsonrpc.error-shape", format!("has an error code that is no integer: {}", glimpse(raw.as_bytes())))
        }
        EnvelopeFault::ErrorCodeSpelling => {
            let breach = Breach::new("jsonrpc.error-shape", event, "writes an integer error code as a fraction");
            return Some(breach.weighing(Verdict::Info));
        }
        EnvelopeFault::ErrorMessageMissing => ("jsonrpc.error-shape", "leaves out the error's message".to_owned()),
        EnvelopeFault::ErrorMessageNotString => {
            ("jsonrpc.error-shape", "has an error message that is no string".to_owned())
        }
        EnvelopeFault::ParamsNotObject(_) => ("jsonrpc.message-shape", "sends params that are no object".to_owned()),
        EnvelopeFault::NotificationWithId => {
            ("jsonrpc.notification-no-id", "sends a notification method with an id".to_owned())
        }
    };
    Some(Breach::new(id, event, message))
}
