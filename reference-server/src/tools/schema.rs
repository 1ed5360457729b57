//! Checks arguments against the very schema that the tool list shows, so that the two can't drift apart.
//!
//! This knows the part of JSON Schema that our own tools use. A keyword that it does not know is a mistake in a
//! tool, which a test finds.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Refusal;
use crate::failure::Excerpt;
use crate::integer::Integer;
use crate::json::{self, Kind};

/// The keywords that say something of a value, and those that only describe.
#[cfg(test)]
const KEYWORDS: [&str; 11] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "title",
    "description",
];

/// Checks the arguments of a call, of which none at all are an empty object.
pub(super) fn check(schema: &Value, arguments: Option<&RawValue>) -> Result<(), Refusal> {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    if schema["additionalProperties"] == false {
        only(properties, arguments)?;
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in properties {
        let argument = arguments.and_then(|arguments| json::member(arguments, name));
        match argument {
            Some(argument) => value(name, schema, argument)?,
            None if required.contains(&name.as_str()) => {
                return Err(Refusal::Malformed(format!("argument {name:?} is missing")));
            }
            None => {}
        }
    }
    Ok(())
}

/// Refuses arguments that have no place.
fn only(properties: &Map<String, Value>, arguments: Option<&RawValue>) -> Result<(), Refusal> {
    let stranger = arguments.and_then(|arguments| json::stranger(arguments, |name| properties.contains_key(name)));
    match stranger {
        None => Ok(()),
        Some(_) if properties.is_empty() => Err(Refusal::Malformed("this tool takes no arguments".into())),
        Some(name) => Err(Refusal::Malformed(format!("there is no argument \"{}\"", Excerpt(&name)))),
    }
}

fn value(name: &str, schema: &Value, argument: &RawValue) -> Result<(), Refusal> {
    match schema["type"].as_str() {
        Some("string") => text(name, schema, argument),
        Some("integer") => integer(name, schema, argument),
        Some("boolean") if json::kind(argument) != Kind::Bool => {
            Err(Refusal::Malformed(format!("argument {name:?} must be a boolean")))
        }
        _ => Ok(()),
    }
}

fn text(name: &str, schema: &Value, argument: &RawValue) -> Result<(), Refusal> {
    let Some(text) = json::string(argument) else {
        return Err(Refusal::Malformed(format!("argument {name:?} must be a string")));
    };
    if let Some(known) = schema["enum"].as_array() {
        let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
        if !known.contains(&text.as_str()) {
            return Err(Refusal::Unusable(format!(
                "unknown {name} \"{}\"; use one of: {}",
                Excerpt(&text),
                known.join(", ")
            )));
        }
    }
    let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    let (least, most) = (schema["minLength"].as_u64().unwrap_or(0), schema["maxLength"].as_u64().unwrap_or(u64::MAX));
    if length < least {
        return Err(Refusal::Unusable(format!("argument {name:?} must have at least {least} characters")));
    }
    if length > most {
        return Err(Refusal::Unusable(format!(
            "argument {name:?} must have at most {most} characters, and has {length}"
        )));
    }
    Ok(())
}

fn integer(name: &str, schema: &Value, argument: &RawValue) -> Result<(), Refusal> {
    let Some(number) = Integer::read(argument) else {
        return Err(Refusal::Malformed(format!("argument {name:?} must be an integer")));
    };
    // Our schemas bound every integer, and from below by no less than zero.
    let (least, most) = (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64().unwrap_or(u64::MAX));
    match number.to_u64() {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        _ => Err(Refusal::Unusable(format!("argument {name:?} must be from {least} to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::TOOLS;

    fn verdict(schema: &Value, arguments: &str) -> &'static str {
        match check(schema, json::parse(arguments.as_bytes())) {
            Ok(()) => "fits",
            Err(Refusal::Malformed(_)) => "malformed",
            Err(Refusal::Unusable(_)) => "unusable",
        }
    }

    #[test]
    fn arguments_are_told_by_their_schema() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": { "type": "integer", "minimum": 1, "maximum": 9 },
                "t": { "type": "string", "minLength": 1, "maxLength": 3 },
                "e": { "type": "string", "enum": ["a", "b"] },
                "b": { "type": "boolean" },
            },
            "required": ["n"],
            "additionalProperties": false,
        });
        for (arguments, expected) in [
            (r#"{"n":1}"#, "fits"),
            (r#"{"n":9.0,"t":"éé","e":"b","b":true}"#, "fits"),
            (r#"{"n":true,"n":2}"#, "fits"),
            ("{}", "malformed"),
            (r#"{"n":true}"#, "malformed"),
            (r#"{"n":"1"}"#, "malformed"),
            (r#"{"n":null}"#, "malformed"),
            (r#"{"n":1.5}"#, "malformed"),
            (r#"{"n":1,"t":5}"#, "malformed"),
            (r#"{"n":1,"e":[]}"#, "malformed"),
            (r#"{"n":1,"b":0}"#, "malformed"),
            (r#"{"n":1,"more":0}"#, "malformed"),
            (r#"{"n":0}"#, "unusable"),
            (r#"{"n":-1}"#, "unusable"),
            (r#"{"n":10}"#, "unusable"),
            (r#"{"n":1e400}"#, "unusable"),
            (r#"{"n":1,"t":""}"#, "unusable"),
            (r#"{"n":1,"t":"four"}"#, "unusable"),
            (r#"{"n":1,"e":"banana"}"#, "unusable"),
        ] {
            assert_eq!(verdict(&schema, arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn no_arguments_are_an_empty_object() {
        let schema = json!({ "type": "object", "additionalProperties": false });
        assert_eq!(check(&schema, None), Ok(()));
        assert_eq!(verdict(&schema, "{ }"), "fits");
        assert_eq!(verdict(&schema, r#"{"a":1}"#), "malformed");
    }

    #[test]
    fn every_keyword_of_our_tools_is_checked() {
        for tool in &TOOLS {
            let schema = (tool.input)();
            let none = Map::new();
            let properties = schema["properties"].as_object().unwrap_or(&none);
            for part in properties.values().chain([&schema]) {
                for keyword in part.as_object().unwrap().keys() {
                    assert!(KEYWORDS.contains(&keyword.as_str()), "{}: {keyword}", tool.name);
                }
                let kind = part["type"].as_str().unwrap();
                assert!(["object", "string", "integer", "boolean"].contains(&kind), "{}: {kind}", tool.name);
                assert!(kind != "integer" || (part["minimum"].is_u64() && part["maximum"].is_u64()), "{}", tool.name);
            }
        }
    }
}
