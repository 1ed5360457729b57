//! The audit log: who called what, and what came of it; one JSON object a line.

mod entry;
mod file;
mod print;
mod summary;

pub use entry::Entry;
pub(crate) use entry::Trail;
pub(crate) use file::AuditFile;
pub(crate) use print::{Shape, print};
pub(crate) use summary::Summary;
