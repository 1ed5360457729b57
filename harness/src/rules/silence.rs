//! Silence after notifications: `jsonrpc.no-response-to-notification`, `lifecycle.initialized-silent`; and what a bad
//! line may draw: `jsonrpc.parse-error`, `jsonrpc.invalid-request` (JSON-RPC 2.0 sections 4.1 and 5.1).

use crate::judge::{Breach, Recording, Verdict};
use crate::spec::Era;
use crate::transcript::{
    Link, Linked, NOT_JSON, ODD_ID, RequestIndex, SentFrame, Standing, Transcript, WITHOUT_ID, What,
};
use crate::wire::{EnvelopeFault, MessageKind};

/// Names each response without an id by what drew it.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    for (event, _, linked) in transcript.messages() {
        let breach = match linked.link {
            Link::WithoutId(Some(sent)) => {
                of_bad_line(transcript, event, sent, linked).map(|breach| breach.answering(sent))
            }
            Link::WithoutId(None) => of_notification(transcript, event),
            Link::Cancellation(sent) => Some(answered_notification(event, sent, "notifications/cancelled")),
            _ => None,
        };
        breaches.extend(breach.map(|breach| breach.at(linked.range.start)));
    }
}

fn of_bad_line(transcript: &Transcript, event: usize, sent: usize, linked: &Linked) -> Option<Breach> {
    let frames = match &transcript.events.get(sent)?.what {
        What::Sent(sent) => &sent.frames[..],
        _ => &[],
    };
    if frames.iter().any(is_request_as_notification) {
        let message = "answers a request method that came without an id";
        return Some(Breach::new("jsonrpc.no-response-to-notification", event, message).weighing(Verdict::Warn));
    }
    let early = |frame: &&SentFrame| frame.request.is_none() && matches!(frame.standing, Standing::OutOfOrder(_));
    if let Some(method) = frames.iter().find(early).and_then(|frame| frame.method.as_deref()) {
        return Some(answered_notification(event, sent, method).weighing(Verdict::Warn));
    }
    let bad = |reason| frames.iter().any(|frame| frame.standing == Standing::Unlawful(reason));
    let id = match () {
        () if bad(NOT_JSON) => "jsonrpc.parse-error",
        () if bad(ODD_ID) => "jsonrpc.id-null-request",
        () => "jsonrpc.invalid-request",
    };
    let code = linked.message.error_code.as_deref().unwrap_or_default();
    let plain = matches!(code, "-32700" | "-32600");
    if !plain && may_answer_notification(transcript, event, sent, code) {
        return None;
    }
    if linked.message.kind != MessageKind::Error {
        let message = "answers a line that is no request with a result";
        return Some(Breach::new(id, event, message).weighing(Verdict::Warn));
    }
    if linked.message.faults.iter().any(|fault| !matches!(fault, EnvelopeFault::IdNull | EnvelopeFault::IdMissing)) {
        // `envelope` has said what is wrong with it.
        return None;
    }
    if plain || id == "jsonrpc.id-null-request" {
        return None;
    }
    let message = format!("answers a line that is no request with code {code}, not -32700 or -32600");
    Some(Breach::new(id, event, message).weighing(Verdict::Warn))
}

/// Whether an answer without an id may be for a notification as well as for this bad line: for one that was sent after
/// it, or, for any, where it is a result or says that a method is unknown; while nothing shows that the server was past it.
fn may_answer_notification(transcript: &Transcript, event: usize, bad: usize, code: &str) -> bool {
    let answered =
        transcript.requests.iter().filter(|request| request.answer.is_some_and(|(answer, _)| answer < event));
    let passed = answered.map(|request| request.event).max();
    let from_any = matches!(code, "" | "-32601");
    transcript.frames().any(|(at, frame)| {
        let is_notification = frame.request.is_none() && frame.method.is_some() && frame.standing.is_lawful();
        is_notification && at < event && (at > bad || from_any) && passed.is_none_or(|passed| at >= passed)
    })
}

fn is_request_as_notification(frame: &SentFrame) -> bool {
    frame.standing == Standing::Unlawful(WITHOUT_ID)
}

/// The first request of this case whose answer never came: an error without an id was meant for it.
fn robbed_request(transcript: &Transcript, event: usize) -> Option<RequestIndex> {
    let first = transcript.play_of(event).map_or(0, |play| transcript.events_of(play).start);
    transcript.requests.iter().position(|request| (first..event).contains(&request.event) && request.answer.is_none())
}

fn answered_notification(event: usize, sent: usize, method: &str) -> Breach {
    let message = format!("answers a notification: {method}");
    Breach::new("jsonrpc.no-response-to-notification", event, message).answering(sent)
}

/// No bad line is left to explain it: it answers a notification, or nothing at all.
fn of_notification(transcript: &Transcript, event: usize) -> Option<Breach> {
    if let Some(index) = robbed_request(transcript, event) {
        let request = &transcript.requests[index];
        if !request.owed {
            // It need not be answered at all, so it may be refused unread.
            return None;
        }
        let message = format!("answers a request without its id: {} (id {})", request.method, request.id);
        return Some(Breach::new("jsonrpc.id-echo", event, message).about(index));
    }
    // What we send without an id and without a method is an answer of ours.
    let drew = |frame: &SentFrame| frame.request.is_none() && (frame.method.is_some() || !frame.standing.is_lawful());
    let (sent, last) = transcript.frames().rev().find(|(sent, frame)| *sent < event && drew(frame)).unzip();
    if last.is_some_and(|frame| !frame.standing.is_lawful()) {
        // A bad line that is answered a second time: nobody asked for the first answer either.
        return None;
    }
    let notification = sent.zip(last.and_then(|frame| frame.method.as_deref()));
    Some(match notification {
        Some((sent, "notifications/initialized")) if transcript.asked.era() == Era::Legacy => {
            Breach::new("lifecycle.initialized-silent", event, "answers a notification: notifications/initialized")
                .answering(sent)
        }
        Some((sent, method)) => answered_notification(event, sent, method),
        None => Breach::new(
            "jsonrpc.no-unknown-response-id",
            event,
            "writes a response without an id though every message it got had a readable one",
        ),
    })
}
