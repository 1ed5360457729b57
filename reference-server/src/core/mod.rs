//! The protocol, without input or output: bytes in, actions out.

mod audit;
mod batch;
mod calling;
mod calls;
mod config;
mod handshake;
mod identity;
mod listing;
mod meta;
mod modern;
mod news;
mod questions;
mod server;
mod session;
mod special;
mod state;
mod subscriptions;
mod tasks;
mod terms;

pub use config::{Config, Unserved};
pub use server::{Action, Server};
