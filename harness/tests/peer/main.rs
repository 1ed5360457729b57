//! The `peer` module with real processes, as a library user has it and as the binary has it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod ending;
mod leaks;
mod pipes;
mod starting;
mod subreaper;
mod support;
