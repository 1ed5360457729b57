//! The log of a run: what every report is computed from.
//!
//! It is JSON, one event a line: a header, findings and cases in the order of the report, and a footer. A log without
//! its footer is of a run that did not end, and is refused.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::exit::ExitCode;
use crate::judge::{CaseResult, Finding};

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The first line.
    Header(Header),
    /// A finding.
    Finding(Finding),
    /// A case.
    Case(CaseResult),
    /// The last line.
    Footer(Footer),
}

/// What was judged, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The form of the log.
    pub schema: String,
    /// The version of the harness.
    pub version: String,
    /// The seed of ids and nonces.
    pub seed: u32,
    /// The server.
    pub server: Server,
    /// Whether warnings fail the run.
    pub strict: bool,
}

/// The form of the logs that this build writes.
pub const SCHEMA: &str = "mcp-plumb/log/1";

/// The server under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The command.
    pub command: Vec<String>,
    /// The name that it gives.
    pub name: Option<String>,
    /// The version that it gives.
    pub version: Option<String>,
    /// The eras that it speaks.
    pub eras: Vec<String>,
    /// The revisions that were judged.
    pub revisions: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Footer {
    /// The exit code of `check`.
    pub exit_code: u8,
    /// Why nothing could be judged, in a few lines, where that is so.
    pub trouble: Option<String>,
    /// Processes started.
    pub starts: usize,
    /// Wall time in milliseconds.
    pub wall_ms: f64,
}

/// A whole log.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// What was judged.
    pub header: Header,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What became of each case.
    pub cases: Vec<CaseResult>,
    /// How it ended.
    pub footer: Footer,
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read.
    #[error("the log cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A line is no event.
    #[error("line {line} of the log is no event: {error}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The first line is no header, or a later one is.
    #[error("line {0} of the log stands in the wrong place: a log is a header, findings and cases, and a footer")]
    Order(usize),
    /// It is of another form.
    #[error("the log has the form '{0}'; this build reads '{SCHEMA}'")]
    Schema(String),
    /// It does not end with a footer.
    #[error("the log has no footer: its run did not end")]
    NoFooter,
    /// Its exit code is none.
    #[error("the log's footer has the exit code {0}, which there is not")]
    ExitCode(u8),
}

impl Log {
    /// Writes the log, one event a line.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let header = std::iter::once(Event::Header(self.header.clone()));
        let findings = self.findings.iter().cloned().map(Event::Finding);
        let cases = self.cases.iter().cloned().map(Event::Case);
        let footer = std::iter::once(Event::Footer(self.footer.clone()));
        for event in header.chain(findings).chain(cases).chain(footer) {
            serde_json::to_writer(&mut *to, &event)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }

    /// Reads a log that is whole.
    ///
    /// # Errors
    /// It is no log, of another form, or has no footer.
    pub fn read(from: impl BufRead) -> Result<Self, LogError> {
        let mut lines = from.lines().zip(1..);
        let event = |(text, line): (io::Result<String>, usize)| {
            serde_json::from_str::<Event>(&text?).map_err(|error| LogError::Line { line, error })
        };
        let header = match lines.next().map(event).transpose()? {
            Some(Event::Header(header)) if header.schema == SCHEMA => header,
            Some(Event::Header(header)) => return Err(LogError::Schema(header.schema)),
            _ => return Err(LogError::Order(1)),
        };
        let (mut findings, mut cases, mut footer) = (Vec::new(), Vec::new(), None);
        for (text, line) in lines {
            match event((text, line))? {
                Event::Finding(finding) if footer.is_none() => findings.push(finding),
                Event::Case(case) if footer.is_none() => cases.push(case),
                Event::Footer(end) if footer.is_none() => footer = Some(end),
                _ => return Err(LogError::Order(line)),
            }
        }
        let footer = footer.ok_or(LogError::NoFooter)?;
        if ExitCode::from_number(footer.exit_code).is_none() {
            return Err(LogError::ExitCode(footer.exit_code));
        }
        Ok(Self { header, findings, cases, footer })
    }

    /// How the run ended.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from_number(self.footer.exit_code).unwrap_or(ExitCode::Bug)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::judge::{Evidence, SessionEnd, Verdict};
    use crate::spec::{Class, RequirementId};

    /// A log with one failure, for tests of what is made of logs.
    pub(crate) fn failing() -> Log {
        Log {
            header: Header {
                schema: SCHEMA.to_owned(),
                version: "0.1.0".to_owned(),
                seed: 7,
                server: Server {
                    command: vec!["node".to_owned(), "server.js".to_owned()],
                    name: Some("shop".to_owned()),
                    version: Some("1.2.3".to_owned()),
                    eras: vec!["legacy".to_owned()],
                    revisions: vec!["2025-11-25".to_owned()],
                },
                strict: false,
            },
            findings: vec![finding("stdio.stdout-pure", Verdict::Fail)],
            cases: vec![case("lifecycle/initialize", Verdict::Fail), case("ping/answers", Verdict::Pass)],
            footer: Footer { exit_code: 1, trouble: None, starts: 4, wall_ms: 1234.5 },
        }
    }

    /// A finding of a banner.
    pub(crate) fn finding(requirement: &str, verdict: Verdict) -> Finding {
        Finding {
            requirement: RequirementId::new(requirement),
            verdict,
            class: Class::Conformance,
            revision: "2025-11-25".to_owned(),
            case: "lifecycle/initialize".to_owned(),
            message: "writes a line to stdout that is not JSON before the first answer".to_owned(),
            source: "basic/transports#stdio".to_owned(),
            order_dependent: false,
            stream_offset: Some(0),
            evidence: Evidence {
                sent: Some(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned()),
                received: Some("Server started on stdio".to_owned()),
                offset: 0,
            },
            reproduce: "mcp-plumb replay --revision 2025-11-25 lifecycle/initialize -- node server.js".to_owned(),
        }
    }

    /// A case of this worth.
    pub(crate) fn case(id: &str, verdict: Verdict) -> CaseResult {
        let played = !matches!(verdict, Verdict::Skip | Verdict::Inconclusive);
        CaseResult {
            id: id.to_owned(),
            revision: "2025-11-25".to_owned(),
            verdict,
            ended: played.then_some(SessionEnd::Clean),
            duration_ms: 1.5,
            reason: (!played).then(|| "prompts is not declared".to_owned()),
            requirements: vec![RequirementId::new("lifecycle.initialize-responds")],
        }
    }

    fn text(log: &Log) -> String {
        let mut bytes = Vec::new();
        log.write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_log_reads_back_as_it_was_written() {
        let log = failing();
        assert_eq!(Log::read(text(&log).as_bytes()).unwrap(), log);
    }

    #[test]
    fn a_log_without_its_footer_is_refused() {
        let text = text(&failing());
        let cut = text.trim_end().rsplit_once('\n').unwrap().0;
        assert!(matches!(Log::read(cut.as_bytes()), Err(LogError::NoFooter)));
    }

    #[test]
    fn what_is_no_log_is_named_by_its_line() {
        let whole = text(&failing());
        assert!(matches!(Log::read(&b""[..]), Err(LogError::Order(1))));
        assert!(matches!(Log::read(&b"nonsense"[..]), Err(LogError::Line { line: 1, .. })));
        let twice = format!("{whole}{whole}");
        assert!(matches!(Log::read(twice.as_bytes()), Err(LogError::Order(6))));
        let other = whole.replace(SCHEMA, "mcp-plumb/log/9");
        assert!(matches!(Log::read(other.as_bytes()), Err(LogError::Schema(_))));
    }
}
