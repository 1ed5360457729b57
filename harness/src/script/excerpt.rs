//! Why a case cannot be loaded, shown with the place in its file.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// Why a case cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or folder cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is no case.
    #[error(transparent)]
    Case(Box<Excerpt>),
}

/// A place in a case file, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The name of the file.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, in one sentence.
    pub message: String,
    text: String,
    width: usize,
}

impl Excerpt {
    /// The excerpt of `text` around the byte range `span`.
    #[must_use]
    pub fn new(text: &str, origin: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let start = boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let end = boundary(text, span.end).clamp(start, line_end);
        Self {
            origin: origin.to_owned(),
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            message: message.into(),
            text: text[line_start..line_end].trim_end_matches('\r').replace('\t', " "),
            width: text[start..end].trim_end().chars().count().max(1),
        }
    }
}

/// The nearest character boundary at or before `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, line, column, message, text, width } = self;
        let number = line.to_string();
        let margin = number.len();
        writeln!(f, "{origin}:{line}:{column}: {message}")?;
        writeln!(f, "{:margin$} |", "")?;
        writeln!(f, "{number} | {text}")?;
        write!(f, "{:margin$} | {:indent$}{}", "", "", "^".repeat(*width), indent = column - 1)
    }
}

impl std::error::Error for Excerpt {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_line_with_a_caret_below_the_span() {
        let excerpt = Excerpt::new("a = 1\né = 'x'\nc = 2\n", "case.toml", 11..14, "is odd");
        assert_eq!(excerpt.to_string(), "case.toml:2:5: is odd\n  |\n2 | é = 'x'\n  |     ^^^");
    }

    #[test]
    fn a_span_over_several_lines_is_marked_to_the_end_of_the_first() {
        let excerpt = Excerpt::new("a = [\n1,\n]\n", "case.toml", 4..10, "is odd");
        assert_eq!((excerpt.line, excerpt.column, excerpt.width), (1, 5, 1));
    }

    #[test]
    fn a_span_behind_the_end_is_shown_at_the_end() {
        let excerpt = Excerpt::new("a = ", "case.toml", 90..99, "ends");
        assert_eq!((excerpt.line, excerpt.column), (1, 5));
    }
}
