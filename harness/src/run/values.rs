//! What templates can name: values of the session, and calls that may be made.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::EraFacts;
use super::dialect::Dialect;
use super::survey::{Survey, Tool};
use crate::script::{Bindings, Need, Script, literal};

/// A call that the user allows: `--call NAME[=JSON]`, or `[[call]]` in `plumb.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments; built from its schema where absent.
    pub arguments: Option<Value>,
    /// What it is good for: `slow`, `fails`, …
    pub is: Vec<String>,
}

/// Why the text of a `--call` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no call: write NAME or NAME={{\"argument\":…}} with a JSON object")]
pub struct CallError(String);

impl std::str::FromStr for Call {
    type Err = CallError;

    fn from_str(text: &str) -> Result<Self, CallError> {
        let (tool, arguments) = match text.split_once('=') {
            None => (text, None),
            Some((tool, arguments)) => match serde_json::from_str::<Value>(arguments) {
                Ok(arguments @ Value::Object(_)) => (tool, Some(arguments)),
                _ => return Err(CallError(text.to_owned())),
            },
        };
        if tool.is_empty() {
            return Err(CallError(text.to_owned()));
        }
        Ok(Self { tool: tool.to_owned(), arguments, is: Vec::new() })
    }
}

/// Which calls a run may make.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Named by the user.
    pub calls: Vec<Call>,
    /// Nothing but these: tools that say that they only read are left alone too.
    pub none_by_default: bool,
}

impl Allowed {
    /// The tools that may be called: those that the user named first, then those that only read, the ones that stay
    /// in their own world first.
    pub fn tools<'a>(&'a self, facts: &'a EraFacts) -> Vec<(&'a Tool, Option<&'a Value>)> {
        let named = self.calls.iter().filter_map(|call| {
            let tool = facts.tools.iter().find(|tool| tool.name == call.tool)?;
            Some((tool, call.arguments.as_ref()))
        });
        let mut read_only: Vec<&Tool> =
            facts.tools.iter().filter(|tool| tool.read_only && !self.none_by_default).collect();
        read_only.sort_by_key(|tool| tool.open_world);
        named.chain(read_only.into_iter().map(|tool| (tool, None))).collect()
    }

    fn named(&self, is: &str) -> Option<&Call> {
        self.calls.iter().find(|call| call.is.iter().any(|word| word == is))
    }
}

/// Says which need of a script is not met, in words for the skip.
pub(super) fn unmet(script: &Script, facts: &EraFacts, allowed: &Allowed) -> Option<String> {
    script.needs.iter().find_map(|need| {
        let (met, reason) = match need {
            Need::Capability(path) => {
                (declares(&facts.capabilities, path), format!("the capability {path} is not declared"))
            }
            Need::Undeclared(path) if !facts.guessed => (
                !declares(&facts.capabilities, path),
                format!("the capability {path} is declared, and this is about servers without it"),
            ),
            Need::Undeclared(_) => (false, "it does not say what it is capable of".to_owned()),
            Need::Tool(kind) => (tool_of_kind(kind, facts, allowed).is_some(), reason_for_tool(kind)),
            Need::Call(is) => {
                (allowed.named(is).is_some(), format!("needs a tool of yours: plumb.toml can describe one as {is}"))
            }
            Need::Pages(_) => (facts.paged, "its tools come on one page".to_owned()),
        };
        (!met).then_some(reason)
    })
}

/// What is wrong with a `--call` of a tool that the server does not list.
pub(super) fn unknown_call(allowed: &Allowed, survey: &Survey) -> Option<String> {
    let eras: Vec<&EraFacts> = [survey.legacy.as_ref(), survey.modern.as_ref()].into_iter().flatten().collect();
    let listed: BTreeSet<&str> = eras.iter().flat_map(|facts| &facts.tools).map(|tool| tool.name.as_str()).collect();
    // Only the first page is known here, and a list that was refused is its own case's affair.
    if eras.iter().any(|facts| facts.paged) || listed.is_empty() {
        return None;
    }
    let unknown = allowed.calls.iter().find(|call| !listed.contains(call.tool.as_str()))?;
    let names: Vec<&str> = listed.into_iter().collect();
    Some(format!("--call {}: the server lists no such tool; it has {}", unknown.tool, names.join(", ")))
}

fn reason_for_tool(kind: &str) -> String {
    match kind {
        "any" => "it lists no tools".to_owned(),
        "args" => "no tool with a required argument may be called; name one with --call".to_owned(),
        "free" => "no tool without required arguments may be called; name one with --call".to_owned(),
        _ => "no tool says that it only reads; name one with --call".to_owned(),
    }
}

fn declares(capabilities: &Value, path: &str) -> bool {
    let value = capabilities.pointer(&format!("/{}", path.replace('.', "/")));
    value.is_some_and(|value| *value != Value::Bool(false))
}

fn tool_of_kind<'a>(kind: &str, facts: &'a EraFacts, allowed: &'a Allowed) -> Option<(&'a Tool, Option<&'a Value>)> {
    if kind == "any" {
        return facts.tools.first().map(|tool| (tool, None));
    }
    allowed.tools(facts).into_iter().find(|(tool, _)| {
        let required = required(&tool.input_schema);
        match kind {
            "free" => required.is_empty(),
            "args" => required.first().is_some_and(|name| wrong_value(&tool.input_schema, name).is_some()),
            _ => true,
        }
    })
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).collect()
}

