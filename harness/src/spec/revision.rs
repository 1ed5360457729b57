//! The dated revisions of the specification and the two eras they fall into.

use std::fmt;
use std::str::FromStr;

/// How a session opens: by a handshake, or by metadata on every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// `initialize` and `notifications/initialized` come first (up to 2025-11-25).
    Legacy,
    /// Every request carries its version and capabilities in `_meta` (from 2026-07-28).
    Modern,
}

impl Era {
    /// Both eras, older first.
    pub const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    /// The word that reports and case files use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A published revision of the specification, ordered by date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28
    V2026_07_28,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];
    /// The newest revision with a handshake.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// The newest revision without a handshake.
    pub const NEWEST_MODERN: Self = Self::V2026_07_28;

    /// The date, as it travels on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era that this revision belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// The revisions of one era, oldest first.
    pub fn of(era: Era) -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(move |revision| revision.era() == era)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A string that names no published revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a revision; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28")]
pub struct UnknownRevision(pub String);

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text).ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_read_back_what_they_print_and_are_ordered_by_date() {
        for pair in Revision::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
            assert!(pair[0].as_str() < pair[1].as_str());
        }
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        assert!("2025-01-01".parse::<Revision>().is_err());
    }

    #[test]
    fn each_era_ends_with_its_newest_revision() {
        assert_eq!(Revision::of(Era::Legacy).next_back(), Some(Revision::NEWEST_LEGACY));
        assert_eq!(Revision::of(Era::Modern).next_back(), Some(Revision::NEWEST_MODERN));
    }
}
