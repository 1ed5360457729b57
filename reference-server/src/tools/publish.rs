//! `publish`: adds a tool, and what such a tool does.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Caller, Work, World};
use crate::revision::Revision;

pub(crate) const PUBLISH: Tool = Tool {
    name: "publish",
    title: "Publish a tool",
    description: "Adds a tool of the given name to this server, for as long as it runs. The tool says its name.",
    input: || {
        json!({
            "type": "object",
            "properties": { "name": { "type": "string", "description": "The new tool's name." } },
            "required": ["name"],
        })
    },
    output: Some(named_output),
    prepare,
    manner: Manner::Adds,
    tasks: Tasks::Forbidden,
};

/// What all published tools are, but for their names.
pub(super) const MODEL: Tool = Tool {
    name: "",
    title: "Published tool",
    description: "Says its name. It was added by publish.",
    input: || json!({ "type": "object", "additionalProperties": false }),
    output: Some(named_output),
    prepare: |_| Err(Refusal::Unusable("this tool has no name".into())),
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

fn named_output() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" } },
        "required": ["name"],
        "additionalProperties": false,
    })
}

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let name = arguments.string("name")?;
    Ok(Box::new(move |_: &World, caller: &mut Caller<'_>| {
        caller.publish(&name)?;
        Ok(json!({ "name": name }))
    }))
}

/// The entry of a published tool in `tools/list`.
pub(crate) fn describe(name: &str, revision: Revision) -> Value {
    let mut entry = MODEL.describe(revision);
    entry["name"] = name.into();
    entry
}

/// Prepares a call of a published tool.
pub(crate) fn call(name: String, arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    arguments.check(&(MODEL.input)())?;
    Ok(Box::new(move |_: &World, _| Ok(json!({ "name": name }))))
}
