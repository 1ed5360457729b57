//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};

use crate::core::{Config, Unserved};
use crate::duration;
use crate::fault::{self, Choice, Lingering};
use crate::revision::{Era, Revision};
use crate::tools;

const HELP: &str = r#"Environment:
  MCP_DB  a SQLite file to use, created and filled where it is missing;
          without it, a database in memory
  MCP_AUDIT_LOG
          a file to which each call of a tool is appended as one JSON object
          a line; while it can't be written, no tool is called

Try it:
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | mcp-reference-server"#;

/// An MCP server over stdin and stdout that keeps to every rule
///
/// It speaks all five revisions of the protocol, and offers tools, resources and prompts on a small shop's database.
/// Messages go to stdout, one JSON object a line; one line about each message goes to stderr.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-reference-server",
    version,
    no_binary_name = true,
    args_conflicts_with_subcommands = true,
    after_help = HELP
)]
pub(crate) struct Args {
    /// Speak only this era of the protocol
    #[arg(long, value_enum, default_value_t = Eras::Both)]
    era: Eras,

    /// Speak only this revision; may be given more than once
    #[arg(long = "revision", value_name = "DATE", value_enum)]
    revisions: Vec<Revision>,

    /// Answer lists in pages of N entries
    #[arg(long, value_name = "N")]
    page_size: Option<NonZeroUsize>,

    /// Stop calls that take longer: all, or those of one tool; may be given
    /// more than once [default: 2s]
    #[arg(long = "tool-timeout", value_name = "[NAME=]TIME", value_parser = limit)]
    limits: Vec<Limit>,

    /// Answer the method wait, too, in either era and without a handshake: for
    /// lessons that know of lines and ids, and not of tools yet. With params
    /// {"ms":100} its result is {"waited_ms":100}, when that time is over
    #[arg(long)]
    lesson: bool,

    /// Misbehave in one way: one that --list-faults names, or
    /// set:METHOD:/pointer=JSON, which sets a member of all messages of a
    /// method (without =JSON leaves it out); may be given more than once
    #[arg(long = "fault", value_name = "NAME", value_parser = fault::choose)]
    faults: Vec<Choice>,

    /// Print the name, the eras and the meaning of each fault, and exit
    #[arg(long)]
    list_faults: bool,

    /// What to do instead of serving.
    #[command(subcommand)]
    command: Option<Command>,
}

/// What the program does where it does not serve.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the database that MCP_DB names
    InitDb {
        /// Fill it by this SQL script, and not with the usual customers and
        /// orders. The script makes the tables, too
        #[arg(long, value_name = "FILE")]
        seed: Option<PathBuf>,
    },
    /// Count what an audit log says: calls, failures, refusals and times by tool
    Audit {
        /// The log, as MCP_AUDIT_LOG had it written
        file: PathBuf,

        /// Count only calls that were made in this time, up to now
        #[arg(long, value_name = "TIME", value_parser = duration::parse)]
        since: Option<Duration>,

        /// Print JSON, and not a table
        #[arg(long)]
        json: bool,
    },
    /// Be a process that a faulty server leaves behind
    #[command(hide = true)]
    Linger(Lingering),
}

/// What the arguments ask for.
pub(crate) enum Task {
    /// Serving, with these faults.
    Serve(Vec<Choice>),
    /// The list of all faults.
    ListFaults,
    /// A subcommand.
    Run(Command),
}

/// A time limit: of one tool, or of all others.
#[derive(Debug, Clone)]
struct Limit {
    tool: Option<&'static str>,
    time: Duration,
}

fn limit(text: &str) -> Result<Limit, String> {
    let (name, time) = text.split_once('=').map_or((None, text), |(name, time)| (Some(name), time));
    let tool = match name.map(|name| tools::named(name).ok_or_else(|| format!("there is no tool {name:?}"))) {
        None => None,
        Some(tool) => Some(tool?.name),
    };
    match duration::parse(time)? {
        Duration::ZERO => Err("no work can be done in no time".into()),
        time => Ok(Limit { tool, time }),
    }
}

