//! Writes messages: responses and notifications, each as the bytes of one line.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::message::Id;

const VERSION: &str = "2.0";

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Failure>,
}

/// The response that carries a result.
pub(crate) fn success(id: &Id, result: &Value) -> Vec<u8> {
    encode(&Response { jsonrpc: VERSION, id: id.token(), result: Some(result), error: None })
}

/// The response that carries an error. Without an id it says `null`, as JSON-RPC wants it where none could be read.
pub(crate) fn failure(id: Option<&Id>, error: &Failure) -> Vec<u8> {
    let id = id.map_or(RawValue::NULL, Id::token);
    encode(&Response { jsonrpc: VERSION, id, result: None, error: Some(error) })
}

#[derive(Serialize)]
struct Notification<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

#[derive(Serialize)]
struct Progress<'a> {
    #[serde(rename = "progressToken")]
    token: &'a RawValue,
    progress: u64,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// Tells how far a request has come, under the token that the request gave.
pub(crate) fn progress(token: &RawValue, progress: u64, total: u64, message: Option<&str>) -> Vec<u8> {
    let params = Progress { token, progress, total, message };
    encode(&Notification { jsonrpc: VERSION, method: "notifications/progress", params })
}

/// Several responses as one array.
pub(crate) fn batch(replies: &[Vec<u8>]) -> Vec<u8> {
    [b"[", replies.join(&b","[..]).as_slice(), b"]"].concat()
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("our messages have string keys and are written to memory")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json;
    use crate::message::{Message, Request};

    fn id(token: &str) -> Id {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{token},"method":"x"}}"#);
        match Message::read(json::parse(text.as_bytes()).unwrap()) {
            Message::Request(Request { id, .. }) => id,
            other => panic!("{other:?}"),
        }
    }

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_id_comes_back_as_it_was_spelt() {
        for token in ["\"\\u00e9\\ud83d\"", "1.0", "184467440737095516160"] {
            let line = text(success(&id(token), &json!({})));
            assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{token},"result":{{}}}}"#));
        }
    }

    #[test]
    fn a_line_has_no_line_feed_inside() {
        let line = text(success(&id("1"), &json!({ "text": "a\nb\r" })));
        assert!(line.contains(r"a\nb\r"));
        assert!(!line.contains(['\n', '\r']));
    }

    #[test]
    fn an_unreadable_request_is_answered_under_null() {
        assert!(text(failure(None, &Failure::parse_error())).contains(r#""id":null,"error":{"code":-32700,"#));
    }

    #[test]
    fn responses_join_to_an_array() {
        assert_eq!(text(batch(&[b"{}".to_vec(), b"{}".to_vec()])), "[{},{}]");
    }
}
