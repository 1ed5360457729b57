//! A conformance harness for Model Context Protocol servers that run as a command and speak over stdio.

pub mod cli;
pub mod config;
#[cfg(test)]
mod contract;
pub mod exit;
pub mod judge;
pub mod log;
pub mod peer;
pub mod report;
pub mod rules;
pub mod run;
pub mod script;
pub mod snapshot;
pub mod spec;
pub mod transcript;
pub mod wire;
