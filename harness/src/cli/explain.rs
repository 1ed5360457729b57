//! `explain`: one requirement, in full.

use std::fmt::Write as _;

use super::args::ExplainArgs;
use super::{CliError, output};
use crate::exit::ExitCode;
use crate::report::{WIDTH, wrap};
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
    let mut text = format!("{}\n\n", row.id);
    for line in wrap(&row.asks, WIDTH) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    label(&mut text, "accepted", &row.expected);
    label(&mut text, "why", &row.why);
    label(&mut text, "fix", &row.fix);
    let class = match row.class {
        Class::Conformance => "conformance",
        Class::Robustness => "robustness: input that a client must not send, at most a warning",
    };
    label(&mut text, "class", class);
    for revision in Revision::ALL.into_iter().filter(|&revision| row.revisions().contains(revision)) {
        let level: crate::judge::Verdict = row.level(revision).into();
        label(&mut text, "source", &format!("{} ({revision}, at most {level})", row.source(revision)));
    }
    for (name, wire) in [("good", &row.good), ("bad", &row.bad)] {
        if let Some(wire) = wire {
            // Bytes of the wire are not broken: they are there to be compared.
            let _ = writeln!(text, "{name:<9} {wire}");
        }
    }
    let cases: Vec<_> = embedded().iter().filter(|script| script.requirements.contains(&row.id)).collect();
    for case in &cases {
        label(&mut text, "case", &format!("{}: {}", case.id, case.title));
    }
    if cases.is_empty() {
        label(&mut text, "case", "none of its own: what is judged in every session needs none");
    }
    text
}

fn label(text: &mut String, name: &str, value: &str) {
    for (index, line) in wrap(value, WIDTH - 10).into_iter().enumerate() {
        let _ = writeln!(text, "{:<9} {line}", if index == 0 { name } else { "" });
    }
}
