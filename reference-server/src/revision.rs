//! The dated revisions of the protocol, and what each brought.

use clap::ValueEnum;

/// A revision of the protocol. Later ones compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Revision {
    /// The first.
    #[value(name = "2024-11-05")]
    V2024_11_05,
    /// Batches, tool annotations.
    #[value(name = "2025-03-26")]
    V2025_03_26,
    /// Structured output, titles; no more batches.
    #[value(name = "2025-06-18")]
    V2025_06_18,
    /// The last one with a handshake.
    #[value(name = "2025-11-25")]
    V2025_11_25,
    /// No handshake: each request says what it needs.
    #[value(name = "2026-07-28")]
    V2026_07_28,
}

/// How a conversation is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// By the `initialize` handshake, for the life of the process.
    Legacy,
    /// By nothing: `_meta` of each request carries the version and the client's capabilities.
    Modern,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The date that stands for the revision on the wire.
    pub fn date(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era that the revision belongs to.
    pub fn era(self) -> Era {
        if self < Self::V2026_07_28 { Era::Legacy } else { Era::Modern }
    }

    /// Whether a line may hold an array of messages.
    pub(crate) fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Whether tools carry annotations.
    pub(crate) fn has_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether progress may be told in words too.
    pub(crate) fn has_progress_messages(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether things have titles.
    pub(crate) fn has_titles(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether tools have an output schema and structured results.
    pub(crate) fn has_structured_output(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether a server may have a client's user fill in a form.
    pub(crate) fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether a request for a form names its mode, since there is another one.
    pub(crate) fn names_elicitation_modes(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether what a client may ask a server to complete is a capability.
    pub(crate) fn declares_completions(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether a call may be made a task, to be asked about later.
    pub(crate) fn has_tasks(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Whether arguments that break a tool's schema are told to the model, in a result, and not to the program.
    pub(crate) fn reports_arguments_in_results(self) -> bool {
        self >= Self::V2025_11_25
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_ordered_by_date() {
        assert!(Revision::ALL.is_sorted());
        assert!(Revision::ALL.map(Revision::date).is_sorted());
    }

    #[test]
    fn the_command_line_names_a_revision_by_its_date() {
        for revision in Revision::ALL {
            assert_eq!(Revision::from_str(revision.date(), false), Ok(revision));
        }
    }

    #[test]
    fn one_revision_has_batches_and_one_has_no_handshake() {
        assert_eq!(Revision::ALL.iter().filter(|revision| revision.has_batches()).count(), 1);
        assert_eq!(Revision::ALL.iter().filter(|revision| revision.era() == Era::Modern).count(), 1);
    }
}
