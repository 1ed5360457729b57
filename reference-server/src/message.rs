//! Tells what a line says: a request, a notification, a response, a batch, or none of these.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::integer::Integer;
use crate::json::{self, Kind};

/// A request's id: the token as it came, so that the answer can carry the very same.
#[derive(Debug, Clone)]
pub(crate) struct Id(Box<RawValue>);

impl Id {
    /// Reads an id: a string or a whole number, as MCP has it.
    fn read(value: &RawValue) -> Option<Self> {
        is_token(value).then(|| Self(value.to_owned()))
    }

    /// The id of a request of ours.
    pub(crate) fn ours(id: &str) -> Self {
        Self(serde_json::value::to_raw_value(id).expect("a string is JSON"))
    }

    /// The token as it came.
    pub(crate) fn token(&self) -> &RawValue {
        &self.0
    }

    /// Whether a value, perhaps spelt otherwise, names this id.
    pub(crate) fn is(&self, value: &RawValue) -> bool {
        fn spelling(value: &RawValue) -> Option<Cow<'_, [u8]>> {
            json::string_bytes(value)
        }
        match (spelling(&self.0), spelling(value)) {
            (None, None) => Integer::read(&self.0).is_some_and(|id| Integer::read(value) == Some(id)),
            (mine, other) => mine == other,
        }
    }
}

/// Whether a value may serve as a request id or a progress token: a string or a whole number.
pub(crate) fn is_token(value: &RawValue) -> bool {
    json::kind(value) == Kind::Text || Integer::read(value).is_some()
}

/// A call of a method that wants an answer.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// What the answer must carry.
    pub(crate) id: Id,
    /// The method's name.
    pub(crate) method: String,
    /// The parameters: an object where there are any.
    pub(crate) params: Option<&'a RawValue>,
}

/// One message from the client.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// Wants an answer.
    Request(Request<'a>),
    /// Wants none, and must get none.
    Notification {
        /// The method's name.
        method: String,
        /// The parameters, whatever they are.
        params: Option<&'a RawValue>,
    },
    /// Answers a request of ours.
    Response {
        /// What was answered, where it says so.
        id: Option<&'a RawValue>,
        /// The result, or else the error.
        said: Result<&'a RawValue, Option<&'a RawValue>>,
    },
    /// Is no message. What of it can be read is given.
    Invalid {
        /// The id to answer to.
        id: Option<Id>,
        /// The method's name.
        method: Option<String>,
        /// The parameters, whatever they are.
        params: Option<&'a RawValue>,
        /// What is wrong.
        failure: Failure,
    },
}

impl<'a> Message<'a> {
    /// Reads one message from a JSON value.
    pub(crate) fn read(value: &'a RawValue) -> Self {
        let names = ["jsonrpc", "id", "method", "params", "result", "error"];
        let Some([version, id, method, params, result, error]) = json::members(value, names) else {
            let failure = Failure::invalid_request("a message must be an object");
            return Self::Invalid { id: None, method: None, params: None, failure };
        };
        let answers = result.is_some() || error.is_some();
        if method.is_none() && answers {
            return Self::Response { id, said: result.ok_or(error) };
        }
        let known = id.and_then(Id::read);
        let method = method.and_then(json::string);
        let wrong = if id.is_some() && known.is_none() {
            "id must be a string or an integer"
        } else if version.and_then(json::string).as_deref() != Some("2.0") {
            "jsonrpc must be \"2.0\""
        } else if answers {
            "a message must not have both a method and a result or an error"
        } else {
            match (known, method) {
                (Some(id), Some(method)) => return Self::request(id, method, params),
                (None, Some(method)) => return Self::Notification { method, params },
                (id, None) => {
                    let failure = Failure::invalid_request("method must be a string");
                    return Self::Invalid { id, method: None, params, failure };
                }
            }
        };
        Self::Invalid { id: known, method, params, failure: Failure::invalid_request(wrong) }
    }

