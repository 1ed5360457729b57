//! JSON-RPC errors: the codes and what is said with them.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::ability::Ability;
use crate::revision::{Era, Revision};

/// The `error` member of a response.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

impl Failure {
    /// The line is no JSON.
    pub(crate) fn parse_error() -> Self {
        Self::new(-32700, "the line is not JSON in UTF-8")
    }

    /// The JSON is no valid message.
    pub(crate) fn invalid_request(what: impl fmt::Display) -> Self {
        Self::new(-32600, what)
    }

    /// There is no such method, or it belongs to a capability that was not declared.
    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(-32601, format_args!("unknown method \"{}\"", Excerpt(method)))
    }

    /// The method exists and its parameters are wrong.
    pub(crate) fn invalid_params(what: impl fmt::Display) -> Self {
        Self::new(-32602, what)
    }

    /// We failed, and the client could not have helped it.
    pub(crate) fn internal(what: impl fmt::Display) -> Self {
        Self::new(-32603, what)
    }

    /// The request asks for a revision that is not served.
    pub(crate) fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        Self {
            data: Some(json!({ "supported": supported, "requested": requested })),
            ..Self::new(-32022, format_args!("unsupported protocol version; supported: {}", supported.join(", ")))
        }
    }

    /// There is no such resource. The code has changed with the eras.
    pub(crate) fn resource_not_found(uri: &str, revision: Revision) -> Self {
        let code = match revision.era() {
            Era::Legacy => -32002,
            Era::Modern => -32602,
        };
        Self {
            data: Some(json!({ "uri": uri })),
            ..Self::new(code, format_args!("there is no resource \"{}\"", Excerpt(uri)))
        }
    }

    /// The client did not say that it can do what this request needs.
    pub(crate) fn missing_capability(ability: Ability) -> Self {
        Self {
            data: Some(json!({ "requiredCapabilities": ability.declaration() })),
            ..Self::new(-32021, format_args!("this needs a client with the capability {}", ability.name()))
        }
    }

    /// The tool is there, and can't be called as a task.
    pub(crate) fn no_task(tool: &str) -> Self {
        Self::new(-32601, format_args!("the tool \"{}\" can't be called as a task", Excerpt(tool)))
    }

    fn new(code: i32, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string(), data: None }
    }

    /// The error code.
    #[cfg(test)]
    pub(crate) fn code(&self) -> i32 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.code, self.message)
    }
}

/// Shows text that the client sent: escaped, so that it stays on its line, and never more than a little of it.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 80;
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MOST) {
            write!(formatter, "{}", character.escape_debug())?;
        }
        if characters.next().is_some() { formatter.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_without_data_has_no_data_member() {
        let failure = serde_json::to_value(Failure::method_not_found("x")).unwrap();
        assert_eq!(failure, json!({ "code": -32601, "message": "unknown method \"x\"" }));
    }

    #[test]
    fn an_unsupported_version_names_the_supported_ones() {
        let failure = serde_json::to_value(Failure::unsupported_version("1900-01-01", &["2026-07-28"])).unwrap();
        assert_eq!(failure["data"], json!({ "supported": ["2026-07-28"], "requested": "1900-01-01" }));
    }

    #[test]
    fn a_missing_resource_has_the_code_of_its_era() {
        for (revision, code) in [(Revision::V2024_11_05, -32002), (Revision::V2026_07_28, -32602)] {
            let failure = serde_json::to_value(Failure::resource_not_found("x://y", revision)).unwrap();
            assert_eq!((&failure["code"], &failure["data"]), (&json!(code), &json!({ "uri": "x://y" })));
        }
    }

    #[test]
    fn an_excerpt_is_short_and_stays_on_its_line() {
        assert_eq!(Excerpt("a\nb/é").to_string(), "a\\nb/é");
        assert_eq!(Excerpt(&"é".repeat(500)).to_string().chars().count(), 81);
    }
}
