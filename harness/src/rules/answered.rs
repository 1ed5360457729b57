//! Every valid request is answered, and a peer outlives what it is sent: `jsonrpc.response-required`,
//! `lifecycle.initialize-responds`, `ping.responds`, `discover.implemented`, `jsonrpc.survives-malformed`
//! (JSON-RPC 2.0 section 5).

use crate::judge::{Breach, Recording};
use crate::peer::Rung;
use crate::spec::Era;
use crate::transcript::{Link, Purpose, Request, RequestIndex, SentFrame, Transcript, What};

/// Names requests without an answer and peers that died or went deaf, once a case.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    if transcript.overflow().is_some() {
        // `purity` and `framing` have said why nothing more was read.
        return;
    }
    let death = death(transcript);
    let mut dead_or_deaf = None;
    for (event, what) in transcript.events.iter().map(|event| &event.what).enumerate() {
        let What::Unanswered(index) = what else { continue };
        let request = &transcript.requests[*index];
        if request.answer.is_some() || !(request.owed || request.purpose == Purpose::Barrier) {
            continue;
        }
        if is_answered_without_id(transcript, *index) {
            // `silence` has said that the answer came without its id.
            continue;
        }
        let play = transcript.play_of(event);
        if request.purpose == Purpose::Barrier && dead_or_deaf == Some(play) {
            continue;
        }
        dead_or_deaf = Some(play);
        breaches.push(of_missing(transcript, event, *index));
    }
    if let Some(death) = death
        && dead_or_deaf != Some(transcript.play_of(death))
    {
        breaches.extend(of_death(recording, death));
    }
}

/// Whether an answer without an id came in its case that no bad line explains.
fn is_answered_without_id(transcript: &Transcript, index: RequestIndex) -> bool {
    let sent = transcript.requests[index].event;
    let play = transcript.play_of(sent);
    transcript.messages().any(|(event, _, linked)| {
        event > sent && linked.link == Link::WithoutId(None) && transcript.play_of(event) == play
    })
}

/// The event at which the process ended without being asked to.
fn death(transcript: &Transcript) -> Option<usize> {
    let asked = |what: &What| matches!(what, What::StdinClosed | What::Signalled(_));
    let gone = |what: &What| matches!(what, What::Exited(_) | What::StdoutClosed);
    let mut events = transcript.events.iter().map(|event| &event.what).enumerate();
    let first = events.find(|(_, what)| asked(what) || gone(what))?;
    gone(first.1).then_some(first.0)
}

/// What came last before this event in its play that a client may not send, or that a server need not answer:
/// what it does to the peer is at most a matter of robustness.
fn bad_input_before(transcript: &Transcript, event: usize) -> Option<usize> {
    let first = transcript.play_of(event).map_or(0, |play| transcript.events_of(play).start);
    let excused = |request: &Request| !request.owed && !request.cancelled && request.answer.is_none();
    let is_bad = |(sent, frame): &(usize, &SentFrame)| {
        (first..event).contains(sent)
            && (!frame.standing.is_lawful() || frame.request.is_some_and(|index| excused(&transcript.requests[index])))
    };
    transcript.frames().rev().find(is_bad).map(|(sent, _)| sent)
}

fn of_missing(transcript: &Transcript, event: usize, index: RequestIndex) -> Breach {
    let request = &transcript.requests[index];
    let waited = transcript.events[event].at.saturating_sub(request.sent_at).as_secs_f64();
    let bad = bad_input_before(transcript, event).filter(|_| request.purpose == Purpose::Barrier);
    let breach = if let Some(bad) = bad {
        let speaks_again = transcript.requests[index + 1..]
            .iter()
            .any(|later| later.answer.is_some() && transcript.play_of(later.event) == transcript.play_of(event));
        let message = if speaks_again {
            "loses the request behind input that it need not answer"
        } else {
            "answers nothing any more after input that it need not answer"
        };
        Breach::new("jsonrpc.survives-malformed", event, message).answering(bad)
    } else {
        let message =
            format!("does not answer {} (id {}) within {waited:.1} s, though it runs", request.method, request.id);
        Breach::new(owed_by(transcript, request), event, message)
    };
    breach.about(index).by_absence()
}

fn owed_by(transcript: &Transcript, request: &Request) -> &'static str {
    // Where the same method was answered before, it is not the method that is unknown.
    let served = transcript.requests.iter().any(|other| other.method == request.method && other.answer.is_some());
    if served {
        return "jsonrpc.response-required";
    }
    match (request.method.as_str(), transcript.asked.era()) {
        ("initialize", Era::Legacy) => "lifecycle.initialize-responds",
        ("ping", Era::Legacy) => "ping.responds",
        ("server/discover", Era::Modern) => "discover.implemented",
        _ => "jsonrpc.response-required",
    }
}

/// The end of a process that still owed something. Where nothing is owed it is its own affair.
fn of_death(recording: &Recording, death: usize) -> Option<Breach> {
    let transcript = &recording.transcript;
    let open = |(index, request): (usize, &Request)| {
        let waited_for = request.owed || request.purpose == Purpose::Barrier;
        (request.answer.is_none() && request.event < death && waited_for).then_some(index)
    };
    // A process that has closed its stdout may live on until we end it.
    let lives =
        matches!(transcript.events[death].what, What::StdoutClosed) && recording.ended.rung != Rung::AlreadyExited;
    let exit = transcript.exit().filter(|_| !lives);
    let exit = exit.map_or_else(|| "stdout is closed".to_owned(), ToString::to_string);
    let owed = transcript.requests.iter().enumerate().find_map(open);
    if let Some(bad) = bad_input_before(transcript, death) {
        let breach = Breach::new(
            "jsonrpc.survives-malformed",
            death,
            format!("ends ({exit}) after input that it need not answer"),
        );
        return Some(Breach { request: owed, ..breach }.answering(bad));
    }
    let index = owed?;
    let request = &transcript.requests[index];
    let message = match (request.purpose, last_notification(transcript, death)) {
        _ if lives => {
            format!("closes its stdout and runs on, while a request waits: {} (id {})", request.method, request.id)
        }
        (Purpose::Barrier, Some(method)) => format!("ends ({exit}) after the notification {method}"),
        _ => format!("ends ({exit}) while {} waits for its answer: id {}", request.method, request.id),
    };
    Some(Breach::new("jsonrpc.response-required", death, message).about(index))
}

fn last_notification(transcript: &Transcript, before: usize) -> Option<&str> {
    transcript
        .frames()
        .rev()
        .find(|(sent, frame)| *sent < before && frame.request.is_none())
        .and_then(|(_, frame)| frame.method.as_deref())
}
