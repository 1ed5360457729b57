//! The verdicts, and which of two is heavier.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a case or a finding is worth, from lightest to heaviest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not applicable.
    Skip,
    /// As the specification asks.
    Pass,
    /// Left open by the specification, or a hint.
    Info,
    /// It could not be judged.
    Inconclusive,
    /// A SHOULD is broken, or the peer is not robust.
    Warn,
    /// A MUST is broken.
    Fail,
    /// Our own fault.
    Error,
}

impl Verdict {
    /// All verdicts, in the order of a report's summary.
    pub const ALL: [Self; 7] =
        [Self::Pass, Self::Fail, Self::Warn, Self::Info, Self::Skip, Self::Inconclusive, Self::Error];

    /// The word that reports and files use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Pass => "pass",
            Self::Info => "info",
            Self::Inconclusive => "inconclusive",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
