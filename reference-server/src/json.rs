//! Reads JSON without losing anything.
//!
//! Values stay text ([`RawValue`]) until somebody needs them, for three reasons. An id must be echoed as it came,
//! and a number type would round it. A string may hold half of a surrogate pair, which no Rust string can. And a
//! value may be nested a million levels deep: `serde_json` skips over a value in a loop, so only a member which
//! is really looked at could ever be too deep.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Reads one line as one JSON value. `None` where the bytes are not UTF-8 or not JSON.
pub(crate) fn parse(line: &[u8]) -> Option<&RawValue> {
    let text = std::str::from_utf8(line).ok()?;
    // A byte order mark is no part of JSON, but RFC 8259 lets a reader pass over one.
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// The types that JSON knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    Array,
    Object,
}

/// The type of a value, which its first character tells.
pub(crate) fn kind(value: &RawValue) -> Kind {
    match value.get().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::Text,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') => Kind::Null,
        _ => Kind::Number,
    }
}

/// Picks members of an object by name; of two members with one name the last counts. `None` where the value is no
/// object. Other members cost no memory, however many there are.
pub(crate) fn members<'a, const N: usize>(
    value: &'a RawValue,
    names: [&'static str; N],
) -> Option<[Option<&'a RawValue>; N]> {
    pick(value, names)
}

fn pick<'a, const N: usize>(value: &'a RawValue, names: [&str; N]) -> Option<[Option<&'a RawValue>; N]> {
    serde_json::Deserializer::from_str(value.get()).deserialize_map(Pick { names }).ok()
}

/// A member of an object, as [`members`] has it, where the name is known only now.
pub(crate) fn member<'a>(value: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let [member] = pick(value, [name])?;
    member
}

/// The first member of an object whose name is a stranger.
pub(crate) fn stranger(value: &RawValue, is_known: impl Fn(&str) -> bool) -> Option<String> {
    serde_json::Deserializer::from_str(value.get()).deserialize_map(Stranger { is_known }).ok()?
}

/// The elements of an array. `None` where the value is no array, or has more than `most` elements.
pub(crate) fn elements(value: &RawValue, most: usize) -> Option<Vec<&RawValue>> {
    serde_json::Deserializer::from_str(value.get()).deserialize_seq(Elements { most }).ok()
}

/// A string's content as UTF-8 in which a lone surrogate keeps its three bytes (WTF-8): two strings are the same
/// exactly where these bytes are. `None` where the value is no string.
pub(crate) fn string_bytes(value: &RawValue) -> Option<Cow<'_, [u8]>> {
    serde_json::Deserializer::from_str(value.get()).deserialize_bytes(StringBytes).ok()
}

/// A string's content, with replacement characters for lone surrogates. `None` where the value is no string.
pub(crate) fn string(value: &RawValue) -> Option<String> {
    Some(String::from_utf8_lossy(&string_bytes(value)?).into_owned())
}

struct Pick<'n, const N: usize> {
    names: [&'n str; N],
}

impl<'de, const N: usize> Visitor<'de> for Pick<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(name) = map.next_key_seed(StringBytes)? {
            let wanted = self.names.iter().position(|wanted| wanted.as_bytes() == &*name);
            match wanted.and_then(|index| found.get_mut(index)) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

struct Stranger<F> {
    is_known: F,
}

impl<'de, F: Fn(&str) -> bool> Visitor<'de> for Stranger<F> {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key_seed(StringBytes)? {
            map.next_value::<IgnoredAny>()?;
            if found.is_none() {
                let name = String::from_utf8_lossy(&name);
                found = (!(self.is_known)(&name)).then(|| name.into_owned());
            }
        }
        Ok(found)
    }
}

struct Elements {
    most: usize,
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an array of at most {} elements", self.most)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = seq.next_element()? {
            if found.len() == self.most {
                return Err(serde::de::Error::invalid_length(found.len(), &self));
            }
            found.push(element);
        }
        Ok(found)
    }
}

struct StringBytes;

impl<'de> Visitor<'de> for StringBytes {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.to_vec()))
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }
}

impl<'de> DeserializeSeed<'de> for StringBytes {
    type Value = Cow<'de, [u8]>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        parse(text.as_bytes()).expect("the test's text is JSON")
    }

    #[test]
    fn only_json_in_utf8_is_read() {
        for text in [&b"{not json"[..], b"{} {}", b"NaN", b"\"\xff\"", b"\"\0\"", b"[1,]", b"01", b"", b"\xed\xa0\x80"]
        {
            assert!(parse(text).is_none(), "{}", text.escape_ascii());
        }
        for text in ["1e400", r#""\ud83d""#, "\"\u{2028}\"", " {} \r", "\u{feff}{}"] {
            assert!(parse(text.as_bytes()).is_some(), "{text}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!(r#"{{"a":{}1{},"b":2}}"#, "[".repeat(1_000_000), "]".repeat(1_000_000));
        let [b] = members(raw(&deep), ["b"]).unwrap();
        assert_eq!(b.unwrap().get(), "2");
        assert!(parse("[".repeat(1_000_000).as_bytes()).is_none());
    }

    #[test]
    fn the_last_of_two_equal_keys_counts_however_it_is_spelt() {
        let [a, b] = members(raw(r#"{"a":1,"\ud83d":0,"\u0061":2}"#), ["a", "b"]).unwrap();
        assert_eq!(a.unwrap().get(), "2");
        assert!(b.is_none());
        assert!(members(raw("[1]"), ["a"]).is_none());
    }

    #[test]
    fn a_lone_surrogate_is_text_too() {
        assert_eq!(string(raw(r#""\ud83d\ude00 \u00e9""#)).unwrap(), "😀 é");
        assert_eq!(string(raw(r#""a\ud83d""#)).unwrap(), "a\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(string(raw("5")), None);
        assert_ne!(string_bytes(raw(r#""\ud83d""#)), string_bytes(raw(r#""\ud83e""#)));
    }

    #[test]
    fn arrays_are_bounded() {
        assert_eq!(elements(raw("[1, {}]"), 2).unwrap().len(), 2);
        assert!(elements(raw("[1, {}, 3]"), 2).is_none());
        assert!(elements(raw("{}"), 2).is_none());
    }

    #[test]
    fn a_member_that_nobody_knows_is_found() {
        let known = |name: &str| ["a", "b"].contains(&name);
        assert_eq!(stranger(raw(r#"{"a":1,"\u0063":{},"d":2,"b":3}"#), known).as_deref(), Some("c"));
        assert_eq!(stranger(raw(r#"{"a":1,"\u0062":2}"#), known), None);
        assert_eq!(stranger(raw("{ }"), known), None);
    }
}
