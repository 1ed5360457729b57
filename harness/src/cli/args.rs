//! The words of the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::steps::Steps;
use crate::report::Target;
use crate::run::{Call, RevisionChoice};

/// Conformance harness for Model Context Protocol servers that run as a command and speak over stdio.
#[derive(Debug, Parser)]
#[command(name = "mcp-plumb", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    conformant
  1    findings that fail the server
  2    the command line, a configuration or a case file is wrong
  3    nothing could be judged, or not all of it: would not start, no case
       matched, the budget was used up
  70   a bug of mcp-plumb
  130  interrupted";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge a server; without a command, the bundled reference server.
    Check(CheckArgs),
    /// Play cases by id or from files, each alone on a fresh process.
    Replay(ReplayArgs),
    /// Hold one whole client session: open, list the tools, call some, close; the results as JSON.
    Session(SessionArgs),
    /// Render logs of earlier runs.
    Report(ReportArgs),
    /// List cases, requirements or revisions.
    List(ListArgs),
    /// Explain a requirement: what, why, where it stands, and how to mend a breach.
    Explain(ExplainArgs),
    /// Run the bundled reference server on stdin and stdout.
    #[command(disable_help_flag = true, disable_version_flag = true)]
    ReferenceServer(ServerArgs),
}

/// How a server is started, and how long things may take.
#[derive(Debug, Args)]
pub struct Start {
    /// The seed of ids and nonces.
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// For the first answer of a process, such as 500ms or "1m 30s" [default: 30s].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub startup_timeout: Option<Duration>,
    /// For the answer of a request [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
    /// For the whole run [default: 2m].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// The longest line that is read, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = line_length)]
    pub max_line: usize,
    /// Give each process a home and a temporary folder of its own.
    #[arg(long)]
    pub private_dirs: bool,
    /// Set a variable of the server's environment. Repeatable.
    #[arg(long, value_name = "K=V")]
    pub env: Vec<OsString>,
    /// Start from an empty environment.
    #[arg(long)]
    pub clear_env: bool,
    /// The server's working folder.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Show the wire on stderr while it happens.
    #[arg(long)]
    pub trace: bool,
}

/// Options of every command that judges a server.
#[derive(Debug, Args)]
pub struct Shared {
    /// Which revisions to judge: auto (the newest of each era that the server speaks), all, or a date.
    #[arg(long, value_name = "auto|all|DATE")]
    pub revision: Option<RevisionChoice>,
    /// Skip cases that match: * stays within a folder of cases, ** goes below it. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,
    /// Play the case files of this folder too.
    #[arg(long, value_name = "DIR")]
    pub cases: Vec<PathBuf>,
    /// Warnings fail the run.
    #[arg(long)]
    pub strict: bool,
    /// Write a report: text or json, to stdout or to a file. Repeatable.
    #[arg(long, value_name = "FORMAT[=PATH]")]
    pub report: Vec<Target>,
    /// Keep the log of the run, from which `report` renders it again.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Sessions that are active at a time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub jobs: u8,
    /// How the server is started.
    #[command(flatten)]
    pub start: Start,
    /// Allow a call of this tool, with these arguments. Repeatable.
    #[arg(long, value_name = "TOOL[=JSON]")]
    pub call: Vec<Call>,
    /// Call no tool but those named with --call, not even those that say that they only read.
    #[arg(long)]
    pub no_calls: bool,
    /// No progress on stderr.
    #[arg(long, short)]
    pub quiet: bool,
    /// Show hints in full.
    #[arg(long, short)]
    pub verbose: bool,
}

/// No server can be judged with a cap below this: what it lists would not fit.
const LEAST_LINE: usize = 1024;
/// Waits are added up and doubled: what is longer than this is a slip, and could overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a cap on the length of a line.
fn line_length(text: &str) -> Result<usize, String> {
    let length: usize = text.parse().map_err(|error| format!("this is no number of bytes: {error}"))?;
    if length < LEAST_LINE { Err(format!("the least is {LEAST_LINE} bytes")) } else { Ok(length) }
}

/// Reads a time that can be waited for.
fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text)
        .map_err(|error| format!("this is no time such as \"500ms\" or \"1m 30s\": {error}"))?;
    if time.is_zero() {
        Err("a time of nothing lets no server answer; write one such as \"10s\"".to_owned())
    } else if time > LONGEST_WAIT {
        Err("the longest time is a year; write one such as \"10s\"".to_owned())
    } else {
        Ok(time)
    }
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Options of the run.
    #[command(flatten)]
    pub shared: Shared,
    /// Play only cases that match: * stays within a folder of cases, ** goes below it. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub case: Vec<String>,
    /// A process for each case.
    #[arg(long)]
    pub isolate: bool,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Options of the run.
    #[command(flatten)]
    pub shared: Shared,
    /// Ids, globs or files of cases.
    #[arg(required = true, value_name = "CASE")]
    pub case: Vec<String>,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const SESSION: &str = r#"The session opens as the server's era asks (initialize and
notifications/initialized, or server/discover; both are tried at once in two
processes, but with --revision in one alone), lists all tools, makes the
calls in their order, closes stdin and waits for the end of the process.
Every tool must be on that list; a mistake is told before the first call.
It writes one JSON object to the file that MCP_SESSION_OUT names, or to
stdout: {"tools":["count_orders"],"paid_orders":"4"}. A saved value is the
text of the first text block of the result. A session that fails writes
nothing.

Exit codes:
  0    every step was right
  1    a step failed: no answer, an error, isError, a tool that is not
       listed, a line on stdout that is no message, no end after stdin closed
  2    the command line is wrong, or the result cannot be written
  3    the server could not be started, or ended before it was asked anything
  70   a bug of mcp-plumb
  130  interrupted"#;

/// `session`
#[derive(Debug, Args)]
#[command(after_help = SESSION)]
pub struct SessionArgs {
    /// The calls.
    #[command(flatten)]
    pub steps: Steps,
    /// The revision to speak: auto (the newest that the server speaks) or a date.
    #[arg(long, value_name = "auto|DATE")]
    pub revision: Option<RevisionChoice>,
    /// How the server is started.
    #[command(flatten)]
    pub start: Start,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write a report: text or json, to stdout or to a file. Repeatable.
    #[arg(long, value_name = "FORMAT[=PATH]")]
    pub report: Vec<Target>,
    /// Show hints in full.
    #[arg(long, short)]
    pub verbose: bool,
    /// A log.
    #[arg(required = true, value_name = "LOG")]
    pub log: PathBuf,
}

/// `list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list.
    pub what: Listed,
    /// Only what belongs to this revision.
    #[arg(long, value_name = "DATE")]
    pub revision: Option<crate::spec::Revision>,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Listed {
    /// Cases, with their titles.
    Cases,
    /// Requirements, with what they ask and the cases that judge them.
    Requirements,
    /// Revisions, with their eras.
    Revisions,
}

/// `explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The id of a requirement.
    #[arg(value_name = "ID")]
    pub id: String,
}

/// `reference-server`
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Options of the reference server; see `reference-server --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}
