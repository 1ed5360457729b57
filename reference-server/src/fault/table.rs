//! All faults, by name.

use std::fmt;

use super::behaviour::{self, Behaviour};
use super::bytes::{self, Bytes};
use super::messages::{self, Messages};

/// One way to misbehave.
pub(crate) struct Fault {
    /// What it goes by.
    pub(crate) name: &'static str,
    /// In which sessions it shows.
    pub(crate) reach: Reach,
    /// What the server does, as the end of a sentence that begins with "It".
    pub(crate) about: &'static str,
    /// How it is done.
    pub(crate) layer: Layer,
}

/// The eras in which a fault shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// With a handshake.
    Legacy,
    /// Without one.
    Modern,
    /// In either.
    Both,
}

/// What a fault is made of.
pub(crate) enum Layer {
    /// Changes of bytes.
    Bytes(&'static [Bytes]),
    /// Changes of messages.
    Messages(&'static [Messages]),
    /// Changes of what the process does.
    Behaviour(&'static [Behaviour]),
}

impl Fault {
    /// A fault of bytes.
    pub(super) const fn bytes(name: &'static str, about: &'static str, changes: &'static [Bytes]) -> Self {
        Self { name, reach: Reach::Both, about, layer: Layer::Bytes(changes) }
    }

    /// A fault of messages, which shows in both eras.
    pub(super) const fn messages(name: &'static str, about: &'static str, changes: &'static [Messages]) -> Self {
        Self { name, reach: Reach::Both, about, layer: Layer::Messages(changes) }
    }

    /// A fault of the process.
    pub(super) const fn behaviour(name: &'static str, about: &'static str, changes: &'static [Behaviour]) -> Self {
        Self { name, reach: Reach::Both, about, layer: Layer::Behaviour(changes) }
    }

    /// The same fault, which shows only in legacy sessions.
    pub(super) const fn legacy(self) -> Self {
        Self { reach: Reach::Legacy, ..self }
    }

    /// The same fault, which shows only in modern sessions.
    pub(super) const fn modern(self) -> Self {
        Self { reach: Reach::Modern, ..self }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Fault").field(&self.name).finish()
    }
}

/// The line of a fault in the list.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reach = match self.reach {
            Reach::Legacy => "legacy",
            Reach::Modern => "modern",
            Reach::Both => "both",
        };
        write!(formatter, "{}\t{reach}\t{}", self.name, self.about)
    }
}

/// All faults, in the order of their areas.
pub(crate) fn all() -> impl Iterator<Item = &'static Fault> {
    [bytes::FAULTS, messages::FAULTS, behaviour::FAULTS].into_iter().flatten().copied().flatten()
}

/// The fault of a name.
pub(crate) fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}

/// The list of all faults, one a line.
pub(crate) fn list() -> String {
    all().map(|fault| format!("{fault}\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_made_of_words() {
        let names: BTreeSet<_> = all().map(|fault| fault.name).collect();
        assert_eq!(names.len(), all().count());
        for name in names {
            assert!(name.split('-').all(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric)), "{name}");
        }
    }

    #[test]
    fn each_fault_has_a_sentence_of_its_own() {
        let sentences: BTreeSet<_> = all().map(|fault| fault.about).collect();
        assert_eq!(sentences.len(), all().count());
        for about in sentences {
            assert!(about.starts_with(char::is_lowercase) && !about.ends_with('.') && about.len() < 120, "{about}");
        }
    }
}
