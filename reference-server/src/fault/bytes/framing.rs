//! Where a message begins and ends, and when it leaves.

use super::Bytes::{Flow as Flows, Line};
use super::Flow;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::bytes("crlf-frames", "ends each message with CR LF", &[Line(|line, _| [line, b"\r\n"].concat())]),
    Fault::bytes("cr-lines", "ends each message with CR alone", &[Line(|line, _| [line, b"\r"].concat())]),
    Fault::bytes("nul-ended", "ends each message with a NUL byte", &[Line(|line, _| [line, b"\0"].concat())]),
    Fault::bytes(
        "content-length-out",
        "writes a Content-Length header before each message, and no newline after it",
        &[Line(|line, _| [format!("Content-Length: {}\r\n\r\n", line.len()).as_bytes(), line].concat())],
    ),
    Fault::bytes(
        "no-trailing-newline",
        "writes a newline before each message but the first, and none after it",
        &[Line(|line, number| if number == 0 { line.to_vec() } else { [b"\n", line].concat() })],
    ),
    Fault::bytes("pretty-printed", "writes each message on many lines", &[Line(|line, _| pretty(line))]),
    Fault::bytes("no-flush", "keeps all output in a buffer until it exits", &[Flows(Flow::AtEnd)]),
    Fault::bytes(
        "flushes-full-blocks",
        "writes 4096 bytes at a time, so a small answer waits for others",
        &[Flows(Flow::Blocks(4096))],
    ),
    Fault::bytes("byte-writes", "writes each byte on its own, a control", &[Flows(Flow::Singly)]),
    Fault::bytes("split-writes", "writes each message in two pieces, a control", &[Flows(Flow::Halves)]),
    Fault::bytes(
        "late-newline",
        "writes the newline a moment after its message, a control",
        &[Flows(Flow::LateNewline)],
    ),
];

/// The same JSON with line breaks and indents, or the line as it is where it is none.
fn pretty(line: &[u8]) -> Vec<u8> {
    let mut text = serde_json::from_slice::<serde_json::Value>(line)
        .and_then(|value| serde_json::to_vec_pretty(&value))
        .unwrap_or_else(|_| line.to_vec());
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_is_the_same_json() {
        assert_eq!(pretty(b"{\"a\":1}"), b"{\n  \"a\": 1\n}\n");
        assert_eq!(pretty(b"text"), b"text\n");
    }
}
