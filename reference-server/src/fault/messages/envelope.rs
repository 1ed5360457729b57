//! What stands around results, errors and parameters, and how it is spelled.

use serde_json::{Value, json};

use super::Messages::Tell;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "missing-jsonrpc",
        "leaves the jsonrpc member out",
        &[Tell(|_, told| {
            if let Some(members) = told.message.as_object_mut() {
                members.remove("jsonrpc");
            }
        })],
    ),
    Fault::messages(
        "jsonrpc-number",
        "writes the jsonrpc member as the number 2.0",
        &[Tell(|_, told| told.message["jsonrpc"] = 2.0.into())],
    ),
    Fault::messages(
        "result-and-error",
        "adds \"error\":null to each result",
        &[Tell(|_, told| {
            if told.any_result().is_some() {
                told.message["error"] = Value::Null;
            }
        })],
    ),
    Fault::messages(
        "result-missing",
        "answers tools/list with neither a result nor an error",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.message = json!({ "jsonrpc": "2.0", "id": told.message["id"] });
            }
        })],
    ),
    Fault::messages(
        "ping-null-result",
        "answers ping with a result that is null",
        &[Tell(|_, told| {
            if told.result("ping").is_some() {
                told.message["result"] = Value::Null;
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "array-wrapped-response",
        "wraps each response in an array",
        &[Tell(|_, told| {
            if told.is_response() {
                told.message = json!([told.message]);
            }
        })],
    ),
    Fault::messages(
        "bare-result",
        "writes the result of tools/list without anything around it",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/list") {
                told.message = Value::Object(result.clone());
            }
        })],
    ),
    Fault::messages(
        "two-on-one-line",
        "writes a notification and the answer to tools/list on one line",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.spell(|text| format!("{CHANGED}{text}"));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "half-answer",
        "stops in the middle of its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.spell(|text| text.chars().take(100).collect());
            }
        })],
    ),
    Fault::messages(
        "raw-newline-in-string",
        "has an unescaped newline in its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.spell(|text| text.replacen("Lists all", "Lists\nall", 1));
            }
        })],
    ),
    Fault::messages(
        "nan-out",
        "has NaN, which is not JSON, in its answer to tools/list",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/list") {
                result.insert("x".into(), "NaN".into());
                told.spell(|text| text.replace("\"NaN\"", "NaN"));
            }
        })],
    ),
    Fault::messages(
        "python-repr-out",
        "has True for true in its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.spell(|text| text.replace(":true", ":True"));
            }
        })],
    ),
    Fault::messages(
        "duplicate-keys-out",
        "has a member twice in its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.spell(|text| text.replacen("\"tools\":", "\"tools\":[],\"tools\":", 1));
            }
        })],
    ),
    Fault::messages(
        "large-result-int",
        "has integers above 2^53 in its results",
        &[Tell(|_, told| {
            if let Some(result) = told.any_result() {
                result.insert("x-total".into(), (1_u64 << 63).into());
            }
        })],
    ),
    Fault::messages(
        "extra-envelope-members",
        "has a member beside id and result that no revision names, a control",
        &[Tell(|_, told| told.message["x-server"] = "shop".into())],
    ),
    Fault::messages(
        "extra-members",
        "has unknown members in results, a control",
        &[Tell(|_, told| {
            if let Some(result) = told.any_result() {
                result.insert("x-shop".into(), json!({ "open": true }));
            }
        })],
    ),
    Fault::messages(
        "notification-with-id",
        "sends a notification that has an id after its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                let method = "notifications/tools/list_changed";
                told.after(json!({ "jsonrpc": "2.0", "id": "n-1", "method": method }));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "keeps-whitespace",
        "puts blanks and tabs around each message, a control",
        &[Tell(|_, told| told.spell(|text| format!(" \t{text} \t")))],
    ),
];

/// A notification.
const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
