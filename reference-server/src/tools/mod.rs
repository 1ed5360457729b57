//! What the server can do for a model.
//!
//! A tool is a row of a table: what is said of it, and a function that turns arguments into work. The work itself
//! runs later, on a worker.

mod arguments;
mod customers;
mod orders;
mod published;
mod tool;
mod wait;

pub(crate) use arguments::{Arguments, Refusal};
pub(crate) use published::Published;
pub(crate) use tool::{Manner, Tasks, Tool, failed, succeeded};

/// Every tool, in the order in which they are listed.
pub(crate) static TOOLS: [Tool; 3] = [customers::LIST, orders::COUNT, wait::WAIT];

/// The tool of that name.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
