//! `--call` and `--save`, whose order on the command line is what they mean: each save belongs to the call before it.

use std::collections::BTreeSet;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::run::ToolCall;

/// The calls of a session, in order.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Each with the name under which its text is saved.
    pub calls: Vec<ToolCall>,
}

/// The member of the result that holds the names of all tools.
pub(super) const TOOLS: &str = "tools";

impl Args for Steps {
    fn augment_args(command: Command) -> Command {
        let call = Arg::new("call").long("call").value_name("TOOL[=JSON]").action(ArgAction::Append);
        let call = call.value_parser(|text: &str| text.parse::<ToolCall>());
        let save = Arg::new("save").long("save").value_name("NAME").action(ArgAction::Append);
        command
            .arg(call.help("Call this tool with these arguments, or with none. Repeatable, played in order"))
            .arg(save.help("Save the text of the call before it under this name. Once a call"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let indices = |name| matches.indices_of(name).into_iter().flatten();
        let calls = matches.get_many::<ToolCall>("call").into_iter().flatten().cloned();
        let mut calls: Vec<(usize, ToolCall)> = indices("call").zip(calls).collect();
        let saves = indices("save").zip(matches.get_many::<String>("save").into_iter().flatten());
        let mut names = BTreeSet::from([TOOLS]);
        for (index, name) in saves {
            if !names.insert(name) {
                return Err(wrong(format!(
                    "--save {name}: there is a '{name}' in the result already; name it otherwise"
                )));
            }
            let before = calls.iter_mut().rev().find(|(call, _)| *call < index);
            match before {
                None => {
                    return Err(wrong(format!("--save {name} has no call before it; write --call TOOL --save {name}")));
                }
                Some((_, ToolCall { save: Some(first), .. })) => {
                    let message = format!("--save {name}: the call before it is saved as '{first}' already");
                    return Err(wrong(message));
                }
                Some((_, call)) => call.save = Some(name.clone()),
            }
        }
        Ok(Self { calls: calls.into_iter().map(|(_, call)| call).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::raw(ErrorKind::ValueValidation, message)
}