    fn request(id: Id, method: String, params: Option<&'a RawValue>) -> Self {
        const WRONG: &str = "params must be an object";
        let failure = match params.map(json::kind) {
            None | Some(Kind::Object) => return Self::Request(Request { id, method, params }),
            // JSON-RPC knows parameters by position; MCP has no method that takes them.
            Some(Kind::Array) => Failure::invalid_params(WRONG),
            Some(_) => Failure::invalid_request(WRONG),
        };
        Self::Invalid { id: Some(id), method: Some(method), params, failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Message<'_> {
        Message::read(json::parse(text.as_bytes()).expect("the test's text is JSON"))
    }

    fn rejection(text: &str) -> (i32, Option<String>) {
        match read(text) {
            Message::Invalid { id, failure, .. } => (failure.code(), id.map(|id| id.token().get().to_owned())),
            other => panic!("{text} was read as {other:?}"),
        }
    }

    #[test]
    fn an_id_keeps_its_spelling() {
        for token in ["0", "-1", "1.0", "1e2", "\"\"", "\"7\"", "\"\\u00e9\"", "\"\\ud83d\"", "184467440737095516160"] {
            match read(&format!(r#"{{"jsonrpc":"2.0","id":{token},"method":"ping"}}"#)) {
                Message::Request(request) => assert_eq!(request.id.token().get(), token),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn ids_are_the_same_by_value() {
        let id = |text: &'static str| Id::read(json::parse(text.as_bytes()).unwrap()).unwrap();
        for (one, other, same) in [
            ("\"é\"", "\"\\u00e9\"", true),
            ("1", "1.0", true),
            ("1", "-1", false),
            ("7", "\"7\"", false),
            ("\"\\ud83d\"", "\"\\ud83e\"", false),
        ] {
            assert_eq!(id(one).is(id(other).token()), same, "{one} {other}");
        }
        assert!(!id("1").is(RawValue::NULL));
    }

    #[test]
    fn an_id_of_another_type_is_not_echoed() {
        for token in ["null", "1.5", "true", "{}", "[1]"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{token},"method":"ping"}}"#);
            assert_eq!(rejection(&text), (-32600, None), "{token}");
        }
    }

    #[test]
    fn an_invalid_request_is_told_under_its_id() {
        for text in [
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        ] {
            assert_eq!(rejection(text), (-32600, Some("1".into())), "{text}");
        }
        let by_position = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#;
        assert_eq!(rejection(by_position), (-32602, Some("1".into())));
        assert_eq!(rejection("42"), (-32600, None));
    }

    #[test]
    fn what_can_be_read_of_an_invalid_request_is_kept() {
        for (text, name) in [
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping","params":{}}"#, Some("ping")),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping","params":{}}"#, Some("ping")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, Some("ping")),
            (r#"{"jsonrpc":"2.0","id":1,"method":["ping"],"params":{}}"#, None),
        ] {
            let Message::Invalid { method, params, .. } = read(text) else { panic!("{text} is invalid") };
            assert_eq!((method.as_deref(), params.is_some()), (name, true), "{text}");
        }
    }

    #[test]
    fn what_has_no_id_is_a_notification_and_what_has_a_result_a_response() {
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"tools/list","params":7}"#),
            Message::Notification { method, params: Some(_) } if method == "tools/list"
        ));
        for text in [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"id":null,"error":{}}"#] {
            assert!(matches!(read(text), Message::Response { .. }), "{text}");
        }
    }

    #[test]
    fn unknown_members_do_not_matter_and_the_last_of_two_counts() {
        let text = r#"{"jsonrpc":"2.0","id":7,"x":[1],"id":8,"method":"x","method":"ping"}"#;
        assert!(matches!(
            read(text),
            Message::Request(Request { id, method, .. }) if id.token().get() == "8" && method == "ping"
        ));
    }
}
