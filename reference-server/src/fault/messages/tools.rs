//! What is said of tools.

use serde_json::{Map, Value, json};

use super::Messages::{Hear, Tell};
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "schema-no-properties",
        "has a tool whose inputSchema is {\"type\":\"object\"} and no more, a control",
        &[Tell(|_, told| set(told, "inputSchema", json!({ "type": "object" })))],
    ),
    Fault::messages(
        "tools-missing-input-schema",
        "has a tool without inputSchema",
        &[Tell(|_, told| tool(told, |tool| drop(tool.remove("inputSchema"))))],
    ),
    Fault::messages(
        "input-schema-null",
        "has a tool whose inputSchema is null",
        &[Tell(|_, told| set(told, "inputSchema", Value::Null))],
    ),
    Fault::messages(
        "input-schema-no-type",
        "has a tool whose inputSchema does not say that it is an object",
        &[Tell(|_, told| set(told, "inputSchema", json!({ "properties": {} })))],
    ),
    Fault::messages(
        "input-schema-array",
        "has a tool whose inputSchema is for an array",
        &[Tell(|_, told| set(told, "inputSchema", json!({ "type": "array" })))],
    ),
    Fault::messages(
        "input-schema-invalid",
        "has a tool whose inputSchema names a type that JSON Schema lacks",
        &[Tell(|_, told| {
            set(told, "inputSchema", json!({ "type": "object", "properties": { "x": { "type": "str" } } }));
        })],
    ),
    Fault::messages(
        "empty-map-as-array",
        "writes the empty properties of an inputSchema as []",
        &[Tell(|_, told| set(told, "inputSchema", json!({ "type": "object", "properties": [] })))],
    ),
    Fault::messages(
        "draft-07-schema",
        "has an inputSchema of draft-07 with definitions and a local reference, a control",
        &[Tell(|_, told| {
            let schema = json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": { "x": { "$ref": "#/definitions/text" } },
                "definitions": { "text": { "type": "string" } },
            });
            set(told, "inputSchema", schema);
        })],
    ),
    Fault::messages(
        "null-optional",
        "has a tool whose title is null",
        &[Tell(|_, told| set(told, "title", Value::Null))],
    ),
    Fault::messages(
        "null-description",
        "has a tool whose description is null",
        &[Tell(|_, told| set(told, "description", Value::Null))],
    ),
    Fault::messages(
        "annotations-as-strings",
        "writes the hints of a tool as strings",
        &[Tell(|_, told| set(told, "annotations", json!({ "readOnlyHint": "true" })))],
    ),
    Fault::messages(
        "annotations-absent",
        "says of no tool whether it only reads, a control",
        &[Tell(|_, told| {
            for tool in told.tools().into_iter().flatten().filter_map(Value::as_object_mut) {
                tool.remove("annotations");
            }
        })],
    ),
    Fault::messages(
        "tool-name-missing",
        "has a tool without a name",
        &[Tell(|_, told| tool(told, |tool| drop(tool.remove("name"))))],
    ),
    Fault::messages(
        "tool-name-space",
        "has a tool whose name has spaces and an accent",
        &[Tell(|_, told| rename(told, "Écho du texte")), Hear(|_, heard| heard.call_for("Écho du texte", FIRST))],
    ),
    Fault::messages(
        "tool-name-slash",
        "has a tool whose name has a slash",
        &[Tell(|_, told| rename(told, "shop/customers")), Hear(|_, heard| heard.call_for("shop/customers", FIRST))],
    ),
    Fault::messages(
        "tool-name-dots",
        "has a tool whose name has dots, a control",
        &[Tell(|_, told| rename(told, "shop.list.v1")), Hear(|_, heard| heard.call_for("shop.list.v1", FIRST))],
    ),
    Fault::messages(
        "tool-name-duplicate",
        "has two tools of one name",
        &[Tell(|_, told| {
            if let Some(tools) = told.tools() {
                tools.extend(tools.first().cloned());
            }
        })],
    ),
    Fault::messages(
        "tools-as-object",
        "lists its tools as an object by name",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/list") {
                result.insert("tools".into(), json!({ FIRST: { "inputSchema": { "type": "object" } } }));
            }
        })],
    ),
    Fault::messages(
        "tools-missing",
        "lists its tools under another name than tools",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/list") {
                let tools = result.remove("tools").unwrap_or_default();
                result.insert("items".into(), tools);
            }
        })],
    ),
    Fault::messages(
        "many-tools",
        "lists 500 more tools on one line, a control",
        &[Tell(|_, told| {
            if let Some(tools) = told.tools() {
                tools
                    .extend((0..500).map(
                        |number| json!({ "name": format!("tool-{number}"), "inputSchema": { "type": "object" } }),
                    ));
            }
        })],
    ),
    Fault::messages(
        "tools-order-changes",
        "lists its tools in another order each time",
        &[Tell(|scene, told| {
            let turn = scene.tallied("tools-order-changes");
            if let Some(tools) = told.tools() {
                let by = usize::try_from(turn).unwrap_or(0) % tools.len().max(1);
                tools.rotate_left(by);
                scene.tally("tools-order-changes");
            }
        })],
    )
    .modern(),
];

/// The name of the first tool.
const FIRST: &str = "list_customers";

/// Changes the first tool.
fn tool(told: &mut Told, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(tool) = told.tool() {
        change(tool);
    }
}

/// Sets a member of the first tool.
fn set(told: &mut Told, member: &str, value: Value) {
    tool(told, |tool| drop(tool.insert(member.into(), value)));
}

/// Renames the first tool.
fn rename(told: &mut Told, name: &str) {
    set(told, "name", name.into());
}
