//! The server from outside: its core in this process, and its binary over pipes.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod asking;
mod batch;
mod calls;
mod chunking;
mod client;
mod database;
mod eras;
mod hostile;
mod legacy;
mod logging;
mod modern;
mod process;
mod prompts;
mod resources;
mod schema;
mod shop;
mod subscriptions;
mod tasks;
