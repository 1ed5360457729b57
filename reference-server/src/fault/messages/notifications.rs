//! Notifications: answers that nobody may give, and notifications that nobody knows.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use super::heard::Heard;
use crate::fault::pipe::Ending;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "replies-to-initialized",
        "answers notifications/initialized with -32601 and id null",
        &[Hear(|_, heard| {
            if is_initialized(heard) {
                heard.say_error(&Value::Null, -32601, "unknown method");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "answers-initialized-id-zero",
        "answers notifications/initialized with an empty result and the id 0",
        &[Hear(|_, heard| {
            if is_initialized(heard) {
                heard.say(&json!({ "jsonrpc": "2.0", "id": 0, "result": {} }));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "answers-unknown-notification",
        "answers notifications that it does not know with -32601 and id null",
        &[Hear(|_, heard| {
            if is_unknown(heard) {
                heard.say_error(&Value::Null, -32601, "unknown method");
            }
        })],
    ),
    Fault::messages(
        "answers-late",
        "answers an unknown notification only after the answer to the request that follows",
        &[
            Hear(|scene, heard| {
                if is_unknown(heard) {
                    scene.keep("answers-late", true.into());
                }
            }),
            Tell(|scene, told| {
                if told.is_response() && scene.kept("answers-late") == true {
                    scene.keep("answers-late", Value::Null);
                    let error = json!({ "code": -32601, "message": "unknown method" });
                    told.after(json!({ "jsonrpc": "2.0", "id": null, "error": error }));
                }
            }),
        ],
    ),
    Fault::messages(
        "null-id-result",
        "acknowledges each notification with an empty result and id null",
        &[Hear(|_, heard| {
            if heard.is_notification() {
                heard.say(&json!({ "jsonrpc": "2.0", "id": null, "result": {} }));
            }
        })],
    ),
    Fault::messages(
        "answers-cancelled",
        "answers notifications/cancelled with an error that has the id of the request in it",
        &[Hear(|_, heard| {
            if heard.method() == "notifications/cancelled" {
                let id = heard.param("/requestId").clone();
                heard.say_error(&id, -32800, "cancelled");
            }
        })],
    ),
    Fault::messages(
        "cancel-kills",
        "exits when something is cancelled",
        &[Hear(|scene, heard| {
            if heard.method() == "notifications/cancelled" {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "cancel-ignored",
        "goes on with what is cancelled, and answers it",
        &[Hear(|_, heard| {
            if heard.method() == "notifications/cancelled" {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "dies-on-notification",
        "exits on a notification that it does not know",
        &[Hear(|scene, heard| {
            if is_unknown(heard) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "dies-of-notification-flood",
        "exits after 5000 notifications",
        &[Hear(|scene, heard| {
            if heard.is_notification() && scene.tally("dies-of-notification-flood") > 5000 {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "legacy-initialized-name",
        "knows only the bare name initialized, and answers the right one with an error",
        &[Hear(|_, heard| {
            if is_initialized(heard) {
                heard.swallow();
                heard.say_error(&Value::Null, -32601, "unknown method \"notifications/initialized\"");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "runs-request-as-notification",
        "answers a request method that came without an id with -32600 and id null",
        &[Hear(|_, heard| {
            if heard.is_notification() && !heard.method().starts_with("notifications/") {
                heard.say_error(&Value::Null, -32600, "the request has no id");
            }
        })],
    ),
    Fault::messages(
        "invented-server-notification",
        "sends a notification of another protocol before its answer to tools/list",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                let params = json!({ "type": 3, "message": "listing" });
                told.before(json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params }));
            }
        })],
    ),
];

fn is_initialized(heard: &Heard) -> bool {
    heard.is_notification() && heard.method() == "notifications/initialized"
}

/// Whether it is a notification that a server need not have heard of.
fn is_unknown(heard: &Heard) -> bool {
    let known = ["notifications/initialized", "notifications/cancelled"];
    heard.is_notification() && heard.method().starts_with("notifications/") && !known.contains(&heard.method())
}
