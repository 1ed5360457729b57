//! Reads the arguments of a call, once they have passed their schema.

use serde_json::Value;
use serde_json::value::RawValue;

use super::schema;
use crate::integer::Integer;
use crate::json;

/// Why a call is not carried out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// An argument is missing, has the wrong type, or is one that the schema forbids. Which kind of error this is
    /// depends on the revision.
    Malformed(String),
    /// The arguments have the right shape, and the tool can do nothing with them. Always told to the model.
    Unusable(String),
}

/// The arguments of one call: an object, or nothing.
pub(crate) struct Arguments<'a>(Option<&'a RawValue>);

impl<'a> Arguments<'a> {
    /// Arguments from a value that is an object.
    pub(crate) fn new(object: Option<&'a RawValue>) -> Self {
        Self(object)
    }

    /// Whether they are what a schema wants.
    pub(crate) fn check(&self, schema: &Value) -> Result<(), Refusal> {
        schema::check(schema, self.0)
    }

    /// A string.
    pub(crate) fn string(&self, name: &str) -> Result<String, Refusal> {
        self.read(name, json::string)
    }

    /// A whole number that is not negative.
    pub(crate) fn integer(&self, name: &str) -> Result<u64, Refusal> {
        self.read(name, |value| Integer::read(value)?.to_u64())
    }

    fn read<T>(&self, name: &str, read: impl FnOnce(&'a RawValue) -> Option<T>) -> Result<T, Refusal> {
        let value = self.0.and_then(|object| json::member(object, name)).and_then(read);
        value.ok_or_else(|| Refusal::Malformed(format!("argument {name:?} is missing or can't be read")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_by_name() {
        let arguments = Arguments::new(json::parse(br#"{"b":[],"t":"\u00e9","n":9.0}"#));
        assert_eq!(arguments.string("t").unwrap(), "é");
        assert_eq!(arguments.integer("n").unwrap(), 9);
        for name in ["b", "n", "nothing"] {
            assert!(matches!(arguments.string(name), Err(Refusal::Malformed(_))), "{name}");
        }
        assert!(Arguments::new(None).integer("n").is_err());
    }
}
