//! What a server may send unasked: requests only for capabilities that we declared, and none in the modern era;
//! notifications that the revision defines and that the server declared (basic/lifecycle#operation,
//! basic/transports/stdio#receiving-messages).

use std::time::Duration;

use serde_json::Value;

use crate::judge::{Breach, Recording, Verdict};
use crate::spec::{Era, Revision, methods};
use crate::transcript::Transcript;
use crate::wire::{EnvelopeFault, MessageKind};

/// Names server requests and notifications that have no business in the session.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    for (event, _, linked) in transcript.messages() {
        let Some(method) = linked.message.method.as_deref() else { continue };
        if linked.message.faults.contains(&EnvelopeFault::NotificationWithId) {
            // It is meant as a notification; `envelope` has said what is wrong with it.
            continue;
        }
        let breach = match (linked.message.kind, transcript.asked.era()) {
            (MessageKind::Request, Era::Legacy) => legacy_request(transcript, event, method),
            (MessageKind::Request, Era::Modern) => modern_request(transcript, event, method),
            (MessageKind::Notification, _) => notification(transcript, event, method),
            _ => None,
        };
        breaches.extend(breach.map(|breach| breach.at(linked.range.start)));
    }
}

/// FAIL where the revision says MUST respect what was negotiated, WARN where it says SHOULD.
fn by_negotiation(revision: Revision) -> Verdict {
    if revision >= Revision::V2025_06_18 { Verdict::Fail } else { Verdict::Warn }
}

fn legacy_request(transcript: &Transcript, event: usize, method: &str) -> Option<Breach> {
    let revision = transcript.revision();
    if !methods::server_request(method).contains(revision) {
        let message = format!("sends the request {method}, which {revision} does not know");
        return Some(Breach::new("s2c.known-method", event, message).weighing(by_negotiation(revision)));
    }
    if method == "ping" {
        return None;
    }
    if let Some(capability) = methods::capability_for(method)
        && transcript.declared.get(capability).is_none()
    {
        let message = format!("sends {method} to a client that did not declare {capability}");
        return Some(
            Breach::new("lifecycle.capabilities-respected", event, message).weighing(by_negotiation(revision)),
        );
    }
    let initialized = sent_before(transcript, event, "notifications/initialized");
    (!initialized).then(|| {
        let message = format!("sends {method} before notifications/initialized");
        Breach::new("lifecycle.no-requests-before-initialized", event, message)
    })
}

fn sent_before(transcript: &Transcript, event: usize, method: &str) -> bool {
    transcript.frames().any(|(sent, frame)| sent < event && frame.method.as_deref() == Some(method))
}

/// A process that was also given the legacy handshake, or a part of it, may serve both eras at once.
fn serves_both(transcript: &Transcript, event: usize) -> bool {
    ["initialize", "notifications/initialized"].iter().any(|method| sent_before(transcript, event, method))
}

fn modern_request(transcript: &Transcript, event: usize, method: &str) -> Option<Breach> {
    (!serves_both(transcript, event)).then(|| {
        Breach::new("stdio.no-server-requests", event, format!("sends the request {method}; this revision has none"))
    })
}

fn notification(transcript: &Transcript, event: usize, method: &str) -> Option<Breach> {
    let revision = transcript.revision();
    if !methods::server_notification(method).contains(revision) {
        return unknown_notification(transcript, event, method);
    }
    match method {
        "notifications/message" => log_message(transcript, event),
        "notifications/tools/list_changed" => list_changed(transcript, event, "tools"),
        "notifications/prompts/list_changed" => list_changed(transcript, event, "prompts"),
        "notifications/resources/list_changed" => list_changed(transcript, event, "resources"),
        _ => None,
    }
}

/// Extensions and experiments add methods of their own.
fn unknown_notification(transcript: &Transcript, event: usize, method: &str) -> Option<Breach> {
    let name = method.strip_prefix("notifications/").unwrap_or(method);
    let extends = name.starts_with("x-") || name.starts_with("experimental/") || name.split('/').next()?.contains('.');
    if extends {
        return None;
    }
    let id = match transcript.asked.era() {
        Era::Legacy => "lifecycle.version-respected",
        Era::Modern => "stdio.message-kinds",
    };
    let message = format!("sends the notification {method}, which {} does not know", transcript.revision());
    Some(Breach::new(id, event, message).weighing(Verdict::Warn))
}

fn log_message(transcript: &Transcript, event: usize) -> Option<Breach> {
    let declared = transcript.capabilities().is_none_or(|capabilities| capabilities.get("logging").is_some());
    let provoked = bad_line_lately(transcript, event);
    match transcript.asked.era() {
        Era::Legacy if declared => None,
        Era::Legacy => {
            let breach = Breach::new("logging.capability", event, "sends a log message without declaring logging");
            Some(if provoked { breach.weighing(Verdict::Warn) } else { breach })
        }
        Era::Modern if asked_for_logs(transcript) || serves_both(transcript, event) => None,
        Era::Modern => {
            let breach = Breach::new("logging.opt-in", event, "sends a log message though no request set a logLevel");
            Some(if provoked { breach.weighing(Verdict::Warn) } else { breach })
        }
    }
}

/// Whether something that a client may not send came shortly before this event: it may be the answer to that.
fn bad_line_lately(transcript: &Transcript, event: usize) -> bool {
    let at = transcript.events[event].at;
    transcript.frames().any(|(sent, frame)| {
        sent < event
            && !frame.standing.is_lawful()
            && at.saturating_sub(transcript.events[sent].at) < Duration::from_secs(2)
    })
}

fn asked_for_logs(transcript: &Transcript) -> bool {
    sent_text(transcript, "io.modelcontextprotocol/logLevel")
}

fn sent_text(transcript: &Transcript, needle: &str) -> bool {
    transcript.events.iter().any(|event| match &event.what {
        crate::transcript::What::Sent(sent) => memchr::memmem::find(sent.bytes.head(), needle.as_bytes()).is_some(),
        _ => false,
    })
}

fn list_changed(transcript: &Transcript, event: usize, list: &str) -> Option<Breach> {
    if transcript.asked.era() == Era::Modern {
        let subscribed = transcript.requests.iter().any(|request| request.method == "subscriptions/listen");
        let message = format!("sends notifications/{list}/list_changed though no subscription asked for it");
        return (!subscribed && !serves_both(transcript, event))
            .then(|| Breach::new("subs.only-requested", event, message));
    }
    let declared = transcript.capabilities()?.pointer(&format!("/{list}/listChanged")) == Some(&Value::Bool(true));
    let message = format!("sends notifications/{list}/list_changed without declaring {list}.listChanged");
    (!declared).then(|| {
        Breach::new("capability.list-changed-declared", event, message).weighing(by_negotiation(transcript.revision()))
    })
}