/// Which eras to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Eras {
    /// With a handshake, up to 2025-11-25
    Legacy,
    /// Without one, from 2026-07-28
    Modern,
    /// Whichever the client opens
    Both,
}

impl Args {
    /// What is to be done.
    pub(crate) fn task(self) -> Task {
        match self.command {
            Some(command) => Task::Run(command),
            None if self.list_faults => Task::ListFaults,
            None => Task::Serve(self.faults),
        }
    }

    /// The settings that the arguments ask for.
    pub(crate) fn config(&self) -> Result<Config, Unserved> {
        let wanted = |revision: Revision| {
            let era = match self.era {
                Eras::Legacy => revision.era() == Era::Legacy,
                Eras::Modern => revision.era() == Era::Modern,
                Eras::Both => true,
            };
            era && (self.revisions.is_empty() || self.revisions.contains(&revision))
        };
        let mut config = Config::default().retain(wanted)?;
        for Limit { tool, time } in &self.limits {
            config = match tool {
                None => config.limited(*time),
                Some(tool) => config.limited_for(*tool, *time),
            };
        }
        if self.lesson {
            config = config.for_lessons();
        }
        Ok(match self.page_size {
            Some(size) => config.paged(size),
            None => config,
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn config(args: &[&str]) -> Result<Config, Unserved> {
        Args::try_parse_from(args).expect("the arguments are well-formed").config()
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn without_arguments_everything_is_served() {
        assert_eq!(config(&[]), Ok(Config::default()));
    }

    #[test]
    fn an_era_and_a_revision_narrow_what_is_served() {
        let served = |args: &[&str]| {
            let config = config(args).unwrap();
            (config.of(Era::Legacy).count(), config.of(Era::Modern).count())
        };
        assert_eq!(served(&["--era", "legacy"]), (4, 0));
        assert_eq!(served(&["--era", "modern"]), (0, 1));
        assert_eq!(served(&["--revision", "2024-11-05", "--revision", "2026-07-28"]), (1, 1));
        assert_eq!(config(&["--era", "modern", "--revision", "2024-11-05"]), Err(Unserved));
    }

    #[test]
    fn a_page_holds_at_least_one_entry() {
        assert!(Args::try_parse_from(["--page-size", "0"]).is_err());
        let two = NonZeroUsize::new(2).unwrap();
        assert_eq!(config(&["--page-size", "2"]), Ok(Config::default().paged(two)));
    }

    #[test]
    fn the_method_of_lessons_is_served_on_demand() {
        assert_eq!(config(&["--lesson"]), Ok(Config::default().for_lessons()));
        assert_ne!(config(&["--lesson"]), Ok(Config::default()));
    }

    #[test]
    fn a_time_limit_is_for_all_or_for_one() {
        let both = config(&["--tool-timeout", "5s", "--tool-timeout", "wait=30s"]);
        let seconds = Duration::from_secs;
        assert_eq!(both, Ok(Config::default().limited(seconds(5)).limited_for("wait", seconds(30))));
        for wrong in ["", "5", "0s", "wait=", "nothing=5s", "=5s", "-1s"] {
            assert!(Args::try_parse_from([&format!("--tool-timeout={wrong}")]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_does_not_serve_takes_no_settings_of_a_server() {
        assert!(Args::try_parse_from(["audit", "x.jsonl", "--since", "1h", "--json"]).is_ok());
        assert!(Args::try_parse_from(["init-db", "--seed", "x.sql"]).is_ok());
        for wrong in [&["--page-size", "2", "audit", "x"][..], &["audit"], &["audit", "x", "--since", "soon"]] {
            assert!(Args::try_parse_from(wrong).is_err(), "{wrong:?}");
        }
    }
}
