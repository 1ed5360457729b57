//! The protocol, without input or output: bytes in, actions out.

mod batch;
mod calls;
mod config;
mod handshake;
mod identity;
mod listing;
mod meta;
mod modern;
mod server;
mod session;

pub use config::{Config, Unserved};
pub use server::{Action, Server};
