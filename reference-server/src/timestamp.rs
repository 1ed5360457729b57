//! Points in time as RFC 3339 writes them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The seconds of a day.
const DAY: u64 = 86_400;

/// A point in time in UTC, to the millisecond. What lies before 1970 counts as its beginning.
pub(crate) fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// Reads a point in time, written in any of the ways that RFC 3339 has. `None` for what is none, or lies before 1970.
pub(crate) fn read(text: &str) -> Option<SystemTime> {
    let text = text.to_ascii_uppercase();
    let (date, time) = text.split_once(['T', ' '])?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let zone = time.find(['Z', '+', '-'])?;
    let (time, zone) = (time.get(..zone)?, time.get(zone..)?);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    // A leap second is the sixtieth.
    if hour > 23 || minute > 59 || second > 60 || fraction.is_empty() || !is_digits(fraction) {
        return None;
    }
    let millis: u64 = fraction.chars().chain("00".chars()).take(3).collect::<String>().parse().ok()?;
    let seconds = days(year, month, day)? * DAY + hour * 3600 + minute * 60 + second;
    let seconds = match zone.split_at_checked(1)? {
        ("Z", "") => seconds,
        (sign, offset) => {
            let [hours, minutes] = numbers(offset, ':', [2, 2])?;
            let offset = hours * 3600 + minutes * 60;
            match (sign, hours < 24 && minutes < 60) {
                ("+", true) => seconds.checked_sub(offset)?,
                ("-", true) => seconds + offset,
                _ => return None,
            }
        }
    };
    Some(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + millis))
}

/// Numbers of so many digits each, with a mark between them.
fn numbers<const N: usize>(text: &str, mark: char, digits: [usize; N]) -> Option<[u64; N]> {
    let mut parts = text.split(mark);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits && is_digits(part))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many days after the first of January 1970 a date is, if it is one.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(1970)?;
    // A year has less than 366 days on average and a month 31 at most, so the day is one of these, near their end.
    let guess = year * 365 + month.checked_sub(1)? * 28;
    (guess..guess + 60 + year / 4).find(|days| date(*days) == (year + 1970, month, day))
}

/// The date that many days after the first of January 1970. A year is counted from March here, so that a leap day
/// is its last; eras of 400 years all have the same number of days.
fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_are_written_as_they_should_be() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_001, "2024-02-29T23:59:59.001Z"),
            (1_785_196_800_000, "2026-07-28T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(millis)), text);
            assert_eq!(read(text), Some(UNIX_EPOCH + Duration::from_millis(millis)));
        }
    }

    #[test]
    fn other_spellings_are_read_too() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:01.5z", 1500),
            ("1970-01-01 00:00:00.0019999Z", 1),
            ("1970-01-01T02:00:00+02:00", 0),
            ("1969-12-31T23:30:00-01:00", 1_800_000),
            ("1972-06-30T23:59:60Z", 78_796_800_000),
            ("2024-12-31T00:00:00-00:00", 1_735_603_200_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] {
            let expected = UNIX_EPOCH + Duration::from_millis(millis);
            assert_eq!(read(text), (!text.starts_with("1969")).then_some(expected), "{text}");
        }
    }

    #[test]
    fn every_day_is_found_again() {
        for number in 0..200_000 {
            let (year, month, day) = date(number);
            assert_eq!(days(year, month, day), Some(number));
        }
    }

    #[test]
    fn what_is_no_point_in_time_is_not_read() {
        for text in [
            "",
            "yesterday",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.00éZ",
            "1970-1-01T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00:00+0100",
            "1970-01-01T00:00:00Z0",
            "+970-01-01T00:00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
