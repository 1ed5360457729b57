//! The layer of behaviour: how the process starts and ends, and what it leaves behind.

mod children;
mod ends;
mod streams;

use std::time::Duration;

use super::table::Fault;

pub(crate) use children::{Lingering, linger};
pub(super) use streams::{flood, print, say};

/// The faults of this layer.
pub(super) static FAULTS: &[&[Fault]] = &[ends::FAULTS, streams::FAULTS, children::FAULTS];

/// What the process does.
pub(crate) enum Behaviour {
    /// This is done before anything is read.
    Start(fn()),
    /// This is done when input has ended, before the server learns of it. It is given an unfinished line.
    Eof(fn(&[u8])),
    /// This is done in the end, when everything is written.
    End(fn()),
    /// Each message leaves this much later.
    Late(Duration),
    /// Nothing is read while a request is not answered.
    Serial,
    /// Nothing is read while something is not written.
    Blocking,
}
