//! Plays scripts against a server: finds out what it speaks, shares peers where that is safe, and confirms what it found.

mod check;
mod client;
mod confirm;
mod diagnose;
mod dialect;
mod inbox;
mod plan;
mod play;
mod pool;
mod prelude;
mod session;
mod survey;
mod times;
mod values;
mod versions;

pub use check::{CheckOptions, Progress, check};
pub use client::{Failure, Held, Outcome, SessionOptions, ToolCall, hold};
pub use plan::{RevisionChoice, Selection};
pub use session::{Setting, Trace};
pub use survey::{EraFacts, NotStarted, Survey, Tool};
pub use values::{Allowed, Call, CallError};
