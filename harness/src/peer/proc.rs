//! Reading `/proc` on Linux. Every answer may be out of date when it arrives, and a process may be gone half-way.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use memchr::memmem;

/// What one line of `/proc/PID/stat` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stat {
    /// The name that the kernel keeps, at most 15 bytes.
    pub(super) name: String,
    state: u8,
    /// The parent.
    pub(super) parent: i32,
    /// The process group.
    pub(super) group: i32,
    /// The session.
    pub(super) session: i32,
    /// Processor time of the process and of the children it has waited for.
    pub(super) cpu: Duration,
    /// Start, in ticks since boot.
    pub(super) start: u64,
}

/// Ticks a second in `/proc`, a constant of the kernel's interface and not its real clock rate.
const USER_HZ: u64 = 100;

impl Stat {
    fn parse(line: &[u8]) -> Option<Self> {
        // The name stands in parentheses and may hold anything, parentheses and spaces included.
        let open = memchr::memchr(b'(', line)?;
        let close = memchr::memrchr(b')', line)?;
        let name = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let fields: Vec<&str> = std::str::from_utf8(line.get(close + 1..)?).ok()?.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<i64>().ok();
        let id = |index: usize| i32::try_from(number(index)?).ok();
        let ticks = (11..=14).filter_map(number).filter_map(|ticks| u64::try_from(ticks).ok()).sum::<u64>();
        Some(Self {
            name,
            state: *fields.first()?.as_bytes().first()?,
            parent: id(1)?,
            group: id(2)?,
            session: id(3)?,
            cpu: Duration::from_millis(ticks.saturating_mul(1000 / USER_HZ)),
            start: u64::try_from(number(19)?).ok()?,
        })
    }

    /// Whether the process has ended and only waits to be reaped.
    pub(super) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }
}

/// The state of a process.
pub(super) fn stat(pid: i32) -> Option<Stat> {
    Stat::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Whether the kernel was built to list children.
pub(super) fn lists_children() -> bool {
    Path::new("/proc/thread-self/children").exists()
}

/// The children of all threads of a process.
pub(super) fn children(pid: i32) -> Vec<i32> {
    let mut children = Vec::new();
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return children;
    };
    for task in tasks.flatten() {
        if let Ok(list) = fs::read_to_string(task.path().join("children")) {
            children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    children
}

/// All processes.
pub(super) fn all() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Whether the environment that a process was started with holds `text`.
pub(super) fn environ_holds(pid: i32, text: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| memmem::find(&environ, text.as_bytes()).is_some())
}

/// Whether a process has a descriptor of one of these pipes.
pub(super) fn holds_pipe(pid: i32, inodes: &[u64]) -> bool {
    let Ok(fds) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    let mut links = fds.flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
    links.any(|link| pipe_inode(link.as_os_str().as_bytes()).is_some_and(|inode| inodes.contains(&inode)))
}

fn pipe_inode(link: &[u8]) -> Option<u64> {
    let digits = link.strip_prefix(b"pipe:[")?.strip_suffix(b"]")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The file name of the program, as the process was called.
pub(super) fn name(pid: i32) -> Option<String> {
    let name = cmdline(pid)?.first().map(|program| file_name(program).to_vec())?;
    (!name.is_empty()).then(|| String::from_utf8_lossy(&name).into_owned())
}

/// Whether the shell runs `program` as a script, or did so and has given up.
///
/// `execvp` gives the shell whatever the kernel can't execute, so that a program for another system seems to start.
pub(super) fn shell_took_over(pid: i32, program: &[u8], exit: Option<i32>) -> bool {
    let Some(stat) = stat(pid) else { return false };
    if stat.name != "sh" || file_name(program) == b"sh" {
        return false;
    }
    if stat.is_dead() {
        // "Syntax error" and "cannot execute binary file".
        return matches!(exit, Some(2 | 126 | 127));
    }
    let words = cmdline(pid).unwrap_or_default();
    let script = words.get(1).is_some_and(|script| file_name(script) == file_name(program));
    script && words.first().is_some_and(|shell| shell == b"/bin/sh")
}

fn cmdline(pid: i32) -> Option<Vec<Vec<u8>>> {
    let cmdline = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    Some(cmdline.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line = b"71 (a) R 1 (b) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 0";
        let stat = Stat::parse(line).unwrap();
        assert_eq!(stat.name, "a) R 1 (b");
        assert_eq!((stat.parent, stat.group, stat.session, stat.start), (7, 8, 9, 4711));
        assert_eq!(stat.cpu, Duration::from_millis((5 + 6 + 7 + 8) * 10));
        assert!(!stat.is_dead());
    }

    #[test]
    fn a_cut_line_is_no_state() {
        assert_eq!(Stat::parse(b"71 (a) Z 1 2"), None);
        assert_eq!(Stat::parse(b"71 a"), None);
    }

    #[test]
    fn we_find_ourselves() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(all().contains(&me));
        assert_eq!(stat(me).map(|stat| stat.is_dead()), Some(false));
        assert!(name(me).is_some());
    }

    #[test]
    fn only_pipes_have_an_inode() {
        assert_eq!(pipe_inode(b"pipe:[42]"), Some(42));
        assert_eq!(pipe_inode(b"socket:[42]"), None);
        assert_eq!(pipe_inode(b"/dev/null"), None);
    }
}
