//! What a peer leaves behind, and what we leave behind ourselves.

use mcp_plumb::peer::{Launch, Rung};

use crate::ending::hasty;
use crate::support::*;

#[test]
fn a_grandchild_that_holds_stdout_is_a_leak() {
    let peer = spawn(&shell("sleep 1000 & echo $!; exit 0"));
    let child = read_pid(&peer);
    eventually("the leader is a zombie", || state(peer.pid()) == Some('Z'));
    assert!(alive(child));
    let ended = end(peer, &PATIENT);
    assert_eq!(ended.rung, Rung::AlreadyExited);
    assert!(ended.stdout_held);
    let [leaked] = ended.leaked.as_slice() else { panic!("{:?}", ended.leaked) };
    assert_eq!((leaked.pid, leaked.name.as_str(), leaked.setsid), (child, "sleep", false));
    eventually("the child is gone", || !alive(child));
}

#[test]
fn a_child_that_follows_soon_is_no_leak() {
    // The child ends when its stdin does, as the leader does, but later.
    let peer = spawn(&shell("(cat; cat /dev/null; echo over) <&0 & cat >/dev/null"));
    let ended = end(peer, &PATIENT);
    assert_eq!((ended.leaked, ended.stdout_held), (vec![], false));
}

#[test]
fn a_daemon_with_a_session_of_its_own_is_found_by_its_marker() {
    let script = "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' & cat >/dev/null";
    let peer = spawn(&shell(script));
    let daemon = read_pid(&peer);
    eventually("it sleeps", || std::fs::read(format!("/proc/{daemon}/comm")).is_ok_and(|name| name == b"sleep\n"));
    let ended = end(peer, &PATIENT);
    assert_eq!(ended.rung, Rung::StdinClosed);
    let [leaked] = ended.leaked.as_slice() else { panic!("{:?}", ended.leaked) };
    assert_eq!((leaked.pid, leaked.name.as_str(), leaked.setsid), (daemon, "sleep", true));
    eventually("the daemon is gone", || !alive(daemon));
}

#[test]
fn a_daemon_of_a_killed_peer_is_a_leak_too() {
    let script = "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$; exec sleep 1000' & wait; wait; sleep 1000";
    let peer = spawn(&shell(script));
    let daemon = read_pid(&peer);
    let patience = mcp_plumb::peer::Patience { term: std::time::Duration::from_millis(50), ..hasty() };
    let ended = end(peer, &patience);
    assert_eq!(ended.rung, Rung::Killed);
    assert!(ended.leaked.iter().any(|leaked| leaked.pid == daemon && leaked.setsid), "{:?}", ended.leaked);
    eventually("the daemon is gone", || !alive(daemon));
}

#[test]
fn two_hundred_sessions_leave_nothing_open() {
    // Other tests of this binary run beside this one and open files too, so it counts in a process of its own.
    in_a_process_of_its_own("leaks::counts_what_two_hundred_sessions_leave");
}

#[test]
#[ignore = "run in a process of its own"]
fn counts_what_two_hundred_sessions_leave() {
    let count = |what: &str| std::fs::read_dir(format!("/proc/self/{what}")).unwrap().count();
    let session = |launch: &Launch| {
        let peer = spawn(launch);
        peer.write(b"hello\n".to_vec());
        read_until(&peer, "\n");
        assert!(end(peer, &PATIENT).leaked.is_empty());
    };
    // The first session starts what stays: the spawning thread, and the pipe behind the signal handler.
    let launch = words(["cat"]);
    session(&launch);
    eventually("the threads of the first session are gone", || count("task") <= 3);
    let (fds, tasks) = (count("fd"), count("task"));
    for _ in 0..200 {
        session(&launch);
    }
    eventually("no descriptor is left", || count("fd") <= fds);
    eventually("no thread is left", || count("task") <= tasks);
}
