//! What becomes of calls.

use serde_json::{Map, Value, json};

use super::Messages::{Hear, Tell};
use super::told::Told;
use crate::fault::pipe::Ending;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "unknown-tool-success",
        "reports an unknown tool as a plain success",
        &[Tell(|_, told| {
            if told.is_about_unknown_tool() {
                told.succeed(text("unknown tool", false));
            }
        })],
    ),
    Fault::messages(
        "unknown-tool-iserror",
        "reports an unknown tool as a result with isError",
        &[Tell(|_, told| {
            if told.is_about_unknown_tool() {
                told.succeed(text("unknown tool", true));
            }
        })],
    ),
    Fault::messages(
        "unknown-tool-32601",
        "reports an unknown tool with -32601",
        &[Tell(|_, told| {
            if told.is_about_unknown_tool() {
                told.message["error"]["code"] = (-32601).into();
            }
        })],
    ),
    Fault::messages(
        "unknown-tool-silent",
        "does not answer a call of an unknown tool",
        &[Tell(|_, told| {
            if told.is_about_unknown_tool() {
                told.swallow();
            }
        })],
    ),
    Fault::messages(
        "unknown-tool-kills",
        "exits when an unknown tool is called",
        &[Tell(|scene, told| {
            if told.is_about_unknown_tool() {
                told.swallow();
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "malformed-call-success",
        "answers a call without a name with a plain success",
        &[Tell(|_, told| {
            if told.method() == "tools/call" && told.error().is_some() && !told.asked_param("/name").is_string() {
                told.succeed(text("nothing to do", false));
            }
        })],
    ),
    Fault::messages(
        "args-unchecked",
        "succeeds although arguments are missing or wrong",
        &[Tell(|_, told| {
            if is_about_arguments(told) {
                told.succeed(text("done", false));
            }
        })],
    ),
    Fault::messages(
        "error-as-success",
        "reports a failed call as text without isError",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/call").filter(|result| result.get("isError") == Some(&json!(true)))
            {
                result.remove("isError");
            }
        })],
    ),
    Fault::messages(
        "bad-args-internal-error",
        "answers wrong arguments with -32603",
        &[Tell(|_, told| {
            if is_about_arguments(told) {
                told.fail(-32603, "internal error");
            }
        })],
    ),
    Fault::messages(
        "bad-args-kills",
        "exits on arguments that are missing or of a wrong type",
        &[Tell(|scene, told| {
            if is_about_arguments(told) {
                told.swallow();
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "args-omitted-refused",
        "refuses a call without arguments of a tool that needs none",
        &[Hear(|_, heard| {
            if heard.asks("tools/call") && heard.param("/arguments").is_null() {
                heard.refuse(-32602, "arguments are missing");
            }
        })],
    ),
    Fault::messages(
        "crashes-on-call",
        "dies of SIGABRT when a tool is called",
        &[Hear(|scene, heard| {
            if heard.asks("tools/call") {
                scene.end(Ending::Abort);
            }
        })],
    ),
    Fault::messages(
        "call-silent",
        "does not answer a call that goes well",
        &[Tell(|_, told| {
            if told.success().is_some() {
                told.swallow();
            }
        })],
    ),
    Fault::messages(
        "log-during-call",
        "prints a line of text on stdout while a tool runs, and is clean otherwise",
        &[Tell(|_, told| {
            if told.method() == "tools/call" {
                told.before("INFO shop: running a tool");
            }
        })],
    ),
    Fault::messages(
        "log-on-error-path",
        "prints a traceback on stdout when a method is unknown",
        &[Tell(|_, told| {
            if told.code() == -32601 {
                told.before("Traceback (most recent call last):\n  KeyError: method");
            }
        })],
    ),
    Fault::messages(
        "output-schema-no-structured",
        "declares an outputSchema and returns no structuredContent",
        &[Tell(|_, told| {
            if let Some(result) = told.success() {
                result.remove("structuredContent");
            }
        })],
    ),
    Fault::messages(
        "structured-mismatch",
        "returns structuredContent that breaks its own outputSchema",
        &[Tell(|_, told| structure(told, json!({ "customers": "five" })))],
    ),
    Fault::messages(
        "structured-array",
        "returns structuredContent that is an array, under an outputSchema that is untyped",
        &[
            Tell(|_, told| structure(told, json!([1, 2]))),
            Tell(|_, told| {
                for tool in told.tools().into_iter().flatten() {
                    if tool.get("outputSchema").is_some() {
                        tool["outputSchema"] = json!({});
                    }
                }
            }),
        ],
    ),
    Fault::messages(
        "structured-on-error",
        "reports a failure of its own for each call, with structuredContent that breaks the outputSchema",
        &[Tell(|_, told| {
            if structured(told).is_some() {
                let mut result = text(LOCKED, true);
                result["structuredContent"] = json!({ "error": "failed" });
                told.succeed(result);
            }
        })],
    ),
    Fault::messages(
        "call-fails-always",
        "reports a failure of its own for each call, a control",
        &[Tell(|_, told| {
            if told.success().is_some() {
                told.succeed(text(LOCKED, true));
            }
        })],
    ),
    Fault::messages(
        "big-result",
        "has a megabyte of text in the result of each call, a control",
        &[Tell(|_, told| {
            if let Some(Value::Array(content)) = told.success().and_then(|result| result.get_mut("content")) {
                content.push(json!({ "type": "text", "text": "0123456789abcde\n".repeat(1 << 16) }));
            }
        })],
    ),
];

/// Why calls fail that have no reason to.
const LOCKED: &str = "the database is locked";

/// The result of a call: a text.
fn text(text: &str, failed: bool) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": text }] });
    if failed {
        result["isError"] = true.into();
    }
    result
}

/// Whether it says that the arguments of a tool, which exists, are wrong.
fn is_about_arguments(told: &Told) -> bool {
    let failed = told.message.pointer("/result/isError") == Some(&json!(true)) || told.code() == -32602;
    told.method() == "tools/call" && failed && told.asked_param("/name").is_string() && !told.is_about_unknown_tool()
}

/// The result of a call that went well, if it is one with structured content.
fn structured(told: &mut Told) -> Option<&mut Map<String, Value>> {
    told.success().filter(|result| result.contains_key("structuredContent"))
}

/// Returns other structured content, where there is any.
fn structure(told: &mut Told, content: Value) {
    if let Some(result) = structured(told) {
        result.insert("structuredContent".into(), content);
    }
}
