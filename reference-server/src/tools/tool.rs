//! A tool as clients see it: its description, and the shape of its results, in each revision.

use serde_json::{Value, json};

use super::{Arguments, Refusal};
use crate::job::Work;
use crate::revision::Revision;

/// One tool.
pub(crate) struct Tool {
    /// The name that calls it.
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// What it does, for the model.
    pub(crate) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(crate) input: fn() -> Value,
    /// The JSON Schema of its structured content. Without one, its results are text alone.
    pub(crate) output: Option<fn() -> Value>,
    /// Reads arguments that fit the schema, and says what is to be done.
    pub(crate) prepare: fn(&Arguments<'_>) -> Result<Work, Refusal>,
    /// What a call does to the world.
    pub(crate) manner: Manner,
    /// Whether a call may be a task.
    pub(crate) tasks: Tasks,
}

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It only looks: calling it twice, or by mistake, harms nobody.
    Looks,
    /// It adds something, each time.
    Adds,
    /// It takes something away that does not come back.
    Destroys,
    /// It has somebody else do something.
    Asks,
}

/// Whether a call may be a task, in the revision that has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tasks {
    /// It is a call and nothing else.
    Forbidden,
    /// The caller may choose.
    Optional,
}

impl Tool {
    /// Checks a call's arguments, and says what is to be done.
    pub(crate) fn work(&self, arguments: &Arguments<'_>) -> Result<Work, Refusal> {
        arguments.check(&(self.input)())?;
        (self.prepare)(arguments)
    }

    /// The entry in `tools/list`. What a revision does not know yet is left out.
    pub(crate) fn describe(&self, revision: Revision) -> Value {
        let mut entry = json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": (self.input)(),
        });
        if revision.has_annotations() {
            entry["annotations"] = json!({
                "title": self.title,
                "readOnlyHint": matches!(self.manner, Manner::Looks | Manner::Asks),
                "destructiveHint": self.manner == Manner::Destroys,
                "idempotentHint": matches!(self.manner, Manner::Looks | Manner::Destroys),
                "openWorldHint": self.manner == Manner::Asks,
            });
        }
        if revision.has_titles() {
            entry["title"] = self.title.into();
        }
        if let Some(schema) = self.output_in(revision) {
            entry["outputSchema"] = schema();
        }
        if revision.has_tasks() && self.tasks == Tasks::Optional {
            entry["execution"] = json!({ "taskSupport": "optional" });
        }
        entry
    }

    /// The result of a call that went well. What the work came to is its text, and structured content besides where
    /// that is declared.
    pub(crate) fn succeeded(&self, content: Value, revision: Revision) -> Value {
        let mut result = json!({ "content": [{ "type": "text", "text": content.to_string() }] });
        if self.output_in(revision).is_some() {
            result["structuredContent"] = content;
        }
        result
    }

    /// The schema of structured content that a revision is told: none where either of the two knows of no such thing.
    fn output_in(&self, revision: Revision) -> Option<fn() -> Value> {
        self.output.filter(|_| revision.has_structured_output())
    }
}

/// The result of a call that did not: words, so that the model can try again with better ones.
pub(crate) fn failed(why: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": why }], "isError": true })
}

/// What a result says if it is that of a call that failed.
pub(crate) fn complaint(result: &Value) -> Option<&str> {
    (result["isError"] == true).then(|| result["content"][0]["text"].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;

    #[test]
    fn a_revision_is_told_only_what_it_knows() {
        for tool in &TOOLS {
            for revision in Revision::ALL {
                let entry = tool.describe(revision);
                assert_eq!(entry.get("annotations").is_some(), revision >= Revision::V2025_03_26);
                assert_eq!(entry.get("title").is_some(), revision >= Revision::V2025_06_18);
                let structured = tool.output.is_some() && revision >= Revision::V2025_06_18;
                assert_eq!(entry.get("outputSchema").is_some(), structured);
                assert_eq!(entry["inputSchema"]["type"], "object");
            }
        }
    }

    #[test]
    fn what_a_call_comes_to_is_text_and_structured_where_that_is_declared() {
        for tool in &TOOLS {
            for revision in Revision::ALL {
                let result = tool.succeeded(json!({ "n": 3 }), revision);
                assert_eq!(result["content"], json!([{ "type": "text", "text": r#"{"n":3}"# }]));
                let declared = tool.describe(revision).get("outputSchema").is_some();
                assert_eq!(result.get("structuredContent"), declared.then_some(&json!({ "n": 3 })), "{}", tool.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        for (index, tool) in TOOLS.iter().enumerate() {
            assert!(tool.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", tool.name);
            assert!(TOOLS.iter().skip(index + 1).all(|other| other.name != tool.name), "{}", tool.name);
        }
    }
}
