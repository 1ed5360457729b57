//! The command line: what can be asked for, and where each word of it goes.

mod args;
mod destination;
mod explain;
mod interrupt;
mod list;
mod options;
mod output;
mod session;
mod steps;
mod trace;

pub use args::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
pub use interrupt::interrupted;

use crate::exit::ExitCode;
use crate::run::Failure;

/// Why a command could not be carried out. Each is one clear sentence.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The invocation, a configuration or a case file is wrong.
    #[error("{0}")]
    Usage(String),
    /// There is nothing to judge.
    #[error("{0}")]
    NothingToJudge(String),
    /// A step of a session failed.
    #[error("{0}")]
    Failed(Box<Failure>),
    /// A report or log could not be written.
    #[error("{0}")]
    Output(String),
}

impl CliError {
    /// The exit code that it gives.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Output(_) => ExitCode::Usage,
            Self::Failed(_) => ExitCode::Findings,
            Self::NothingToJudge(_) => ExitCode::NotJudged,
        }
    }
}

/// Reads the command line; ends the process with what is wrong with it, or with the help that it asks for.
#[must_use]
pub fn parse() -> Cli {
    let cli = Cli::try_parse().unwrap_or_else(|mut error| {
        let stray =
            matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(arg)) if !arg.starts_with('-'));
        if error.kind() == ErrorKind::UnknownArgument && stray {
            let tip = "the command of the server stands behind --, as in: mcp-plumb check -- node server.js";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error.exit()
    });
    let starts_a_server = matches!(cli.command, Command::Check(_) | Command::Replay(_) | Command::Session(_));
    if starts_a_server && std::env::args_os().next_back().is_some_and(|last| last == "--") {
        // A variable of a script that is empty must not become a green run of the bundled server.
        let problem = "nothing stands behind --: name the server's command there, as in: mcp-plumb check -- node \
                       server.js; or leave -- out for the bundled server";
        Cli::command().error(ErrorKind::MissingRequiredArgument, problem).exit();
    }
    cli
}

/// Carries out a command.
///
/// # Errors
/// The invocation or a file that it names is wrong.
pub fn run(cli: Cli) -> Result<std::process::ExitCode, CliError> {
    match cli.command {
        Command::Check(args) => options::check(&args).map(Into::into),
        Command::Replay(args) => options::replay(&args).map(Into::into),
        Command::Session(args) => session::session(&args).map(Into::into),
        Command::Report(args) => output::report(&args).map(Into::into),
        Command::List(args) => list::list(&args).map(Into::into),
        Command::Explain(args) => explain::explain(&args).map(Into::into),
        Command::ReferenceServer(args) => Ok(mcp_reference_server::run(args.args)),
    }
}
