//! Which bytes stand for which characters.

use super::Bytes::Line;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::bytes(
        "bom-first-line",
        "writes a byte order mark before its first message",
        &[Line(|line, number| {
            let mark: &[u8] = if number == 0 { "\u{feff}".as_bytes() } else { b"" };
            [mark, line, b"\n"].concat()
        })],
    ),
    Fault::bytes(
        "codepage-out",
        "writes Latin-1, and has an é in its name and in its errors",
        &[Line(|line, _| latin1(&accented(line)))],
    ),
    Fault::bytes(
        "utf16-out",
        "writes UTF-16",
        &[Line(|line, _| {
            let text = String::from_utf8_lossy(line) + "\n";
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        })],
    ),
    Fault::bytes(
        "surrogate-bytes-out",
        "writes a character of its name as two surrogates of three bytes each",
        &[Line(|line, _| named(line, b"\xed\xa0\xbd\xed\xb8\x80"))],
    ),
    Fault::bytes("bad-utf8-out", "has a byte in its name that is not UTF-8", &[Line(|line, _| named(line, b"\xff"))]),
    Fault::bytes(
        "surrogate-escape-out",
        "has the escape of half a surrogate pair in its name",
        &[Line(|line, _| named(line, b"\\ud83d"))],
    ),
    Fault::bytes(
        "raw-u2028",
        "has U+2028, U+2029 and U+0085 unescaped in its name, a control",
        &[Line(|line, _| named(line, "\u{2028}\u{2029}\u{85}".as_bytes()))],
    ),
    Fault::bytes(
        "fully-escaped",
        "writes each letter of its name as an escape, a control",
        &[Line(|line, _| replaced(line, SHORT, br"\u006d\u0063\u0070-\u0072\u0065\u0066"))],
    ),
    Fault::bytes(
        "escaped-slashes",
        r"writes each slash as \/, a control",
        &[Line(|line, _| [&*replaced(line, b"/", b"\\/")].concat())],
    ),
];

/// How the server's name begins.
const SHORT: &[u8] = b"mcp-ref";

/// A line in which some bytes stand behind the beginning of the server's name.
fn named(line: &[u8], bytes: &[u8]) -> Vec<u8> {
    replaced(line, SHORT, &[SHORT, bytes].concat())
}

/// A line in which some bytes are replaced by others, and a line feed.
fn replaced(line: &[u8], these: &[u8], those: &[u8]) -> Vec<u8> {
    let mut changed = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.first() {
        if let Some(after) = rest.strip_prefix(these) {
            changed.extend_from_slice(those);
            rest = after;
        } else {
            changed.push(*first);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    changed.push(b'\n');
    changed
}

/// A line with an accent in the server's name, and in the texts of errors.
fn accented(line: &[u8]) -> Vec<u8> {
    replaced(&named(line, "é".as_bytes()), b"\"message\":\"", "\"message\":\"é: ".as_bytes())
}

/// What Latin-1 has for the characters of a text, and a question mark for all others.
fn latin1(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    text.trim_end_matches('\n').chars().map(|char| u8::try_from(char).unwrap_or(b'?')).chain([b'\n']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gets_more_bytes() {
        assert_eq!(named(b"\"mcp-reference\"", b"\xff"), b"\"mcp-ref\xfference\"\n");
        assert_eq!(named(b"other", b"\xff"), b"other\n");
    }

    #[test]
    fn latin1_has_one_byte_a_character() {
        assert_eq!(latin1("é€\n".as_bytes()), b"\xe9?\n");
    }
}
