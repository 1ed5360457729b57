//! Bytes of a peer as text that is safe to show.

use std::fmt::Write as _;

/// Printable UTF-8 as it is; every other byte as `\xNN`, so that nothing of a peer reaches a terminal raw.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_printable(c) {
                text.push(c);
            } else {
                let mut buffer = [0; 4];
                push_hex(&mut text, c.encode_utf8(&mut buffer).as_bytes());
            }
        }
        push_hex(&mut text, chunk.invalid());
    }
    text
}

/// As [`escape`], line by line.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    text.lines().map(|line| escape(line.as_bytes())).collect::<Vec<_>>().join("\n")
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// A JSON text with escapes for what is not shown as it is: the same value, and safe to show.
#[must_use]
pub fn escape_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) {
            safe.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        }
    }
    safe
}

/// Controls, and the format characters that reorder or hide text, are not shown as they are.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_untouched() {
        assert_eq!(escape("é \"ж\" 日本".as_bytes()), "é \"ж\" 日本");
    }

    #[test]
    fn a_json_text_stays_the_same_value() {
        let value = "é\u{7f}\u{9b}\u{202e}\u{e0001}";
        let safe = escape_json(&serde_json::to_string(value).unwrap());
        assert_eq!(safe, r#""é\u007f\u009b\u202e\udb40\udc01""#);
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), value);
    }

    #[test]
    fn controls_reordering_and_broken_bytes_are_escaped() {
        assert_eq!(escape(b"\x1b[31m\xff\n"), "\\x1b[31m\\xff\\x0a");
        assert_eq!(escape("a\u{202e}b".as_bytes()), "a\\xe2\\x80\\xaeb");
    }
}
