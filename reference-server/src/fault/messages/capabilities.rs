//! What is declared, and what is then done.

use serde_json::{Map, Value, json};

use super::Messages::{Hear, Tell};
use super::heard::Heard;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "cap-as-array",
        "writes the empty object of a capability as []",
        &[Tell(|_, told| declare(told, |some| drop(some.insert("prompts".into(), json!([])))))],
    ),
    Fault::messages(
        "cap-as-true",
        "writes true for the tools capability",
        &[Tell(|_, told| declare(told, |some| drop(some.insert("tools".into(), true.into()))))],
    ),
    Fault::messages(
        "cap-null",
        "writes null for a capability that it does not have",
        &[Tell(|_, told| declare(told, |some| drop(some.insert("experimental".into(), Value::Null))))],
    ),
    Fault::messages(
        "extra-capabilities",
        "declares capabilities that no revision knows, a control",
        &[Tell(|_, told| {
            declare(told, |some| {
                some.insert("x-shop".into(), json!({ "open": true }));
                some.insert("experimental".into(), json!({ "shop": {} }));
            });
        })],
    ),
    Fault::messages(
        "cap-logging-no-handler",
        "declares logging and does not know logging/setLevel",
        &[Hear(|_, heard| unknown(heard, &["logging/"]))],
    )
    .legacy(),
    Fault::messages(
        "cap-completions-no-handler",
        "declares completions and does not know completion/complete",
        &[Hear(|_, heard| unknown(heard, &["completion/"]))],
    ),
    Fault::messages(
        "cap-resources-no-handler",
        "declares resources and does not know resources/list",
        &[Hear(|_, heard| unknown(heard, &["resources/list"]))],
    ),
    Fault::messages(
        "tools-declared-unserved",
        "declares tools and answers tools/list with an error",
        &[Hear(|_, heard| {
            if heard.asks("tools/list") {
                heard.refuse(-32603, "no database");
            }
        })],
    ),
    Fault::messages(
        "tools-undeclared-served",
        "lists tools and does not declare them",
        &[Tell(|_, told| declare(told, |some| drop(some.remove("tools"))))],
    ),
    Fault::messages(
        "handler-without-cap",
        "serves prompts and does not declare them",
        &[Tell(|_, told| declare(told, |some| drop(some.remove("prompts"))))],
    ),
    Fault::messages(
        "undeclared-list-32601",
        "declares tools alone, and does not know what belongs to anything else, a control",
        &[
            Tell(|_, told| declare(told, |some| some.retain(|name, _| name == "tools"))),
            Hear(|_, heard| unknown(heard, &["resources/", "prompts/", "completion/", "logging/", "tasks/"])),
            Tell(|_, told| without_logs(told)),
        ],
    ),
    Fault::messages(
        "log-undeclared",
        "sends log notifications without declaring logging",
        &[
            Tell(|_, told| declare(told, |some| drop(some.remove("logging")))),
            Tell(|_, told| {
                if told.tools().is_some() {
                    let params = json!({ "level": "info", "data": "listing" });
                    told.before(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }));
                }
            }),
        ],
    )
    .legacy(),
    Fault::messages(
        "log-bad-level",
        "sends log notifications with the level warn, which does not exist",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                let params = json!({ "level": "warn", "data": "listing" });
                told.before(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "log-bogus-level-set",
        "takes a level that does not exist in logging/setLevel",
        &[Tell(|_, told| {
            if told.method() == "logging/setLevel" && told.error().is_some() {
                told.succeed(json!({}));
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "list-changed-undeclared",
        "sends tools/list_changed without declaring listChanged",
        &[
            Tell(|_, told| declare(told, |some| drop(some.insert("tools".into(), json!({}))))),
            Tell(|_, told| {
                if told.tools().is_some() {
                    told.before(changed());
                }
            }),
        ],
    )
    .legacy(),
    Fault::messages(
        "list-changed-after-list",
        "sends tools/list_changed, which it declares, after each list of tools, a control",
        &[Tell(|_, told| {
            if told.tools().is_some() {
                told.after(changed());
            }
        })],
    )
    .legacy(),
    Fault::messages(
        "notify-before-init-reply",
        "sends tools/list_changed before its answer to initialize",
        &[Tell(|_, told| {
            if told.result("initialize").is_some() {
                told.before(changed());
            }
        })],
    )
    .legacy(),
];

fn changed() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })
}

/// Changes what is declared.
fn declare(told: &mut Told, change: impl FnOnce(&mut Map<String, Value>)) {
    if !["initialize", "server/discover"].contains(&told.method()) {
        return;
    }
    let capabilities = told.any_result().and_then(|result| result.get_mut("capabilities"));
    if let Some(capabilities) = capabilities.and_then(Value::as_object_mut) {
        change(capabilities);
    }
}

/// Does not know requests of methods that begin so.
fn unknown(heard: &mut Heard, methods: &[&str]) {
    if methods.iter().any(|method| heard.method().starts_with(method)) {
        heard.refuse(-32601, "unknown method");
    }
}

/// Sends nothing for the client's log.
fn without_logs(told: &mut Told) {
    if told.method() == "notifications/message" {
        told.swallow();
    }
}
