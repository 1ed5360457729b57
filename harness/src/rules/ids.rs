//! Ids: `jsonrpc.id-echo`, `jsonrpc.response-once`, `jsonrpc.no-unknown-response-id` (JSON-RPC 2.0 section 5).
//!
//! Ids are compared as tokens by value, never as `f64`.

use crate::judge::{Breach, Recording, Verdict};
use crate::transcript::{Link, Linked, Request, SentFrame, Transcript};
use crate::wire::{EnvelopeFault, FrameId, IdKind, IdMatch, MessageKind};

/// Names each response whose id is not that of one open request.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    for (event, _, linked) in transcript.messages() {
        breaches.extend(of_response(transcript, event, linked).map(|breach| breach.at(linked.range.start)));
    }
}

fn of_response(transcript: &Transcript, event: usize, linked: &Linked) -> Option<Breach> {
    match linked.link {
        Link::NoResponse | Link::WithoutId(_) | Link::Cancellation(_) | Link::Answer(_, IdMatch::Same) => None,
        Link::Answer(index, _) => Some(respelled(event, &transcript.requests[index], linked).about(index)),
        Link::Loose(index) => Some(changed(event, &transcript.requests[index], linked).about(index)),
        Link::Again(index) if is_guess(transcript, event, linked) => {
            Some(Breach::new(UNKNOWN, event, guessed(linked)).about(index))
        }
        Link::Again(index) => {
            let request = &transcript.requests[index];
            let message = format!("answers a request more than once: {} (id {})", request.method, request.id);
            Some(Breach::new("jsonrpc.response-once", event, message).about(index))
        }
        Link::Unknown if is_guess(transcript, event, linked) => Some(Breach::new(UNKNOWN, event, guessed(linked))),
        // `envelope` has said that it is no id at all.
        Link::Unknown if linked.message.faults.iter().any(|fault| matches!(fault, EnvelopeFault::IdKind(_))) => None,
        Link::Unknown => {
            Some(Breach::new(UNKNOWN, event, format!("answers an id that was never sent: {}", shown(linked))))
        }
    }
}

const UNKNOWN: &str = "jsonrpc.no-unknown-response-id";

fn shown(linked: &Linked) -> String {
    linked.message.id.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)
}

/// An error behind a bad line of the same case, with an id that nobody can have read there.
fn is_guess(transcript: &Transcript, event: usize, linked: &Linked) -> bool {
    let first = transcript.play_of(event).map_or(0, |play| transcript.events_of(play).start);
    let unreadable = |frame: &SentFrame| !frame.standing.is_lawful() && frame.request.is_none();
    let code = linked.message.error_code.as_deref();
    linked.message.kind == MessageKind::Error
        && matches!(code, Some("-32700" | "-32600"))
        && transcript.frames().any(|(sent, frame)| (first..event).contains(&sent) && unreadable(frame))
}

fn guessed(linked: &Linked) -> String {
    format!("answers a line that holds no readable id with id {}", shown(linked))
}

/// The same value in another spelling.
fn respelled(event: usize, request: &Request, linked: &Linked) -> Breach {
    let message = format!("spells an id otherwise: {} where {} was sent, the same number", shown(linked), request.id);
    Breach::new("jsonrpc.id-echo", event, message).weighing(Verdict::Info)
}

fn changed(event: usize, request: &Request, linked: &Linked) -> Breach {
    let got = linked.message.id.as_ref().map(FrameId::kind);
    let how = match (request.id.kind(), got) {
        (_, Some(IdKind::Null) | None) => "answers a request without its id",
        (IdKind::String, Some(IdKind::Integer | IdKind::Fraction)) => "answers an id that is a string with a number",
        (IdKind::Integer | IdKind::Fraction, Some(IdKind::String)) => "answers an id that is a number with a string",
        _ => "answers with another id than was sent",
    };
    let message = format!("{how}: {} where {} was sent", shown(linked), request.id);
    let breach = Breach::new("jsonrpc.id-echo", event, message);
    // Beyond 2^53 JSON readers do not agree on integers, and MCP knows no fractional ids.
    let unsafe_number =
        !request.standing.is_lawful() && matches!(request.id.kind(), IdKind::Integer | IdKind::Fraction);
    if unsafe_number { breach.weighing(Verdict::Info) } else { breach }
}
