//! The text report: for people, readable at 80 columns and without colour.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::Summary;
use super::layout::{WIDTH, window, wrap};
use crate::exit::ExitCode;
use crate::judge::{CaseResult, Finding, SessionEnd, Verdict};
use crate::log::Log;
use crate::spec::{Ledger, Requirement};
use crate::transcript::{escape, escape_lines};

/// How much the report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Hints in one line each.
    Short,
    /// Hints in full.
    Full,
}

/// The indent of what stands behind a label.
const INDENT: usize = 12;

/// Renders a log, with colours that a terminal may strip.
#[must_use]
pub fn text(log: &Log, detail: Detail) -> String {
    let mut text = head(log);
    if let Some(trouble) = &log.footer.trouble {
        text.push('\n');
        for line in trouble.lines().flat_map(|line| wrap(&escape_lines(line), WIDTH - 2)) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let groups = groups(&log.findings);
    for group in groups.iter().filter(|group| group[0].verdict != Verdict::Info || detail == Detail::Full) {
        text.push('\n');
        text += &block(group);
    }
    let hints: Vec<_> = groups.iter().filter(|group| group[0].verdict == Verdict::Info).collect();
    if detail == Detail::Short && !hints.is_empty() {
        text.push('\n');
        for group in hints {
            let line = format!("{} {}", group[0].requirement, group[0].message);
            label(&mut text, "hint", &line);
        }
    }
    text.push('\n');
    text += &tail(log);
    text
}

fn head(log: &Log) -> String {
    let server = &log.header.server;
    let name = server.name.as_deref().unwrap_or("a server that gave no name");
    let mut title =
        escape_lines(&format!("{name} {}", server.version.as_deref().unwrap_or_default())).trim_end().to_owned();
    if !server.revisions.is_empty() {
        let _ = write!(title, " · {}", server.revisions.join(", "));
    }
    let mut text = wrap(&title, WIDTH).join("\n") + "\n";
    if !server.command.is_empty() {
        let command = shell_words::join(&server.command);
        let cut: String = command.chars().take(WIDTH - 3).collect();
        let more = if cut.len() < command.len() { "…" } else { "" };
        let _ = writeln!(text, "$ {}{more}", escape_lines(&cut));
    }
    text
}

/// Findings that say the same in several revisions are shown once.
fn groups(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let same = |group: &&mut Vec<&Finding>| {
            group[0].requirement == finding.requirement
                && group[0].verdict == finding.verdict
                && group[0].case == finding.case
                && group.iter().all(|other| other.revision != finding.revision)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

fn style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Fail | Verdict::Error => AnsiColor::Red,
        Verdict::Warn | Verdict::Inconclusive => AnsiColor::Yellow,
        Verdict::Pass => AnsiColor::Green,
        Verdict::Info | Verdict::Skip => AnsiColor::Cyan,
    };
    colour.on_default().bold()
}

/// One finding: what is asked, what is accepted, what came, where it stands, how it is mended, how it is seen again.
fn block(group: &[&Finding]) -> String {
    let finding = group[0];
    let row = Ledger::embedded().find(&finding.requirement);
    let revisions: Vec<&str> = group.iter().map(|finding| finding.revision.as_str()).collect();
    let style = style(finding.verdict);
    let verdict = finding.verdict.as_str().to_uppercase();
    let mut text = format!("{style}{verdict:<5}{style:#} {}\n", finding.requirement);
    let place = format!("{} in {}", finding.case, revisions.join(", "));
    for line in wrap(&place, WIDTH - 6) {
        let _ = writeln!(text, "      {line}");
    }
    if let Some(Requirement { asks, expected, .. }) = row {
        label(&mut text, "asks", asks);
        label(&mut text, "expected", expected);
    }
    label(&mut text, "got", &finding.message);
    evidence(&mut text, finding);
    if finding.order_dependent {
        label(&mut text, "note", "it shows only after the traffic of other cases on the same process");
    }
    label(&mut text, "source", &format!("{} ({})", finding.source, revisions.join(", ")));
    if let Some(row) = row {
        label(&mut text, "fix", &row.fix);
    }
    // A command is not broken: it is there to be copied.
    let _ = writeln!(text, "  reproduce {}", escape_lines(&finding.reproduce));
    text
}

fn evidence(text: &mut String, finding: &Finding) {
    let evidence = &finding.evidence;
    if let Some(received) = &evidence.received {
        // The log can come from elsewhere: what should be escaped in it may not be.
        let shown = window(&escape(received.as_bytes()), evidence.offset, WIDTH - INDENT);
        let _ = writeln!(text, "{:INDENT$}{}", "", shown.text);
        if let Some(start) = finding.stream_offset {
            let mark = format!("^ byte {} of stdout", start + evidence.offset as u64);
            let column = INDENT + shown.column;
            if column + mark.len() <= WIDTH {
                let _ = writeln!(text, "{:column$}{mark}", "");
            } else {
                let before = column.saturating_sub(mark.chars().count() - 1);
                let _ = writeln!(text, "{:before$}{} ^", "", &mark[2..]);
            }
        }
    }
    if let Some(sent) = &evidence.sent {
        label_cut(text, "sent", sent);
    }
}

fn label(text: &mut String, name: &str, value: &str) {
    for (index, line) in wrap(&escape_lines(value), WIDTH - INDENT).into_iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        let _ = writeln!(text, "  {name:<9} {line}");
    }
}

/// A value that is cut instead of wrapped.
fn label_cut(text: &mut String, name: &str, value: &str) {
    let shown = window(&escape(value.as_bytes()), 0, WIDTH - INDENT);
    let _ = writeln!(text, "  {name:<9} {}", shown.text);
}

