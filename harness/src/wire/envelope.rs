//! Finds the members of a message in one walk over its text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::grammar::{GrammarError, Shape};
use super::walker::{Stack, Walker, Want, Watch, skip_space};

/// A member: the last of its name.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    pub(super) value: &'a str,
    /// The place of the value in the text.
    pub(super) place: Range<usize>,
}

/// What a text has of an envelope. Of a text that is no object, only the surrogates are true.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    text: &'a str,
    slots: [Option<Found<'a>>; NAMES.len()],
    pub(super) error_code: Option<&'a str>,
    pub(super) error_message: Option<&'a str>,
    /// Keys that stand twice in it, or in params, result or error: some of them.
    pub(super) duplicate_keys: Vec<String>,
    /// It has an escaped surrogate without its other half.
    pub(super) lone_surrogate: bool,
    keys: Keys<'a>,
    inner_keys: Keys<'a>,
    /// The member of the outer object whose value is walked over: its slot, and where the value begins.
    outer: Option<(usize, usize)>,
    /// The member of the error whose value is walked over.
    inner: Option<(Inner, usize)>,
    /// Where the other half of a surrogate must stand.
    half: Option<usize>,
}

/// The members that count; the place of a name is that of its slot.
const NAMES: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const JSONRPC: usize = 0;
const ID: usize = 1;
const METHOD: usize = 2;
/// From here on the values are looked into.
const PARAMS: usize = 3;
const RESULT: usize = 4;
const ERROR: usize = 5;

/// A member of the error that counts.
#[derive(Clone, Copy, Debug)]
enum Inner {
    Code,
    Message,
}

impl<'a> Envelope<'a> {
    /// Checks a whole text and looks for an envelope.
    pub(super) fn check(text: &'a str) -> Result<(Shape, Self), GrammarError> {
        let (shape, end, envelope) = Self::prefix(text)?;
        let end = skip_space(text.as_bytes(), end);
        if end < text.len() {
            return Err(GrammarError { offset: end, expected: "the end of the text" });
        }
        Ok((shape, envelope))
    }

    /// Checks the value at the start of a text, says where it ends and looks for an envelope.
    pub(super) fn prefix(text: &'a str) -> Result<(Shape, usize, Self), GrammarError> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, 0);
        let mut walker = Walker { bytes, stack: Stack::default(), watch: Self { text, ..Self::default() } };
        let end = walker.walk(start, Want::Value)?;
        let mut envelope = walker.watch;
        envelope.lone_surrogate |= envelope.half.is_some();
        let shape = bytes.get(start).copied().and_then(Shape::beginning);
        shape.map(|shape| (shape, end, envelope)).ok_or(GrammarError { offset: start, expected: Want::Value.words() })
    }

    pub(super) fn jsonrpc(&self) -> Option<&Found<'a>> {
        self.slots[JSONRPC].as_ref()
    }

    pub(super) fn id(&self) -> Option<&Found<'a>> {
        self.slots[ID].as_ref()
    }

    pub(super) fn method(&self) -> Option<&Found<'a>> {
        self.slots[METHOD].as_ref()
    }

    pub(super) fn params(&self) -> Option<&Found<'a>> {
        self.slots[PARAMS].as_ref()
    }

    pub(super) fn result(&self) -> Option<&Found<'a>> {
        self.slots[RESULT].as_ref()
    }

    pub(super) fn error(&self) -> Option<&Found<'a>> {
        self.slots[ERROR].as_ref()
    }
}

impl Watch for Envelope<'_> {
    const DEPTH: usize = 2;

    fn member(&mut self, depth: usize, name: Range<usize>, value: usize) {
        let text: &str = self.text;
        let key = plain(&text[name]);
        if depth == 1 {
            let slot = NAMES.iter().position(|name| *name == key);
            self.outer = slot.map(|slot| (slot, value));
            if slot == Some(ERROR) {
                (self.error_code, self.error_message) = (None, None);
            }
            self.keys.add(key, &mut self.duplicate_keys);
            self.inner_keys.clear();
            return;
        }
        let Some((slot @ PARAMS.., _)) = self.outer else { return };
        let inner = match &*key {
            "code" => Some(Inner::Code),
            "message" => Some(Inner::Message),
            _ => None,
        };
        self.inner = inner.filter(|_| slot == ERROR).map(|inner| (inner, value));
        self.inner_keys.add(key, &mut self.duplicate_keys);
    }

    fn ended(&mut self, depth: usize, end: usize) {
        let text = self.text;
        if depth == 1
            && let Some((slot, begin)) = self.outer.take()
        {
            self.slots[slot] = Some(Found { value: &text[begin..end], place: begin..end });
        }
        if depth == 2
            && let Some((inner, begin)) = self.inner.take()
        {
            match inner {
                Inner::Code => self.error_code = Some(&text[begin..end]),
                Inner::Message => self.error_message = Some(&text[begin..end]),
            }
        }
    }

    fn surrogate(&mut self, at: usize, unit: u16) {
        let high = matches!(unit, 0xd800..=0xdbff);
        let paired = match self.half.take() {
            // A high one that was left alone is missing its half, whatever comes here.
            Some(place) => place == at && !high,
            None => high,
        };
        self.lone_surrogate |= !paired;
        // From one `u` to the next: four digits and a backslash.
        self.half = high.then_some(at + 6);
    }
}

