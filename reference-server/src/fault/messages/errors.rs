//! The shape of errors, and their codes.

use serde_json::{Value, json};

use super::Messages::Tell;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "error-code-not-integer",
        "writes the code of an error as a string",
        &[Tell(|_, told| change(told, "code", |code| code.to_string().into()))],
    ),
    Fault::messages(
        "error-code-missing",
        "leaves the code of an error out",
        &[Tell(|_, told| {
            if let Some(error) = told.error() {
                error.remove("code");
            }
        })],
    ),
    Fault::messages(
        "error-code-float",
        "writes the code of an error with a fraction of zero",
        &[Tell(|_, told| change(told, "code", |code| code.as_f64().map_or(Value::Null, Value::from)))],
    ),
    Fault::messages(
        "error-code-out-of-range",
        "answers wrong parameters with -32500, which JSON-RPC reserves",
        &[Tell(|_, told| recode(told, -32602, -32500))],
    ),
    Fault::messages(
        "error-is-string",
        "writes a string in the place of an error",
        &[Tell(|_, told| {
            if told.error().is_some() {
                told.message["error"] = told.message["error"]["message"].clone();
            }
        })],
    ),
    Fault::messages(
        "error-message-missing",
        "leaves the message of an error out",
        &[Tell(|_, told| {
            if let Some(error) = told.error() {
                error.remove("message");
            }
        })],
    ),
    Fault::messages(
        "null-error-data",
        "has \"data\":null in errors that have nothing to add, a control",
        &[Tell(|_, told| {
            if let Some(error) = told.error() {
                error.entry("data").or_insert(Value::Null);
            }
        })],
    ),
    Fault::messages(
        "odd-error-messages",
        "has error messages of many lines, a control",
        &[Tell(|_, told| change(told, "message", |text| format!("{text}\n\tat server\n\tat main\n").into()))],
    ),
    Fault::messages(
        "unknown-method-wrong-code",
        "answers an unknown method with -32603",
        &[Tell(|_, told| recode(told, -32601, -32603))],
    ),
    Fault::messages(
        "unknown-method-zero",
        "answers an unknown method with the code 0",
        &[Tell(|_, told| recode(told, -32601, 0))],
    ),
    Fault::messages(
        "unknown-method-success",
        "answers an unknown method with an empty result",
        &[Tell(|_, told| {
            if told.code() == -32601 {
                told.succeed(json!({}));
            }
        })],
    ),
    Fault::messages(
        "unknown-method-silent",
        "does not answer an unknown method",
        &[Tell(|_, told| {
            if told.code() == -32601 {
                told.swallow();
            }
        })],
    ),
    Fault::messages(
        "resource-missing-code",
        "answers a missing resource with the code 0",
        &[Tell(|_, told| {
            if told.method() == "resources/read" {
                change(told, "code", |_| 0.into());
            }
        })],
    ),
    Fault::messages(
        "resource-missing-empty",
        "answers a missing resource with empty contents",
        &[Tell(|_, told| {
            if told.method() == "resources/read" && told.error().is_some() {
                let mut result = json!({ "contents": [] });
                if told.is_modern() {
                    result["ttlMs"] = 0.into();
                    result["cacheScope"] = "private".into();
                }
                told.succeed(result);
            }
        })],
    ),
    Fault::messages(
        "prompt-missing-code",
        "answers an unknown prompt or a missing argument of one with -32603",
        &[Tell(|_, told| {
            if told.method() == "prompts/get" {
                change(told, "code", |_| (-32603).into());
            }
        })],
    ),
    Fault::messages(
        "reserved-code",
        "has -32050, a reserved code, for an unknown tool",
        &[Tell(|_, told| unknown_tool(told, -32050))],
    )
    .modern(),
    Fault::messages(
        "retired-code",
        "has -32002, a retired code, for an unknown tool",
        &[Tell(|_, told| unknown_tool(told, -32002))],
    )
    .modern(),
    Fault::messages(
        "http-code",
        "has -32020, a code for HTTP headers, for an unknown tool",
        &[Tell(|_, told| unknown_tool(told, -32020))],
    )
    .modern(),
    Fault::messages(
        "old-code",
        "has -32000, an old implementation code, for an unknown tool",
        &[Tell(|_, told| unknown_tool(told, -32000))],
    )
    .modern(),
];

/// Changes a member of an error.
fn change(told: &mut Told, member: &str, change: fn(&Value) -> Value) {
    if let Some(value) = told.error().and_then(|error| error.get_mut(member)) {
        *value = change(value);
    }
}

/// Has another code in the place of one.
fn recode(told: &mut Told, this: i64, that: i64) {
    if told.code() == this {
        told.message["error"]["code"] = that.into();
    }
}

/// Has another code for an unknown tool.
fn unknown_tool(told: &mut Told, code: i64) {
    if told.is_about_unknown_tool() {
        told.message["error"]["code"] = code.into();
    }
}
