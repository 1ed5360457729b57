//! The server from outside: its core in this process, and its binary over pipes.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod asking;
mod audit;
mod batch;
mod calls;
mod chunking;
mod client;
mod commands;
mod database;
mod directory;
mod eras;
mod faults;
mod hostile;
mod legacy;
mod lesson;
mod logging;
mod modern;
mod process;
mod prompts;
mod resources;
mod schema;
mod shop;
mod subscriptions;
mod tasks;
mod waits;
