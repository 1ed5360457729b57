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
    /// The JSON Schema of its structured content.
    pub(crate) output: fn() -> Value,
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
        if revision.has_structured_output() {
            entry["outputSchema"] = (self.output)();
        }
        if revision.has_tasks() && self.tasks == Tasks::Optional {
            entry["execution"] = json!({ "taskSupport": "optional" });
        }
        entry
    }
}

/// The result of a call that went well. Clients of older revisions get the content as text only.
pub(crate) fn succeeded(content: Value, revision: Revision) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": content.to_string() }] });
    if revision.has_structured_output() {
        result["structuredContent"] = content;
    }
    result
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
                assert_eq!(entry.get("outputSchema").is_some(), revision >= Revision::V2025_06_18);
                assert_eq!(entry["inputSchema"]["type"], "object");
            }
        }
    }

    #[test]
    fn structured_content_is_also_text() {
        let result = succeeded(json!({ "count": 3 }), Revision::V2025_06_18);
        assert_eq!(result["structuredContent"], json!({ "count": 3 }));
        assert_eq!(result["content"][0]["text"], r#"{"count":3}"#);
        assert!(succeeded(json!({}), Revision::V2025_03_26).get("structuredContent").is_none());
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        for (index, tool) in TOOLS.iter().enumerate() {
            assert!(tool.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", tool.name);
            assert!(TOOLS.iter().skip(index + 1).all(|other| other.name != tool.name), "{}", tool.name);
        }
    }
}
