//! Reading a pattern.

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::like::{Kind, Shape};

/// Why a text is no pattern.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It is no JSON.
    #[error("the pattern is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// An operator that does not exist.
    #[error("'{0}' is no operator; known are $type, $absent, $regex, $any, $not, $each and $in")]
    Operator(String),
    /// An operator with an operand of the wrong form.
    #[error("{0} takes {1}")]
    Operand(&'static str, &'static str),
    /// An expression that cannot be read.
    #[error("$regex: {0}")]
    Regex(#[from] regex_lite::Error),
}

/// Members that JSON Schema names with a dollar sign; in a pattern they are plain members.
const SCHEMA_KEYWORDS: [&str; 9] =
    ["$schema", "$id", "$ref", "$defs", "$anchor", "$comment", "$vocabulary", "$dynamicRef", "$dynamicAnchor"];

/// The shape that a pattern text stands for.
pub(super) fn pattern(json_text: &str) -> Result<Shape, PatternError> {
    shape(serde_json::from_str(json_text)?)
}

fn shape(value: Value) -> Result<Shape, PatternError> {
    match value {
        Value::Object(members) => object(members),
        Value::Array(elements) => shapes(elements).map(Shape::Elements),
        scalar => Ok(Shape::Scalar(scalar)),
    }
}

fn shapes(values: Vec<Value>) -> Result<Vec<Shape>, PatternError> {
    values.into_iter().map(shape).collect()
}

/// Operators and plain members of one object all have to hold.
fn object(members: Map<String, Value>) -> Result<Shape, PatternError> {
    let mut plain = Vec::new();
    let mut all = Vec::new();
    for (name, value) in members {
        if name.starts_with('$') && !SCHEMA_KEYWORDS.contains(&name.as_str()) {
            all.push(operator(name, value)?);
        } else {
            plain.push((name, shape(value)?));
        }
    }
    if all.is_empty() {
        return Ok(Shape::Members(plain));
    }
    if !plain.is_empty() {
        all.push(Shape::Members(plain));
    }
    Ok(if all.len() == 1 { all.remove(0) } else { Shape::All(all) })
}

fn operator(name: String, value: Value) -> Result<Shape, PatternError> {
    match (name.as_str(), value) {
        ("$absent", Value::Bool(absent)) => Ok(Shape::Absent(absent)),
        ("$absent", _) => Err(PatternError::Operand("$absent", "true or false")),
        ("$type", value) => kind(&value).map(Shape::Type),
        ("$regex", Value::String(text)) => Ok(Shape::Regex(Regex::new(&text)?)),
        ("$regex", _) => Err(PatternError::Operand("$regex", "a string")),
        ("$any", Value::Array(values)) => shapes(values).map(Shape::Any),
        ("$any", _) => Err(PatternError::Operand("$any", "an array of patterns")),
        ("$in", Value::Array(values)) => Ok(Shape::In(values)),
        ("$in", _) => Err(PatternError::Operand("$in", "an array of values")),
        ("$not", value) => Ok(Shape::Not(Box::new(shape(value)?))),
        ("$each", value) => Ok(Shape::Each(Box::new(shape(value)?))),
        _ => Err(PatternError::Operator(name)),
    }
}

fn kind(value: &Value) -> Result<Kind, PatternError> {
    Kind::ALL
        .into_iter()
        .find(|(word, _)| value == word)
        .map(|(_, kind)| kind)
        .ok_or(PatternError::Operand("$type", "string, integer, number, boolean, object, array or null"))
}

#[cfg(test)]
mod tests {
    use super::super::{Match, Pattern};

    fn fits(pattern: &str, message: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(message) == Match::Fits
    }

    fn mismatch(pattern: &str, message: &str) -> String {
        Pattern::parse(pattern).unwrap().mismatch(message).unwrap()
    }

