//! What a server is told when it starts.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::revision::{Era, Revision};

/// The settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    revisions: Vec<Revision>,
    /// How many entries one answer to a list holds; all, where this is `None`.
    pub(super) page_size: Option<NonZeroUsize>,
    /// Whether calls of tools are written down.
    pub(super) audited: bool,
    /// Whether the method of lessons is served.
    pub(super) lessons: bool,
    /// How long work may take.
    limit: Duration,
    /// How long the work of some tools may take.
    limits: BTreeMap<String, Duration>,
}

/// How long work may take where nothing else is said.
const LIMIT: Duration = Duration::from_secs(2);

/// The wish for a server that speaks no revision at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no revision is left to serve")]
pub struct Unserved;

impl Default for Config {
    fn default() -> Self {
        Self {
            revisions: Revision::ALL.to_vec(),
            page_size: None,
            audited: false,
            lessons: false,
            limit: LIMIT,
            limits: BTreeMap::new(),
        }
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

    /// Has calls of tools written down, by [`Action::Audit`](crate::Action::Audit).
    #[must_use]
    pub fn audited(mut self) -> Self {
        self.audited = true;
        self
    }

    /// Serves the method `wait` besides, which needs no handshake and is in no revision.
    #[must_use]
    pub fn for_lessons(mut self) -> Self {
        self.lessons = true;
        self
    }

    /// Has all work stopped that takes longer than `limit`, but for tools that have a limit of their own.
    #[must_use]
    pub fn limited(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Gives one tool a time limit of its own.
    #[must_use]
    pub fn limited_for(mut self, tool: impl Into<String>, limit: Duration) -> Self {
        self.limits.insert(tool.into(), limit);
        self
    }

    /// How long work may take: a tool's, or any other.
    pub(super) fn limit(&self, tool: Option<&str>) -> Duration {
        tool.and_then(|tool| self.limits.get(tool)).copied().unwrap_or(self.limit)
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

    #[test]
    fn a_tool_may_have_a_limit_of_its_own() {
        let second = Duration::from_secs(1);
        let config = Config::default().limited(second).limited_for("wait", 9 * second);
        assert_eq!([None, Some("x"), Some("wait")].map(|tool| config.limit(tool)), [second, second, 9 * second]);
        assert_eq!(Config::default().limit(Some("wait")), LIMIT);
    }
}
