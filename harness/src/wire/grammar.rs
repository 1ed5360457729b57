//! Is it JSON? Accepts all of RFC 8259 and nothing else, without recursion: a megabyte of `[` must not end us.
//!
//! UTF-8 is not its affair: bytes above 0x7F are taken as they are within strings.

use super::walker::{Stop, Walker, Want, skip_space};

/// What a JSON text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

impl Shape {
    /// The shape of a value that begins with this byte.
    pub(super) const fn beginning(byte: u8) -> Option<Self> {
        Some(match byte {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b'-' | b'0'..=b'9' => Self::Number,
            b't' => Self::True,
            b'f' => Self::False,
            b'n' => Self::Null,
            _ => return None,
        })
    }

    /// The word for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::True | Self::False => "boolean",
            Self::Null => "null",
        }
    }
}

/// Where a text leaves the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {offset}")]
pub struct GrammarError {
    /// The byte.
    pub offset: usize,
    /// What the grammar wants there.
    pub expected: &'static str,
}

impl From<Stop> for GrammarError {
    fn from(Stop { offset, want }: Stop) -> Self {
        Self { offset, expected: want.words() }
    }
}

/// Checks a whole text; white space around the value is part of it.
///
/// # Errors
/// The text is not one JSON value.
pub fn check(bytes: &[u8]) -> Result<Shape, GrammarError> {
    let (shape, end) = prefix(bytes)?;
    let end = skip_space(bytes, end);
    if end == bytes.len() { Ok(shape) } else { Err(GrammarError { offset: end, expected: "the end of the text" }) }
}

/// Checks the value at the start of a text and says where it ends.
///
/// # Errors
/// There is no JSON value.
pub fn prefix(bytes: &[u8]) -> Result<(Shape, usize), GrammarError> {
    let start = skip_space(bytes, 0);
    let shape = bytes.get(start).copied().and_then(Shape::beginning);
    let end = Walker::new(bytes).walk(start, Want::Value)?;
    // Whatever was walked over has a shape.
    shape.map(|shape| (shape, end)).ok_or(GrammarError { offset: start, expected: Want::Value.words() })
}

/// The members of an object that was checked, as raw texts of key and value with their places.
#[must_use]
pub fn members(object: &str) -> Members<'_> {
    Members { text: object, at: skip_space(object.as_bytes(), 0) + 1 }
}

/// The elements of an array that was checked, as places in its text.
#[must_use]
pub fn elements(array: &str) -> Elements<'_> {
    Elements { text: array, at: skip_space(array.as_bytes(), 0) + 1 }
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    text: &'a str,
    at: usize,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The key with its quotes.
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
    /// The place of the value in the object's text.
    pub place: std::ops::Range<usize>,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let bytes = self.text.as_bytes();
        let key_start = skip_space(bytes, skip_comma(bytes, self.at));
        let (_, key_length) = prefix(bytes.get(key_start..)?).ok()?;
        let key_end = key_start + key_length;
        let colon = skip_space(bytes, key_end);
        let value_start = skip_space(bytes, colon + 1);
        let (_, value_length) = prefix(bytes.get(value_start..)?).ok()?;
        let place = value_start..value_start + value_length;
        self.at = place.end;
        Some(Member { key: self.text.get(key_start..key_end)?, value: self.text.get(place.clone())?, place })
    }
}

/// See [`elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Elements<'_> {
    type Item = std::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let start = skip_space(bytes, skip_comma(bytes, self.at));
        let (_, length) = prefix(bytes.get(start..)?).ok()?;
        self.at = start + length;
        Some(start..self.at)
    }
}

fn skip_comma(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    if bytes.get(at) == Some(&b',') { at + 1 } else { at }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_all_of_the_grammar() {
        let texts = [
            "0",
            "-0",
            "1.5e+10",
            "1E400",
            " [ ] ",
            "{}",
            r#"{"a":[1,{"b":null}],"":true}"#,
            r#""\ud83d""#,
            r#""\u0000\/""#,
            "[[],[[]],{}]",
            "\t\r\n false \n",
            "123456789012345678901234567890",
            "-1.0",
            r#"{"a":1,"a":2}"#,
        ];
        for text in texts {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_all_else_and_says_where() {
        let texts = [
            ("", 0),
            ("{not json", 1),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("01", 1),
            ("1.", 2),
            ("+1", 0),
            (".5", 0),
            ("1e", 2),
            ("NaN", 0),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("\"\\x\"", 2),
            ("\"\\u12g4\"", 5),
            ("\"a\nb\"", 2),
            ("'a'", 0),
            ("[", 1),
            ("{\"a\":", 5),
            ("tru", 0),
            ("{} {}", 3),
            ("\"abc", 4),
            ("{]", 1),
            ("[}", 1),
            ("-", 1),
            ("1a", 1),
            ("\u{feff}1", 0),
        ];
        for (text, offset) in texts {
            assert_eq!(check(text.as_bytes()).unwrap_err().offset, offset, "{text}");
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = "[".repeat(1 << 20);
        assert_eq!(check(deep.as_bytes()).unwrap_err().offset, 1 << 20);
        assert_eq!(check((deep + &"]".repeat(1 << 20)).as_bytes()), Ok(Shape::Array));
        let objects = r#"{"a":"#.repeat(1 << 16) + "1" + &"}".repeat(1 << 16);
        assert_eq!(check(objects.as_bytes()), Ok(Shape::Object));
    }

    #[test]
    fn members_keep_their_raw_texts() {
        let found: Vec<_> = members(r#" { "a" : 1.0 , "\u0062":{"c":[]} } "#).map(|m| (m.key, m.value)).collect();
        assert_eq!(found, [(r#""a""#, "1.0"), (r#""\u0062""#, r#"{"c":[]}"#)]);
        assert_eq!(members("{}").count(), 0);
        assert_eq!(elements("[1, [2,3] ,{}]").count(), 3);
    }

    fn jsonish() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just("\"a\""),
            Just("\"\\u00e9\""),
            Just("1"),
            Just("-0.5e3"),
            Just("01"),
            Just("true"),
            Just("null"),
            Just(" "),
            Just("\\"),
            Just("\""),
            Just("é"),
            Just("."),
        ];
        proptest::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in jsonish()) {
            let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(check(text.as_bytes()).is_ok(), theirs, "{}", text);
        }

        #[test]
        fn accepts_what_serde_json_prints(value in any_value()) {
            let text = value.to_string();
            prop_assert!(check(text.as_bytes()).is_ok());
            for cut in 1..text.len() {
                // Only a number is still whole when it is cut.
                prop_assert!(value.is_number() || check(&text.as_bytes()[..cut]).is_err());
            }
        }
    }

    fn any_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map(".{0,4}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }
}
