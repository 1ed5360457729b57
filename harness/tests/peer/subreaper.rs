//! With every orphan below us as our child, as the binary runs. Each test needs a process of its own, because this
//! changes the whole process and because what is nobody's is judged by who else lives.

use mcp_plumb::peer::{Exit, Limits, Peer, Rung, SpawnError, become_subreaper, kill_all};

use crate::support::*;

/// A daemon that keeps nothing: neither session nor parent nor environment nor pipes. It tells its number first.
const STRAY: &str = "(env -i setsid sh -c 'echo $$; exec sleep 1000 </dev/null >/dev/null 2>&1' &)";

/// Our children that no test expects.
fn children() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Waits until the daemon has become a `sleep`, and with that has let go of everything.
fn until_asleep(pid: u32) {
    eventually("the daemon sleeps", || std::fs::read(format!("/proc/{pid}/comm")).is_ok_and(|name| name == b"sleep\n"));
}

#[test]
fn a_daemon_without_an_environment_is_found_by_its_descent() {
    in_a_process_of_its_own("subreaper::alone_descent");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_descent() {
    assert!(become_subreaper());
    let other = spawn(&words(["cat"]));
    let script = "env -i setsid sh -c 'echo $$; exec sleep 1000 </dev/null >/dev/null 2>&1' & cat >/dev/null";
    let peer = spawn(&shell(script));
    let daemon = read_pid(&peer);
    until_asleep(daemon);
    let ended = end(peer, &PATIENT);
    assert_eq!((ended.rung, ended.stdout_held), (Rung::StdinClosed, false));
    let [leaked] = ended.leaked.as_slice() else { panic!("{:?}", ended.leaked) };
    assert_eq!((leaked.pid, leaked.name.as_str(), leaked.setsid), (daemon, "sleep", true));
    assert!(!alive(daemon));
    assert_eq!(children(), [other.pid().to_string()]);
}

#[test]
fn a_stray_is_blamed_on_the_only_peer() {
    in_a_process_of_its_own("subreaper::alone_stray");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_stray() {
    assert!(become_subreaper());
    let peer = spawn(&shell(&format!("{STRAY}; cat >/dev/null")));
    let daemon = read_pid(&peer);
    until_asleep(daemon);
    let ended = end(peer, &PATIENT);
    let [leaked] = ended.leaked.as_slice() else { panic!("{:?}", ended.leaked) };
    assert_eq!((leaked.pid, leaked.setsid), (daemon, true));
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn a_stray_of_one_of_two_peers_is_killed_with_the_last_and_blamed_on_neither() {
    in_a_process_of_its_own("subreaper::alone_stray_of_two");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_stray_of_two() {
    assert!(become_subreaper());
    let first = spawn(&shell(&format!("{STRAY}; cat >/dev/null")));
    let daemon = read_pid(&first);
    until_asleep(daemon);
    let second = spawn(&words(["cat"]));
    assert_eq!(end(first, &PATIENT).leaked, []);
    assert!(alive(daemon));
    assert_eq!(end(second, &PATIENT).leaked, []);
    assert!(!alive(daemon));
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn orphans_that_end_by_themselves_are_reaped_and_no_leak() {
    in_a_process_of_its_own("subreaper::alone_orphans");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_orphans() {
    assert!(become_subreaper());
    let peer = spawn(&shell("for i in 1 2 3; do (sh -c 'sh -c :; echo over' &); done; cat >/dev/null"));
    assert_eq!(read_until(&peer, "over\nover\nover\n").len(), 15);
    assert_eq!(end(peer, &PATIENT).leaked, []);
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn a_watchdog_that_restarts_what_is_killed_is_swept() {
    in_a_process_of_its_own("subreaper::alone_watchdog");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_watchdog() {
    assert!(become_subreaper());
    let watchdog = "trap '' TERM HUP; echo up; while :; do setsid -w sleep 1000; done";
    let peer = spawn(&shell(&format!("setsid sh -c \"{watchdog}\" & cat >/dev/null")));
    read_until(&peer, "up\n");
    let ended = end(peer, &PATIENT);
    assert!(ended.leaked.iter().all(|leaked| leaked.setsid), "{:?}", ended.leaked);
    assert!(!ended.leaked.is_empty());
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn everything_can_be_killed_at_once() {
    in_a_process_of_its_own("subreaper::alone_kill_all");
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_kill_all() {
    assert!(become_subreaper());
    let first = spawn(&shell(&format!("trap '' TERM; {STRAY}; while :; do sleep 1000; done")));
    let daemon = read_pid(&first);
    until_asleep(daemon);
    let second = spawn(&words(["cat"]));
    kill_all();
    assert!(!alive(first.pid()) && !alive(second.pid()) && !alive(daemon));

    let refused = Peer::spawn(&words(["cat"]), &Limits::default(), None).unwrap_err();
    assert!(matches!(refused, SpawnError::Stopping { .. }), "{refused}");
    for peer in [first, second] {
        assert!(matches!(until_exit(&peer), Exit::Signal { name: "SIGKILL", .. }));
        assert_eq!(end(peer, &PATIENT).rung, Rung::AlreadyExited);
    }
    assert_eq!(children(), Vec::<String>::new());
}

#[test]
fn a_peer_dies_with_us() {
    let me = std::env::current_exe().unwrap();
    let run = std::process::Command::new(me)
        .args(["--exact", "--ignored", "--nocapture", "subreaper::alone_killed"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let peer: u32 = text.lines().find_map(|line| line.strip_prefix("peer ")).unwrap().parse().unwrap();
    assert!(!run.status.success());
    eventually("the peer is gone", || !alive(peer));
}

#[test]
#[ignore = "run in a process of its own"]
fn alone_killed() {
    let peer = spawn(&shell("exec tail -f /dev/null"));
    println!("\npeer {}", peer.pid());
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
}
