//! One whole session as a client has it: open, list the tools, call some of them, close stdin, wait for the end.

mod call;
mod failure;
mod hold;
mod opening;
mod talk;

pub use call::ToolCall;
pub use failure::Failure;
pub use hold::{Held, Outcome, SessionOptions, hold};
