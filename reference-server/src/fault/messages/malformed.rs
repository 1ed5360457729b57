//! Lines that no client sends, and what becomes of them.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use super::heard::Heard;
use super::told::Told;
use crate::fault::pipe::Ending;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "dies-on-bad-json",
        "exits on a line that is not JSON",
        &[Hear(|scene, heard| {
            if is_junk(heard) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "silent-on-bad-json",
        "says nothing to a line that is not JSON",
        &[Hear(|_, heard| {
            if is_junk(heard) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "deaf-after-bad-json",
        "answers nothing after a line that is not JSON, though it lives",
        &[Hear(|scene, heard| {
            if is_junk(heard) {
                scene.tally("deaf-after-bad-json");
            }
            if scene.tallied("deaf-after-bad-json") > 0 {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "loses-line-after-bad-json",
        "drops the line that follows one that is not JSON",
        &[Hear(|scene, heard| {
            if scene.kept("loses-line-after-bad-json") == true {
                heard.swallow();
            }
            scene.keep("loses-line-after-bad-json", is_junk(heard).into());
        })],
    ),
    Fault::messages(
        "dies-of-non-object",
        "exits on JSON that is an array, a number or null",
        &[Hear(|scene, heard| {
            if heard.message().is_some_and(|message| !message.is_object()) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "null-id-on-parse-error",
        "answers a line that is not JSON with id null, as it does anyway, a control",
        &[],
    ),
    Fault::messages(
        "parse-error-storm",
        "answers each line that is not JSON, as it does anyway, so two that do so never stop",
        &[],
    ),
    Fault::messages(
        "parse-error-without-id",
        "leaves the id out where it answers a line that is not JSON, a control",
        &[Tell(|_, told| {
            if told.code() == -32700
                && let Some(members) = told.message.as_object_mut()
            {
                members.remove("id");
            }
        })],
    ),
    Fault::messages(
        "parse-error-id-zero",
        "answers a line that is not JSON with the id 0",
        &[Tell(|_, told| parse_error(told, "id", 0.into()))],
    ),
    Fault::messages(
        "parse-error-last-id",
        "answers a line that is not JSON with the id of the last request",
        &[
            Hear(|scene, heard| {
                if let Some(asked) = heard.request() {
                    scene.keep("parse-error-last-id", asked.id);
                }
            }),
            Tell(|scene, told| parse_error(told, "id", scene.kept("parse-error-last-id"))),
        ],
    ),
    Fault::messages(
        "parse-error-wrong-code",
        "answers a line that is not JSON with -32603",
        &[Tell(|_, told| {
            let error = json!({ "code": -32603, "message": "internal error" });
            parse_error(told, "error", error);
        })],
    ),
    Fault::messages(
        "null-id-request-answered",
        "answers a ping whose id is null with a result whose id is null",
        &[Hear(|_, heard| {
            if heard.method() == "ping" && heard.message().is_some_and(|ping| ping.get("id") == Some(&Value::Null)) {
                heard.swallow();
                heard.say(&json!({ "jsonrpc": "2.0", "id": null, "result": {} }));
            }
        })],
    ),
    Fault::messages(
        "nan-accepted",
        "takes NaN, which is not JSON, for a number",
        &[Hear(|_, heard| {
            if is_junk(heard) {
                let text = String::from_utf8_lossy(heard.line()).replace("NaN", "0").replace("-Infinity", "0");
                heard.replace(text.replace("Infinity", "0").into_bytes());
            }
        })],
    ),
    Fault::messages(
        "params-null-kills",
        "exits on a request whose params are null",
        &[Hear(|scene, heard| {
            if heard.message().is_some_and(|message| message.get("params") == Some(&Value::Null)) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "batch-silent",
        "says nothing to an array of messages",
        &[Hear(|_, heard| {
            if is_batch(heard) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "batch-kills",
        "exits on an array of messages",
        &[Hear(|scene, heard| {
            if is_batch(heard) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "batch-in-lines",
        "answers an array of messages with a line for each request",
        &[Hear(|scene, heard| {
            let lines = heard.unpack(scene).join("\n");
            if !lines.is_empty() {
                heard.replace(lines.into_bytes());
            }
        })],
    ),
    Fault::messages(
        "batch-served",
        "answers an array of messages with an array in revisions that have none",
        &[
            Hear(|scene, heard| {
                let lines = heard.unpack(scene).join("\n");
                if !lines.is_empty() {
                    let ids = heard.message().and_then(Value::as_array).into_iter().flatten();
                    let ids = ids.filter_map(|message| message.get("id").cloned()).collect();
                    scene.keep("batch-served", json!({ "ids": Value::Array(ids), "answers": [] }));
                    heard.replace(lines.into_bytes());
                }
            }),
            Tell(|scene, told| {
                let mut batch = scene.kept("batch-served");
                let id = told.message.get("id").cloned().unwrap_or_default();
                let (Some(ids), true) = (batch["ids"].as_array().cloned(), told.is_response()) else { return };
                if !ids.contains(&id) {
                    return;
                }
                told.swallow();
                if let Some(answers) = batch["answers"].as_array_mut() {
                    answers.push(told.message.clone());
                    if answers.len() == ids.len() {
                        told.after(Value::Array(std::mem::take(answers)));
                        batch = Value::Null;
                    }
                }
                scene.keep("batch-served", batch);
            }),
        ],
    ),
    Fault::messages(
        "rejects-extra-members",
        "drops a message that has a member beside those of JSON-RPC",
        &[Hear(|_, heard| {
            let known = ["jsonrpc", "id", "method", "params", "result", "error"];
            let members = heard.message().and_then(Value::as_object);
            if members.is_some_and(|members| members.keys().any(|name| !known.contains(&name.as_str()))) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "rejects-meta",
        "refuses a request whose _meta has a key that it does not know",
        &[Hear(|_, heard| {
            let known = |name: &String| name == "progressToken" || name.starts_with("io.modelcontextprotocol/");
            if heard.param("/_meta").as_object().is_some_and(|meta| !meta.keys().all(known)) {
                heard.refuse(-32602, "unknown key in _meta");
            }
        })],
    ),
    Fault::messages(
        "needs-params",
        "refuses a request for a list that has no params",
        &[Hear(|_, heard| {
            if heard.method().ends_with("/list") && heard.message().is_some_and(|ask| ask.get("params").is_none()) {
                heard.refuse(-32602, "params are missing");
            }
        })],
    )
    .legacy(),
];

/// Whether a line holds something that is no JSON.
fn is_junk(heard: &Heard) -> bool {
    !heard.is_blank() && !heard.is_json()
}

fn is_batch(heard: &Heard) -> bool {
    heard.message().is_some_and(Value::is_array)
}

/// Changes a member of the answer to a line that is not JSON.
fn parse_error(told: &mut Told, member: &str, value: Value) {
    if told.code() == -32700 {
        told.message[member] = value;
    }
}
