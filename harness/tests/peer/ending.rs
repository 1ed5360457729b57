//! The rungs of the ladder.

use std::time::Duration;

use mcp_plumb::peer::{Exit, Patience, PeerEvent, Rung, Signal};

use crate::support::*;

/// Ignores the close of stdin for a moment only, then climbs.
pub(crate) fn hasty() -> Patience {
    Patience { eof: Duration::from_millis(50), ..PATIENT }
}

/// Gives SIGTERM a moment only.
fn hastier() -> Patience {
    Patience { term: Duration::from_millis(50), ..hasty() }
}

fn killed_by(exit: Option<Exit>) -> Option<&'static str> {
    match exit {
        Some(Exit::Signal { name, .. }) => Some(name),
        _ => None,
    }
}

#[test]
fn an_exit_code_is_noticed() {
    let peer = spawn(&shell("exit 3"));
    assert_eq!(until_exit(&peer), Exit::Code(3));
    assert!(!peer.signal(Signal::Int));
    let ended = end(peer, &PATIENT);
    assert_eq!((ended.rung, ended.exit), (Rung::AlreadyExited, Some(Exit::Code(3))));
    assert_eq!((ended.leaked, ended.stdout_held), (vec![], false));
}

#[test]
fn an_exit_that_nobody_asked_for_is_noticed_at_the_end() {
    let peer = spawn(&shell("exit 3"));
    eventually("it is a zombie", || state(peer.pid()) == Some('Z'));
    let ended = end(peer, &PATIENT);
    assert_eq!((ended.rung, ended.exit), (Rung::AlreadyExited, Some(Exit::Code(3))));
}

#[test]
fn a_signal_is_noticed() {
    let peer = spawn(&shell("kill -SEGV $$"));
    let exit = until_exit(&peer);
    assert!(matches!(exit, Exit::Signal { number: 11, name: "SIGSEGV", .. }), "{exit:?}");
}

#[test]
fn a_signal_of_ours_arrives() {
    let peer = spawn(&shell("trap 'exit 9' HUP; echo up; while :; do read line; done"));
    read_until(&peer, "up\n");
    assert!(peer.signal(Signal::Hup));
    peer.write(b"\n".to_vec());
    assert_eq!(until_exit(&peer), Exit::Code(9));
}

#[test]
fn who_ignores_the_end_of_stdin_is_terminated() {
    let peer = spawn(&shell("exec tail -f /dev/null"));
    let ended = end(peer, &hasty());
    assert_eq!((ended.rung, killed_by(ended.exit)), (Rung::Terminated, Some("SIGTERM")));
    assert!(ended.elapsed >= Duration::from_millis(50));
}

#[test]
fn who_ignores_sigterm_is_killed() {
    let peer = spawn(&shell("trap '' TERM; echo up; while :; do sleep 1000; done"));
    read_until(&peer, "up\n");
    let ended = end(peer, &hastier());
    assert_eq!((ended.rung, killed_by(ended.exit)), (Rung::Killed, Some("SIGKILL")));
    // Its child was killed with it, which is no leak.
    assert_eq!((ended.leaked, ended.stdout_held), (vec![], false));
}

#[test]
fn a_stopped_peer_is_ended() {
    let peer = spawn(&words(["cat"]));
    assert!(peer.signal(Signal::Stop));
    eventually("it is stopped", || state(peer.pid()) == Some('T'));
    let ended = end(peer, &hasty());
    assert_eq!((ended.rung, killed_by(ended.exit)), (Rung::Terminated, Some("SIGTERM")));

    let peer = spawn(&shell("trap '' TERM CONT; echo up; kill -STOP $$; while :; do kill -STOP $$; done"));
    read_until(&peer, "up\n");
    assert_eq!(end(peer, &hastier()).rung, Rung::Killed);
}

#[test]
fn stdout_on_the_way_out_is_handed_on() {
    let peer = spawn(&shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 1000 & wait; done"));
    read_until(&peer, "up\n");
    let mut text = Vec::new();
    let ended = peer.end(&hasty(), &mut |event| {
        if let PeerEvent::Stdout(bytes) = event {
            text.extend(bytes);
        }
    });
    assert_eq!((ended.rung, ended.exit), (Rung::Terminated, Some(Exit::Code(0))));
    assert_eq!(text, b"bye\n");
}

#[test]
fn a_dropped_peer_is_gone() {
    let peer = spawn(&shell("trap '' TERM; sleep 1000 & echo $!; wait; wait"));
    let child = read_pid(&peer);
    let leader = peer.pid();
    assert!(alive(child));
    drop(peer);
    assert_eq!(state(leader), None);
    eventually("the child is gone", || !alive(child));
}
