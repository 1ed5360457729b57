//! What results are made of.

use serde_json::{Value, json};

use super::Messages::Tell;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "content-missing",
        "answers a call without content",
        &[Tell(|_, told| {
            if let Some(result) = told.success() {
                result.remove("content");
            }
        })],
    ),
    Fault::messages(
        "content-string",
        "answers a call with content that is a string",
        &[Tell(|_, told| set(told, "content", "done".into()))],
    ),
    Fault::messages(
        "content-wrapped",
        "wraps the content of a call in another object",
        &[Tell(|_, told| set(told, "content", json!({ "parts": [{ "type": "text", "text": "done" }] })))],
    ),
    Fault::messages(
        "content-empty",
        "answers a call with no content at all, a control",
        &[Tell(|_, told| set(told, "content", json!([])))],
    ),
    Fault::messages(
        "content-bad-type",
        "answers a call with a content block of the type json",
        &[Tell(|_, told| set(told, "content", json!([{ "type": "json", "json": {} }])))],
    ),
    Fault::messages(
        "content-text-number",
        "answers a call with a text that is a number",
        &[Tell(|_, told| set(told, "content", json!([{ "type": "text", "text": 5 }])))],
    ),
    Fault::messages(
        "image-data-uri",
        "answers a call with an image whose data is a data: URI",
        &[Tell(|_, told| image(told, "data:image/png;base64,iVBORw0KGgo="))],
    ),
    Fault::messages(
        "base64-urlsafe",
        "answers a call with an image in the URL-safe alphabet of base64",
        &[Tell(|_, told| image(told, "-_-_iVBORw0KGgo="))],
    ),
    Fault::messages(
        "image-no-mime",
        "answers a call with an image without mimeType",
        &[Tell(|_, told| set(told, "content", json!([{ "type": "image", "data": "iVBORw0KGgo=" }])))],
    ),
    Fault::messages(
        "image-block",
        "answers a call with an image, a control",
        &[Tell(|_, told| image(told, "iVBORw0KGgo="))],
    ),
    Fault::messages(
        "blob-no-mime",
        "answers a call with a blob that has no mimeType, a control",
        &[Tell(|_, told| {
            let resource = json!({ "uri": "shop://logo", "blob": "iVBORw0KGgo=" });
            set(told, "content", json!([{ "type": "resource", "resource": resource }]));
        })],
    ),
    Fault::messages(
        "is-error-string",
        "writes isError as a string",
        &[Tell(|_, told| set(told, "isError", "false".into()))],
    ),
    Fault::messages(
        "meta-key-grammar",
        "returns a _meta whose key begins with an underscore",
        &[Tell(|_, told| {
            if let Some(result) = told.any_result() {
                let meta = result.entry("_meta").or_insert(json!({}));
                meta["_trace"] = 1.into();
            }
        })],
    ),
    Fault::messages(
        "resource-no-uri",
        "reads resources into contents without uri",
        &[Tell(|_, told| {
            if let Some(Value::Array(contents)) =
                told.result("resources/read").and_then(|read| read.get_mut("contents"))
            {
                contents.iter_mut().filter_map(Value::as_object_mut).for_each(|content| drop(content.remove("uri")));
            }
        })],
    ),
    Fault::messages(
        "resource-uri-missing",
        "lists resources without uri",
        &[Tell(|_, told| {
            if let Some(Value::Array(list)) = told.result("resources/list").and_then(|list| list.get_mut("resources")) {
                list.iter_mut().filter_map(Value::as_object_mut).for_each(|resource| drop(resource.remove("uri")));
            }
        })],
    ),
    Fault::messages(
        "prompt-probe-refused",
        "refuses prompts/get without a required argument, as it does anyway, a control",
        &[],
    ),
    Fault::messages(
        "prompt-role-system",
        "gives prompts with a message of the role system",
        &[Tell(|_, told| {
            if let Some(result) = told.result("prompts/get") {
                let content = json!({ "type": "text", "text": "Be brief." });
                result.insert("messages".into(), json!([{ "role": "system", "content": content }]));
            }
        })],
    ),
    Fault::messages(
        "prompt-content-array",
        "gives prompts with a message whose content is an array",
        &[Tell(|_, told| {
            if let Some(result) = told.result("prompts/get") {
                let content = json!([{ "type": "text", "text": "Be brief." }]);
                result.insert("messages".into(), json!([{ "role": "user", "content": content }]));
            }
        })],
    ),
    Fault::messages(
        "prompt-args-object",
        "lists the arguments of prompts as an object",
        &[Tell(|_, told| {
            if let Some(Value::Array(list)) = told.result("prompts/list").and_then(|list| list.get_mut("prompts")) {
                list.iter_mut().for_each(|prompt| prompt["arguments"] = json!({ "status": "string" }));
            }
        })],
    ),
];

/// Sets a member of the result of a call that went well.
fn set(told: &mut Told, member: &str, value: Value) {
    if let Some(result) = told.success() {
        result.insert(member.into(), value);
    }
}

/// Answers a call with an image.
fn image(told: &mut Told, data: &str) {
    set(told, "content", json!([{ "type": "image", "mimeType": "image/png", "data": data }]));
}
