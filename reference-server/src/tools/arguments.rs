//! Reads the arguments of a call.

use serde_json::value::RawValue;

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

    /// Refuses any argument.
    pub(crate) fn none(&self) -> Result<(), Refusal> {
        match self.0 {
            Some(object) if !json::is_empty_object(object) => Err(malformed("this tool takes no arguments")),
            _ => Ok(()),
        }
    }

    /// A string.
    pub(crate) fn string(&self, name: &'static str) -> Result<String, Refusal> {
        json::string(self.required(name)?).ok_or_else(|| malformed(format!("argument {name:?} must be a string")))
    }

    /// A whole number from 0 to `most`.
    pub(crate) fn up_to(&self, name: &'static str, most: u64) -> Result<u64, Refusal> {
        let number = Integer::read(self.required(name)?)
            .ok_or_else(|| malformed(format!("argument {name:?} must be an integer")))?;
        number
            .to_u64()
            .filter(|number| *number <= most)
            .ok_or_else(|| Refusal::Unusable(format!("argument {name:?} must be from 0 to {most}")))
    }

    fn required(&self, name: &'static str) -> Result<&'a RawValue, Refusal> {
        let member = self.0.and_then(|object| json::members(object, [name])).and_then(|[member]| member);
        member.ok_or_else(|| malformed(format!("argument {name:?} is missing")))
    }
}

fn malformed(what: impl Into<String>) -> Refusal {
    Refusal::Malformed(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Arguments<'_> {
        Arguments::new(json::parse(text.as_bytes()))
    }

    #[test]
    fn a_missing_or_ill_typed_argument_is_malformed() {
        for text in ["{}", r#"{"a":null}"#, r#"{"a":[]}"#, r#"{"a":0.5}"#] {
            assert!(matches!(arguments(text).string("a"), Err(Refusal::Malformed(_))), "{text}");
            assert!(matches!(arguments(text).up_to("a", 9), Err(Refusal::Malformed(_))), "{text}");
        }
        assert!(matches!(Arguments::new(None).string("a"), Err(Refusal::Malformed(_))));
    }

    #[test]
    fn a_number_out_of_range_is_unusable() {
        for text in [r#"{"a":10}"#, r#"{"a":-1}"#, r#"{"a":1e400}"#] {
            assert!(matches!(arguments(text).up_to("a", 9), Err(Refusal::Unusable(_))), "{text}");
        }
        assert_eq!(arguments(r#"{"b":[],"a":9.0}"#).up_to("a", 9), Ok(9));
    }

    #[test]
    fn no_arguments_are_no_object_or_an_empty_one() {
        assert_eq!(Arguments::new(None).none(), Ok(()));
        assert_eq!(arguments("{ }").none(), Ok(()));
        assert!(arguments(r#"{"a":1}"#).none().is_err());
    }
}
