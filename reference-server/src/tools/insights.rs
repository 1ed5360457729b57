//! `append_insight`: keeps what was learnt.

use serde_json::json;

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Caller, Change, Work, World};
use crate::resources::INSIGHTS;

pub(crate) const APPEND: Tool = Tool {
    name: "append_insight",
    title: "Append an insight",
    description: "Adds something that was learnt about the shop to the memo memo://insights.",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 2000,
                    "description": "What was learnt, in a sentence or two.",
                },
            },
            "required": ["text"],
            "additionalProperties": false,
        })
    },
    output: Some(|| {
        json!({
            "type": "object",
            "properties": { "appended": { "type": "string" } },
            "required": ["appended"],
            "additionalProperties": false,
        })
    }),
    prepare,
    manner: Manner::Adds,
    tasks: Tasks::Forbidden,
};

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let text = arguments.string("text")?.trim().to_owned();
    if text.is_empty() {
        return Err(Refusal::Unusable("argument \"text\" must hold more than blanks".into()));
    }
    Ok(Box::new(move |world: &World, caller: &mut Caller<'_>| {
        world.store().append_insight(&text)?;
        caller.changed(Change::Resource(INSIGHTS.into()));
        Ok(json!({ "appended": text }))
    }))
}
