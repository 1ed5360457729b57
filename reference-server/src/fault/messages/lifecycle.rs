//! The handshake, and who may speak before it.

use std::time::Duration;

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use crate::fault::pipe::Ending;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "echoes-any-version",
        "agrees to any version that is asked for",
        &[Tell(|_, told| {
            let asked = told.asked_param("/protocolVersion").clone();
            if let (Some(result), true) = (told.result("initialize"), asked.is_string()) {
                result.insert("protocolVersion".into(), asked);
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "rejects-unknown-version",
        "answers an unknown version with -32602 and its own versions",
        &[Tell(|_, told| {
            let asked = told.asked_param("/protocolVersion").clone();
            if told.result("initialize").is_some_and(|result| result.get("protocolVersion") != Some(&asked)) {
                told.fail(-32602, "Unsupported protocol version");
                told.message["error"]["data"] = json!({ "supported": LEGACY, "requested": asked });
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "dies-of-unknown-version",
        "exits where an unknown version is asked for",
        &[Hear(|scene, heard| {
            let known = heard.param("/protocolVersion").as_str().is_none_or(|version| LEGACY.contains(&version));
            if heard.asks("initialize") && !known {
                scene.end(Ending::Exit(1));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "fixed-version",
        "answers 2025-06-18 whatever version is asked for, a control",
        &[Hear(|_, heard| ask_for(heard, |_| Some("2025-06-18")))],
    )
    .legacy(),
    Fault::messages(
        "version-not-stable",
        "offers 2025-03-26 for 2025-06-18, and 2025-06-18 for 2025-03-26",
        &[Hear(|_, heard| {
            ask_for(heard, |asked| match asked {
                "2025-03-26" => Some("2025-06-18"),
                "2025-06-18" => Some("2025-03-26"),
                _ => None,
            });
        })],
    )
    .legacy(),
    Fault::messages(
        "version-oldest-first",
        "falls back to its oldest version instead of its newest",
        &[Hear(|_, heard| ask_for(heard, |asked| (!LEGACY.contains(&asked)).then_some("2024-11-05")))],
    )
    .legacy(),
    Fault::messages(
        "version-unknown",
        "answers the version 2.0, which was never published",
        &[Tell(|_, told| introduce(told, "protocolVersion", "2.0".into()))],
    )
    .legacy(),
    Fault::messages(
        "no-server-info",
        "leaves serverInfo out of its answer to initialize",
        &[Tell(|_, told| {
            if let Some(result) = told.result("initialize") {
                result.remove("serverInfo");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "version-number",
        "has a number as the version in serverInfo",
        &[Tell(|_, told| introduce(told, "serverInfo", json!({ "name": "shop", "version": 1 })))],
    )
    .legacy(),
    Fault::messages(
        "no-capabilities",
        "leaves capabilities out of its answer to initialize",
        &[Tell(|_, told| {
            if let Some(result) = told.result("initialize") {
                result.remove("capabilities");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "null-instructions",
        "has instructions that are null",
        &[Tell(|_, told| introduce(told, "instructions", Value::Null))],
    )
    .legacy(),
    Fault::messages(
        "empty-instructions",
        "has instructions that are the empty string, a control",
        &[Tell(|_, told| introduce(told, "instructions", "".into()))],
    )
    .legacy(),
    Fault::messages(
        "initialize-32603",
        "answers an initialize with wrong parameters with -32603",
        &[Tell(|_, told| {
            if told.method() == "initialize" && told.code() == -32602 {
                told.fail(-32603, "internal error");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "strict-unknown-fields",
        "refuses initialize for a client capability that it does not know",
        &[Hear(|_, heard| {
            let known = ["roots", "sampling", "elicitation", "experimental", "tasks", "extensions"];
            let capabilities = heard.param("/capabilities").as_object();
            if capabilities.is_some_and(|some| some.keys().any(|name| !known.contains(&name.as_str()))) {
                heard.refuse(-32602, "unknown capability");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "slow-init",
        "needs 2 s for its answer to initialize",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") {
                scene.pause(Duration::from_secs(2));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "init-waits-for-upstream",
        "needs 6 s for its answer to initialize, as if it logged in elsewhere",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") {
                scene.pause(Duration::from_secs(6));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "initialize-silent",
        "does not answer initialize",
        &[Hear(|_, heard| {
            if heard.asks("initialize") {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "pre-init-ping-refused",
        "refuses ping before initialize",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") {
                scene.tally("pre-init-ping-refused");
            }
            if heard.asks("ping") && scene.tallied("pre-init-ping-refused") == 0 {
                heard.refuse(-32600, "not initialized");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "ping-needs-initialized",
        "refuses ping between its answer to initialize and notifications/initialized",
        &[Hear(|scene, heard| {
            let initialized = scene.kept("ping-needs-initialized");
            if heard.asks("initialize") {
                scene.keep("ping-needs-initialized", false.into());
            } else if heard.method() == "notifications/initialized" {
                scene.keep("ping-needs-initialized", true.into());
            } else if heard.asks("ping") && initialized == false {
                heard.refuse(-32600, "not initialized");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "ping-method-not-found",
        "answers ping with -32601",
        &[Hear(|_, heard| {
            if heard.asks("ping") {
                heard.refuse(-32601, "unknown method \"ping\"");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "ping-silent",
        "never answers ping",
        &[Hear(|_, heard| {
            if heard.asks("ping") {
                heard.swallow();
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "ping-extra-members",
        "answers ping with more than an empty object",
        &[Tell(|_, told| {
            if let Some(result) = told.result("ping") {
                result.insert("status".into(), "pong".into());
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "double-init-crash",
        "exits when initialize comes twice",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") && scene.tally("double-init-crash") > 1 {
                scene.end(Ending::Exit(1));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "double-init-either",
        "refuses a second initialize, a control",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") && scene.tally("double-init-either") > 1 {
                heard.refuse(-32600, "initialized already");
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "dies-on-discover",
        "exits when server/discover comes before initialize",
        &[Hear(|scene, heard| {
            if heard.asks("initialize") {
                scene.tally("dies-on-discover");
            }
            if heard.asks("server/discover") && scene.tallied("dies-on-discover") == 0 {
                scene.end(Ending::Exit(1));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "silent-on-discover",
        "does not answer server/discover, which legacy servers may do, a control",
        &[Hear(|_, heard| {
            if heard.asks("server/discover") {
                heard.swallow();
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "exits-after-first-reply",
        "exits with 0 after its first answer though stdin is open",
        &[Tell(|scene, told| {
            if told.is_response() {
                scene.end(Ending::Exit(0));
            }
        })],
    ),
];

/// The versions with a handshake.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Takes a request for a version for one for another.
fn ask_for(heard: &mut super::Heard, other: fn(&str) -> Option<&'static str>) {
    if heard.asks("initialize")
        && let Some(version) = heard.param("/protocolVersion").as_str().and_then(other)
    {
        heard.change(|request| request["params"]["protocolVersion"] = version.into());
    }
}

/// Sets a member of the answer to initialize.
fn introduce(told: &mut super::Told, member: &str, value: Value) {
    if let Some(result) = told.result("initialize") {
        result.insert(member.into(), value);
    }
}
