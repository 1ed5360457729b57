//! The requirement ledger: what each id asks, how heavy a breach is in which revision, and how it is mended.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Revision, RevisionSet, RevisionSetError};
use crate::judge::Verdict;

/// The id of a requirement, such as `stdio.stdout-pure`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RequirementId(String);

impl RequirementId {
    /// The id with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a requirement stands in the specification, or is about input that a client must not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Judged by the specification.
    Conformance,
    /// A peer should survive it; at most a warning.
    Robustness,
}

/// The heaviest verdict that a requirement can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Never more than a hint.
    Info,
    /// At most a warning.
    Warn,
    /// A breach fails the server.
    Fail,
}

impl From<Level> for Verdict {
    fn from(level: Level) -> Self {
        match level {
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Fail => Self::Fail,
        }
    }
}

/// One value, or one for each set of revisions.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ByRevision<T> {
    One(T),
    Several(BTreeMap<String, T>),
}

impl<T: Clone> ByRevision<T> {
    fn at(&self, revision: Revision) -> Option<T> {
        match self {
            Self::One(value) => Some(value.clone()),
            Self::Several(values) => values
                .iter()
                .find(|(set, _)| RevisionSet::parse(set).is_ok_and(|set| set.contains(revision)))
                .map(|(_, value)| value.clone()),
        }
    }

    fn check(&self) -> Result<(), RevisionSetError> {
        match self {
            Self::One(_) => Ok(()),
            Self::Several(values) => values.keys().try_for_each(|set| RevisionSet::parse(set).map(drop)),
        }
    }
}

/// One row of the ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its id.
    pub id: RequirementId,
    /// What it asks, in one sentence.
    pub asks: String,
    /// All that is accepted.
    pub expected: String,
    revisions: String,
    level: ByRevision<Level>,
    /// Conformance or robustness.
    pub class: Class,
    source: ByRevision<String>,
    /// Why a breach hurts.
    pub why: String,
    /// How it is mended.
    pub fix: String,
    /// A wire example that is right.
    #[serde(default)]
    pub good: Option<String>,
    /// A wire example that is wrong.
    #[serde(default)]
    pub bad: Option<String>,
}

impl Requirement {
    /// The revisions that it belongs to.
    #[must_use]
    pub fn revisions(&self) -> RevisionSet {
        RevisionSet::parse(&self.revisions).unwrap_or(RevisionSet::NONE)
    }

    /// The heaviest verdict in this revision; a hint where the ledger names none.
    #[must_use]
    pub fn level(&self, revision: Revision) -> Level {
        self.level.at(revision).unwrap_or(Level::Info)
    }

    /// Where it stands: a page below `docs/specification/<revision>/`, or another document.
    #[must_use]
    pub fn source(&self, revision: Revision) -> String {
        self.source.at(revision).unwrap_or_else(|| "no specification text".to_owned())
    }
}

/// All rows, by id.
#[derive(Clone, Debug)]
pub struct Ledger {
    rows: BTreeMap<RequirementId, Requirement>,
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It is not TOML of the right form.
    #[error("the ledger cannot be read: {0}")]
    Form(#[from] toml::de::Error),
    /// An id stands twice.
    #[error("the ledger has {0} twice")]
    Twice(RequirementId),
    /// A set of revisions cannot be read.
    #[error("the ledger's row {0}: {1}")]
    Revisions(RequirementId, RevisionSetError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerFile {
    #[serde(rename = "version")]
    _version: u32,
    requirement: Vec<Requirement>,
}

impl Ledger {
    /// The ledger that is built into the harness.
    ///
    /// # Panics
    /// Never in a build whose tests pass: they read the same text.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static LEDGER: OnceLock<Ledger> = OnceLock::new();
        LEDGER.get_or_init(|| {
            Self::read(include_str!("../../../cases/ledger.toml")).expect("the embedded ledger is read by a test")
        })
    }

    /// Reads a ledger.
    ///
    /// # Errors
    /// The text is no ledger, has an id twice, or a set of revisions that cannot be read.
    pub fn read(text: &str) -> Result<Self, LedgerError> {
        let file: LedgerFile = toml::from_str(text)?;
        let mut rows = BTreeMap::new();
        for row in file.requirement {
            RevisionSet::parse(&row.revisions)
                .map(drop)
                .and_then(|()| row.level.check())
                .and_then(|()| row.source.check())
                .map_err(|error| LedgerError::Revisions(row.id.clone(), error))?;
            if let Some(twice) = rows.insert(row.id.clone(), row) {
                return Err(LedgerError::Twice(twice.id));
            }
        }
        Ok(Self { rows })
    }

    /// The row with this id.
    #[must_use]
    pub fn find(&self, id: &RequirementId) -> Option<&Requirement> {
        self.rows.get(id)
    }

    /// All rows, by id.
    pub fn rows(&self) -> impl Iterator<Item = &Requirement> {
        self.rows.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_embedded_ledger_has_a_level_and_a_source_in_its_revisions() {
        for row in Ledger::embedded().rows() {
            assert!(!row.revisions().is_empty(), "{}", row.id);
            for revision in row.revisions().iter() {
                assert!(row.level.at(revision).is_some(), "{} has no level in {revision}", row.id);
                assert!(row.source.at(revision).is_some(), "{} has no source in {revision}", row.id);
            }
        }
    }

    #[test]
    fn robustness_never_fails_a_server() {
        for row in Ledger::embedded().rows().filter(|row| row.class == Class::Robustness) {
            for revision in row.revisions().iter() {
                assert_ne!(row.level(revision), Level::Fail, "{}", row.id);
            }
        }
    }

    #[test]
    fn an_unreadable_set_is_named() {
        let text = "version = 1\n[[requirement]]\nid='a.b'\nasks='a'\nexpected='b'\nrevisions='never'\nlevel='fail'\nclass='conformance'\nsource='s'\nwhy='w'\nfix='f'\n";
        assert!(Ledger::read(text).unwrap_err().to_string().contains("'never' is no set of revisions"));
    }
}