/// Whether a tool of the case was picked by us and not named by the user: then its silence proves nothing.
pub(super) fn is_our_pick(script: &Script, allowed: &Allowed) -> bool {
    script.needs.iter().any(|need| matches!(need, Need::Tool(kind) if kind != "any")) && allowed.calls.is_empty()
}

/// The values that a script can name in a session of this dialect.
pub(super) fn bindings(
    script: &Script,
    dialect: &Dialect,
    facts: &EraFacts,
    allowed: &Allowed,
    nonce: &str,
) -> Bindings {
    let mut bindings = Bindings::of(script);
    bindings.set("nonce", nonce);
    bindings.set("revision", dialect.revision.as_str());
    bindings.set("cheap", facts.cheap.as_str());
    bindings.set("null", "null");
    bindings.set_json("client", Dialect::client_info().to_string());
    bindings.set_json("meta", dialect.meta().to_string());
    bindings.set_json("params", dialect.params(Some("{}")).unwrap_or_default());
    for kind in ["safe", "args", "free", "any"] {
        if let Some((tool, arguments)) = tool_of_kind(kind, facts, allowed) {
            bind_tool(&mut bindings, &format!("tool.{kind}"), tool, arguments);
        }
    }
    for call in &allowed.calls {
        for is in &call.is {
            bindings.set_json(format!("call.{is}"), literal(&call.tool));
            let arguments = call.arguments.clone().unwrap_or_else(|| json!({}));
            bindings.set_json(format!("call.{is}.arguments"), arguments.to_string());
        }
    }
    bindings
}

fn bind_tool(bindings: &mut Bindings, name: &str, tool: &Tool, arguments: Option<&Value>) {
    let valid = arguments.cloned().unwrap_or_else(|| arguments_for(&tool.input_schema));
    bindings.set_json(name, literal(&tool.name));
    bindings.set_json(format!("{name}.arguments"), valid.to_string());
    if let Some(first) = required(&tool.input_schema).first().copied() {
        let mut missing = valid.clone();
        let mut wrong = valid;
        if let (Some(missing), Some(wrong)) = (missing.as_object_mut(), wrong.as_object_mut()) {
            missing.remove(first);
            wrong.insert(first.to_owned(), wrong_value(&tool.input_schema, first).unwrap_or(Value::Null));
        }
        bindings.set_json(format!("{name}.missing"), missing.to_string());
        bindings.set_json(format!("{name}.wrong"), wrong.to_string());
    }
}

/// The least arguments that a schema asks for.
fn arguments_for(schema: &Value) -> Value {
    let mut arguments = Map::new();
    for name in required(schema) {
        let property = schema.pointer(&format!("/properties/{}", name.replace('~', "~0").replace('/', "~1")));
        arguments.insert(name.to_owned(), property.map_or_else(|| json!("a"), sample));
    }
    Value::Object(arguments)
}

/// A value that a simple schema accepts: its own example where it has one.
fn sample(schema: &Value) -> Value {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first());
    if let Some(value) =
        schema.get("const").or_else(|| schema.get("default")).or_else(|| first("enum")).or_else(|| first("examples"))
    {
        return value.clone();
    }
    if let Some(branch) = first("anyOf").or_else(|| first("oneOf")) {
        return sample(branch);
    }
    let kind = schema.get("type");
    let kind = kind.and_then(Value::as_str).or_else(|| kind.and_then(|kinds| kinds.get(0)).and_then(Value::as_str));
    match kind {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(16);
            let item = schema.get("items").map_or_else(|| json!("a"), sample);
            Value::Array((0..least).map(|_| item.clone()).collect())
        }
        Some("object") => arguments_for(schema),
        Some("null") => Value::Null,
        _ => {
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(1).clamp(1, 4096);
            Value::String("a".repeat(usize::try_from(least).unwrap_or(1)))
        }
    }
}

/// A value of a type that no tool can coerce into the one that the property asks for.
fn wrong_value(schema: &Value, name: &str) -> Option<Value> {
    let property = schema.get("properties")?.get(name)?;
    match property.get("type")?.as_str()? {
        "string" | "integer" | "number" | "boolean" => Some(json!({"x-test": [1]})),
        "array" | "object" => Some(json!(7)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_name_and_perhaps_an_object() {
        assert_eq!("echo".parse::<Call>().unwrap().arguments, None);
        assert_eq!(r#"echo={"a":1}"#.parse::<Call>().unwrap().arguments, Some(json!({"a": 1})));
        assert!("echo=[1]".parse::<Call>().unwrap_err().to_string().contains("JSON object"));
    }

    #[test]
    fn arguments_follow_the_schema() {
        let schema = json!({"type": "object", "required": ["s", "n", "e", "o"], "properties": {
            "s": {"type": "string", "minLength": 3}, "n": {"type": "integer", "minimum": 4},
            "e": {"enum": ["x", "y"]}, "o": {"type": "object", "required": ["b"], "properties": {"b": {"type": "boolean"}}},
            "optional": {"type": "string"}}});
        assert_eq!(arguments_for(&schema), json!({"s": "aaa", "n": 4, "e": "x", "o": {"b": true}}));
    }

    #[test]
    fn a_declared_false_is_not_declared() {
        let capabilities = json!({"tools": {"listChanged": false}, "resources": {}});
        assert!(declares(&capabilities, "tools"));
        assert!(!declares(&capabilities, "tools.listChanged"));
        assert!(!declares(&capabilities, "prompts"));
    }
}
