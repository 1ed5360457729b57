//! Whether a client may send a frame: decides what a peer owes for it.

use serde_json::Value;

use crate::spec::{Era, Revision};
use crate::wire::{Class, FrameEnd, IdKind, Message, MessageKind, Note, Reader, Reading};

/// Whether a client may send a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Lawful,
    /// The message is well formed, but this is not the time for it.
    OutOfOrder(&'static str),
    /// It may not; why.
    Unlawful(&'static str),
}

impl Standing {
    /// Whether a client may send this line at all, whatever came before it.
    pub(crate) fn of_line(line: &[u8], revision: Revision) -> Self {
        of_frame(line, &Reader::new().read(line, 0, FrameEnd::Newline), revision)
    }

    /// Whether a client may send it.
    #[must_use]
    pub fn is_lawful(self) -> bool {
        self == Self::Lawful
    }
}

/// A request method that came as a notification.
pub(crate) const WITHOUT_ID: &str = "a request method without an id";

/// A line that is not JSON.
pub(crate) const NOT_JSON: &str = "not JSON";
/// A request whose id is null, a fraction, or anything else that MCP does not know.
pub(crate) const ODD_ID: &str = "an id that is no string and no safe integer";

/// The largest integer that JSON readers agree on.
const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Judges the form of a frame that we send.
pub(super) fn of_frame(bytes: &[u8], reading: &Reading, revision: Revision) -> Standing {
    if reading.notes.iter().any(|note| *note != Note::U2028) || bytes.first().is_some_and(u8::is_ascii_whitespace) {
        return Standing::Unlawful("not a bare line of JSON");
    }
    if matches!(reading.class, Class::NotJson { .. }) {
        return Standing::Unlawful(NOT_JSON);
    }
    let Class::Message(message) = &reading.class else {
        return Standing::Unlawful("not one JSON-RPC message");
    };
    if message.kind == MessageKind::Request && message.id.as_ref().is_some_and(|id| id.kind() == IdKind::Null) {
        return Standing::Unlawful(ODD_ID);
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Standing::Unlawful("not UTF-8");
    };
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else {
        return Standing::Unlawful("outside what JSON readers agree on");
    };
    if !message.faults.is_empty() || !message.duplicate_keys.is_empty() {
        return Standing::Unlawful("a malformed JSON-RPC envelope");
    }
    match message.kind {
        MessageKind::Request => of_request(message, object.get("params"), revision),
        MessageKind::Notification if has_request_method(message) => Standing::Unlawful(WITHOUT_ID),
        MessageKind::Result | MessageKind::Error => Standing::Unlawful("a response that nobody asked for"),
        _ => Standing::Lawful,
    }
}

fn has_request_method(message: &Message) -> bool {
    message.method.as_deref().is_none_or(|method| !method.starts_with("notifications/"))
}

fn of_request(message: &Message, params: Option<&Value>, revision: Revision) -> Standing {
    match &message.id {
        Some(id) if id.kind() == IdKind::String => {}
        Some(id) if id.raw().parse::<i64>().is_ok_and(|id| id.unsigned_abs() <= SAFE_INTEGER) => {}
        _ => return Standing::Unlawful(ODD_ID),
    }
    if revision.era() == Era::Modern && !has_meta(params) {
        return Standing::Unlawful("no complete _meta");
    }
    Standing::Lawful
}

fn has_meta(params: Option<&Value>) -> bool {
    let meta = params.and_then(|params| params.get("_meta"));
    let member = |name: &str| meta.and_then(|meta| meta.get(format!("io.modelcontextprotocol/{name}")));
    member("protocolVersion").is_some_and(Value::is_string)
        && member("clientCapabilities").is_some_and(Value::is_object)
}

/// Judges whether this is the time for a message, in a session with a handshake.
pub(super) fn in_order(message: &Message, initialized: Handshake) -> Standing {
    let method = message.method.as_deref().unwrap_or_default();
    match (initialized, method) {
        (Handshake::NotStarted, "initialize") | (Handshake::Done, _) => Standing::Lawful,
        (Handshake::NotStarted, _) => Standing::OutOfOrder("before initialize"),
        (Handshake::Answered, "ping" | "notifications/initialized" | "notifications/cancelled") => Standing::Lawful,
        (Handshake::Asked | Handshake::Answered, _) => Standing::OutOfOrder("before notifications/initialized"),
    }
}

/// How far the handshake of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    NotStarted,
    Asked,
    Answered,
    Done,
}
