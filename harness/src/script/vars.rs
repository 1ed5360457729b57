//! Values for variables: where they come from, and how they are put into texts.

use std::collections::BTreeMap;

use super::template::{Piece, TemplateError, pieces, unescape};
use super::{Bytes, Script};

/// The longest text that a template can grow into.
pub(super) const LONGEST: usize = 64 << 20;

/// Where the values of variables come from.
pub trait Source {
    /// The text that `${name}` is replaced by. Within JSON it stands as it is: what needs escapes has them.
    fn value(&mut self, name: &str) -> Option<String>;

    /// The JSON text that `"${json:name}"` is replaced by.
    fn json(&mut self, name: &str) -> Option<String> {
        self.value(name)
    }
}

/// The values that are known when a script is played: what a reply gave comes before what the variant sets, and that
/// before what the session offers.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    taken: BTreeMap<String, Value>,
    variant: BTreeMap<String, Value>,
    session: BTreeMap<String, Value>,
}

#[derive(Clone, Debug)]
enum Value {
    Plain(String),
    Json(String),
}

impl Value {
    /// The value without the quotes of a JSON string, whose escapes it keeps.
    fn bare(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Json(text) => text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text),
        }
    }

    fn whole(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Json(text) => text,
        }
    }
}

impl Bindings {
    /// The values that a script's variant sets.
    #[must_use]
    pub fn of(script: &Script) -> Self {
        let plain = |(name, text): (&String, &String)| (name.clone(), Value::Plain(text.clone()));
        Self { variant: script.set.iter().map(plain).collect(), ..Self::default() }
    }

    /// Sets a value of the session that is inserted as it is.
    pub fn set(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.session.insert(name.into(), Value::Plain(text.into()));
    }

    /// Sets a value of the session to this JSON text; `${name}` stands for a string without its quotes.
    pub fn set_json(&mut self, name: impl Into<String>, json: impl Into<String>) {
        self.session.insert(name.into(), Value::Json(json.into()));
    }

    /// Binds a name to the JSON text of a value that a reply gave.
    pub fn take(&mut self, name: impl Into<String>, json: impl Into<String>) {
        self.taken.insert(name.into(), Value::Json(json.into()));
    }

    /// The text that `${name}` stands for.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name).map(Value::bare)
    }

    /// A source that draws each `${id}` from `fresh`, except where the script has a value of that name.
    pub fn source<'a>(&'a self, fresh: &'a mut dyn FnMut() -> String) -> impl Source + 'a {
        Drawing { bindings: self, fresh }
    }

    fn find(&self, name: &str) -> Option<&Value> {
        [&self.taken, &self.variant, &self.session].into_iter().find_map(|values| values.get(name))
    }
}

struct Drawing<'a> {
    bindings: &'a Bindings,
    fresh: &'a mut dyn FnMut() -> String,
}

impl Source for Drawing<'_> {
    fn value(&mut self, name: &str) -> Option<String> {
        match self.bindings.find(name) {
            Some(value) => Some(value.bare().to_owned()),
            None => (name == "id").then(|| (self.fresh)()),
        }
    }

    fn json(&mut self, name: &str) -> Option<String> {
        match self.bindings.find(name) {
            Some(value) => Some(value.whole().to_owned()),
            None => (name == "id").then(|| (self.fresh)()),
        }
    }
}

/// Replaces the variables of a template.
///
/// # Errors
/// A variable has no value, the template is not well formed, or the result is longer than 64 MiB.
pub fn expand(template: &str, source: &mut dyn Source) -> Result<String, TemplateError> {
    let mut text = String::with_capacity(template.len());
    for piece in pieces(template) {
        match piece? {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Variable(name) => text.push_str(&value(name, source)?),
            Piece::Json(name) => text.push_str(&json(name, source)?),
            Piece::Repeat(unit, times) => {
                room(text.len(), unit.len(), times)?;
                text.push_str(&unit.repeat(times));
            }
        }
        room(text.len(), 0, 0)?;
    }
    Ok(text)
}

/// The bytes of a raw action: variables are replaced, and escapes outside of them.
///
/// # Errors
/// As [`expand`], and where the text has a backslash that begins no escape.
pub fn expand_bytes(bytes: &Bytes, source: &mut dyn Source) -> Result<Vec<u8>, TemplateError> {
    let template = match bytes {
        Bytes::Hex(bytes) => return Ok(bytes.clone()),
        Bytes::Text(template) => template,
    };
    let mut out = Vec::with_capacity(template.len());
    for piece in pieces(template) {
        match piece? {
            Piece::Text(literal) => out.append(&mut unescape(literal)?),
            Piece::Variable(name) => out.extend_from_slice(value(name, source)?.as_bytes()),
            Piece::Json(name) => out.extend_from_slice(json(name, source)?.as_bytes()),
            Piece::Repeat(unit, times) => {
                let unit = unescape(unit)?;
                room(out.len(), unit.len(), times)?;
                out.append(&mut unit.repeat(times));
            }
        }
        room(out.len(), 0, 0)?;
    }
    Ok(out)
}

/// The template of a text that is to be sent as it is.
#[must_use]
pub fn literal(text: &str) -> String {
    text.replace("${", "${dollar}{")
}

fn value(name: &str, source: &mut dyn Source) -> Result<String, TemplateError> {
    source.value(name).or_else(|| predefined(name)).ok_or_else(|| TemplateError::Unknown(name.to_owned()))
}

fn json(name: &str, source: &mut dyn Source) -> Result<String, TemplateError> {
    source.json(name).or_else(|| predefined(name)).ok_or_else(|| TemplateError::Unknown(name.to_owned()))
}

