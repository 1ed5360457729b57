//! Reads configuration files, and shows the place of what is wrong in them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::script::Excerpt;

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its text is wrong.
    #[error(transparent)]
    Text(Box<Excerpt>),
}

/// A text and the name that errors give it.
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) origin: &'t str,
}

impl Source<'_> {
    /// The text as a file of this form.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        toml::from_str(self.text).map_err(|error: toml::de::Error| {
            self.refuse(error.span().unwrap_or(0..0), error.message().trim_start_matches('\n'))
        })
    }

    /// The error that shows this place.
    pub(super) fn refuse(&self, span: Range<usize>, message: impl Into<String>) -> ConfigError {
        ConfigError::Text(Box::new(Excerpt::new(self.text, self.origin, span, message)))
    }
}

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })
}