    #[test]
    fn an_object_is_a_subset() {
        assert!(fits(r#"{"result":{}}"#, r#"{"id":1,"result":{"x":[1]}}"#));
        assert!(!fits(r#"{"result":{}}"#, r#"{"id":1,"result":[]}"#));
        assert!(!fits(r#"{"result":{}}"#, r#"{"id":1}"#));
    }

    #[test]
    fn an_array_is_compared_element_by_element() {
        assert!(fits(r#"[1,{"a":1}]"#, r#"[1,{"a":1,"b":2}]"#));
        assert!(!fits("[1]", "[1,2]"));
        assert_eq!(mismatch("[1]", "[1,2]"), "the message has 2 elements, expected 1");
        assert_eq!(mismatch(r#"{"a":[1,2]}"#, r#"{"a":[1,3]}"#), "a[1] is 3, expected 2");
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert!(fits("1", "1.0"));
        assert!(fits("-32601", "-32601"));
        assert!(!fits("1", "\"1\""));
        assert!(!fits("18446744073709551615", "18446744073709551616"), "the second one is held as a rounded float");
        assert!(fits(r#"{"$in":[{"a":1},2]}"#, r#"{"a":1.0}"#));
    }

    #[test]
    fn a_type_has_seven_names() {
        for (kind, yes, no) in [
            ("string", "\"a\"", "1"),
            ("integer", "1.0", "1.5"),
            ("number", "1.5", "\"1\""),
            ("boolean", "false", "0"),
            ("object", "{}", "[]"),
            ("array", "[]", "{}"),
            ("null", "null", "0"),
        ] {
            let pattern = format!(r#"{{"$type":"{kind}"}}"#);
            assert!(fits(&pattern, yes), "{kind}");
            assert!(!fits(&pattern, no), "{kind}");
        }
        assert!(fits(r#"{"$type":"integer"}"#, "18446744073709551616"));
    }

    #[test]
    fn operators_hold_for_absent_members_as_their_words_say() {
        assert!(fits(r#"{"error":{"$absent":true}}"#, "{}"));
        assert!(!fits(r#"{"error":{"$absent":true}}"#, r#"{"error":null}"#));
        assert!(fits(r#"{"error":{"$absent":false}}"#, r#"{"error":null}"#));
        assert!(fits(r#"{"a":{"$any":[{"$absent":true},{"$type":"string"}]}}"#, "{}"));
        assert!(fits(r#"{"a":{"$not":{"$type":"string"}}}"#, "{}"));
        assert!(!fits(r#"{"a":{"$in":[null]}}"#, "{}"));
    }

    #[test]
    fn each_holds_for_an_empty_array_and_names_the_element() {
        let pattern = r#"{"result":{"tools":{"$each":{"inputSchema":{"type":"object"}}}}}"#;
        assert!(fits(pattern, r#"{"result":{"tools":[]}}"#));
        let message = r#"{"result":{"tools":[{"inputSchema":{"type":"object"}},{"inputSchema":{}}]}}"#;
        assert_eq!(mismatch(pattern, message), r#"result.tools[1].inputSchema.type is missing, expected "object""#);
        assert_eq!(mismatch(pattern, r#"{"result":{"tools":1}}"#), "result.tools is 1, expected an array");
    }

    #[test]
    fn several_operators_and_members_all_have_to_hold() {
        let pattern = r#"{"$not":{"error":{}},"result":{"$type":"object"}}"#;
        assert!(fits(pattern, r#"{"result":{}}"#));
        assert!(!fits(pattern, r#"{"result":{},"error":{}}"#));
        assert!(!fits(pattern, "{}"));
        assert!(fits(r#"{"$schema":{"$type":"string"}}"#, r#"{"$schema":"x"}"#));
    }

    #[test]
    fn a_mismatch_says_what_was_expected() {
        assert_eq!(
            mismatch(r#"{"a b":{"$regex":"^x"}}"#, r#"{"a b":"y"}"#),
            r#"["a b"] is "y", expected a string that matches /^x/"#
        );
        assert_eq!(mismatch(r#"{"e":{"$absent":true}}"#, r#"{"e":1}"#), "e is 1, expected none");
        assert_eq!(mismatch(r#"{"e":{"$in":[1,2]}}"#, r#"{"e":3}"#), "e is 3, expected one of 1, 2");
        assert_eq!(mismatch(r#"{"e":{"$any":[{"$type":"null"},1]}}"#, r#"{"e":3}"#), "e is 3, expected null or 1");
        assert_eq!(Pattern::parse("{}").unwrap().mismatch("{}"), None);
    }

    #[test]
    fn what_a_value_cannot_hold_is_not_judged() {
        let pattern = Pattern::parse("{}").unwrap();
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
        for message in [r#"{"a":1e400}"#, &deep] {
            assert_eq!(pattern.matches(message), Match::Unjudgeable, "{message}");
        }
        assert_eq!(pattern.matches(r#"{"a":"\ud800"}"#), Match::Fits);
        assert_eq!(pattern.matches("{oops"), Match::Differs);
    }

    #[test]
    fn a_wrong_pattern_is_explained() {
        let error = |text: &str| Pattern::parse(text).unwrap_err().to_string();
        assert!(error(r#"{"$typ":"string"}"#).starts_with("'$typ' is no operator"));
        assert!(error(r#"{"$type":"text"}"#).starts_with("$type takes string"));
        assert!(error(r#"{"$in":1}"#).contains("$in takes an array of values"));
        assert!(error(r#"{"$regex":"("}"#).starts_with("$regex: "));
        assert!(error("{").starts_with("the pattern is no JSON"));
    }
}
