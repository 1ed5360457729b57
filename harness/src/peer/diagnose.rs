//! Why a program could not be started: the system's few error numbers, told apart by looking at the files.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::Pid;

use super::launch::{Launch, SpawnError, has_slash};
#[cfg(target_os = "linux")]
use super::unix::{self, Life};
#[cfg(target_os = "linux")]
use super::{Exit, proc};

/// Where the C library looks when there is no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The name of the program for a message.
pub(super) fn program(launch: &Launch) -> String {
    launch.command.first().map_or_else(String::new, |program| program.to_string_lossy().into_owned())
}

/// Turns the error of a failed start into a reason.
pub(super) fn explain(launch: &Launch, error: io::Error) -> SpawnError {
    let name = program(launch);
    let file = launch.command.first().and_then(|program| locate(launch, program));
    let path = file.as_ref().map_or_else(|| name.clone(), |file| file.display().to_string());
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT) => missing(launch, file.as_deref(), name),
        Some(Errno::ACCESS) if file.as_deref().is_some_and(Path::is_dir) => SpawnError::IsDirectory { program: path },
        Some(Errno::ACCESS) => SpawnError::NotExecutable { program: path },
        Some(Errno::NOEXEC) => SpawnError::ExecFormat { program: path },
        Some(Errno::AGAIN) => SpawnError::TooManyProcesses { program: name },
        _ => SpawnError::Other { program: name, source: error },
    }
}

fn missing(launch: &Launch, file: Option<&Path>, name: String) -> SpawnError {
    let Some(file) = file else {
        if has_slash(OsStr::new(&name)) {
            let tried = base(launch).map_or_else(|| PathBuf::from(&name), |base| base.join(&name));
            return SpawnError::NoSuchFile { program: tried.display().to_string() };
        }
        return SpawnError::NotFound { program: name, path: search_path(launch).to_string_lossy().into_owned() };
    };
    let program = file.display().to_string();
    match interpreter(file) {
        Some(interpreter) => SpawnError::InterpreterMissing { program, interpreter },
        None => SpawnError::LoaderMissing { program },
    }
}

/// The file that was meant: the path itself, or the first hit in the PATH, one that can be executed if there is any.
fn locate(launch: &Launch, program: &OsStr) -> Option<PathBuf> {
    if has_slash(program) {
        let file = base(launch)?.join(program);
        return file.exists().then_some(file);
    }
    let path = search_path(launch);
    let hits: Vec<_> = env::split_paths(&path).map(|dir| dir.join(program)).filter(|file| file.exists()).collect();
    let runs = |file: &&PathBuf| file.is_file() && rustix::fs::access(*file, rustix::fs::Access::EXEC_OK).is_ok();
    let best = hits.iter().find(runs).or_else(|| hits.iter().find(|file| file.is_file()));
    best.or(hits.first()).cloned()
}

/// What a relative path of a program starts from: the directory that the peer starts in.
fn base(launch: &Launch) -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    Some(launch.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd)))
}

/// The PATH that the peer gets.
fn search_path(launch: &Launch) -> OsString {
    let given = launch.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let inherited = || env::var_os("PATH").filter(|_| !launch.clear_env);
    given.or_else(inherited).unwrap_or_else(|| DEFAULT_PATH.into())
}

/// What the first line of a script asks for.
fn interpreter(file: &Path) -> Option<String> {
    let head = head(file)?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let line = line.trim_start_matches([' ', '\t']);
    line.split([' ', '\t']).next().map(str::to_owned)
}

/// The reason why a peer that seems to run is none: its file is no text, and yet a shell was given it as a script.
#[cfg(target_os = "linux")]
pub(super) fn impostor(launch: &Launch, leader: Pid) -> Option<SpawnError> {
    let program = launch.command.first()?;
    let file = locate(launch, program)?;
    let head = head(&file)?;
    if head.starts_with(b"#!") || !head.contains(&0) {
        return None;
    }
    let exit = match unix::peek(leader) {
        Life::Ended(Exit::Code(code)) => Some(code),
        _ => None,
    };
    proc::shell_took_over(leader.as_raw_pid(), program.as_encoded_bytes(), exit)
        .then(|| SpawnError::ExecFormat { program: file.display().to_string() })
}

/// Nothing tells on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn impostor(_launch: &Launch, _leader: Pid) -> Option<SpawnError> {
    None
}

fn head(file: &Path) -> Option<Vec<u8>> {
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    let mut head = Vec::new();
    File::open(file).ok()?.take(512).read_to_end(&mut head).ok()?;
    Some(head)
}
