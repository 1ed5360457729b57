//! Reads a JSON object as the JSON-RPC message that the peer meant, and lists what is wrong with it.

use std::ops::Range;

use super::envelope::{Envelope, Found, plain};
use super::grammar::Shape;
use super::{FrameId, IdKind};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Method and id.
    Request,
    /// Method without id.
    Notification,
    /// A response with a result.
    Result,
    /// A response with an error.
    Error,
    /// Something of JSON-RPC, but none of these.
    Malformed,
}

/// Something wrong with the envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvelopeFault {
    /// No `jsonrpc`.
    JsonrpcMissing,
    /// `jsonrpc` with another value: its JSON text.
    JsonrpcWrong(String),
    /// A response with both.
    ResultAndError,
    /// None of method, result and error.
    NeitherMethodNorResult,
    /// Method and result or error.
    MixesMethodAndResult,
    /// A response without id.
    IdMissing,
    /// An id that is null.
    IdNull,
    /// An id of a kind that MCP does not know.
    IdKind(IdKind),
    /// A method that is no string.
    MethodNotString,
    /// A result that is no object: its JSON text.
    ResultNotObject(String),
    /// An error that is no object.
    ErrorNotObject,
    /// An error without code.
    ErrorCodeMissing,
    /// An error code that is no integer: its JSON text.
    ErrorCodeNotInteger(String),
    /// An integer error code spelled as a fraction or with an exponent.
    ErrorCodeSpelling,
    /// An error without message.
    ErrorMessageMissing,
    /// An error message that is no string.
    ErrorMessageNotString,
    /// Params that are no object: what they are.
    ParamsNotObject(&'static str),
    /// A `notifications/…` method with an id.
    NotificationWithId,
}

/// A JSON-RPC message as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub kind: MessageKind,
    /// Its id, where there is one; null too.
    pub id: Option<FrameId>,
    /// Its method.
    pub method: Option<String>,
    /// What is wrong with it.
    pub faults: Vec<EnvelopeFault>,
    /// Keys that stand twice in it, or in its params, result or error.
    pub duplicate_keys: Vec<String>,
    /// The JSON text of the error's code.
    pub error_code: Option<String>,
    /// The places of params, result and error in its text.
    pub places: Places,
}

/// Places in a message's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `params`
    pub params: Option<Range<usize>>,
    /// `result`
    pub result: Option<Range<usize>>,
    /// `error`
    pub error: Option<Range<usize>>,
}

impl Message {
    /// Reads the text of a JSON object. `None` where it is none, or where nothing in it is of JSON-RPC.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (shape, envelope) = Envelope::check(text).ok()?;
        Self::of(shape, envelope)
    }

    /// Reads what was found in a text.
    pub(super) fn of(shape: Shape, envelope: Envelope<'_>) -> Option<Self> {
        let telling = [envelope.jsonrpc(), envelope.method(), envelope.result(), envelope.error()];
        if shape != Shape::Object || telling.iter().all(Option::is_none) {
            return None;
        }
        let mut faults = Vec::new();
        match envelope.jsonrpc() {
            None => faults.push(EnvelopeFault::JsonrpcMissing),
            Some(member) if plain(member.value) != "2.0" || !member.value.starts_with('"') => {
                faults.push(EnvelopeFault::JsonrpcWrong(head(member.value)));
            }
            Some(_) => {}
        }
        let kind = kind_of(&envelope, &mut faults);
        let method =
            envelope.method().filter(|member| member.value.starts_with('"')).map(|member| text_of(member.value));
        check_id(kind, envelope.id(), method.as_deref(), &mut faults);
        check_values(&envelope, &mut faults);
        let error_code = check_error(&envelope, &mut faults);
        let place = |member: Option<&Found<'_>>| member.map(|member| member.place.clone());
        Some(Self {
            kind,
            id: envelope.id().map(|member| FrameId::new(member.value)),
            method,
            faults,
            error_code,
            places: Places {
                params: place(envelope.params()),
                result: place(envelope.result()),
                error: place(envelope.error()),
            },
            duplicate_keys: envelope.duplicate_keys,
        })
    }
}

fn check_values(envelope: &Envelope<'_>, faults: &mut Vec<EnvelopeFault>) {
    if let Some(params) = envelope.params()
        && !params.value.starts_with('{')
    {
        let shape = params.value.bytes().next().and_then(Shape::beginning);
        faults.push(EnvelopeFault::ParamsNotObject(shape.map_or("text", Shape::name)));
    }
    if let Some(result) = envelope.result()
        && !result.value.starts_with('{')
        && envelope.error().is_none()
    {
        faults.push(EnvelopeFault::ResultNotObject(head(result.value)));
    }
}

fn kind_of(envelope: &Envelope<'_>, faults: &mut Vec<EnvelopeFault>) -> MessageKind {
    match (envelope.method(), envelope.result(), envelope.error()) {
        (Some(method), None, None) => {
            if !method.value.starts_with('"') {
                faults.push(EnvelopeFault::MethodNotString);
                return MessageKind::Malformed;
            }
            if envelope.id().is_some() { MessageKind::Request } else { MessageKind::Notification }
        }
        (Some(_), ..) => {
            faults.push(EnvelopeFault::MixesMethodAndResult);
            MessageKind::Malformed
        }
        (None, Some(_), None) => MessageKind::Result,
        (None, None, Some(_)) => MessageKind::Error,
        (None, Some(result), Some(error)) => {
            faults.push(EnvelopeFault::ResultAndError);
            if error.value == "null" || result.value != "null" { MessageKind::Result } else { MessageKind::Error }
        }
        (None, None, None) => {
            faults.push(EnvelopeFault::NeitherMethodNorResult);
            MessageKind::Malformed
        }
    }
}

