//! What only the modern era has: metadata on requests, and members of each result.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use super::heard::Heard;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages("no-result-type", "leaves resultType out", &[Tell(|_, told| leave_out(told, "resultType"))])
        .modern(),
    Fault::messages(
        "unknown-result-type",
        "has the resultType success",
        &[Tell(|_, told| alter(told, "resultType", "success".into()))],
    )
    .modern(),
    Fault::messages(
        "no-cache-fields",
        "leaves ttlMs and cacheScope out of all results",
        &[Tell(|_, told| {
            leave_out(told, "ttlMs");
            leave_out(told, "cacheScope");
        })],
    )
    .modern(),
    Fault::messages(
        "no-cache-fields-on-list",
        "leaves ttlMs and cacheScope out of tools/list alone",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                leave_out(told, "ttlMs");
                leave_out(told, "cacheScope");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "negative-ttl",
        "has a ttlMs of -1 for what is never to be cached",
        &[Tell(|_, told| alter(told, "ttlMs", (-1).into()))],
    )
    .modern(),
    Fault::messages(
        "ttl-string",
        "has a ttlMs that is a string",
        &[Tell(|_, told| alter(told, "ttlMs", "60s".into()))],
    )
    .modern(),
    Fault::messages(
        "bad-cache-scope",
        "has the cacheScope session",
        &[Tell(|_, told| alter(told, "cacheScope", "session".into()))],
    )
    .modern(),
    Fault::messages(
        "no-server-info-meta",
        "leaves its name and version out of the _meta of results",
        &[Tell(|_, told| leave_out(told, "_meta"))],
    )
    .modern(),
    Fault::messages(
        "bad-server-info-meta",
        "has a string where name and version of the server belong",
        &[Tell(|_, told| alter(told, "_meta", json!({ "io.modelcontextprotocol/serverInfo": "shop 1.0" })))],
    )
    .modern(),
    Fault::messages(
        "discover-no-versions",
        "lists no version in its answer to server/discover",
        &[Tell(|_, told| discover(told, "supportedVersions", json!([])))],
    )
    .modern(),
    Fault::messages(
        "discover-versions-string",
        "has a string where the list of versions belongs",
        &[Tell(|_, told| discover(told, "supportedVersions", "2026-07-28".into()))],
    )
    .modern(),
    Fault::messages(
        "discover-unlisted-version",
        "lists versions without the one that it serves",
        &[Tell(|_, told| discover(told, "supportedVersions", json!(["2025-11-25"])))],
    )
    .modern(),
    Fault::messages(
        "discover-no-capabilities",
        "leaves capabilities out of its answer to server/discover",
        &[Tell(|_, told| {
            if told.method() == "server/discover" {
                leave_out(told, "capabilities");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "discover-not-repeatable",
        "declares another capability each time that it is asked",
        &[Tell(|scene, told| {
            if let Some(result) = told.result("server/discover") {
                let name = format!("com.example/n{}", scene.tally("discover-not-repeatable"));
                let capabilities = result.entry("capabilities").or_insert(json!({}));
                capabilities["experimental"] = json!({ name: {} });
            }
        })],
    )
    .modern(),
    Fault::messages(
        "discover-missing",
        "serves modern requests and does not know server/discover",
        &[Tell(|_, told| {
            if told.result("server/discover").is_some() {
                told.fail(-32601, "unknown method \"server/discover\"");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "needs-discover-first",
        "refuses all else until server/discover was called",
        &[Hear(|scene, heard| {
            if heard.asks("server/discover") {
                scene.tally("needs-discover-first");
            } else if scene.tallied("needs-discover-first") == 0 && is_modern(heard) {
                heard.refuse(-32602, "server/discover was not called");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "meta-missing-accepted",
        "serves a request without _meta",
        &[Hear(|_, heard| {
            if heard.request().is_some() && heard.method() != "initialize" && heard.param("/_meta").is_null() {
                fill(heard, VERSION, DATE.into());
                fill(heard, CAPABILITIES, json!({}));
            }
        })],
    )
    .modern(),
    Fault::messages(
        "meta-capabilities-optional",
        "serves a request whose _meta lacks the client's capabilities",
        &[Hear(|_, heard| {
            if is_modern(heard) && heard.param(&meta(CAPABILITIES)).is_null() {
                fill(heard, CAPABILITIES, json!({}));
            }
        })],
    )
    .modern(),
    Fault::messages(
        "meta-missing-32601",
        "answers a request without what _meta must have with -32601",
        &[Tell(|_, told| {
            let text = told.message.pointer("/error/message").and_then(Value::as_str);
            if text.is_some_and(|text| text.starts_with("_meta lacks")) {
                told.fail(-32601, "unknown method");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "requires-client-info",
        "refuses a request whose _meta lacks the optional clientInfo",
        &[Hear(|_, heard| {
            if is_modern(heard) && heard.param(&meta("io.modelcontextprotocol/clientInfo")).is_null() {
                heard.refuse(-32602, "_meta lacks clientInfo");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "wrong-version-served",
        "serves a request of a version that does not exist",
        &[Hear(|_, heard| {
            if is_modern(heard) && heard.param(&meta(VERSION)) != DATE {
                fill(heard, VERSION, DATE.into());
            }
        })],
    )
    .modern(),
    Fault::messages(
        "wrong-version-no-32022",
        "refuses an unknown version with -32602",
        &[Tell(|_, told| {
            if told.code() == -32022 {
                told.message["error"]["code"] = (-32602).into();
            }
        })],
    )
    .modern(),
    Fault::messages(
        "no-unsupported-list",
        "refuses an unknown version with -32022 and no list of its own",
        &[Tell(|_, told| {
            if told.code() == -32022
                && let Some(error) = told.error()
            {
                error.remove("data");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "unsupported-lists-requested",
        "lists the version that it refuses among those that it supports",
        &[Tell(|_, told| {
            let requested = told.message.pointer("/error/data/requested").cloned();
            let supported = told.message.pointer_mut("/error/data/supported").and_then(Value::as_array_mut);
            if let (Some(supported), Some(requested)) = (supported, requested) {
                supported.push(requested);
            }
        })],
    )
    .modern(),
    Fault::messages(
        "modern-refuses-initialize",
        "answers initialize with -32601 and names its versions in the message, a control",
        &[Tell(|_, told| {
            if told.method() == "initialize" && told.error().is_some() {
                told.fail(-32601, "unknown method; this server speaks 2026-07-28");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "initialize-unnamed-versions",
        "refuses initialize without naming a version that it supports",
        &[Tell(|_, told| {
            if told.method() == "initialize" && told.error().is_some() {
                told.fail(-32601, "unknown method");
            }
        })],
    )
    .modern(),
    Fault::messages(
        "ping-served-modern",
        "serves ping, which is gone",
        &[Tell(|_, told| {
            if told.method() == "ping" && told.code() == -32601 && told.is_modern() {
                told.succeed(json!({}));
            }
        })],
    )
    .modern(),
    Fault::messages(
        "list-changed-unsubscribed",
        "sends tools/list_changed that nobody subscribed to",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.before(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
            }
        })],
    )
    .modern(),
    Fault::messages(
        "modern-members-in-legacy",
        "sends resultType and caching hints in a legacy session, a control",
        &[Tell(|_, told| {
            if !told.is_modern()
                && let Some(result) = told.any_result()
            {
                result.insert("resultType".into(), "complete".into());
                result.insert("ttlMs".into(), 0.into());
            }
        })],
    )
    .legacy(),
];

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The version that is served.
const DATE: &str = "2026-07-28";

/// Where a key of `_meta` stands in parameters.
fn meta(key: &str) -> String {
    format!("/_meta/{}", key.replace('/', "~1"))
}

fn is_modern(heard: &Heard) -> bool {
    heard.request().is_some_and(|asked| asked.is_modern())
}

/// Sets a key of `_meta` of a request, whatever it has.
fn fill(heard: &mut Heard, key: &str, value: Value) {
    heard.change(|request| {
        if !request["params"].is_object() {
            request["params"] = json!({});
        }
        if !request["params"]["_meta"].is_object() {
            request["params"]["_meta"] = json!({});
        }
        request["params"]["_meta"][key] = value;
    });
}

/// Leaves a member out of a modern result.
fn leave_out(told: &mut Told, member: &str) {
    if told.is_modern()
        && let Some(result) = told.any_result()
    {
        result.remove(member);
    }
}

/// Changes a member of a modern result that has it.
fn alter(told: &mut Told, member: &str, value: Value) {
    if told.is_modern()
        && let Some(place) = told.any_result().and_then(|result| result.get_mut(member))
    {
        *place = value;
    }
}

/// Sets a member of the answer to `server/discover`.
fn discover(told: &mut Told, member: &str, value: Value) {
    if let Some(result) = told.result("server/discover") {
        result.insert(member.into(), value);
    }
}
