//! What a server is told when it starts.

use std::num::NonZeroUsize;

use crate::revision::{Era, Revision};

/// The settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    revisions: Vec<Revision>,
    /// How many tools one answer to `tools/list` holds; all, where this is `None`.
    pub(super) page_size: Option<NonZeroUsize>,
}

/// The wish for a server that speaks no revision at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no revision is left to serve")]
pub struct Unserved;

impl Default for Config {
    fn default() -> Self {
        Self { revisions: Revision::ALL.to_vec(), page_size: None }
    }
}

impl Config {
    /// Serves only the revisions for which `wanted` holds.
    pub fn retain(mut self, wanted: impl Fn(Revision) -> bool) -> Result<Self, Unserved> {
        self.revisions.retain(|revision| wanted(*revision));
        if self.revisions.is_empty() { Err(Unserved) } else { Ok(self) }
    }

    /// Answers lists in pages of a size.
    #[must_use]
    pub fn paged(mut self, size: NonZeroUsize) -> Self {
        self.page_size = Some(size);
        self
    }

    /// The revisions of an era that are served, oldest first.
    pub(crate) fn of(&self, era: Era) -> impl DoubleEndedIterator<Item = Revision> {
        self.revisions.iter().copied().filter(move |revision| revision.era() == era)
    }

    /// Whether any revision of the era is served.
    pub(crate) fn serves(&self, era: Era) -> bool {
        self.of(era).next().is_some()
    }

    /// The dates of the modern revisions. Legacy ones are reached by `initialize` and not by `_meta`, so a client
    /// that is told what it may name in `_meta` is not told of them.
    pub(crate) fn modern_dates(&self) -> Vec<&'static str> {
        self.of(Era::Modern).map(Revision::date).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_can_be_narrowed_but_not_to_none() {
        let legacy = Config::default().retain(|revision| revision.era() == Era::Legacy).unwrap();
        assert!(legacy.serves(Era::Legacy) && !legacy.serves(Era::Modern));
        assert_eq!(legacy.of(Era::Legacy).next_back(), Some(Revision::V2025_11_25));
        assert_eq!(legacy.retain(|_| false), Err(Unserved));
    }
}
