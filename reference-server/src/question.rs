//! What a tool may ask the client, and what makes an answer one.

use serde_json::{Value, json};

use crate::ability::Ability;
use crate::digest::digest;
use crate::revision::Revision;

/// The most tokens that a client's model may spend on one answer.
const MAX_TOKENS: u32 = 500;

/// Something to ask the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Question {
    /// Whether its user agrees to something. The answer is a result of `elicitation/create`.
    Confirm(String),
    /// What its model makes of a prompt. The answer is a result of `sampling/createMessage`.
    Model(String),
    /// Which directories it works in. The answer is a result of `roots/list`.
    Roots,
}

impl Question {
    /// What a client must be able to do to be asked.
    pub(crate) fn ability(&self) -> Ability {
        match self {
            Self::Confirm(_) => Ability::Elicitation,
            Self::Model(_) => Ability::Sampling,
            Self::Roots => Ability::Roots,
        }
    }

    /// The method of the request.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Confirm(_) => "elicitation/create",
            Self::Model(_) => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    /// The parameters of the request, as a revision wants them.
    pub(crate) fn params(&self, revision: Revision) -> Value {
        match self {
            Self::Confirm(message) => {
                let mut params = json!({ "message": message, "requestedSchema": {
                    "type": "object",
                    "properties": { "confirm": { "type": "boolean", "title": "Yes, do it" } },
                    "required": ["confirm"],
                } });
                if revision.names_elicitation_modes() {
                    params["mode"] = "form".into();
                }
                params
            }
            Self::Model(prompt) => json!({
                "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
                "maxTokens": MAX_TOKENS,
            }),
            Self::Roots => json!({}),
        }
    }

    /// Tells this question from others, in this process and the next.
    pub(crate) fn digest(&self) -> u64 {
        let words = match self {
            Self::Confirm(words) | Self::Model(words) => words.as_str(),
            Self::Roots => "",
        };
        digest(&[self.method(), words])
    }

    /// Whether a client's result answers the question. Otherwise says what is wrong with it.
    pub(crate) fn check(&self, result: &Value) -> Result<(), &'static str> {
        match self {
            Self::Confirm(_) => check_form(result),
            Self::Model(_) => check_message(result),
            Self::Roots => check_roots(result),
        }
    }
}

fn check_form(result: &Value) -> Result<(), &'static str> {
    match result["action"].as_str() {
        Some("decline" | "cancel") => Ok(()),
        Some("accept") if result["content"]["confirm"].is_boolean() => Ok(()),
        Some("accept") => Err("content must hold confirm, a boolean"),
        _ => Err("action must be accept, decline or cancel"),
    }
}

fn check_message(result: &Value) -> Result<(), &'static str> {
    if !matches!(result["role"].as_str(), Some("user" | "assistant")) {
        Err("role must be user or assistant")
    } else if !result["model"].is_string() {
        Err("model must be a string")
    } else if blocks(&result["content"]).any(|block| !block["type"].is_string()) {
        Err("content must be a block with a type, or an array of such blocks")
    } else {
        Ok(())
    }
}

fn check_roots(result: &Value) -> Result<(), &'static str> {
    match result["roots"].as_array() {
        Some(roots) if roots.iter().all(|root| root["uri"].is_string()) => Ok(()),
        _ => Err("roots must be an array of objects with a uri"),
    }
}

/// The blocks of a message's content: an array of them, or only one.
pub(crate) fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
    match content {
        Value::Array(blocks) => blocks.as_slice(),
        block => std::slice::from_ref(block),
    }
    .iter()
}

/// What a client said to a question.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// The [`digest`](Question::digest) of the question that it was given to.
    pub(crate) to: u64,
    /// The result, or why there is none.
    pub(crate) said: Result<Value, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_shape_of_its_question() {
        let confirm = Question::Confirm("Sure?".into());
        let model = Question::Model("Say hello.".into());
        for (question, result, fits) in [
            (&confirm, json!({ "action": "accept", "content": { "confirm": false } }), true),
            (&confirm, json!({ "action": "decline" }), true),
            (&confirm, json!({ "action": "accept", "content": { "confirm": "yes" } }), false),
            (&confirm, json!({ "action": "accept" }), false),
            (&confirm, json!([]), false),
            (&model, json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "hi" } }), true),
            (&model, json!({ "role": "assistant", "model": "m", "content": [{ "type": "text", "text": "hi" }] }), true),
            (&model, json!({ "role": "assistant", "model": "m", "content": "hi" }), false),
            (&model, json!({ "role": "assistant", "content": { "type": "text", "text": "hi" } }), false),
            (&model, json!({ "model": "m" }), false),
            (&Question::Roots, json!({ "roots": [{ "uri": "file:///x" }] }), true),
            (&Question::Roots, json!({ "roots": [] }), true),
            (&Question::Roots, json!({ "roots": [{}] }), false),
            (&Question::Roots, json!("x"), false),
        ] {
            assert_eq!(question.check(&result).is_ok(), fits, "{question:?} {result}");
        }
    }

    #[test]
    fn questions_are_told_apart() {
        let digests =
            [Question::Roots, Question::Model("a".into()), Question::Confirm("a".into()), Question::Model("b".into())]
                .map(|question| question.digest());
        for (index, digest) in digests.iter().enumerate() {
            assert!(!digests[index + 1..].contains(digest));
        }
    }

    #[test]
    fn the_mode_is_named_where_there_are_two() {
        let question = Question::Confirm("Sure?".into());
        assert!(question.params(Revision::V2025_06_18).get("mode").is_none());
        assert_eq!(question.params(Revision::V2025_11_25)["mode"], "form");
        assert_eq!(question.params(Revision::V2026_07_28)["mode"], "form");
    }
}
