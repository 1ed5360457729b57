//! `list`: what there is.

use std::fmt::Write as _;

use super::args::{ListArgs, Listed};
use super::{CliError, output};
use crate::exit::ExitCode;
use crate::script::embedded;
use crate::spec::{Ledger, Revision};

/// Lists cases, requirements or revisions on stdout.
pub(super) fn list(args: &ListArgs) -> Result<ExitCode, CliError> {
    let text = match args.what {
        Listed::Cases => cases(args.revision),
        Listed::Requirements => requirements(args.revision),
        Listed::Revisions => revisions(),
    };
    output::print(&text)
}

fn cases(revision: Option<Revision>) -> String {
    let wanted = embedded().iter().filter(|script| revision.is_none_or(|revision| script.revisions.contains(revision)));
    wanted.fold(String::new(), |mut text, script| {
        let _ = writeln!(text, "{}\t{}", script.id, script.title);
        text
    })
}

fn requirements(revision: Option<Revision>) -> String {
    let rows = Ledger::embedded().rows();
    let wanted = rows.filter(|row| revision.is_none_or(|revision| row.revisions().contains(revision)));
    wanted.fold(String::new(), |mut text, row| {
        let cases: Vec<&str> = embedded()
            .iter()
            .filter(|script| script.requirements.contains(&row.id))
            .map(|script| script.id.as_str())
            .collect();
        let cases = if cases.is_empty() { "rules only, or not checked".to_owned() } else { cases.join(" ") };
        let _ = writeln!(text, "{}\t{}\t{cases}", row.id, row.asks);
        text
    })
}

fn revisions() -> String {
    Revision::ALL.into_iter().fold(String::new(), |mut text, revision| {
        let _ = writeln!(text, "{revision}\t{}", revision.era());
        text
    })
}
