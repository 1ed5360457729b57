//! Ways to misbehave, each under a name: the instrument that measures a harness.
//!
//! The clean server knows nothing of this module. With a fault, it runs as ever between two streams that are not
//! quite stdin and stdout (`run`). What these do is a table of faults ([`Fault`](table::Fault)), in three layers:
//!
//! - `bytes`: how lines are written, and how bytes are read.
//! - `messages`: what messages say, which are swallowed, and which are made up.
//! - `behaviour`: how the process starts and ends, and what it leaves behind.
//!
//! Some faults are controls: they look odd, and break no rule. Any member of any message can also be set without a
//! fault of its own (`set`).

mod behaviour;
mod bytes;
mod choice;
mod messages;
mod pipe;
#[cfg(test)]
mod rehearsal;
mod run;
mod set;
mod table;

pub(crate) use behaviour::{Lingering, linger};
pub(crate) use choice::{Choice, choose};
pub(crate) use run::serve;
pub(crate) use table::list;
