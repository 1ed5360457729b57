//! The `mcp-reference-server` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_reference_server::run(std::env::args_os().skip(1))
}
