//! JSON texts of a peer as values, as far as a value can hold them.
//!
//! The grammar allows more than `serde_json::Value` holds: half of a surrogate pair, a number beyond a double, nesting
//! without an end. One such place must not hide all that stands beside it.

use std::borrow::Cow;

use serde_json::Value;

use super::grammar;

/// How deep in objects a place that cannot be held is looked for, to be left out.
const DEPTH: usize = 4;

/// The value of a JSON text: half of a surrogate pair becomes U+FFFD, and members that no value can hold are left out.
/// `None` where nothing is left, or where the text is no JSON.
#[must_use]
pub fn held(text: &str) -> Option<Value> {
    within(text, DEPTH)
}

fn within(text: &str, depth: usize) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(&whole_pairs(text)) {
        return Some(value);
    }
    let text = text.trim_ascii();
    if depth == 0 || !text.starts_with('{') || grammar::check(text.as_bytes()).is_err() {
        return None;
    }
    let members = grammar::members(text).filter_map(|member| {
        Some((serde_json::from_str(&whole_pairs(member.key)).ok()?, within(member.value, depth - 1)?))
    });
    Some(Value::Object(members.collect()))
}

/// The text with each escape of half a surrogate pair replaced by that of U+FFFD.
pub fn whole_pairs(text: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..).unwrap_or_default()) {
        let escape = at + found;
        at = escape + 2;
        let Some(unit) = unit_at(text, escape) else { continue };
        at = escape + 6;
        let is_low = |unit| (0xdc00..0xe000).contains(&unit);
        if (0xd800..0xdc00).contains(&unit) && unit_at(text, at).is_some_and(is_low) {
            at += 6;
        } else if (0xd800..0xe000).contains(&unit) {
            mended.push_str(&text[copied..escape]);
            mended.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[copied..]);
    Cow::Owned(mended)
}

/// The code unit of an escape with `u` that begins here.
fn unit_at(text: &str, escape: usize) -> Option<u16> {
    let digits = text.get(escape..escape + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_pair_is_replaced_and_a_whole_one_kept() {
        for (text, value) in [
            (r#""a\ud83db""#, Some(json!("a\u{fffd}b"))),
            (r#""\ud83d\ude00""#, Some(json!("\u{1f600}"))),
            (r#""\ud83d\ud83d\ude00\ude00""#, Some(json!("\u{fffd}\u{1f600}\u{fffd}"))),
            (r#""\\ud83d""#, Some(json!("\\ud83d"))),
            (r#"{"\udc00":1,"é":"\uD800"}"#, Some(json!({ "\u{fffd}": 1, "é": "\u{fffd}" }))),
            (r#""\ud8"#, None),
            ("\"\\", None),
        ] {
            assert_eq!(held(text), value, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_held_is_left_out_and_nothing_else() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let text = format!(r#"{{"result":{{"a":1e400,"b":"\ud800","c":{deep},"d":{{"e":-1e400,"f":2}}}},"id":3}}"#);
        assert_eq!(held(&text), Some(json!({ "result": { "b": "\u{fffd}", "d": { "f": 2 } }, "id": 3 })));
        assert_eq!(held("1e400"), None);
        assert_eq!(held("{oops"), None);
    }
}
