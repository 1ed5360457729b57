//! The `mcp-plumb` binary: process-wide effects and exit codes; everything else is in the library.

use std::io::Write as _;
use std::process::ExitCode;

use mcp_plumb::cli;
use mcp_plumb::{exit, peer};

fn main() -> ExitCode {
    let cli = cli::parse();
    if !matches!(cli.command, cli::Command::ReferenceServer(_)) {
        // What leaves its group by a double fork becomes our child, and can be found and ended.
        peer::become_subreaper();
        end_on_signals();
    }
    match cli::run(cli) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "mcp-plumb: {error}");
            error.exit_code().into()
        }
    }
}

/// Ends every peer and then us on the first SIGINT or SIGTERM, and says what was written.
fn end_on_signals() {
    let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            // First, since a run whose peers are killed under it would tell of peers that were lost.
            let left = cli::interrupted();
            peer::kill_all();
            let _ = writeln!(std::io::stderr(), "mcp-plumb: {left}");
            std::process::exit(i32::from(exit::ExitCode::Interrupted as u8));
        }
    });
}
