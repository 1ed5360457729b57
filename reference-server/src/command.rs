//! What the program can be told to do.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::args::Command;
use crate::audit::{self, AuditFile, Shape, Summary};
use crate::clock::SystemClock;
use crate::core::{Config, Server};
use crate::db::{self, Sqlite};
use crate::fault::{self, Choice};
use crate::job::World;
use crate::stdio::{self, Wire};

/// Serves stdin and stdout, with these faults.
pub(crate) fn serve(config: Config, faults: Vec<Choice>) -> ExitCode {
    let audit = path("MCP_AUDIT_LOG").map(AuditFile::new);
    let config = if audit.is_some() { config.audited() } else { config };
    let world = World::new(Sqlite::new(path("MCP_DB")), SystemClock);
    let server = Server::new(config);
    if faults.is_empty() {
        stdio::serve(server, world, audit, Wire { input: io::stdin(), output: io::stdout() })
    } else {
        fault::serve(server, world, audit, faults)
    }
}

/// Prints the list of all faults.
pub(crate) fn list_faults() -> ExitCode {
    match io::stdout().write_all(fault::list().as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Runs a subcommand.
pub(crate) fn run(command: Command) -> ExitCode {
    let done = match command {
        Command::Linger(how) => return fault::linger(&how),
        Command::InitDb { seed } => init_db(seed.as_deref()),
        Command::Audit { file, since, json } => summarize(&file, since, if json { Shape::Json } else { Shape::Table }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where even this can't be written, the exit code still tells.
            let _ = writeln!(io::stderr(), "mcp-reference-server: {error}");
            ExitCode::from(2)
        }
    }
}

fn init_db(seed: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let file = path("MCP_DB").ok_or("init-db needs the environment variable MCP_DB to name a file")?;
    db::init(&file, seed)?;
    // The database is made, whether or not anybody reads that.
    let _ = writeln!(io::stderr(), "mcp-reference-server: made {}", file.display());
    Ok(())
}

fn summarize(file: &Path, since: Option<Duration>, shape: Shape) -> Result<(), Box<dyn Error>> {
    let since = since.map(|since| SystemTime::now().checked_sub(since).unwrap_or(UNIX_EPOCH));
    let unreadable = |error| format!("{} can't be read: {error}", file.display());
    let summary = Summary::read(File::open(file).map_err(unreadable)?, since).map_err(unreadable)?;
    let mut stdout = BufWriter::new(io::stdout().lock());
    match audit::print(&summary, shape, &mut stdout).and_then(|()| stdout.flush()) {
        // Whoever has read enough may leave.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

/// A file that the environment names.
fn path(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}
