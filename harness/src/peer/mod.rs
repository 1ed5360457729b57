//! Processes and their pipes, and nothing else: what the bytes mean is decided elsewhere.
//!
//! A [`Peer`] is one running process with four threads around it: one writes its stdin, one reads its stdout,
//! one drains its stderr, one waits for its exit. What they see arrives in one queue, read with [`Peer::next`].
//! The caller never blocks on the peer: writing only queues, reading has a deadline, and [`Peer::end`] is bounded.
//!
//! Two promises shape the module. Nothing that a peer does may hang us, and nothing that it started may outlive it.
//! The second needs care, because a process can leave its group (`setsid`), its parent (a double fork) and its
//! environment (`env -i`). See [`become_subreaper`] for how far the promise goes with and without it.
//!
//! The one hidden state is the registry of live peers, needed to spawn, to sweep and for [`kill_all`].

mod deadline;
mod diagnose;
mod ending;
mod events;
mod launch;
mod outbox;
mod pipes;
mod private;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod registry;
mod spawner;
mod stderr;
mod sweep;
mod unix;

pub use deadline::Deadline;
pub use ending::{Ended, Patience, Rung};
pub use events::{Exit, PeerEvent};
pub use launch::{Launch, SpawnError};
pub use pipes::Tap;
pub use process::Peer;
pub use registry::kill_all;
pub use stderr::{Limits, Stderr};
pub use sweep::{Leaked, become_subreaper};
pub use unix::Signal;
