//! `session`: one whole client session, its results as one JSON object.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::args::SessionArgs;
use super::destination::Destination;
use super::output;
use super::steps::TOOLS;
use super::{CliError, options};
use crate::exit::ExitCode;
use crate::run::{Held, Outcome, RevisionChoice, SessionOptions, hold};
use crate::transcript::escape_json;

/// Names the file that the results are written to.
const OUT: &str = "MCP_SESSION_OUT";

/// Holds a session and writes what it brought; nothing where it failed.
pub(super) fn session(args: &SessionArgs) -> Result<ExitCode, CliError> {
    let revision = match args.revision.unwrap_or(RevisionChoice::Auto) {
        RevisionChoice::Auto => None,
        RevisionChoice::One(revision) => Some(revision),
        RevisionChoice::All => {
            let message = "--revision all: a session speaks one revision; write auto or a date";
            return Err(CliError::Usage(message.to_owned()));
        }
    };
    let out = std::env::var_os(OUT).filter(|path| !path.is_empty());
    let out = out.map(|path| Destination::open(Path::new(&path))).transpose()?;
    let held = hold(&SessionOptions {
        setting: options::setting(&args.start, &args.command)?,
        revision,
        calls: args.steps.calls.clone(),
        startup: args.start.startup(),
        request: args.start.request(),
        budget: args.start.whole(),
    });
    let outcome = match held {
        Held::Whole(outcome) => outcome,
        Held::Failed(failure) => return Err(CliError::Failed(failure)),
        Held::NotStarted(why) => return Err(CliError::NothingToJudge(why)),
    };
    let text = serde_json::to_string(&Results(&outcome)).expect("texts can be written as JSON");
    let text = escape_json(&text) + "\n";
    match out {
        Some(file) => file.finish(text.as_bytes()).map(|()| ExitCode::Conformant),
        None => output::print(&text),
    }
}

/// The results as one object: the tools first, then what was saved, in the order of the calls.
struct Results<'a>(&'a Outcome);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(Outcome { tools, saved }) = self;
        let mut map = serializer.serialize_map(Some(saved.len() + 1))?;
        map.serialize_entry(TOOLS, tools)?;
        for (name, text) in saved {
            map.serialize_entry(name, text)?;
        }
        map.end()
    }
}
