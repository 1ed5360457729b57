//! Starting a peer: its surroundings, and every way to fail.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use mcp_plumb::peer::{Launch, Limits, Peer, SpawnError};
use tempfile::TempDir;

use crate::support::*;

/// Runs a shell script in a new directory. Files that are to be executed are not written by this process: a fork
/// elsewhere in it might inherit the open file and make it busy.
fn dir_with(script: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    assert!(Command::new("sh").args(["-c", script]).current_dir(&dir).status().unwrap().success());
    dir
}

fn refused(launch: &Launch) -> SpawnError {
    Peer::spawn(launch, &Limits::default(), None).expect_err("it should not start")
}

fn refused_in(dir: &Path, program: &str) -> SpawnError {
    refused(&words([dir.join(program)]))
}

fn output(launch: &Launch) -> String {
    let peer = spawn(launch);
    peer.close_stdin();
    let mut text = Vec::new();
    peer.end(&PATIENT, &mut |event| {
        if let mcp_plumb::peer::PeerEvent::Stdout(bytes) = event {
            text.extend(bytes);
        }
    });
    String::from_utf8(text).unwrap()
}

#[test]
fn a_command_needs_a_word() {
    assert!(matches!(refused(&Launch::default()), SpawnError::NoCommand));
}

#[test]
fn a_missing_program_says_where_it_was_looked_up() {
    let mut launch = words(["no-such-server"]);
    launch.env = vec![("PATH".into(), "/nowhere:/else".into())];
    let error = refused(&launch);
    assert_eq!(error.to_string(), "`no-such-server` was not found in PATH (/nowhere:/else)");

    launch.env.clear();
    launch.clear_env = true;
    assert_eq!(refused(&launch).to_string(), "`no-such-server` was not found in PATH (/bin:/usr/bin)");
}

#[test]
fn a_missing_file_is_named_with_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let mut launch = words(["./server"]);
    launch.cwd = Some(dir.path().to_owned());
    let error = refused(&launch);
    assert!(matches!(&error, SpawnError::NoSuchFile { program } if program.starts_with('/')), "{error}");
}

