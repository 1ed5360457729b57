//! Ids as tokens, compared as values: strings as UTF-16 code units after unescaping, numbers by exact decimal value.

use std::fmt;

/// The raw JSON text of an id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(Box<str>);

/// What kind of JSON value an id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// A string.
    String,
    /// A number without a fraction, however it is spelled.
    Integer,
    /// A number with a fraction.
    Fraction,
    /// `null`
    Null,
    /// Anything else.
    Other,
}

impl IdKind {
    /// The kind of a JSON text.
    pub(super) fn of(raw: &str) -> Self {
        match raw.as_bytes().first() {
            Some(b'"') => Self::String,
            Some(b'n') => Self::Null,
            Some(b'-' | b'0'..=b'9') => {
                let spelled = raw.contains(['.', 'e', 'E']).then(|| number(raw)).flatten();
                match spelled {
                    Some(IdKey::Number { exponent, .. }) if exponent < 0 => Self::Fraction,
                    _ => Self::Integer,
                }
            }
            _ => Self::Other,
        }
    }
}

/// How two ids compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdMatch {
    /// The same value. Strings may be escaped otherwise.
    Same,
    /// The same number in another spelling, as `1` and `1.0`.
    SameValue,
    /// Another value or another type.
    Different,
}

/// The value of an id: equal keys are equal ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdKey {
    /// UTF-16 code units.
    String(Vec<u16>),
    /// Decimal digits without zeros at either end, and the power of ten of the last one.
    Number {
        /// Below zero.
        negative: bool,
        /// The digits.
        digits: String,
        /// The power of ten.
        exponent: i64,
    },
    /// A text that is compared as it is.
    Text(String),
}

/// So much of a long id shows that it was meant, though it was cut.
const CUT: usize = 16;
/// So many letters and digits of ASCII show which id was meant, though others were garbled.
const TELLING: usize = 6;

impl FrameId {
    /// The id with this JSON text.
    #[must_use]
    pub fn new(raw: &str) -> Self {
        Self(raw.into())
    }

    /// The JSON text.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(&self) -> IdKind {
        IdKind::of(&self.0)
    }

    /// Its value.
    #[must_use]
    pub fn key(&self) -> IdKey {
        match self.0.as_bytes().first() {
            Some(b'"') => IdKey::String(units(&self.0)),
            Some(b'-' | b'0'..=b'9') => number(&self.0).unwrap_or_else(|| IdKey::Text(self.0.to_string())),
            _ => IdKey::Text(self.0.to_string()),
        }
    }

    /// Compares by value.
    #[must_use]
    pub fn compare(&self, other: &Self) -> IdMatch {
        if self.0 == other.0 {
            IdMatch::Same
        } else if self.key() != other.key() {
            IdMatch::Different
        } else if matches!(self.kind(), IdKind::Integer | IdKind::Fraction) {
            IdMatch::SameValue
        } else {
            IdMatch::Same
        }
    }

    /// Whether a peer that is careless with ids can have meant this one: `"7"` for `7`, what `f64` makes of it, or a text
    /// whose letters beyond ASCII came through another encoding.
    #[must_use]
    pub fn loosely(&self, other: &Self) -> bool {
        let (this, that) = (self.bare(), other.bare());
        if this == that {
            return true;
        }
        if that.len() >= CUT && this.starts_with(that) {
            return true;
        }
        if !this.is_ascii() {
            let (this, that) = (plain_part(self.raw()), plain_part(other.raw()));
            return this.len() >= TELLING && this == that;
        }
        match (this.parse::<f64>(), that.parse::<f64>()) {
            (Ok(this), Ok(that)) => this == that || this.trunc() == that,
            _ => false,
        }
    }

    fn bare(&self) -> &str {
        self.0.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&self.0)
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        let text: String = self.0.chars().take(SHOWN).collect();
        let text = crate::transcript::escape(text.as_bytes());
        if self.0.chars().count() > SHOWN { write!(f, "{text}…") } else { f.write_str(&text) }
    }
}

/// The letters and digits of ASCII in a JSON string.
fn plain_part(raw: &str) -> String {
    let units = units(raw).into_iter().filter_map(|unit| u8::try_from(unit).ok());
    units.filter(u8::is_ascii_alphanumeric).map(char::from).collect()
}

/// The UTF-16 code units of a JSON string that was checked.
fn units(raw: &str) -> Vec<u16> {
    let inner = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
    let mut units = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        match chars.next() {
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
            }
            Some('b') => units.push(8),
            Some('f') => units.push(12),
            Some('n') => units.push(10),
            Some('r') => units.push(13),
            Some('t') => units.push(9),
            Some(other) => units.extend_from_slice(other.encode_utf16(&mut [0; 2])),
            None => {}
        }
    }
    units
}

