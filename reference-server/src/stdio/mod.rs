//! The process around the core: threads that read, write and work, and one loop between them.

mod output;
mod pool;
mod serve;

pub(crate) use serve::{Wire, serve};
