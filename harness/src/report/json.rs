//! The JSON report: stable, for other tools.

use serde::{Deserialize, Serialize};

use crate::exit::ExitCode;
use crate::judge::{CaseResult, Finding, Verdict};
use crate::log::{Log, Server};

/// The form of the report.
const SCHEMA: &str = "mcp-plumb/report/1";

/// The report of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "A report of mcp-plumb"))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The form of the report.
    pub schema: String,
    /// The version of the harness.
    pub version: String,
    /// The seed of ids and nonces.
    pub seed: u32,
    /// The exit code of the run.
    pub exit_code: u8,
    /// What the run is worth.
    pub verdict: RunVerdict,
    /// The server.
    pub server: Server,
    /// How many cases are worth what.
    pub summary: Summary,
    /// Every fail, warn and info.
    pub findings: Vec<Finding>,
    /// Every case, played or not.
    pub cases: Vec<CaseResult>,
}

/// What a run is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RunVerdict {
    /// The server is conformant.
    Pass,
    /// It is not.
    Fail,
    /// Not everything could be judged.
    Incomplete,
}

/// Counts of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// As the specification asks.
    pub pass: usize,
    /// A MUST is broken.
    pub fail: usize,
    /// A SHOULD is broken, or the peer is not robust.
    pub warn: usize,
    /// A hint.
    pub info: usize,
    /// Not applicable.
    pub skip: usize,
    /// Not judged.
    pub inconclusive: usize,
    /// Our own fault.
    pub error: usize,
    /// Findings that a baseline accepts.
    pub accepted: usize,
}

impl Summary {
    /// Counts the cases of a log.
    #[must_use]
    pub fn of(cases: &[CaseResult]) -> Self {
        let mut summary = Self::default();
        for case in cases {
            *match case.verdict {
                Verdict::Pass => &mut summary.pass,
                Verdict::Fail => &mut summary.fail,
                Verdict::Warn => &mut summary.warn,
                Verdict::Info => &mut summary.info,
                Verdict::Skip => &mut summary.skip,
                Verdict::Inconclusive => &mut summary.inconclusive,
                Verdict::Error => &mut summary.error,
            } += 1;
        }
        summary
    }
}

impl From<&Log> for Report {
    fn from(log: &Log) -> Self {
        let verdict = match log.exit_code() {
            ExitCode::Conformant => RunVerdict::Pass,
            ExitCode::Findings => RunVerdict::Fail,
            ExitCode::Usage | ExitCode::NotJudged | ExitCode::Bug | ExitCode::Interrupted => RunVerdict::Incomplete,
        };
        Self {
            schema: SCHEMA.to_owned(),
            version: log.header.version.clone(),
            seed: log.header.seed,
            exit_code: log.footer.exit_code,
            verdict,
            server: log.header.server.clone(),
            summary: Summary::of(&log.cases),
            findings: log.findings.clone(),
            cases: log.cases.clone(),
        }
    }
}

impl Report {
    /// The report as text, with a newline at its end.
    #[must_use]
    pub fn render(&self) -> String {
        // Nothing in a report can fail to be written: its keys are strings and its numbers are finite.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract;
    use crate::log::tests::failing;

    const EXAMPLE: &str = include_str!("../../../schemas/examples/report.json");

    #[test]
    fn the_contract_is_up_to_date_and_the_example_keeps_to_it() {
        let schema = contract::assert_schema::<Report>("schemas/report.json");
        let report: Report = serde_json::from_str(EXAMPLE).unwrap();
        assert_eq!(report.render(), EXAMPLE);
        for report in [report, Report::from(&failing())] {
            contract::assert_valid(&schema, &serde_json::to_value(report).unwrap());
        }
    }

    #[test]
    fn the_report_reads_back_and_its_keys_stand_in_order() {
        let report = Report::from(&failing());
        let text = report.render();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        let places: Vec<usize> = [
            "\"schema\"",
            "\"version\"",
            "\"seed\"",
            "\"exit_code\"",
            "\"verdict\"",
            "\"server\"",
            "\"summary\"",
            "\"findings\"",
            "\"cases\"",
        ]
        .into_iter()
        .map(|key| text.find(key).unwrap())
        .collect();
        assert!(places.is_sorted());
    }

    #[test]
    fn the_summary_counts_cases() {
        let summary = Report::from(&failing()).summary;
        assert_eq!((summary.pass, summary.fail, summary.skip), (1, 1, 0));
    }
}
