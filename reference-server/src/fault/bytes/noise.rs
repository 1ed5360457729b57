//! What stands on stdout besides messages.

use super::Bytes::{Line, Opening};
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::bytes(
        "banner-on-stdout",
        "prints a line for people on stdout before the first message",
        &[Opening(b"MCP reference server, ready for clients.\n")],
    ),
    Fault::bytes(
        "launcher-noise",
        "prints on stdout what a package runner says when it starts a program",
        &[Opening(b"> shop@1.0.0 start\n> node build/index.js\n")],
    ),
    Fault::bytes(
        "ansi-on-stdout",
        "puts terminal escapes without a newline before each message",
        &[Line(|line, _| [b"\x1b[2K\x1b[1G", line, b"\n"].concat())],
    ),
    Fault::bytes(
        "glued-noise",
        "puts text without a newline before each message",
        &[Line(|line, _| [b"sending: ", line, b"\n"].concat())],
    ),
    Fault::bytes(
        "trailing-noise",
        "puts text behind each message, on its line",
        &[Line(|line, _| [line, b" <- sent\n"].concat())],
    ),
    Fault::bytes(
        "stray-json-object",
        "writes a log record, which is JSON and no message, before each message",
        &[Line(|line, _| [b"{\"level\":\"info\",\"text\":\"sending\"}\n", line, b"\n"].concat())],
    ),
    Fault::bytes(
        "stray-scalar",
        "writes the line true, which is JSON and no message, after each message",
        &[Line(|line, _| [line, b"\ntrue\n"].concat())],
    ),
    Fault::bytes("blank-lines", "writes an empty line after each message", &[Line(|line, _| [line, b"\n\n"].concat())]),
];
