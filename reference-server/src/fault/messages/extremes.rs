//! Messages that are well-formed and hard to read: deep, with long numbers, with half of a character, with a member
//! twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::Messages::Hear;
use super::heard::Heard;
use crate::fault::pipe::Ending;
use crate::fault::table::Fault;

/// How deep a message may be nested for the faults of this file.
const DEEPEST: usize = 100;

/// How many digits a number may have for the faults of this file.
const LONGEST: usize = 400;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "deep-nesting-dies",
        "exits on a message that is nested too deep for its decoder",
        &[Hear(|scene, heard| {
            if is_deep(heard) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "deep-nesting-silent",
        "does not answer a message that is nested too deep for its decoder",
        &[Hear(|_, heard| {
            if is_deep(heard) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "huge-int-crash",
        "exits on a number that no double can hold",
        &[Hear(|scene, heard| {
            let mut numbers = heard.line().split(|byte| !byte.is_ascii_digit());
            if numbers.any(|number| number.len() > LONGEST) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "lone-surrogate-loss",
        "does not answer a message with half of a surrogate pair",
        &[Hear(|_, heard| {
            if has_half(heard) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "dies-of-lone-surrogate",
        "exits on a message with half of a surrogate pair",
        &[Hear(|scene, heard| {
            if has_half(heard) {
                scene.end(Ending::Exit(1));
            }
        })],
    ),
    Fault::messages(
        "dup-json-keys",
        "acts on the first of two equal members, where others take the last",
        &[Hear(|_, heard| {
            if let (Ok(First(first)), Some(last)) = (serde_json::from_slice(heard.line()), heard.message())
                && first != *last
            {
                heard.replace(first.to_string().into_bytes());
            }
        })],
    ),
    Fault::messages(
        "silent-on-nul",
        "does not answer a message with an escaped NUL",
        &[Hear(|_, heard| {
            if heard.line().windows(6).any(|window| window == b"\\u0000") {
                heard.swallow();
            }
        })],
    ),
];

/// Whether it is JSON that is nested deep.
fn is_deep(heard: &Heard) -> bool {
    heard.is_json() && depth(heard.line()) > DEEPEST
}

/// How deep JSON is nested.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn skip_string<'a>(bytes: &mut impl Iterator<Item = &'a u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// Whether it is JSON with a string that no UTF-8 can hold.
fn has_half(heard: &Heard) -> bool {
    let escapes = heard.line().windows(3).any(|window| window.eq_ignore_ascii_case(b"\\ud"));
    escapes && heard.message().is_none() && heard.is_json() && !is_deep(heard)
}

/// An object, in which the first of two equal members counts.
struct First(Value);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FirstVisitor)
    }
}

struct FirstVisitor;

impl<'de> Visitor<'de> for FirstVisitor {
    type Value = First;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<First, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            members.entry(name).or_insert(value);
        }
        Ok(First(members.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(depth(br#"[{"[[[\"[":[]}]"#), 3);
        assert_eq!(depth(b"5"), 0);
    }

    #[test]
    fn half_a_pair_is_told_from_a_whole_one() {
        assert!(has_half(&Heard::new(br#"["\ud83d"]"#.to_vec())));
        assert!(!has_half(&Heard::new(br#"["\ud83d\ude00"]"#.to_vec())));
        assert!(!has_half(&Heard::new(br#"["\ud83d"#.to_vec())));
    }
}
