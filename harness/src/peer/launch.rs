//! What to start and how, and the reasons for which a start fails.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

use super::private::PrivateDirs;
use super::unix;

/// The environment variable that marks a peer and everything it starts.
pub(super) const MARKER: &str = "MCP_PLUMB_PEER";

/// A command and the surroundings to run it in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments. The program is looked up in the PATH that the peer gets, unless it has a slash.
    pub command: Vec<OsString>,
    /// Variables to set, after everything else.
    pub env: Vec<(OsString, OsString)>,
    /// Start from an empty environment.
    pub clear_env: bool,
    /// The working directory; without one, ours.
    pub cwd: Option<PathBuf>,
    /// Give the peer a home and temporary directories of its own, removed with it. Its working directory is among
    /// them if `cwd` names none.
    pub private_dirs: bool,
}

/// Why a peer could not be started. Each message is one sentence without a full stop.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The command has no words.
    #[error("no command was given")]
    NoCommand,
    /// A name without a slash is in no directory of the PATH.
    #[error("`{program}` was not found in PATH ({path})")]
    NotFound {
        /// The name that was looked up.
        program: String,
        /// Where it was looked up.
        path: String,
    },
    /// The path of the program leads nowhere.
    #[error("there is no file `{program}`")]
    NoSuchFile {
        /// The path, made absolute where that helps.
        program: String,
    },
    /// The program is a script, and what its first line asks for does not exist.
    #[error("`{program}` asks for the interpreter {interpreter:?}, which does not exist")]
    InterpreterMissing {
        /// The script.
        program: String,
        /// The interpreter as the script spells it, a stray carriage return included.
        interpreter: String,
    },
    /// The program exists, but the loader that it was linked for does not.
    #[error("`{program}` needs a program loader that is not on this system (was it built for another libc?)")]
    LoaderMissing {
        /// The program.
        program: String,
    },
    /// The file may not be executed.
    #[error("`{program}` is not executable")]
    NotExecutable {
        /// The file.
        program: String,
    },
    /// The program is a directory.
    #[error("`{program}` is a directory")]
    IsDirectory {
        /// The directory.
        program: String,
    },
    /// The working directory can't be entered.
    #[error("the working directory `{path}` can't be entered: {source}")]
    Cwd {
        /// The directory.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no program for this system.
    #[error("`{program}` is not a program that this system can run")]
    ExecFormat {
        /// The file.
        program: String,
    },
    /// The system has no room for another process or thread.
    #[error("`{program}` could not be started: too many processes or threads")]
    TooManyProcesses {
        /// The program.
        program: String,
    },
    /// The private directories could not be made.
    #[error("no private directory could be made: {source}")]
    PrivateDirs {
        /// What the system says.
        source: io::Error,
    },
    /// Everything is being stopped, and nothing new is started.
    #[error("`{program}` was not started, because the run is being stopped")]
    Stopping {
        /// The program.
        program: String,
    },
    /// Something else.
    #[error("`{program}` could not be started: {source}")]
    Other {
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Everything needed to start a peer, made from a [`Launch`].
pub(super) struct Prepared {
    /// Ready to spawn.
    pub(super) command: Command,
    /// Lives as long as the peer.
    pub(super) dirs: Option<PrivateDirs>,
}

/// Makes the command. `marker` is the value of the peer's marker.
pub(super) fn prepare(launch: &Launch, marker: &str) -> Result<Prepared, SpawnError> {
    let (program, args) = launch.command.split_first().ok_or(SpawnError::NoCommand)?;
    let dirs = if launch.private_dirs {
        Some(PrivateDirs::new().map_err(|source| SpawnError::PrivateDirs { source })?)
    } else {
        None
    };

    let moved = launch.cwd.is_none() && dirs.is_some();
    let mut command = Command::new(if moved { fixed(program) } else { program.clone() });
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    std::os::unix::process::CommandExt::arg0(&mut command, program);
    if launch.clear_env {
        command.env_clear();
    }
    if let Some(dirs) = &dirs {
        command.envs(dirs.vars());
        command.current_dir(dirs.work());
    }
    if let Some(cwd) = &launch.cwd {
        enterable(cwd)?;
        command.current_dir(cwd);
    }
    command.envs(launch.env.iter().map(|(name, value)| (name, value)));
    command.env(MARKER, marker);
    unix::prepare(&mut command);
    Ok(Prepared { command, dirs })
}

/// A relative path with a slash would not survive the move to a private working directory.
fn fixed(program: &OsStr) -> OsString {
    if !has_slash(program) {
        return program.to_owned();
    }
    std::path::absolute(program).map_or_else(|_| program.to_owned(), PathBuf::into_os_string)
}

/// Whether a program is named by a path and not looked up.
pub(super) fn has_slash(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

fn enterable(cwd: &Path) -> Result<(), SpawnError> {
    let check = std::fs::metadata(cwd).and_then(|metadata| {
        if metadata.is_dir() {
            Ok(rustix::fs::access(cwd, rustix::fs::Access::EXEC_OK)?)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    });
    check.map_err(|source| SpawnError::Cwd { path: cwd.display().to_string(), source })
}
