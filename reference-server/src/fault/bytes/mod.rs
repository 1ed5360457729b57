//! The layer of bytes: how lines are written, and how bytes are read.

mod encoding;
mod framing;
mod input;
mod noise;
mod reading;

use super::table::Fault;

pub(super) use input::{Arrival, Input};

/// The faults of this layer.
pub(super) static FAULTS: &[&[Fault]] = &[noise::FAULTS, framing::FAULTS, encoding::FAULTS, reading::FAULTS];

/// What happens to bytes.
pub(crate) enum Bytes {
    /// These are written before anything else.
    Opening(&'static [u8]),
    /// A line is written as this makes of it. It is given the line without its line feed, and the number of lines
    /// that were written before.
    Line(fn(&[u8], usize) -> Vec<u8>),
    /// Lines are written at another time than when they are ready.
    Flow(Flow),
    /// What one read gives is taken for this.
    Piece(fn(&[u8]) -> Vec<u8>),
    /// A line that was read is taken for this.
    Take(fn(&[u8]) -> Taken),
    /// With each 4 KiB this looks at all of the line that was read so far.
    Ponder(fn(&[u8])),
    /// Messages are read by their `Content-Length` headers, and lines are not.
    Headers,
}

/// When lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// As soon as they are ready.
    AtOnce,
    /// When the process ends.
    AtEnd,
    /// In blocks of this size, or when the process ends.
    Blocks(usize),
    /// Byte by byte.
    Singly,
    /// In two parts, which are cut in the middle.
    Halves,
    /// Without the line feed first, and that a moment later.
    LateNewline,
}

/// What a line that was read is taken for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Itself.
    Same,
    /// Nothing.
    Lost,
    /// Other bytes, which may hold line feeds.
    Instead(Vec<u8>),
    /// A reason to exit with this code.
    Death(i32),
}