/// A JSON number in canonical form. `None` where its exponent is beyond all reason.
fn number(raw: &str) -> Option<IdKey> {
    let (negative, magnitude) = raw.strip_prefix('-').map_or((false, raw), |rest| (true, rest));
    let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>()),
        None => (magnitude, Ok(0)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: String = [whole, fraction].concat();
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return Some(IdKey::Number { negative: false, digits: String::new(), exponent: 0 });
    }
    let trailing = all.len() - all.trim_end_matches('0').len();
    let shift = i64::try_from(trailing).ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let exponent = exponent.ok()?.checked_add(shift)?;
    Some(IdKey::Number { negative, digits: digits.to_owned(), exponent })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare(a: &str, b: &str) -> IdMatch {
        FrameId::new(a).compare(&FrameId::new(b))
    }

    #[test]
    fn strings_compare_after_unescaping() {
        assert_eq!(compare(r#""é""#, r#""\u00e9""#), IdMatch::Same);
        assert_eq!(compare(r#""\ud83d\ude00""#, r#""😀""#), IdMatch::Same);
        assert_eq!(compare(r#""\ud83d""#, r#""\uD83D""#), IdMatch::Same);
        assert_eq!(compare(r#""\/""#, r#""/""#), IdMatch::Same);
        assert_eq!(compare(r#""a""#, r#""A""#), IdMatch::Different);
        assert_eq!(compare(r#""007""#, r#""7""#), IdMatch::Different);
    }

    #[test]
    fn numbers_compare_by_exact_value() {
        assert_eq!(compare("1", "1.0"), IdMatch::SameValue);
        assert_eq!(compare("100", "1e2"), IdMatch::SameValue);
        assert_eq!(compare("0", "-0.0e7"), IdMatch::SameValue);
        assert_eq!(compare("9007199254740993", "9007199254740992"), IdMatch::Different);
        assert_eq!(compare("18446744073709551616", "18446744073709551616.0"), IdMatch::SameValue);
        assert_eq!(compare("1e99999999999999999999", "1e99999999999999999999"), IdMatch::Same);
        assert_eq!(compare("1e400", "1e401"), IdMatch::Different);
    }

    #[test]
    fn type_matters() {
        assert_eq!(compare("7", r#""7""#), IdMatch::Different);
        assert_eq!(compare("null", r#""null""#), IdMatch::Different);
        assert_eq!(FrameId::new("92").to_string(), "92");
        assert_eq!(FrameId::new(r#""92""#).to_string(), r#""92""#);
    }

    #[test]
    fn kinds() {
        let kinds = [
            ("1", IdKind::Integer),
            ("1.0", IdKind::Integer),
            ("1e2", IdKind::Integer),
            ("1.5", IdKind::Fraction),
            ("15e-1", IdKind::Fraction),
            ("\"\"", IdKind::String),
            ("null", IdKind::Null),
            ("{}", IdKind::Other),
        ];
        for (raw, kind) in kinds {
            assert_eq!(FrameId::new(raw).kind(), kind, "{raw}");
        }
    }

    #[test]
    fn careless_peers_are_understood() {
        let loosely = |a: &str, b: &str| FrameId::new(a).loosely(&FrameId::new(b));
        assert!(loosely("7", r#""7""#));
        assert!(loosely("9007199254740993", "9007199254740992"));
        assert!(loosely("1.5", "1"));
        assert!(loosely("\"é-nonce7\"", "\"Ã©-nonce7\""));
        assert!(loosely("\"🦀-nonce7\"", r#""?-nonce7""#));
        assert!(loosely("\"é-nonce7\"", r#""\ufffd-nonce7""#));
        assert!(!loosely("\"é-nonce7\"", r#""?-nonce8""#));
        assert!(!loosely("\"é-7\"", r#""?-7""#));
        assert!(!loosely("7", "8"));
        assert!(!loosely(r#""a""#, r#""b""#));
    }

    proptest! {
        #[test]
        fn keys_and_comparison_agree(a in id_text(), b in id_text()) {
            let (a, b) = (FrameId::new(&a), FrameId::new(&b));
            prop_assert_eq!(a.key() == b.key(), a.compare(&b) != IdMatch::Different);
            prop_assert_eq!(a.compare(&b), b.compare(&a));
        }
    }

    fn id_text() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
            "[0-9a-c]{0,3}".prop_map(|text| format!("\"{text}\"")),
            Just("null".to_owned()),
            Just("\"\\u0061\"".to_owned()),
        ]
    }
}