/// Values that are the same in every session.
fn predefined(name: &str) -> Option<String> {
    match name {
        "null" => Some("null".to_owned()),
        "dollar" => Some("$".to_owned()),
        _ => None,
    }
}

/// Fails where `times` units behind `used` bytes would pass the limit.
fn room(used: usize, unit: usize, times: usize) -> Result<(), TemplateError> {
    let total = unit.checked_mul(times).and_then(|more| more.checked_add(used));
    if total.is_some_and(|total| total <= LONGEST) { Ok(()) } else { Err(TemplateError::TooLong) }
}

/// The length that a template has at least, whatever the values of its variables are.
pub(super) fn least_length(template: &str) -> Result<usize, TemplateError> {
    let mut length = 0;
    for piece in pieces(template) {
        let (unit, times) = match piece? {
            Piece::Text(text) => (text.len(), 1),
            Piece::Variable(_) | Piece::Json(_) => (0, 0),
            Piece::Repeat(unit, times) => (unit.len(), times),
        };
        room(length, unit, times)?;
        length += unit * times;
    }
    Ok(length)
}

/// A text of the same shape, for checks before values are known: a variable that `known` lacks becomes `0`, and
/// repetitions are short.
pub(super) fn placeholder(template: &str, known: &BTreeMap<String, String>) -> Result<String, TemplateError> {
    let mut text = String::with_capacity(template.len());
    for piece in pieces(template) {
        match piece? {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Variable("dollar") => text.push('$'),
            Piece::Variable(name) | Piece::Json(name) => text.push_str(known.get(name).map_or("0", String::as_str)),
            // All repetitions are cut to the same length, so that brackets still match.
            Piece::Repeat(unit, times) => text.push_str(&unit.repeat(times.min(2))),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str, bindings: &Bindings) -> Result<String, TemplateError> {
        let mut next = 6;
        let mut fresh = || {
            next += 1;
            next.to_string()
        };
        expand(template, &mut bindings.source(&mut fresh))
    }

    #[test]
    fn each_id_is_fresh() {
        assert_eq!(expanded("${id} ${id}", &Bindings::default()).unwrap(), "7 8");
    }

    #[test]
    fn what_was_taken_wins_over_the_variant_and_the_variant_over_the_session() {
        let mut bindings = Bindings::default();
        bindings.set("a", "session");
        assert_eq!(bindings.get("a"), Some("session"));
        bindings.variant.insert("a".to_owned(), Value::Plain("variant".to_owned()));
        assert_eq!(bindings.get("a"), Some("variant"));
        bindings.take("a", "\"taken\"");
        assert_eq!(bindings.get("a"), Some("taken"));
    }

    #[test]
    fn a_string_that_was_taken_keeps_its_escapes_and_gets_its_quotes_back() {
        let mut bindings = Bindings::default();
        bindings.take("cursor", r#""a\"b""#);
        bindings.set_json("arguments", r#"{"x":1}"#);
        let text = expanded(r#"{"c":"${cursor}","d":"${json:cursor}","e":"${json:arguments}"}"#, &bindings).unwrap();
        assert_eq!(text, r#"{"c":"a\"b","d":"a\"b","e":{"x":1}}"#);
    }

    #[test]
    fn null_and_dollar_need_no_binding() {
        assert_eq!(expanded(r#"["${json:null}"]"#, &Bindings::default()).unwrap(), "[null]");
        assert_eq!(expanded(&literal("a ${b"), &Bindings::default()).unwrap(), "a ${b");
    }

    #[test]
    fn an_unknown_variable_is_named() {
        assert_eq!(expanded("${nope}", &Bindings::default()), Err(TemplateError::Unknown("nope".to_owned())));
    }

    #[test]
    fn repetitions_are_bounded() {
        assert_eq!(expanded("${repeat:ab:3}", &Bindings::default()).unwrap(), "ababab");
        for text in ["${repeat:ab:33554433}", "${repeat:a:99999999999999999999}", "x${repeat:a:67108864}"] {
            assert_eq!(expanded(text, &Bindings::default()), Err(TemplateError::TooLong), "{text}");
        }
    }

    #[test]
    fn escapes_of_a_raw_text_are_replaced_outside_of_values_only() {
        let mut bindings = Bindings::default();
        bindings.set("a", r"\n");
        let mut fresh = String::new;
        let raw = Bytes::Text(r"\xff${a}${repeat:\x00:2}\r\n".to_owned());
        assert_eq!(expand_bytes(&raw, &mut bindings.source(&mut fresh)).unwrap(), b"\xff\\n\0\0\r\n");
    }

    #[test]
    fn a_placeholder_keeps_brackets_matched() {
        let known = BTreeMap::from([("id".to_owned(), "\"x\"".to_owned())]);
        let text = placeholder(r#"{"id":${id},"n":"${nonce}","p":${repeat:[:900}${repeat:]:900}}"#, &known).unwrap();
        assert_eq!(text, r#"{"id":"x","n":"0","p":[[]]}"#);
    }

    proptest::proptest! {
        #[test]
        fn a_literal_comes_out_as_it_went_in(text in "([$\\{}\"a-é]|json:|repeat:|:1)*") {
            proptest::prop_assert_eq!(expanded(&literal(&text), &Bindings::default()), Ok(text));
        }

        #[test]
        fn no_template_makes_us_panic(text in "([$\\{}\"é\\\\x0]|\\$\\{|json:|repeat:|:1)*") {
            let bindings = Bindings::default();
            let mut fresh = String::new;
            let _ = expand_bytes(&Bytes::Text(text.clone()), &mut bindings.source(&mut fresh));
            let _ = placeholder(&text, &BTreeMap::new());
        }
    }
}
