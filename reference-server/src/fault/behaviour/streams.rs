//! What the process does with its streams, whatever comes.

use std::io::{self, Write};
use std::process;
use std::thread;
use std::time::Duration;

use super::Behaviour::{Blocking, Serial, Start};
use super::ends::stay;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::behaviour("never-reads", "neither reads nor writes", &[Start(stay)]),
    Fault::behaviour(
        "floods-stdout",
        "writes bytes without a newline from the start, as fast as it can, and reads nothing",
        &[Start(|| flood(b"................"))],
    ),
    Fault::behaviour(
        "floods-lines",
        "writes lines of text from the start, as fast as it can, and reads nothing",
        &[Start(|| flood(b"tick tick tick\n"))],
    ),
    Fault::behaviour("serial-server", "handles one request at a time, so a slow call delays all others", &[Serial]),
    Fault::behaviour(
        "big-reply-stall",
        "reads nothing while an answer is not written, so a large one stalls it",
        &[Blocking],
    ),
    Fault::behaviour(
        "slow-start",
        "reads nothing for 2 s after its start",
        &[Start(|| thread::sleep(Duration::from_secs(2)))],
    ),
    Fault::behaviour(
        "stderr-flood",
        "writes more to stderr than a pipe holds before it reads, a control",
        &[Start(|| say(&"shop: loading rules\n".repeat(1 << 14)))],
    ),
    Fault::behaviour(
        "stderr-binary",
        "writes bytes to stderr that are no UTF-8, with escapes and no newline, a control",
        &[Start(|| {
            // Nobody has to read it.
            let _ = io::stderr().write_all(b"\xff\xfe\x00\x1b[31m\xc3");
        })],
    ),
];

/// Writes to stdout, past everything else.
pub(crate) fn print(bytes: &[u8]) {
    let mut stdout = io::stdout();
    // Where nobody reads, nothing is owed.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Writes a line to stderr.
pub(crate) fn say(text: &str) {
    // The same is true of stderr.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to stdout, again and again, until nobody reads.
pub(crate) fn flood(bytes: &[u8]) -> ! {
    let block = bytes.repeat(1 << 10);
    let mut stdout = io::stdout();
    while stdout.write_all(&block).and_then(|()| stdout.flush()).is_ok() {}
    process::exit(1);
}
