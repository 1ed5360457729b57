//! Requests that the server sends.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "asks-undeclared-client-cap",
        "sends roots/list before it lists its tools, whatever the client declared",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.before(request("fault-1", "roots/list"));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "asks-undeclared-sampling",
        "asks for a sample before it lists its tools, whatever the client declared",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                let mut sample = request("fault-1", "sampling/createMessage");
                let content = json!({ "type": "text", "text": "Hello" });
                sample["params"] = json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 10 });
                told.before(sample);
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "asks-before-initialized",
        "sends roots/list, where that is declared, before notifications/initialized",
        &[
            Hear(|scene, heard| {
                if heard.asks("initialize") {
                    scene.keep("asks-before-initialized", heard.param("/capabilities/roots").is_object().into());
                }
            }),
            Tell(|scene, told| {
                if told.result("initialize").is_some() && scene.kept("asks-before-initialized") == true {
                    told.after(request("fault-1", "roots/list"));
                }
            }),
        ],
    )
    .legacy(),
    Fault::messages(
        "modern-server-request",
        "pings the client before it lists its tools, in an era that has no such requests",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.before(request("fault-1", "ping"));
            }
        })],
    )
    .modern(),
    Fault::messages(
        "sends-ping",
        "pings the client after each list of tools, a control",
        &[Tell(|scene, told| {
            if told.tools().is_some() {
                told.after(request(scene.tally("sends-ping"), "ping"));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "server-id-null",
        "pings the client with the id null",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.after(request(Value::Null, "ping"));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "server-id-reused",
        "pings the client twice with the same id",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.after(request("fault-1", "ping"));
                told.after(request("fault-1", "ping"));
            }
        })],
    )
    .legacy(),
];

fn request(id: impl Into<Value>, method: &str) -> Value {
    let id: Value = id.into();
    json!({ "jsonrpc": "2.0", "id": id, "method": method })
}