#[test]
fn a_missing_interpreter_is_named_as_the_script_spells_it() {
    let dir = dir_with(r"printf '#!/no/such/python -u\n' >a; printf '#!/bin/sh\r\necho hi\r\n' >b; chmod +x a b");
    let error = refused_in(dir.path(), "a");
    assert!(matches!(&error, SpawnError::InterpreterMissing { interpreter, .. } if interpreter == "/no/such/python"));
    let error = refused_in(dir.path(), "b");
    assert!(error.to_string().contains(r#"the interpreter "/bin/sh\r""#), "{error}");
}

#[test]
fn a_file_without_the_permission_is_not_executable() {
    let dir = dir_with("echo hi >plain; mkdir folder");
    let error = refused_in(dir.path(), "plain");
    assert!(matches!(error, SpawnError::NotExecutable { .. }), "{error}");
    let error = refused_in(dir.path(), "folder");
    assert!(matches!(error, SpawnError::IsDirectory { .. }), "{error}");

    let mut launch = words(["plain"]);
    launch.env = vec![("PATH".into(), dir.path().into())];
    let error = refused(&launch);
    assert!(matches!(&error, SpawnError::NotExecutable { program } if program.ends_with("/plain")), "{error}");
}

#[test]
fn a_binary_for_another_system_is_no_program() {
    let dir = dir_with(r"printf '\177ELF\002\001\001\000junk\000junk' >alien; chmod +x alien");
    let error = refused_in(dir.path(), "alien");
    assert!(matches!(error, SpawnError::ExecFormat { .. }), "{error}");
}

#[test]
fn a_script_without_a_first_line_still_runs() {
    let dir = dir_with("echo 'echo plain' >script; chmod +x script");
    assert_eq!(output(&words([dir.path().join("script")])), "plain\n");
}

#[test]
fn a_working_directory_must_be_one() {
    let dir = dir_with("echo hi >plain");
    for (cwd, reason) in [("missing", "No such file"), ("plain", "not a directory")] {
        let mut launch = words(["cat"]);
        launch.cwd = Some(dir.path().join(cwd));
        let error = refused(&launch);
        assert!(matches!(error, SpawnError::Cwd { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn arguments_and_variables_arrive_as_given() {
    let mut launch = shell(r#"printf '%s|%s|%s' "$0" "$A" "$HOME""#);
    launch.command.push("a b".into());
    launch.env = vec![("A".into(), "x y".into())];
    launch.clear_env = true;
    assert_eq!(output(&launch), "a b|x y|");
}

#[test]
fn private_directories_are_made_and_removed() {
    let mut launch = shell(
        r#"for d in "$HOME" "$TMPDIR" "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME" \
           "$XDG_RUNTIME_DIR" "$PWD"; do touch "$d/file" && echo "$d"; done"#,
    );
    launch.private_dirs = true;
    let listed = output(&launch);
    assert_eq!(listed.lines().count(), 8, "{listed}");
    let other = output(&launch);
    for (one, two) in listed.lines().zip(other.lines()) {
        assert_ne!(one, two);
        assert!(!Path::new(one).exists());
    }
}

#[test]
fn a_named_directory_beats_the_private_one_and_so_do_variables() {
    let dir = tempfile::tempdir().unwrap();
    let mut launch = shell(r#"pwd -P; echo "$HOME""#);
    launch.private_dirs = true;
    launch.cwd = Some(dir.path().to_owned());
    launch.env = vec![("HOME".into(), "/mine".into())];
    let here = dir.path().canonicalize().unwrap();
    assert_eq!(output(&launch), format!("{}\n/mine\n", here.display()));
}

#[test]
fn a_relative_program_survives_the_move_to_a_private_directory() {
    // Tests run in the package's directory.
    let program = OsString::from("../harness/../../../../../../../../../../bin/pwd");
    let mut launch = words([program]);
    launch.private_dirs = true;
    assert!(output(&launch).trim().ends_with("/work"));
}

#[test]
fn a_peer_outlives_the_thread_that_asked_for_it() {
    let peer = std::thread::spawn(|| spawn(&words(["cat"]))).join().unwrap();
    peer.write(b"alive\n".to_vec());
    assert_eq!(read_until(&peer, "\n"), "alive\n");
}

#[test]
fn nothing_ignored_and_nothing_blocked_is_handed_down() {
    // A harness that was started with signals ignored: a shell ignores them, and the harness inherits that. The
    // harness is this very test binary, which runs the test below.
    let me = std::env::current_exe().unwrap();
    let script =
        r#"trap '' INT HUP QUIT TERM USR1; exec "$0" --exact --ignored starting::prints_its_masks --nocapture"#;
    let run = Command::new("sh").args(["-c", script]).arg(me).output().unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{text}");
    // The C library lets nobody touch the signals above 31 that it uses itself.
    let masks = |who: &str| -> Vec<u64> {
        let lines = text.lines().filter_map(|line| line.split_once(who));
        lines.map(|(_, mask)| u64::from_str_radix(mask.trim(), 16).unwrap() & 0x7fff_ffff).collect()
    };
    assert!(masks("ours SigIgn:").iter().all(|mask| *mask != 0), "{text}");
    assert_eq!(masks("peer SigBlk:"), [0], "{text}");
    assert_eq!(masks("peer SigIgn:"), [0], "{text}");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn prints_its_masks() {
    let show = |who: &str, status: &str| {
        for line in status.lines().filter(|line| line.starts_with("SigBlk:") || line.starts_with("SigIgn:")) {
            println!("\n{who} {line}");
        }
    };
    show("ours", &std::fs::read_to_string("/proc/self/status").unwrap());
    show("peer", &output(&words(["cat", "/proc/self/status"])));
}
