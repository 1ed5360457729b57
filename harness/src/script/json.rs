//! TOML values as JSON text, and back where TOML can hold the text.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use toml::{Table, Value};

use super::vars::placeholder;

/// The string that stands for null, which TOML lacks.
const NULL: &str = "${json:null}";
/// The one key of a table that holds JSON text.
const VERBATIM: &str = "$json";
/// TOML parsers refuse deep nesting; what is deeper is written as text.
const DEEPEST: usize = 24;

/// The JSON text of a TOML value.
///
/// # Errors
/// The value has no form in JSON; the text says why.
pub(crate) fn text_of(value: &Value) -> Result<String, String> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

/// The TOML value from which `text_of` makes just this text. What TOML cannot hold is kept as a table with `$json`.
pub(super) fn toml_of(text: &str) -> Value {
    let value = serde_json::from_str(text).ok().and_then(|value| plain(&value, 0));
    match value {
        Some(value) if text_of(&value).as_deref() == Ok(text) => value,
        _ => Value::Table(Table::from_iter([(VERBATIM.to_owned(), Value::from(text))])),
    }
}

/// Fails with the reason if a template is no JSON once its variables are replaced.
pub(super) fn check(template: &str, known: &BTreeMap<String, String>) -> Result<(), String> {
    let text = placeholder(template, known).map_err(|error| error.to_string())?;
    serde_json::from_str::<IgnoredAny>(&text).map(drop).map_err(|error| format!("this is no JSON: {error}"))
}

fn write(value: &Value, out: &mut String) -> Result<(), String> {
    match value {
        Value::String(text) if text == NULL => out.push_str("null"),
        Value::String(text) => string(text, out),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) => {
            let number = serde_json::Number::from_f64(*number).ok_or("JSON has no infinite numbers and no NaN")?;
            out.push_str(&number.to_string());
        }
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Datetime(_) => return Err("JSON has no dates; put it in quotes".to_owned()),
        Value::Array(elements) => array(elements, out)?,
        Value::Table(table) => match verbatim(table)? {
            Some(text) => out.push_str(text),
            None => object(table, out)?,
        },
    }
    Ok(())
}

fn array(elements: &[Value], out: &mut String) -> Result<(), String> {
    out.push('[');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(element, out)?;
    }
    out.push(']');
    Ok(())
}

fn object(table: &Table, out: &mut String) -> Result<(), String> {
    out.push('{');
    for (index, (name, value)) in table.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        string(name, out);
        out.push(':');
        write(value, out)?;
    }
    out.push('}');
    Ok(())
}

fn string(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// The text of a table `{ "$json" = 'TEXT' }`.
fn verbatim(table: &Table) -> Result<Option<&str>, String> {
    let Some(value) = table.get(VERBATIM) else { return Ok(None) };
    match value {
        Value::String(text) if table.len() == 1 => {
            check(text, &BTreeMap::new())?;
            if text.contains(['\n', '\r']) {
                return Err("the text has a line break, but a message is one line".to_owned());
            }
            Ok(Some(text))
        }
        _ => Err("\"$json\" stands alone and holds a JSON text".to_owned()),
    }
}

fn plain(value: &serde_json::Value, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    Some(match value {
        serde_json::Value::Null => Value::from(NULL),
        serde_json::Value::Bool(truth) => Value::from(*truth),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::from(number),
            None => Value::from(number.as_f64()?),
        },
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| plain(element, depth + 1)).collect::<Option<_>>()?)
        }
        serde_json::Value::Object(members) => Value::Table(
            members
                .iter()
                .map(|(name, value)| Some((name.clone(), plain(value, depth + 1)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        text_of(&toml::from_str::<Table>(&format!("v = {text}")).unwrap()["v"])
    }

    #[test]
    fn toml_becomes_json() {
        assert_eq!(read(r#"{ b = [1, 1.5, true], a = "x\"${id}" }"#).unwrap(), r#"{"a":"x\"${id}","b":[1,1.5,true]}"#);
        assert_eq!(read(r#"["${json:null}", "${json:params}"]"#).unwrap(), r#"[null,"${json:params}"]"#);
        assert_eq!(read(r#"[{ "$json" = '{"b":1e400, "a":${id}}' }]"#).unwrap(), r#"[{"b":1e400, "a":${id}}]"#);
    }

    #[test]
    fn what_json_lacks_is_refused() {
        assert!(read("2025-11-25").unwrap_err().contains("no dates"));
        assert!(read("[nan]").unwrap_err().contains("no infinite numbers"));
        assert!(read(r#"{ "$json" = '{' }"#).unwrap_err().starts_with("this is no JSON"));
        assert!(read(r#"{ "$json" = '{}', a = 1 }"#).unwrap_err().contains("stands alone"));
    }

    #[test]
    fn every_text_comes_back_as_it_was() {
        for text in [
            "null",
            r#"{"a":[1,null,{"b":"c"}]}"#,
            r#"{"b":1,"a":2}"#,
            "1e400",
            "18446744073709551616",
            "1.0",
            r#""\u00e9""#,
            r#""${json:null}""#,
            r#"{"$json":"1"}"#,
            r#""${json:params}""#,
            &format!("{}{}", "[".repeat(100), "]".repeat(100)),
        ] {
            assert_eq!(text_of(&toml_of(text)).as_deref(), Ok(text));
        }
        assert!(toml_of("[null]").is_array(), "plain values stay readable");
    }
}
