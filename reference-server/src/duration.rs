//! Spans of time as people write them: `500ms`, `2s`, `30m`, `1h`, `7d`.

use std::fmt;
use std::time::Duration;

/// The units, each with its length in milliseconds; the longest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Reads a span of time: a whole number and a unit.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text.strip_prefix(number).unwrap_or_default();
    let length = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, length)| *length);
    let millis = number.parse::<u64>().ok().zip(length).and_then(|(number, length)| number.checked_mul(length));
    millis
        .filter(|_| number.starts_with(|character: char| character.is_ascii_digit()))
        .map(Duration::from_millis)
        .ok_or_else(|| "use a whole number and a unit, as in 500ms, 2s, 30m, 1h or 7d".into())
}

/// Writes a span of time as [`parse`] reads it.
pub(crate) struct Words(pub(crate) Duration);

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        let fits = |(_, length): &&(&str, u64)| millis > 0 && millis.is_multiple_of(u128::from(*length));
        let (unit, length) = UNITS.iter().find(fits).unwrap_or(&("ms", 1));
        write!(formatter, "{}{unit}", millis / u128::from(*length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_read_and_written_alike() {
        for (text, millis) in [("0ms", 0), ("500ms", 500), ("2s", 2000), ("90s", 90_000), ("1h", 3_600_000)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)));
            assert_eq!(Words(Duration::from_millis(millis)).to_string(), text);
        }
        assert_eq!(Words(Duration::from_secs(60)).to_string(), "1m");
        for text in ["", "s", "2", "-1s", "+1s", "1.5s", "2 s", "2S", "1w", "99999999999999999d"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
