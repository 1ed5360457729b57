//! What a run says in the end: findings, and what became of each case.

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::spec::{Class, RequirementId};

/// One requirement broken at one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What is broken.
    pub requirement: RequirementId,
    /// fail, warn or info.
    pub verdict: Verdict,
    /// Conformance, or robustness against input that a client must not send.
    pub class: Class,
    /// The revision in force.
    pub revision: String,
    /// The case that showed it.
    pub case: String,
    /// What the peer does, in one sentence in the present tense.
    pub message: String,
    /// Where the rule stands: a page below `docs/specification/<revision>/`, or another document.
    pub source: String,
    /// Whether it shows only after other traffic.
    pub order_dependent: bool,
    /// Bytes of stdout before the line that shows it, where a line does.
    pub stream_offset: Option<u64>,
    /// The bytes.
    pub evidence: Evidence,
    /// The command that shows it again.
    pub reproduce: String,
}

/// The bytes that show a finding, as text with `\xNN` for what is not printable UTF-8. A long line is shown around the
/// offset, with `…[N bytes]…` for what is left out before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// What we had sent.
    pub sent: Option<String>,
    /// What came, or how the peer ended.
    pub received: Option<String>,
    /// The byte within the line that came.
    pub offset: usize,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionEnd {
    /// By itself when its stdin was closed, or as the case asked.
    Clean,
    /// SIGTERM ended it.
    Terminated,
    /// SIGKILL ended it.
    Killed,
    /// By a signal that we did not send.
    Crashed,
    /// By itself while its stdin was open.
    Exited,
    /// It left processes behind.
    Leaked,
    /// It could not be ended, or stopped answering.
    Hung,
}

/// What became of one case in one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// The case.
    pub id: String,
    /// The revision.
    pub revision: String,
    /// What it is worth.
    pub verdict: Verdict,
    /// How its session ended; null for a case that was not played.
    pub ended: Option<SessionEnd>,
    /// From its first step to its last, in milliseconds.
    pub duration_ms: f64,
    /// Why it was skipped or could not be judged.
    pub reason: Option<String>,
    /// What it judges.
    pub requirements: Vec<RequirementId>,
}