fn tail(log: &Log) -> String {
    let mut text = String::new();
    for (verdict, name) in
        [(Verdict::Skip, "skipped"), (Verdict::Inconclusive, "unjudged"), (Verdict::Error, "our error")]
    {
        for (reason, count) in reasons(&log.cases, verdict) {
            label(&mut text, name, &format!("{count} × {reason}"));
        }
    }
    for (ended, count) in endings(&log.cases) {
        label(&mut text, "ended", &format!("{count} × {ended}"));
    }
    let summary = Summary::of(&log.cases);
    let counts = [
        (summary.pass, "passed"),
        (summary.fail, "failed"),
        (summary.warn, "warned"),
        (summary.info, "with hints"),
        (summary.skip, "skipped"),
        (summary.inconclusive, "unjudged"),
        (summary.error, "errors of ours"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let counts = if counts.is_empty() { "none was played".to_owned() } else { counts.join(", ") };
    let seconds = log.footer.wall_ms / 1000.0;
    let line = format!("cases: {counts} in {seconds:.1} s ({} processes, seed {})", log.footer.starts, log.header.seed);
    let found = |verdict| groups(&log.findings).iter().filter(|group| group[0].verdict == verdict).count();
    let found = [(found(Verdict::Fail), "fail"), (found(Verdict::Warn), "warn"), (found(Verdict::Info), "hint")];
    let found: Vec<String> = found
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if *count > 1 { "s" } else { "" }))
        .collect();
    if !found.is_empty() {
        text += &format!("findings: {}; one finding can show in many cases\n", found.join(", "));
    }
    text += &(wrap(&line, WIDTH).join("\n") + "\n");
    text + &verdict_line(log.exit_code())
}

fn verdict_line(code: ExitCode) -> String {
    let (word, verdict) = match code {
        ExitCode::Conformant => ("PASS", Verdict::Pass),
        ExitCode::Findings => ("FAIL", Verdict::Fail),
        ExitCode::Usage | ExitCode::NotJudged | ExitCode::Bug | ExitCode::Interrupted => {
            ("INCOMPLETE", Verdict::Inconclusive)
        }
    };
    let style = style(verdict);
    format!("{style}{word}{style:#} (exit code {}: {})\n", code.number(), code.meaning())
}

/// Why cases were not played or not judged: the most frequent reasons first.
fn reasons(cases: &[CaseResult], verdict: Verdict) -> Vec<(&str, usize)> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.verdict == verdict) {
        *reasons.entry(case.reason.as_deref().unwrap_or("no reason given")).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons
}

/// Sessions that did not end cleanly.
fn endings(cases: &[CaseResult]) -> BTreeMap<&'static str, usize> {
    let mut endings = BTreeMap::new();
    for case in cases {
        let name = match case.ended {
            None | Some(SessionEnd::Clean) => continue,
            Some(SessionEnd::Terminated) => "only SIGTERM ended the process",
            Some(SessionEnd::Killed) => "only SIGKILL ended the process",
            Some(SessionEnd::Crashed) => "the process crashed",
            Some(SessionEnd::Exited) => "the process ended by itself",
            Some(SessionEnd::Leaked) => "the process left others behind",
            Some(SessionEnd::Hung) => "the process could not be ended",
        };
        *endings.entry(name).or_default() += 1;
    }
    endings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::tests::{case, failing, finding};

    fn plain(log: &Log) -> String {
        anstream::adapter::strip_str(&text(log, Detail::Short)).to_string()
    }

    macro_rules! snapshot {
        ($name:expr, $text:expr) => {
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/cli"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!($name, $text));
        };
    }

    fn passing() -> Log {
        let mut log = failing();
        log.findings.clear();
        log.cases = vec![case("ping/answers", Verdict::Pass), case("prompts/list", Verdict::Skip)];
        log.footer.exit_code = 0;
        log
    }

    #[test]
    fn a_pass_is_a_few_lines() {
        let text = plain(&passing());
        assert!(text.lines().count() <= 8);
        snapshot!("text_passing", text);
    }

    #[test]
    fn a_failure_shows_bytes_rule_fix_and_how_to_see_it_again() {
        snapshot!("text_failing", plain(&failing()));
    }

    #[test]
    fn hints_and_reasons_and_endings_are_told() {
        let mut log = failing();
        log.findings.push(finding("stdio.eof-exit", Verdict::Warn));
        log.findings.push(finding("jsonrpc.id-echo", Verdict::Info));
        log.cases.push(case("tools/list", Verdict::Inconclusive));
        log.cases[0].ended = Some(SessionEnd::Killed);
        snapshot!("text_mixed", plain(&log));
    }

    #[test]
    fn a_server_that_does_not_start_is_told_in_words() {
        let mut log = passing();
        log.cases.clear();
        log.header.server.name = None;
        log.header.server.version = None;
        log.header.server.revisions.clear();
        log.footer.exit_code = 3;
        log.footer.trouble = Some(
            "the command ended before it answered anything: exit code 1\nits stderr ended with:\nKeyError: 'API_KEY'"
                .into(),
        );
        snapshot!("text_not_started", plain(&log));
    }

    #[test]
    fn hostile_text_never_reaches_a_terminal_raw_and_lines_keep_to_the_width() {
        let mut log = failing();
        log.header.server.name = Some("\u{1b}[2Jevil\u{202e}".into());
        log.findings[0].message = "\u{1b}]0;title\u{7} ".repeat(20);
        log.findings[0].evidence.received = Some("x".repeat(3000) + "\u{1b}[2J");
        log.findings[0].evidence.offset = 2990;
        log.findings[0].evidence.sent = Some("\u{202e}".into());
        let text = plain(&log);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']));
        let too_wide =
            text.lines().filter(|line| !line.contains("reproduce")).find(|line| line.chars().count() > WIDTH);
        assert_eq!(too_wide, None);
    }
}
