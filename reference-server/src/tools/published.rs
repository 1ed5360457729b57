//! Tools that were added while the server runs.

use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::Excerpt;

/// The most tools that can be added.
const MOST: usize = 64;

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The names of the added tools, in the order in which they came. Clones share one list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Published(Arc<Mutex<Vec<String>>>);

impl Published {
    /// Adds a name, unless it is none, or taken; then says why.
    pub(crate) fn add(&self, name: &str) -> Result<(), String> {
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_fit) {
            return Err(format!(
                "\"{}\" can't name a tool; use 1 to {LONGEST} of the characters A-Z a-z 0-9 _ - .",
                Excerpt(name)
            ));
        }
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if super::named(name).is_some() || names.iter().any(|other| other == name) {
            return Err(format!("there is a tool \"{name}\" already; choose another name"));
        }
        if names.len() == MOST {
            return Err(format!("{MOST} tools were published, and no more can be"));
        }
        names.push(name.into());
        Ok(())
    }

    /// All names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a tool of that name was added.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|other| other == name)
    }
}

fn is_fit(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_added_once_and_only_if_it_is_one() {
        let published = Published::default();
        assert_eq!(published.add("greet.v2"), Ok(()));
        for name in ["greet.v2", "wait", "", "a b", "é", &"x".repeat(65)] {
            assert!(published.add(name).is_err(), "{name}");
        }
        assert_eq!(published.clone().names(), ["greet.v2"]);
        assert!(published.has("greet.v2") && !published.has("wait"));
    }

    #[test]
    fn there_is_an_end_to_it() {
        let published = Published::default();
        for number in 0..MOST {
            published.add(&format!("tool{number}")).unwrap();
        }
        assert!(published.add("one-more").is_err());
    }
}
