//! `completion/complete`: what an argument that is being typed may become.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::db::Status;
use crate::failure::{Excerpt, Failure};
use crate::job::{Work, World};
use crate::json::{self, Kind};
use crate::prompts::{ORDER_REPORT, STATUS, WELCOME};
use crate::resources::{ORDER_TEMPLATE, locate};

/// The most values that one answer may hold.
const MOST: usize = 100;

/// What is being typed.
#[derive(Debug, PartialEq, Eq)]
enum Argument {
    /// A status of orders.
    Status,
    /// The number of an order.
    OrderId,
    /// Something that is there, and has nothing to complete.
    Nothing,
}

/// Prepares a `completion/complete`.
pub(crate) fn complete(params: Option<&RawValue>) -> Result<Work, Failure> {
    let names = ["ref", "argument", "context"];
    let [reference, argument, context] = params.and_then(|params| json::members(params, names)).unwrap_or_default();
    let [name, value] = argument.and_then(|argument| json::members(argument, ["name", "value"])).unwrap_or_default();
    let (Some(name), Some(value)) = (name.and_then(json::string), value.and_then(json::string)) else {
        return Err(Failure::invalid_params("argument must be an object with a name and a value, both strings"));
    };
    if context.is_some_and(|context| json::kind(context) != Kind::Object) {
        return Err(Failure::invalid_params("context must be an object"));
    }
    let argument = argument_of(reference, &name)?;
    Ok(Box::new(move |world: &World, _| {
        let known: Vec<String> = match argument {
            Argument::Status => Status::ALL.map(|status| status.name().to_owned()).into(),
            Argument::OrderId => world.store().order_ids()?.iter().map(ToString::to_string).collect(),
            Argument::Nothing => Vec::new(),
        };
        Ok(completion(known, &value))
    }))
}

/// The argument that a name stands for where a reference points.
fn argument_of(reference: Option<&RawValue>, name: &str) -> Result<Argument, Failure> {
    let members = reference.and_then(|reference| json::members(reference, ["type", "name", "uri"]));
    let [kind, prompt, uri] =
        members.map(|members| members.map(|member| member.and_then(json::string))).unwrap_or_default();
    let argument = match (kind.as_deref(), prompt.as_deref(), uri.as_deref()) {
        (Some("ref/prompt"), Some(ORDER_REPORT), _) => (name == STATUS).then_some(Argument::Status),
        (Some("ref/prompt"), Some(WELCOME), _) => None,
        (Some("ref/prompt"), Some(other), _) => {
            return Err(Failure::invalid_params(format_args!("unknown prompt \"{}\"", Excerpt(other))));
        }
        (Some("ref/resource"), _, Some(ORDER_TEMPLATE)) => (name == "id").then_some(Argument::OrderId),
        (Some("ref/resource"), _, Some(uri)) if locate(uri).is_some() => Some(Argument::Nothing),
        (Some("ref/resource"), _, Some(uri)) => {
            return Err(Failure::invalid_params(format_args!("unknown resource \"{}\"", Excerpt(uri))));
        }
        _ => {
            let what = "ref must be a ref/prompt with a name, or a ref/resource with a uri";
            return Err(Failure::invalid_params(what));
        }
    };
    argument.ok_or_else(|| Failure::invalid_params(format_args!("there is no argument \"{}\"", Excerpt(name))))
}

/// Those of the known values that begin as the typed one does.
fn completion(known: Vec<String>, typed: &str) -> Value {
    let mut values = known;
    values.retain(|value| value.starts_with(typed));
    let total = values.len();
    values.truncate(MOST);
    json!({ "completion": { "hasMore": total > values.len(), "total": total, "values": values } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_a_hundred_values_and_says_when_there_are_more() {
        let known: Vec<String> = (0..250).map(|number| number.to_string()).collect();
        let all = completion(known.clone(), "");
        assert_eq!(all["completion"]["values"].as_array().unwrap().len(), MOST);
        assert_eq!((&all["completion"]["total"], &all["completion"]["hasMore"]), (&json!(250), &json!(true)));
        let some = completion(known, "24");
        assert_eq!(some["completion"]["values"].as_array().unwrap().len(), 11);
        assert_eq!(some["completion"]["hasMore"], json!(false));
    }

    #[test]
    fn what_is_not_there_can_not_be_completed() {
        let argument = |reference: &str, name| argument_of(json::parse(reference.as_bytes()), name);
        assert_eq!(argument(r#"{"type":"ref/prompt","name":"order-report"}"#, "status").unwrap(), Argument::Status);
        assert_eq!(argument(r#"{"type":"ref/resource","uri":"shop://orders/{id}"}"#, "id").unwrap(), Argument::OrderId);
        assert_eq!(argument(r#"{"type":"ref/resource","uri":"shop://schema"}"#, "x").unwrap(), Argument::Nothing);
        for (reference, name) in [
            (r#"{"type":"ref/prompt","name":"order-report"}"#, "x"),
            (r#"{"type":"ref/prompt","name":"welcome"}"#, "status"),
            (r#"{"type":"ref/prompt","name":"x"}"#, "status"),
            (r#"{"type":"ref/prompt"}"#, "status"),
            (r#"{"type":"ref/resource","uri":"x://y"}"#, "id"),
            (r#"{"type":"ref/x"}"#, "id"),
            ("5", "id"),
        ] {
            assert_eq!(argument(reference, name).unwrap_err().code(), -32602, "{reference}");
        }
    }
}
