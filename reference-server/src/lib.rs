//! The bundled MCP reference server: a model of how a server over stdio is written by hand.
//!
//! It speaks every revision of the protocol and keeps to every rule, so that a harness has something to find
//! nothing in. It is built in three layers, each of which knows nothing of those outside it:
//!
//! - [`Server`] is the protocol. It does no input or output and knows no time: it is fed bytes and gives back
//!   [`Action`]s. Reading goes from bytes to lines (`frame`), to JSON text (`json`), to messages (`message`).
//! - A [`Job`] is a tool's work. It may take its time, and touches only a [`World`]: a [`Store`] and a [`Clock`].
//! - `stdio` is the process: threads that read, write and work, and the one loop between them.
//!
//! With `--fault` the same server runs between two streams that misbehave (`fault`), for a harness to be measured by.
//!
//! Three things are kept in check on the way: arguments, by the schema that is shown of a tool; time, by a limit for
//! each tool; and memory of what was done, by an audit log without which no tool is called.

mod ability;
mod args;
mod audit;
mod clock;
mod command;
mod completion;
mod core;
mod db;
mod digest;
mod duration;
mod failure;
mod fault;
mod frame;
mod integer;
mod job;
mod json;
mod level;
mod message;
mod prompts;
mod question;
mod quota;
mod reply;
mod resources;
mod revision;
mod stdio;
mod timestamp;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

pub use crate::audit::Entry;
pub use crate::clock::{Cancel, Clock, SystemClock};
pub use crate::core::{Action, Config, Server, Unserved};
pub use crate::db::{Column, Customer, Order, Rows, Sqlite, Status, Store, StoreError, Total};
pub use crate::job::{Job, Report, World};
pub use crate::revision::{Era, Revision};

/// Does what a command line says, which is given without the program's name: serves this process's stdin and stdout
/// until stdin ends, or runs a subcommand.
///
/// The exit code is 0 at the end of input or of a subcommand, 1 where the machine gave us no thread, and 2 for a
/// wrong command line or a subcommand that could not do its work.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = args::Args::try_parse_from(args).and_then(|args| match args.config() {
        Ok(config) => Ok((args.task(), config)),
        Err(error) => Err(args::Args::command().error(clap::error::ErrorKind::ValueValidation, error)),
    });
    match parsed {
        Ok((args::Task::Serve(faults), config)) => command::serve(config, faults),
        Ok((args::Task::ListFaults, _)) => command::list_faults(),
        Ok((args::Task::Run(command), _)) => command::run(command),
        Err(error) => {
            // Where even this can't be written, the exit code still tells.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
