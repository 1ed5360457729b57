//! `explain`: one requirement, in full.

use std::fmt::Write as _;

use super::args::ExplainArgs;
use super::{CliError, output};
use crate::exit::ExitCode;
use crate::script::embedded;
use crate::spec::{Class, Ledger, Requirement, RequirementId, Revision};

/// Prints a row of the ledger.
pub(super) fn explain(args: &ExplainArgs) -> Result<ExitCode, CliError> {
    let ledger = Ledger::embedded();
    let id = RequirementId::new(args.id.as_str());
    match ledger.find(&id) {
        Some(row) => output::print(&text(row)),
        None => {
            let near: Vec<&str> = ledger
                .rows()
                .map(|row| row.id.as_str())
                .filter(|known| known.contains(&args.id) || args.id.contains(known))
                .take(5)
                .collect();
            let hint = if near.is_empty() {
                "`mcp-plumb list requirements` shows all".to_owned()
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            Err(CliError::Usage(format!("there is no requirement '{}'; {hint}", args.id)))
        }
    }
}

fn text(row: &Requirement) -> String {
    let mut text = format!("{}\n\n{}\n\n", row.id, row.asks);
    let _ = writeln!(text, "accepted  {}", row.expected);
    let _ = writeln!(text, "why       {}", row.why);
    let _ = writeln!(text, "fix       {}", row.fix);
    let class = match row.class {
        Class::Conformance => "conformance",
        Class::Robustness => "robustness: input that a client must not send, at most a warning",
    };
    let _ = writeln!(text, "class     {class}");
    for revision in Revision::ALL.into_iter().filter(|&revision| row.revisions().contains(revision)) {
        let level: crate::judge::Verdict = row.level(revision).into();
        let _ = writeln!(text, "source    {} ({revision}, at most {level})", row.source(revision));
    }
    for (name, wire) in [("good", &row.good), ("bad", &row.bad)] {
        if let Some(wire) = wire {
            let _ = writeln!(text, "{name:<9} {wire}");
        }
    }
    let cases = embedded().iter().filter(|script| script.requirements.contains(&row.id));
    for case in cases {
        let _ = writeln!(text, "case      {}: {}", case.id, case.title);
    }
    text
}
