//! Patterns for JSON: what `like` asks of a message, and in which words a message differs from it.
//!
//! A pattern is a subset: members that it does not name are free. It judges `serde_json` values, so a message that these
//! cannot hold (a number beyond `f64`, a lone surrogate, deep nesting) is not judged at all.

use std::fmt;

use regex_lite::Regex;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::like_parse::{PatternError, pattern};
use crate::wire::whole_pairs;

/// What a message must look like.
#[derive(Clone, Debug)]
pub struct Pattern(pub(super) Shape);

/// Whether a message fits a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It does.
    Fits,
    /// It does not.
    Differs,
    /// It is JSON, but of a kind that we cannot look into.
    Unjudgeable,
}

/// A condition on a value, or on its absence.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Equal to this scalar.
    Scalar(Value),
    /// An object with at least these members.
    Members(Vec<(String, Shape)>),
    /// An array of this length, element by element.
    Elements(Vec<Shape>),
    /// An array whose elements all fit.
    Each(Box<Shape>),
    /// Of this type.
    Type(Kind),
    /// Not there, or there.
    Absent(bool),
    /// A string in which the expression is found.
    Regex(Regex),
    /// One of these shapes.
    Any(Vec<Shape>),
    /// All of these shapes.
    All(Vec<Shape>),
    /// Anything else, absence too.
    Not(Box<Shape>),
    /// Equal to one of these values.
    In(Vec<Value>),
}

/// A JSON type, or `integer` for a number without a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

impl Kind {
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("object", Self::Object),
        ("array", Self::Array),
        ("null", Self::Null),
    ];

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::Null => value.is_null(),
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Null => "null",
        }
    }
}

impl Pattern {
    /// Reads a pattern from JSON text whose variables are replaced.
    ///
    /// # Errors
    /// The text is no JSON, or has an operator that is unknown or has an operand of the wrong form.
    pub fn parse(json_text: &str) -> Result<Self, PatternError> {
        pattern(json_text).map(Self)
    }

    /// Whether a message, or another JSON text, fits. A text that is no JSON differs from every pattern.
    #[must_use]
    pub fn matches(&self, message: &str) -> Match {
        match serde_json::from_str(&whole_pairs(message)) {
            Ok(value) if self.0.difference(Some(&value), &mut Path::default()).is_none() => Match::Fits,
            Ok(_) => Match::Differs,
            Err(_) if serde_json::from_str::<IgnoredAny>(message).is_ok() => Match::Unjudgeable,
            Err(_) => Match::Differs,
        }
    }

    /// The first place where a message differs, in words; `None` where it fits or cannot be judged.
    #[must_use]
    pub fn mismatch(&self, message: &str) -> Option<String> {
        let value: Value = serde_json::from_str(&whole_pairs(message)).ok()?;
        self.0.difference(Some(&value), &mut Path::default())
    }
}

impl Shape {
    /// The first difference between a value and this shape.
    fn difference(&self, value: Option<&Value>, path: &mut Path) -> Option<String> {
        match (self, value) {
            (Self::All(shapes), _) => shapes.iter().find_map(|shape| shape.difference(value, path)),
            (Self::Members(members), Some(Value::Object(object))) => members
                .iter()
                .find_map(|(name, shape)| path.at_member(name, |path| shape.difference(object.get(name), path))),
            (Self::Elements(shapes), Some(Value::Array(elements))) if shapes.len() == elements.len() => {
                shapes.iter().zip(elements).enumerate().find_map(|(index, (shape, value))| {
                    path.at_element(index, |path| shape.difference(Some(value), path))
                })
            }
            (Self::Each(shape), Some(Value::Array(elements))) => elements
                .iter()
                .enumerate()
                .find_map(|(index, value)| path.at_element(index, |path| shape.difference(Some(value), path))),
            _ if self.holds(value) => None,
            _ => Some(path.sentence(value, self)),
        }
    }

    /// Whether a value fits; for what `difference` does not descend into.
    fn holds(&self, value: Option<&Value>) -> bool {
        let fits = |shape: &Self| shape.difference(value, &mut Path::default()).is_none();
        match self {
            Self::Absent(absent) => *absent == value.is_none(),
            Self::Not(shape) => !fits(shape),
            Self::Any(shapes) => shapes.iter().any(fits),
            Self::Scalar(expected) => value.is_some_and(|value| equal(expected, value)),
            Self::Type(kind) => value.is_some_and(|value| kind.holds(value)),
            Self::Regex(regex) => value.and_then(Value::as_str).is_some_and(|text| regex.is_match(text)),
            Self::In(values) => value.is_some_and(|value| values.iter().any(|expected| equal(expected, value))),
            Self::Members(_) | Self::Elements(_) | Self::Each(_) | Self::All(_) => false,
        }
    }
}

/// Equality of values, numbers by what they are worth: `1` equals `1.0`.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => equal_numbers(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

fn equal_numbers(left: &serde_json::Number, right: &serde_json::Number) -> bool {
    /// Integers below this are exact as `f64`; above, a float may stand for another integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if left.is_f64() == right.is_f64() {
        return left == right;
    }
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.abs() < EXACT && left.total_cmp(&right).is_eq(),
        _ => false,
    }
}

/// Where in the message we are.
#[derive(Default)]
struct Path(String);

impl Path {
    fn at_member<T>(&mut self, name: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-$".contains(c));
        let step = match (plain, self.0.is_empty()) {
            (true, true) => name.to_owned(),
            (true, false) => format!(".{name}"),
            (false, _) => format!("[{}]", Value::from(name)),
        };
        self.at(&step, visit)
    }

    fn at_element<T>(&mut self, index: usize, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.at(&format!("[{index}]"), visit)
    }

    fn at<T>(&mut self, step: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.0.len();
        self.0.push_str(step);
        let visited = visit(self);
        self.0.truncate(len);
        visited
    }

    fn sentence(&self, value: Option<&Value>, expected: &Shape) -> String {
        let place = if self.0.is_empty() { "the message" } else { &self.0 };
        match (value, expected) {
            (None, Shape::Absent(_)) => format!("{place} is missing"),
            (None, _) => format!("{place} is missing, expected {expected}"),
            (Some(Value::Array(elements)), Shape::Elements(shapes)) => {
                format!("{place} has {} elements, expected {}", elements.len(), shapes.len())
            }
            (Some(value), Shape::Absent(_)) => format!("{place} is {}, expected none", brief(value)),
            (Some(value), _) => format!("{place} is {}, expected {expected}", brief(value)),
        }
    }
}

/// A value on one short line.
fn brief(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What a shape asks, as the end of a sentence.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(value) => f.write_str(&brief(value)),
            Self::Members(_) => f.write_str("an object"),
            Self::Elements(_) | Self::Each(_) => f.write_str("an array"),
            Self::Type(kind) => f.write_str(kind.phrase()),
            Self::Absent(true) => f.write_str("none"),
            Self::Absent(false) => f.write_str("any value"),
            Self::Regex(regex) => write!(f, "a string that matches /{regex}/"),
            Self::Any(shapes) => join(f, shapes, " or "),
            Self::All(shapes) => join(f, shapes, " and "),
            Self::Not(shape) => write!(f, "anything but {shape}"),
            Self::In(values) => {
                f.write_str("one of ")?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { ", " } else { "" }, brief(value))?;
                }
                Ok(())
            }
        }
    }
}

fn join(f: &mut fmt::Formatter<'_>, shapes: &[Shape], word: &str) -> fmt::Result {
    for (index, shape) in shapes.iter().enumerate() {
        write!(f, "{}{shape}", if index > 0 { word } else { "" })?;
    }
    Ok(())
}
