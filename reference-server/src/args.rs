//! The command line.

use std::num::NonZeroUsize;

use clap::{Parser, ValueEnum};

use crate::core::{Config, Unserved};
use crate::revision::{Era, Revision};

const HELP: &str = r#"Environment:
  MCP_DB  a SQLite file to use, created and filled where it is missing;
          without it, a database in memory

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
        let config = Config::default().retain(wanted)?;
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
}
