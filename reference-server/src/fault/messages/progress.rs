//! Progress, and the client's log.

use serde_json::{Value, json};

use super::Messages::Tell;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "progress-made-up-token",
        "reports progress of a call under a token that nobody gave",
        &[Tell(|_, told| {
            if told.method() == "tools/call" {
                told.before(progress(&"made-up".into(), 1.0));
            }
        })],
    ),
    Fault::messages(
        "progress-token-string",
        "reports progress under the token as a string, where a number was given",
        &[Tell(|_, told| {
            if let Some(token) = token(told).filter(Value::is_number) {
                told.before(progress(&token.to_string().into(), 1.0));
            }
        })],
    ),
    Fault::messages(
        "progress-falls",
        "reports progress that falls",
        &[Tell(|_, told| {
            if let Some(token) = token(told) {
                told.before(progress(&token, 2.0));
                told.before(progress(&token, 1.0));
            }
        })],
    ),
    Fault::messages(
        "progress-not-increasing",
        "reports the same progress twice",
        &[Tell(|_, told| {
            if let Some(token) = token(told) {
                told.before(progress(&token, 1.0));
                told.before(progress(&token, 1.0));
            }
        })],
    ),
    Fault::messages(
        "progress-after-result",
        "reports progress after the result",
        &[Tell(|_, told| {
            if let Some(token) = token(told) {
                told.before(progress(&token, 1.0));
                told.after(progress(&token, 2.0));
            }
        })],
    ),
    Fault::messages(
        "progress-string",
        "reports progress as a string",
        &[Tell(|_, told| {
            if let Some(token) = token(told) {
                let mut report = progress(&token, 1.0);
                report["params"]["progress"] = "50%".into();
                told.before(report);
            }
        })],
    ),
    Fault::messages(
        "progress-fractions",
        "reports progress in fractions for a call that asked for it, a control",
        &[Tell(|_, told| {
            if let Some(token) = token(told) {
                told.before(progress(&token, 0.25));
                told.before(progress(&token, 0.75));
            }
        })],
    ),
    Fault::messages(
        "log-without-level-M",
        "sends a log notification for a request that set no log level",
        &[Tell(|_, told| {
            if told.tools().is_some() && told.asked_param("/_meta/io.modelcontextprotocol~1logLevel").is_null() {
                let params = json!({ "level": "info", "data": "listing" });
                told.before(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }));
            }
        })],
    )
    .modern(),
];

/// The token under which a call's progress is to be told.
fn token(told: &Told) -> Option<Value> {
    let token = told.asked_param("/_meta/progressToken");
    (told.method() == "tools/call" && !token.is_null()).then(|| token.clone())
}

fn progress(token: &Value, progress: f64) -> Value {
    let params = json!({ "progressToken": token, "progress": progress });
    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
}
