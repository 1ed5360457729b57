//! Processes that are left behind.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use clap::Args;

use super::Behaviour::{End, Start};
use super::ends;
use super::streams::{print, say};
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::behaviour(
        "grandchild-holds-stdout",
        "leaves a child that holds stdout and stderr open when it exits",
        &[Start(|| leave(&[], Streams::Kept))],
    ),
    Fault::behaviour(
        "grandchild-ignores-term",
        "leaves a child that holds stdout open and ignores SIGTERM",
        &[Start(|| leave(&["--ignore-term"], Streams::Kept))],
    ),
    Fault::behaviour(
        "daemon-setsid",
        "leaves a daemon in a session of its own, with no stream of ours",
        &[Start(|| leave(&["--session"], Streams::Closed))],
    ),
    Fault::behaviour(
        "daemon-clean-env",
        "leaves a daemon whose environment is empty and whose program is another",
        &[Start(|| leave(&["--session", "--other"], Streams::Closed))],
    ),
    Fault::behaviour(
        "daemon-noisy",
        "leaves a child that writes text to stdout after the server has exited",
        &[End(|| leave(&["--talk"], Streams::Kept))],
    ),
];

/// How long a process that is left behind lives.
const LIFE: Duration = Duration::from_secs(60);

/// What a process does that was left behind.
#[derive(Debug, Args)]
pub(crate) struct Lingering {
    /// Ignore SIGTERM
    #[arg(long)]
    ignore_term: bool,

    /// Leave the session
    #[arg(long)]
    session: bool,

    /// Write to stdout
    #[arg(long)]
    talk: bool,

    /// Become another program
    #[arg(long)]
    other: bool,
}

/// Whether a process has our streams.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Streams {
    Kept,
    Closed,
}

/// Starts this program once more, as one that lingers.
fn leave(flags: &[&str], streams: Streams) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    // Another program may have this server as one of its commands.
    command.args(std::env::args_os().nth(1).filter(|word| word == "reference-server"));
    command.arg("linger").args(flags).stdin(Stdio::null());
    if streams == Streams::Closed {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    if let Err(error) = command.spawn() {
        say(&format!("mcp-reference-server: no child could be started: {error}"));
    }
}

/// Lives on for a while.
pub(crate) fn linger(how: &Lingering) -> ExitCode {
    if how.ignore_term {
        ends::ignore_sigterm();
    }
    if how.session {
        // It fails where the process leads a group, and this one is a mere child.
        let _ = rustix::process::setsid();
    }
    if how.talk {
        print(b"still here\n");
    }
    if how.other {
        let error: io::Error = Command::new("sleep").arg(LIFE.as_secs().to_string()).env_clear().exec();
        say(&error.to_string());
    }
    thread::sleep(LIFE);
    ExitCode::SUCCESS
}
