//! What stands around results, errors and parameters.

use serde_json::Value;

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
        "result-and-error",
        "adds \"error\":null to each result",
        &[Tell(|_, told| {
            if told.any_result().is_some() {
                told.message["error"] = Value::Null;
            }
        })],
    ),
];
