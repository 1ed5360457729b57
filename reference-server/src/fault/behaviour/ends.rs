//! How the process ends, if it does.

use std::process;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

use super::Behaviour::{End, Eof, Late, Start};
use super::streams::{print, say};
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::behaviour("exits-at-once", "exits with 1 before it reads, and says why on stderr", &[Start(give_up)]),
    Fault::behaviour(
        "exits-at-once-with-0",
        "exits with 0 before it reads, and says nothing",
        &[Start(|| process::exit(0))],
    ),
    Fault::behaviour("ignores-eof", "goes on when stdin closes, until SIGTERM", &[End(stay)]),
    Fault::behaviour("spins-on-eof", "spins when stdin closes, until SIGTERM", &[End(spin)]),
    Fault::behaviour(
        "sigterm-ignored",
        "goes on when stdin closes and ignores SIGTERM, so only SIGKILL ends it",
        &[Start(ignore_sigterm), End(stay)],
    ),
    Fault::behaviour(
        "crash-on-signal",
        "goes on when stdin closes, and dies of SIGABRT when SIGTERM comes",
        &[Start(|| on_sigterm(|| process::abort())), End(stay)],
    ),
    Fault::behaviour(
        "exit-zero-on-term",
        "exits with 0 when SIGTERM comes, a control",
        &[Start(|| on_sigterm(|| process::exit(0)))],
    ),
    Fault::behaviour(
        "exits-143-on-term",
        "exits with 143 when SIGTERM comes, a control",
        &[Start(|| on_sigterm(|| process::exit(143)))],
    ),
    Fault::behaviour(
        "slow-exit",
        "tidies up for half a second after stdin closed, a control",
        &[End(|| thread::sleep(Duration::from_millis(500)))],
    ),
    Fault::behaviour("exits-nonzero-on-eof", "exits with 3 and a traceback when stdin closes", &[End(trace)]),
    Fault::behaviour("crashes-on-eof", "dies of SIGABRT when stdin closes", &[End(|| process::abort())]),
    Fault::behaviour(
        "drops-inflight-on-eof",
        "answers each request after 100 ms, and forgets those that are open when stdin closes",
        &[Late(Duration::from_millis(100)), Eof(|_| process::exit(0))],
    ),
    Fault::behaviour(
        "hangs-on-partial-line",
        "waits for ever for the rest of a line when stdin closes inside one",
        &[Eof(|unfinished| {
            if !unfinished.is_empty() {
                stay();
            }
        })],
    ),
    Fault::behaviour(
        "goodbye-on-stdout",
        "prints a line of text on stdout when stdin has closed",
        &[End(|| print(b"Goodbye.\n"))],
    ),
    Fault::behaviour(
        "last-line-unterminated",
        "sends a last message without a newline before it exits",
        &[End(|| {
            print(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"bye"}}"#);
        })],
    ),
];

fn give_up() {
    say("mcp-reference-server: no configuration, giving up");
    process::exit(1);
}

fn trace() {
    say("Traceback (most recent call last):\nEOFError: stdin has ended");
    process::exit(3);
}

/// Does nothing, for ever.
pub(super) fn stay() {
    loop {
        thread::park();
    }
}

fn spin() {
    loop {
        std::hint::spin_loop();
    }
}

/// Has SIGTERM do nothing.
pub(super) fn ignore_sigterm() {
    // There is no reason for which this could fail for SIGTERM; if it did, the fault would not show.
    let _ = signal_hook::flag::register(SIGTERM, Arc::new(AtomicBool::new(false)));
}

/// Has SIGTERM do something.
fn on_sigterm(act: fn()) {
    if let Ok(mut signals) = Signals::new([SIGTERM]) {
        thread::spawn(move || {
            if signals.forever().next().is_some() {
                act();
            }
        });
    }
}