fn check_id(kind: MessageKind, id: Option<&Found<'_>>, method: Option<&str>, faults: &mut Vec<EnvelopeFault>) {
    match (kind, id) {
        (MessageKind::Result | MessageKind::Error, None) => faults.push(EnvelopeFault::IdMissing),
        (MessageKind::Request, _) if method.is_some_and(|method| method.starts_with("notifications/")) => {
            faults.push(EnvelopeFault::NotificationWithId);
        }
        (_, Some(id)) => match IdKind::of(id.value) {
            IdKind::String | IdKind::Integer => {}
            IdKind::Null => faults.push(EnvelopeFault::IdNull),
            // A response only echoes what it was sent.
            IdKind::Fraction if kind != MessageKind::Request => {}
            kind => faults.push(EnvelopeFault::IdKind(kind)),
        },
        (_, None) => {}
    }
}

/// Looks at an error object and gives the text of its code. An `error: null` beside a result has been named already.
fn check_error(envelope: &Envelope<'_>, faults: &mut Vec<EnvelopeFault>) -> Option<String> {
    let error = envelope.error()?.value;
    if !error.starts_with('{') {
        if envelope.result().is_none() || error != "null" {
            faults.push(EnvelopeFault::ErrorNotObject);
        }
        return None;
    }
    let code = envelope.error_code;
    match code {
        None => faults.push(EnvelopeFault::ErrorCodeMissing),
        Some(code) => match IdKind::of(code) {
            IdKind::Integer if code.contains(['.', 'e', 'E']) => faults.push(EnvelopeFault::ErrorCodeSpelling),
            IdKind::Integer => {}
            _ => faults.push(EnvelopeFault::ErrorCodeNotInteger(head(code))),
        },
    }
    match envelope.error_message {
        None => faults.push(EnvelopeFault::ErrorMessageMissing),
        Some(message) if !message.starts_with('"') => faults.push(EnvelopeFault::ErrorMessageNotString),
        Some(_) => {}
    }
    code.map(head)
}

fn text_of(raw: &str) -> String {
    // A lone surrogate cannot be held by a string: then the raw text is as good a name.
    serde_json::from_str(raw).unwrap_or_else(|_| raw[1..raw.len() - 1].to_owned())
}

fn head(raw: &str) -> String {
    raw.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<EnvelopeFault> {
        Message::read(text).unwrap().faults
    }

    #[test]
    fn reads_what_was_meant() {
        let kind = |text: &str| Message::read(text).map(|message| message.kind);
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Some(MessageKind::Request));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#), Some(MessageKind::Notification));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Some(MessageKind::Result));
        assert_eq!(kind(r#"{"id":1,"error":{"code":1,"message":"m"}}"#), Some(MessageKind::Error));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":5}"#), Some(MessageKind::Malformed));
        assert_eq!(kind(r#"{"level":"info"}"#), None);
        assert_eq!(kind("{}"), None);
    }

    #[test]
    fn a_sound_message_has_no_faults() {
        for text in [
            r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{}}"#,
            r#"{"id":1.0,"jsonrpc":"\u0032.0","result":{"a":null}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"","data":[1]}}"#,
        ] {
            assert_eq!(faults(text), [], "{text}");
        }
    }

    #[test]
    fn each_fault_is_named() {
        use EnvelopeFault::*;
        let cases = [
            (r#"{"id":1,"result":{}}"#, JsonrpcMissing),
            (r#"{"jsonrpc":2.0,"id":1,"result":{}}"#, JsonrpcWrong("2.0".into())),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, ResultAndError),
            (r#"{"jsonrpc":"2.0","id":1}"#, NeitherMethodNorResult),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#, MixesMethodAndResult),
            (r#"{"jsonrpc":"2.0","result":{}}"#, IdMissing),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, IdNull),
            (r#"{"jsonrpc":"2.0","id":{},"result":{}}"#, IdKind(super::IdKind::Other)),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, ResultNotObject("null".into())),
            (r#"{"jsonrpc":"2.0","id":1,"error":"e"}"#, ErrorNotObject),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, ErrorCodeMissing),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#, ErrorCodeNotInteger("\"1\"".into())),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.0,"message":"m"}}"#, ErrorCodeSpelling),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, ErrorMessageMissing),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, ParamsNotObject("array")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"notifications/x"}"#, NotificationWithId),
        ];
        for (text, fault) in cases {
            assert_eq!(faults(text), [fault], "{text}");
        }
    }

    #[test]
    fn duplicate_keys_are_seen_and_the_last_one_counts() {
        let message = Message::read(r#"{"jsonrpc":"2.0","id":7,"\u0069d":8,"method":"m"}"#).unwrap();
        assert_eq!(message.duplicate_keys, ["id"]);
        assert_eq!(message.id.unwrap().raw(), "8");
    }
}
