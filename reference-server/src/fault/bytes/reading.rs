//! How bytes are read.

use std::hint::black_box;
use std::process;

use super::Bytes::{Headers, Piece, Ponder, Take};
use super::Taken;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::bytes("content-length-in", "waits for Content-Length headers, and never answers a plain line", &[Headers]),
    Fault::bytes(
        "crlf-input-choke",
        "exits on a line that ends with CR LF",
        &[Take(|line| if line.ends_with(b"\r") { Taken::Death(1) } else { Taken::Same })],
    ),
    Fault::bytes(
        "codepage-in",
        "reads Latin-1, so text beyond ASCII comes back garbled",
        &[Take(|line| Taken::Instead(line.iter().copied().map(char::from).collect::<String>().into_bytes()))],
    ),
    Fault::bytes(
        "dies-on-bad-utf8",
        "exits on a byte that is not UTF-8",
        &[Take(|line| if std::str::from_utf8(line).is_err() { Taken::Death(1) } else { Taken::Same })],
    ),
    Fault::bytes(
        "splits-input-on-u2028",
        "takes U+2028, U+2029 and U+0085 in a request for the end of a line",
        &[Take(|line| match std::str::from_utf8(line) {
            Ok(text) => Taken::Instead(text.replace(['\u{2028}', '\u{2029}', '\u{85}'], "\n").into_bytes()),
            Err(_) => Taken::Same,
        })],
    ),
    Fault::bytes("line-limit-64k", "drops lines longer than 64 KiB", &[Take(|line| limited(line, 64, Taken::Lost))]),
    Fault::bytes(
        "line-limit-64k-dies",
        "exits on a line longer than 64 KiB",
        &[Take(|line| limited(line, 64, Taken::Death(1)))],
    ),
    Fault::bytes("line-limit-512k", "drops lines longer than 512 KiB", &[Take(|line| limited(line, 512, Taken::Lost))]),
    Fault::bytes(
        "quadratic-reader",
        "searches and decodes all of the line it has with each 4 KiB that it reads",
        &[Ponder(|held| {
            black_box((held.contains(&b'\n'), std::str::from_utf8(held).is_ok()));
        })],
    ),
    Fault::bytes(
        "reads-as-messages",
        "takes what one read gives for one message",
        &[Piece(|piece| {
            let mut message: Vec<u8> = piece.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
            message.push(b'\n');
            message
        })],
    ),
    Fault::bytes(
        "one-message-a-read",
        "serves only the first line of what one read gives",
        &[Piece(|piece| piece.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec())],
    ),
    Fault::bytes(
        "concurrent-exits",
        "exits with 0 when 15 requests come at once, though stdin is open",
        &[Piece(|piece| {
            if piece.iter().filter(|byte| **byte == b'\n').count() >= 15 {
                process::exit(0);
            }
            piece.to_vec()
        })],
    ),
    Fault::bytes(
        "decodes-each-read",
        "decodes each read on its own, so a character that is cut in two becomes two errors",
        &[Piece(|piece| String::from_utf8_lossy(piece).into_owned().into_bytes())],
    ),
];

/// A line that is too long at some KiB is not itself.
fn limited(line: &[u8], kib: usize, beyond: Taken) -> Taken {
    if line.len() > kib << 10 { beyond } else { Taken::Same }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_in_kib() {
        assert_eq!(limited(&[0; 65536], 64, Taken::Lost), Taken::Same);
        assert_eq!(limited(&[0; 65537], 64, Taken::Lost), Taken::Lost);
    }
}
