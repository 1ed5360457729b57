//! The system calls that every Unix has: signals, waiting, and what a child does before it becomes the peer.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};

use super::Exit;

/// A signal that can be sent to a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
    /// SIGKILL.
    Kill,
    /// SIGHUP.
    Hup,
    /// SIGSTOP.
    Stop,
    /// SIGCONT.
    Cont,
}

impl From<Signal> for rustix::process::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Term => Self::TERM,
            Signal::Int => Self::INT,
            Signal::Kill => Self::KILL,
            Signal::Hup => Self::HUP,
            Signal::Stop => Self::STOP,
            Signal::Cont => Self::CONT,
        }
    }
}

/// Sets what the child does between fork and exec.
///
/// A disposition of "ignore" survives exec: a harness started with `nohup` or from a background shell would hand its
/// ignored SIGINT to every peer. So would a blocked signal mask. Both are put back to what a program may expect.
pub(super) fn prepare(command: &mut Command) {
    #[cfg(target_os = "linux")]
    let parent = rustix::process::getpid();
    let before_exec = move || {
        #[expect(
            unsafe_code,
            reason = "no safe wrapper resets dispositions or the mask; all of it is async-signal-safe"
        )]
        // SAFETY: these calls take plain numbers and a set that `sigemptyset` initialises, and set no handler.
        unsafe {
            for number in 1..=31 {
                if number != libc::SIGKILL && number != libc::SIGSTOP {
                    libc::signal(number, libc::SIG_DFL);
                }
            }
            let mut none = std::mem::MaybeUninit::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        }
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // If we died before the line above, no signal will come.
            if rustix::process::getppid() != Some(parent) {
                return Err(Errno::SRCH.into());
            }
        }
        Ok(())
    };
    #[expect(unsafe_code, reason = "the way to run code in the child before exec")]
    // SAFETY: the closure neither allocates nor locks; it only makes async-signal-safe system calls.
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// What is known of a child without reaping it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// It has not ended.
    Running,
    /// It has ended and still holds its number.
    Ended(Exit),
    /// It is not our child any more.
    Unknown,
}

/// Waits until a child has ended, and leaves it unreaped.
pub(super) fn await_exit(pid: Pid) -> Life {
    look(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
}

/// Whether a child has ended. Leaves it unreaped.
pub(super) fn peek(pid: Pid) -> Life {
    look(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG)
}

fn look(pid: Pid, options: WaitIdOptions) -> Life {
    match rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), options)) {
        Ok(Some(status)) => exit_of(&status).map_or(Life::Running, Life::Ended),
        Ok(None) => Life::Running,
        Err(_) => Life::Unknown,
    }
}

fn exit_of(status: &WaitIdStatus) -> Option<Exit> {
    if let Some(code) = status.exit_status() {
        return Some(Exit::Code(code));
    }
    let number = status.terminating_signal()?;
    Some(Exit::Signal { number, name: signal_name(number), core: status.dumped() })
}

/// Sends a signal to a process. The number must be known to be still the one that is meant.
pub(super) fn signal_process(pid: Pid, signal: Signal) -> bool {
    rustix::process::kill_process(pid, signal.into()).is_ok()
}

/// Sends a signal to the group that `leader` was started in, and to the leader if it has moved to another group.
///
/// The leader must not be reaped yet: as long as it is a zombie, both numbers are still its own.
pub(super) fn signal_group(leader: Pid, signal: Signal) {
    // A failure means that nobody is left in the group, which is what we want.
    let _ = rustix::process::kill_process_group(leader, signal.into());
    if rustix::process::getpgid(Some(leader)).is_ok_and(|group| group != leader) {
        signal_process(leader, signal);
    }
}

/// What a wait on two descriptors found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Woken {
    /// The first can be read or written, or is at its end.
    pub(super) ready: bool,
    /// The line has a nudge in it.
    pub(super) nudged: bool,
    /// The other end of the line is gone.
    pub(super) cut: bool,
}

/// Waits until `fd` is ready as asked, or until something happens on `line`.
///
/// `nudges` is `IN` for who answers to nudges and empty for who does not; the end of the line is always reported.
pub(super) fn wait_ready(fd: Option<(BorrowedFd<'_>, PollFlags)>, line: impl AsFd, nudges: PollFlags) -> Woken {
    let mut fds = vec![PollFd::new(&line, nudges)];
    fds.extend(fd.map(|(fd, events)| PollFd::from_borrowed_fd(fd, events)));
    loop {
        match poll(&mut fds, None) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            // Out of memory in the kernel: treat as the end, the owner notices by its deadline.
            Err(_) => {
                return Woken { ready: false, nudged: false, cut: true };
            }
            Ok(_) => break,
        }
    }
    let line = fds.first().map_or(PollFlags::empty(), PollFd::revents);
    let ready = fds.get(1).map_or(PollFlags::empty(), PollFd::revents);
    Woken {
        ready: !ready.is_empty(),
        nudged: line.contains(PollFlags::IN),
        cut: line.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
    }
}

/// The error kind of a failed call.
pub(super) fn kind(errno: Errno) -> io::ErrorKind {
    io::Error::from(errno).kind()
}

/// The name of a signal; the numbers differ between systems, the names do not.
fn signal_name(number: i32) -> &'static str {
    match number {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGVTALRM => "SIGVTALRM",
        libc::SIGPROF => "SIGPROF",
        libc::SIGSYS => "SIGSYS",
        libc::SIGIO => "SIGIO",
        _ => "an unnamed signal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_usual_names() {
        assert_eq!(signal_name(9), "SIGKILL");
        assert_eq!(signal_name(15), "SIGTERM");
        assert_eq!(signal_name(60), "an unnamed signal");
    }
}
