//! Sets of revisions, as case files and the ledger write them.

use std::fmt;

use super::{Era, Revision};

/// A set of revisions, written `all`, `legacy`, `modern`, a date, or bounds such as `>=2025-06-18,<=2025-11-25`;
/// a comma means "and", the word `or` joins alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RevisionSet(u8);

/// Why a text is no set of revisions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no set of revisions; write all, legacy, modern, a date, or bounds such as \">=2025-06-18,<=2025-11-25\""
)]
pub struct RevisionSetError(String);

impl RevisionSet {
    /// Every revision.
    pub const ALL: Self = Self(0b1_1111);
    /// No revision.
    pub const NONE: Self = Self(0);

    /// Reads a set as case files write it.
    ///
    /// # Errors
    /// The text has a term that is none of the forms above.
    pub fn parse(text: &str) -> Result<Self, RevisionSetError> {
        let mut set = Self::NONE;
        for alternative in text.split(" or ") {
            let mut both = Self::ALL;
            for term in alternative.split(',') {
                let term = Self::term(term.trim()).ok_or_else(|| RevisionSetError(text.to_owned()))?;
                both = Self(both.0 & term.0);
            }
            set = Self(set.0 | both.0);
        }
        Ok(set)
    }

    fn term(term: &str) -> Option<Self> {
        Some(match term {
            "all" => Self::ALL,
            "legacy" => Revision::of(Era::Legacy).collect(),
            "modern" => Revision::of(Era::Modern).collect(),
            _ => {
                let (test, date): (fn(Revision, Revision) -> bool, &str) = if let Some(date) = term.strip_prefix(">=") {
                    (|revision, bound| revision >= bound, date)
                } else if let Some(date) = term.strip_prefix("<=") {
                    (|revision, bound| revision <= bound, date)
                } else {
                    (|revision, bound| revision == bound, term)
                };
                let bound = date.trim().parse().ok()?;
                Revision::ALL.into_iter().filter(|&revision| test(revision, bound)).collect()
            }
        })
    }

    /// Whether the set holds this revision.
    #[must_use]
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & (1 << revision as u8) != 0
    }

    /// The revisions in the set, oldest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |&revision| self.contains(revision))
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Revision> for RevisionSet {
    fn from_iter<I: IntoIterator<Item = Revision>>(revisions: I) -> Self {
        Self(revisions.into_iter().fold(0, |bits, revision| bits | 1 << revision as u8))
    }
}

impl fmt::Debug for RevisionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str) -> Vec<&'static str> {
        RevisionSet::parse(text).unwrap().iter().map(Revision::as_str).collect()
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(dates("all").len(), 5);
        assert_eq!(dates("legacy").len(), 4);
        assert_eq!(dates("modern"), ["2026-07-28"]);
        assert_eq!(dates("2025-03-26"), ["2025-03-26"]);
        assert_eq!(dates(">=2025-06-18, <=2025-11-25"), ["2025-06-18", "2025-11-25"]);
        assert_eq!(dates("2024-11-05 or >=2025-11-25"), ["2024-11-05", "2025-11-25", "2026-07-28"]);
    }

    #[test]
    fn names_what_it_cannot_read() {
        let error = RevisionSet::parse(">=2025").unwrap_err();
        assert!(error.to_string().starts_with("'>=2025' is no set of revisions"));
    }
}
