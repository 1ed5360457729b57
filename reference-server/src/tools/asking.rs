//! `ask_model` and `show_roots`: calls that the client itself has to help with.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Caller, Work, World};
use crate::question::{Question, blocks};

pub(crate) const MODEL: Tool = Tool {
    name: "ask_model",
    title: "Ask the model",
    description: "Has the client's own model answer a prompt. The client must support sampling.",
    input: || {
        json!({
            "type": "object",
            "properties": { "prompt": { "type": "string", "description": "What to ask." } },
            "required": ["prompt"],
        })
    },
    output: Some(|| {
        json!({
            "type": "object",
            "properties": { "model": { "type": "string" }, "answer": { "type": "string" } },
            "required": ["model", "answer"],
            "additionalProperties": false,
        })
    }),
    prepare: model,
    manner: Manner::Asks,
    tasks: Tasks::Forbidden,
};

pub(crate) const ROOTS: Tool = Tool {
    name: "show_roots",
    title: "Show roots",
    description: "Lists the directories that the client works in. The client must support roots.",
    input: || json!({ "type": "object", "additionalProperties": false }),
    output: Some(|| {
        json!({
            "type": "object",
            "properties": { "roots": { "type": "array", "items": { "type": "string" } } },
            "required": ["roots"],
            "additionalProperties": false,
        })
    }),
    prepare: roots,
    manner: Manner::Asks,
    tasks: Tasks::Forbidden,
};

fn model(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let prompt = arguments.string("prompt")?;
    Ok(Box::new(move |_: &World, caller: &mut Caller<'_>| {
        let said = caller.ask(Question::Model(prompt.clone()))?;
        let texts: Vec<&str> = blocks(&said["content"]).filter_map(|block| block["text"].as_str()).collect();
        if texts.is_empty() {
            return Err("the client's model answered without any text".into());
        }
        Ok(json!({ "model": said["model"], "answer": texts.join("\n") }))
    }))
}

fn roots(_: &Arguments<'_>) -> Result<Work, Refusal> {
    Ok(Box::new(|_: &World, caller: &mut Caller<'_>| {
        let said = caller.ask(Question::Roots)?;
        let roots = said["roots"].as_array().into_iter().flatten();
        let uris: Vec<&Value> = roots.map(|root| &root["uri"]).collect();
        Ok(json!({ "roots": uris }))
    }))
}
