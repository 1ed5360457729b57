//! The binary and the library on whole servers: the bundled one, conformant ones that look wrong, and broken ones.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod broken;
mod chunks;
mod cli;
mod kill;
mod oddities;
mod reference;
mod session;
mod support;
