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

/// The result that ends a subscription, which is named once more inside.
pub(crate) fn closing(id: &Id, server: Value) -> Vec<u8> {
    #[derive(Serialize)]
    struct Closed<'a> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: ClosedResult<'a>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct ClosedResult<'a> {
        result_type: &'static str,
        #[serde(rename = "_meta")]
        meta: ClosedMeta<'a>,
    }

    #[derive(Serialize)]
    struct ClosedMeta<'a> {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        id: &'a RawValue,
        #[serde(rename = "io.modelcontextprotocol/serverInfo")]
        server: Value,
    }

    let meta = ClosedMeta { id: id.token(), server };
    let result = ClosedResult { result_type: "complete", meta };
    encode(&Closed { jsonrpc: VERSION, id: id.token(), result })
}

/// A request of ours.
pub(crate) fn request(id: &Id, method: &'static str, params: &Value) -> Vec<u8> {
    #[derive(Serialize)]
    struct Request<'a> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        method: &'static str,
        params: &'a Value,
    }

    encode(&Request { jsonrpc: VERSION, id: id.token(), method, params })
}

#[derive(Serialize)]
struct Notification<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

/// A notification.
pub(crate) fn notification(method: &'static str, params: &Value) -> Vec<u8> {
    encode(&Notification { jsonrpc: VERSION, method, params })
}

/// A notification that belongs to a subscription.
pub(crate) fn tagged(subscription: &Id, method: &'static str, rest: &Value) -> Vec<u8> {
    #[derive(Serialize)]
    struct Params<'a> {
        #[serde(rename = "_meta")]
        meta: Tag<'a>,
        #[serde(flatten)]
        rest: &'a Value,
    }

    #[derive(Serialize)]
    struct Tag<'a> {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        id: &'a RawValue,
    }

    let params = Params { meta: Tag { id: subscription.token() }, rest };
    encode(&Notification { jsonrpc: VERSION, method, params })
}

/// Calls off a request of ours.
pub(crate) fn cancelled(id: &Id) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'a> {
        request_id: &'a RawValue,
        reason: &'static str,
    }

    let params = Cancelled { request_id: id.token(), reason: "the call that asked was cancelled" };
    encode(&Notification { jsonrpc: VERSION, method: "notifications/cancelled", params })
}

#[derive(Serialize)]
struct Progress<'a> {
    #[serde(rename = "progressToken")]
    token: &'a RawValue,
    progress: u64,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

/// How far a request has come.
pub(crate) struct Stage<'a> {
    /// The part that is done.
    pub(crate) done: u64,
    /// The whole.
    pub(crate) total: u64,
    /// The same in words.
    pub(crate) message: Option<&'a str>,
    /// What the notification says of itself.
    pub(crate) meta: Option<&'a Value>,
}

/// Tells how far a request has come, under the token that the request gave.
pub(crate) fn progress(token: &RawValue, Stage { done, total, message, meta }: &Stage<'_>) -> Vec<u8> {
    let params = Progress { token, progress: *done, total: *total, message: *message, meta: *meta };
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
    fn what_belongs_to_a_subscription_carries_its_id() {
        let id = id("184467440737095516160");
        let line = text(tagged(&id, "notifications/resources/updated", &json!({ "uri": "x://y" })));
        let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":184467440737095516160}"#;
        assert!(line.contains(&format!(r#""params":{{{meta},"uri":"x://y"}}"#)), "{line}");
        let line = text(closing(&id, json!({})));
        assert!(line.contains(r#""resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":18446744"#));
    }

    #[test]
    fn responses_join_to_an_array() {
        assert_eq!(text(batch(&[b"{}".to_vec(), b"{}".to_vec()])), "[{},{}]");
    }
}
