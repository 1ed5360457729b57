//! Answers that come late, elsewhere or not at all, and what goes to stderr.

use std::time::Duration;

use super::Messages::{Hear, Tell};
use crate::fault::behaviour::{flood, print, say};
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages("silent", "reads everything and answers nothing", &[Hear(|_, heard| heard.swallow())]),
    Fault::messages(
        "stops-reading",
        "reads nothing more after its first list of tools was asked for",
        &[Hear(|scene, heard| {
            if heard.asks("tools/list") {
                scene.go_deaf();
            }
        })],
    ),
    Fault::messages(
        "slow-answers",
        "needs 50 ms for each request, one after another, a control",
        &[Hear(|scene, heard| {
            if heard.request().is_some() {
                scene.pause(Duration::from_millis(50));
            }
        })],
    ),
    Fault::messages(
        "slow-calls",
        "needs 3 s for each call of a tool, and reads nothing meanwhile",
        &[Hear(|scene, heard| {
            if heard.asks("tools/call") {
                scene.pause(Duration::from_secs(3));
            }
        })],
    ),
    Fault::messages(
        "stderr-only",
        "answers on stderr instead of stdout",
        &[Tell(|_, told| {
            say(&told.message.to_string());
            told.swallow();
        })],
    ),
    Fault::messages(
        "stderr-echoes-args",
        "logs each message that it reads in full to stderr",
        &[Hear(|_, heard| say(&String::from_utf8_lossy(heard.line())))],
    ),
    Fault::messages(
        "stderr-chatty",
        "logs a traceback to stderr with each request, and works, a control",
        &[Hear(|_, heard| {
            if heard.request().is_some() {
                say("Traceback (most recent call last):\n  File \"shop.py\", line 7\nFATAL ERROR: not really");
            }
        })],
    ),
    Fault::messages(
        "floods-after-handshake",
        "writes bytes without a newline for ever, once it is asked for tools",
        &[Hear(|_, heard| {
            if heard.asks("tools/list") {
                flood(b"................");
            }
        })],
    ),
    Fault::messages(
        "unbounded-line",
        "begins its answer to tools/list, and never ends a string in it",
        &[Hear(|_, heard| {
            if let Some(asked) = heard.request().filter(|asked| asked.method == "tools/list") {
                let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":[{{\"name\":\"", asked.id);
                print(start.as_bytes());
                flood(b"aaaaaaaaaaaaaaaa");
            }
        })],
    ),
];
