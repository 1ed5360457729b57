//! Values that are checked while they are read, so that an error points at them.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

pub use toml::value::Date;

use crate::spec::{Ledger, RequirementId};

/// The version of a file's form: 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match u32::deserialize(from)? {
            1 => Ok(Self),
            _ => Err(D::Error::custom("this harness reads version 1 of this file")),
        }
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"description": "The version of a file's form: 1.", "const": 1})
    }
}

/// A text that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub struct NotEmpty(#[cfg_attr(test, schemars(length(min = 1)))] String);

/// Ids of cases, or names of files: one of them, or a pattern with `*`, `**`, `?` and `{a,b}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub struct Glob(String);

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub struct Expression(String);

impl FromStr for NotEmpty {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() { Err("this must not be empty") } else { Ok(Self(text.to_owned())) }
    }
}

impl FromStr for Glob {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("this must not be empty; '**' stands for all".to_owned());
        }
        globset::Glob::new(text).map_err(|error| format!("this is no glob: {}", error.kind()))?;
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for Expression {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        regex_lite::Regex::new(text).map_err(|error| format!("this is no regular expression: {error}"))?;
        Ok(Self(text.to_owned()))
    }
}

impl Expression {
    /// Whether a group of this name is captured.
    pub(super) fn has_group(&self, name: &str) -> bool {
        let names = |regex: regex_lite::Regex| regex.capture_names().flatten().any(|group| group == name);
        regex_lite::Regex::new(&self.0).is_ok_and(names)
    }

    /// Whether it fits where nothing stands.
    pub(super) fn fits_nothing(&self) -> bool {
        regex_lite::Regex::new(&self.0).is_ok_and(|regex| regex.is_match(""))
    }
}

/// A pattern of a JSON text, as cases write it; `{seed.NAME}` may stand anywhere in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transparent))]
pub struct Like(String);

impl FromStr for Like {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        crate::script::Pattern::parse(&without_seeds(text)?).map_err(|error| error.to_string())?;
        Ok(Self(text.to_owned()))
    }
}

/// Lets a checked text be read from a file and shown again.
macro_rules! checked_text {
    ($($name:ident),*) => {$(
        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                parsed(from)
            }
        }
    )*};
}

checked_text!(NotEmpty, Glob, Expression, Like);

/// A value that is written as text.
struct Parsed<T>(T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(ParsedVisitor(PhantomData))
    }
}

/// Parses within the visit: an error that comes later is not given the place of a list's element.
struct ParsedVisitor<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for ParsedVisitor<T> {
    type Value = Parsed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Parsed<T>, E> {
        text.parse().map(Parsed).map_err(E::custom)
    }
}

/// Reads a value that is written as text.
pub(super) fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(from: D) -> Result<T, D::Error> {
    Parsed::deserialize(from).map(|Parsed(value)| value)
}

/// As [`parsed`], for a key that may be left out.
pub(super) fn parsed_option<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    parsed(from).map(Some)
}

/// As [`parsed`], for a list.
pub(super) fn parsed_list<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    let values: Vec<Parsed<T>> = Deserialize::deserialize(from)?;
    Ok(values.into_iter().map(|Parsed(value)| value).collect())
}

/// Reads a list that says something: of nothing, everything is true.
pub(super) fn at_least_one<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let values: Vec<T> = Deserialize::deserialize(from)?;
    if values.is_empty() { Err(D::Error::custom("this list must not be empty")) } else { Ok(values) }
}

/// Reads a time such as "1m 30s".
pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let time = humantime::parse_duration(&String::deserialize(from)?)
        .map_err(|error| D::Error::custom(format!("this is no time such as \"500ms\" or \"1m 30s\": {error}")))?;
    if time.is_zero() { Err(D::Error::custom("this time must be longer than nothing")) } else { Ok(Some(time)) }
}

/// Reads a command: a program and its arguments.
pub(super) fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let words: Vec<String> = Deserialize::deserialize(from)?;
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(D::Error::custom("a command begins with the name of a program")),
    }
}

/// Reads ids that stand in the ledger.
pub(super) fn requirements<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<RequirementId>, D::Error> {
    let ids: Vec<Parsed<Known>> = Deserialize::deserialize(from)?;
    Ok(ids.into_iter().map(|Parsed(Known(id))| id).collect())
}

/// Reads an id that stands in the ledger.
pub(super) fn requirement<'de, D: Deserializer<'de>>(from: D) -> Result<RequirementId, D::Error> {
    parsed(from).map(|Known(id)| id)
}

/// An id that stands in the ledger.
struct Known(RequirementId);

impl FromStr for Known {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let id = RequirementId::new(text);
        match Ledger::embedded().find(&id) {
            Some(_) => Ok(Self(id)),
            None => Err(format!("no requirement is named '{text}'; `mcp-plumb list requirements` shows all")),
        }
    }
}

/// Reads `true`, the only value that this key can have.
pub(super) fn only_true<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    if bool::deserialize(from)? { Ok(()) } else { Err(D::Error::custom("a step stdout-pure is true or left out")) }
}

/// Reads a number of points.
pub(super) fn points<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let points = f64::deserialize(from)?;
    if points.is_finite() && points >= 0.0 { Ok(points) } else { Err(D::Error::custom("points are 0 or more")) }
}

/// Reads a TOML value as JSON, as cases do.
pub(super) fn json<'de, D: Deserializer<'de>>(from: D) -> Result<Option<serde_json::Value>, D::Error> {
    let text = crate::script::json_of(&toml::Value::deserialize(from)?).map_err(D::Error::custom)?;
    serde_json::from_str(&text).map(Some).map_err(D::Error::custom)
}

/// As [`json`], for an object.
pub(super) fn json_object<'de, D: Deserializer<'de>>(from: D) -> Result<Option<serde_json::Value>, D::Error> {
    match json(from)? {
        Some(object @ serde_json::Value::Object(_)) => Ok(Some(object)),
        _ => Err(D::Error::custom("this is a table")),
    }
}

/// The text with `0` for each value that is drawn.
fn without_seeds(text: &str) -> Result<String, String> {
    let mut parts = text.split("{seed.");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-'))
        };
        let Some((_, rest)) = part.split_once('}').filter(|(name, _)| is_name(name)) else {
            return Err("a drawn value is written {seed.NAME}, with letters, digits, '_' and '-'".to_owned());
        };
        filled.push('0');
        filled.push_str(rest);
    }
    Ok(filled)
}
