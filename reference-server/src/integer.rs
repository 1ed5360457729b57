//! Whole numbers as JSON spells them, of any size.

use serde_json::value::RawValue;

use crate::json::{self, Kind};

/// A whole number of any size, as its decimal digits.
///
/// `10`, `1e1` and `10.0` are the same whole number, as JSON Schema has it; `0.5` is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    negative: bool,
    digits: String,
    zeros: u64,
}

impl Integer {
    /// Reads a number token. `None` where the value is no number, or has a fraction.
    pub(crate) fn read(value: &RawValue) -> Option<Self> {
        if json::kind(value) != Kind::Number {
            return None;
        }
        let (negative, token) = match value.get().strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, value.get()),
        };
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let shift = power_of_ten(exponent) - length(fraction) + length(&all) - length(digits);
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), zeros: 0 });
        }
        Some(Self { negative, digits: digits.into(), zeros: shift.try_into().ok()? })
    }

    /// Whether the number is below zero.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number, where it fits.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        if self.negative || self.zeros > 20 {
            return None;
        }
        format!("0{}{}", self.digits, "0".repeat(self.zeros.try_into().ok()?)).parse().ok()
    }
}

/// An exponent; one that no machine can count to stays far out of reach.
fn power_of_ten(exponent: &str) -> i64 {
    const FAR: i64 = i64::MAX / 4;
    let limit = if exponent.starts_with('-') { -FAR } else { FAR };
    exponent.parse::<i64>().map_or(limit, |power| power.clamp(-FAR, FAR))
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<Integer> {
        Integer::read(json::parse(text.as_bytes()).expect("the test's text is JSON"))
    }

    #[test]
    fn whole_numbers_are_told_by_value() {
        for (text, value) in
            [("10", 10), ("1e1", 10), ("10.0", 10), ("0.5e1", 5), ("-0", 0), ("0e-9", 0), ("100e-2", 1)]
        {
            assert_eq!(number(text).unwrap().to_u64(), Some(value), "{text}");
        }
        for text in ["0.5", "1e-1", "105e-1", "\"1\"", "null", "1e-99999999999999999999"] {
            assert_eq!(number(text), None, "{text}");
        }
        for text in ["-1", "1e400", "18446744073709551616", "1e99999999999999999999"] {
            assert_eq!(number(text).unwrap().to_u64(), None, "{text}");
        }
        assert_eq!(number("18446744073709551615").unwrap().to_u64(), Some(u64::MAX));
    }
}