/// A string without quotes and escapes. One with a lone surrogate stays as it is written.
pub(super) fn plain(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') {
        serde_json::from_str::<String>(raw).map_or(raw.into(), Into::into)
    } else {
        raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).into()
    }
}

/// Keys of one object, as far as they were seen.
#[derive(Debug, Default)]
struct Keys<'a> {
    /// The first ones: most objects have few members, and looking through these is faster than a table.
    few: Vec<Cow<'a, str>>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 8;
    /// Duplicates that are named.
    const NAMED: usize = 16;

    fn add(&mut self, key: Cow<'a, str>, duplicates: &mut Vec<String>) {
        if self.few.contains(&key) || self.many.contains(&key) {
            if duplicates.len() < Self::NAMED {
                duplicates.push(key.into_owned());
            }
        } else if self.few.len() < Self::FEW {
            self.few.reserve_exact(Self::FEW - self.few.len());
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }

    fn clear(&mut self) {
        self.few.clear();
        // Clearing a table takes as long as it is large, however few are in it.
        if !self.many.is_empty() {
            self.many = HashSet::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(text: &str) -> Envelope<'_> {
        Envelope::check(text).unwrap().1
    }

    #[test]
    fn the_last_of_a_name_counts_with_its_place() {
        let text = r#" {"id":1, "error":{"code":1,"message":"a"}, "\u0069d" : [2] ,"error":{"code":2}} "#;
        let envelope = envelope(text);
        let id = envelope.id().unwrap();
        assert_eq!((id.value, &text[id.place.clone()]), ("[2]", "[2]"));
        assert_eq!((envelope.error_code, envelope.error_message), (Some("2"), None));
        assert_eq!(envelope.duplicate_keys, ["id", "error"]);
    }

    #[test]
    fn deeper_members_and_other_objects_are_not_taken_for_its_own() {
        let envelope =
            envelope(r#"{"x":{"id":1,"id":2},"result":[{"a":1,"a":2}],"error":{"data":{"code":1,"code":1}}}"#);
        assert!(envelope.id().is_none() && envelope.error_code.is_none());
        assert_eq!(envelope.duplicate_keys, [""; 0]);
        let (shape, envelope) = Envelope::check(r#"[{"id":1},{"params":{"a":1,"a":2}}]"#).unwrap();
        assert!(shape == Shape::Array && envelope.id().is_none() && envelope.duplicate_keys.is_empty());
    }

    #[test]
    fn duplicates_are_found_among_many() {
        let many: String = (0..100).map(|n| format!("\"k{n}\":0,")).collect();
        let text = format!(r#"{{"params":{{{many}"k3":1,"k70":1}},"result":{{"k3":1}}}}"#);
        assert_eq!(envelope(&text).duplicate_keys, ["k3", "k70"]);
        let same = format!(r#"{{"params":{{{}"k":0}}}}"#, r#""k":0,"#.repeat(100));
        assert_eq!(envelope(&same).duplicate_keys.len(), Keys::NAMED);
    }

    #[test]
    fn halves_of_surrogates_must_meet() {
        let lone = |text: &str| envelope(&format!("[\"{text}\"]")).lone_surrogate;
        for text in [r"\ud83d\ude00", r"\uD83D\uDE00\ud83d\ude00", r"\\ud83d", r"\u00e9\ud7ff\ue000"] {
            assert!(!lone(text), "{text}");
        }
        for text in [r"\ud83d", r"\ude00", r"\ud83d\ud83d\ude00", r"\ud83dx\ude00", r"\ud83d\ude00\ude00", r"\ud83d\n"]
        {
            assert!(lone(text), "{text}");
        }
        assert!(envelope(r#"["\ud83d","\ude00"]"#).lone_surrogate);
    }
}
