//! Shell commands as peers, and waits that end by a deadline.

use std::ffi::OsString;
use std::time::Duration;

use mcp_plumb::peer::{Deadline, Ended, Exit, Launch, Limits, Patience, Peer, PeerEvent};

/// Never climbs a rung because of a slow machine; only a failing test waits for it.
pub(crate) const PATIENT: Patience = Patience {
    eof: Duration::from_secs(60),
    term: Duration::from_secs(60),
    drain: Duration::from_secs(60),
    follow: Duration::from_millis(500),
};

/// Long enough for a loaded machine.
pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

pub(crate) fn words<S: Into<OsString>>(words: impl IntoIterator<Item = S>) -> Launch {
    Launch { command: words.into_iter().map(Into::into).collect(), ..Launch::default() }
}

pub(crate) fn shell(script: &str) -> Launch {
    words(["sh", "-c", script])
}

pub(crate) fn spawn(launch: &Launch) -> Peer {
    Peer::spawn(launch, &Limits::default(), None).unwrap()
}

/// Reads events until one is as wanted.
pub(crate) fn until(peer: &Peer, mut wanted: impl FnMut(&PeerEvent) -> bool) -> PeerEvent {
    let deadline = soon();
    loop {
        let event = peer.next(deadline).expect("the event should come");
        if wanted(&event) {
            return event;
        }
    }
}

/// Reads stdout until it ends with `tail`, and gives all of it.
pub(crate) fn read_until(peer: &Peer, tail: &str) -> String {
    let mut text = Vec::new();
    until(peer, |event| {
        if let PeerEvent::Stdout(bytes) = event {
            text.extend_from_slice(bytes);
        }
        text.ends_with(tail.as_bytes())
    });
    String::from_utf8(text).unwrap()
}

/// Reads the line with a process number that a script prints.
pub(crate) fn read_pid(peer: &Peer) -> u32 {
    read_until(peer, "\n").trim().parse().unwrap()
}

pub(crate) fn until_exit(peer: &Peer) -> Exit {
    match until(peer, |event| matches!(event, PeerEvent::Exited(_))) {
        PeerEvent::Exited(exit) => exit,
        other => panic!("not an exit: {other:?}"),
    }
}

pub(crate) fn end(peer: Peer, patience: &Patience) -> Ended {
    peer.end(patience, &mut drop)
}

/// Waits until something is true.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = soon();
    while !holds() {
        assert!(!deadline.passed(), "it should be true by now: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Whether a process is there and not a zombie.
pub(crate) fn alive(pid: u32) -> bool {
    state(pid).is_some_and(|state| !"ZX".contains(state))
}

/// The letter for the state of a process.
pub(crate) fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// Runs an ignored test of this binary in a process of its own.
pub(crate) fn in_a_process_of_its_own(test: &str) {
    let me = std::env::current_exe().unwrap();
    let run = std::process::Command::new(me).args(["--exact", "--ignored", test]).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && text.contains("1 passed"), "{text}");
}
