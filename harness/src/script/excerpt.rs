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
    /// The part of the line that is shown.
    text: String,
    /// Where the mark begins in the shown part, in characters, and how wide it is.
    mark: Range<usize>,
}

/// The most characters of a line that are shown.
const SHOWN: usize = 100;
/// How many of them stand before the mark at most.
const BEFORE: usize = 40;

impl Excerpt {
    /// The excerpt of `text` around the byte range `span`.
    #[must_use]
    pub fn new(text: &str, origin: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let start = boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let end = boundary(text, span.end).clamp(start, line_end);
        let column = text[line_start..start].chars().count();
        let width = text[start..end].trim_end().chars().count().max(1);
        let (shown, mark) = window(text[line_start..line_end].trim_end_matches('\r'), column..column + width);
        Self {
            origin: origin.to_owned(),
            line: text[..start].matches('\n').count() + 1,
            column: column + 1,
            message: message.into(),
            text: shown,
            mark,
        }
    }
}

/// The part of a line around a mark, and the mark within it. What does nothing but move the cursor becomes a space.
fn window(line: &str, mark: Range<usize>) -> (String, Range<usize>) {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let length = line.chars().count();
    if length <= SHOWN {
        return (line.chars().map(plain).collect(), mark);
    }
    let first = mark.start.saturating_sub(BEFORE).min(length - SHOWN);
    let cut = |at_end: bool| if at_end { "" } else { "…" };
    let (before, after) = (cut(first == 0), cut(first + SHOWN == length));
    let part: String = line.chars().skip(first).take(SHOWN).map(plain).collect();
    let shift = before.chars().count();
    // A mark at the end of a line stands one behind it.
    let begin = mark.start - first;
    let end = (mark.end - first).min(SHOWN).max(begin + 1);
    (format!("{before}{part}{after}"), begin + shift..end + shift)
}

/// The nearest character boundary at or before `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, line, column, message, text, mark } = self;
        let number = line.to_string();
        let margin = number.len();
        writeln!(f, "{origin}:{line}:{column}: {message}")?;
        writeln!(f, "{:margin$} |", "")?;
        writeln!(f, "{number} | {text}")?;
        write!(f, "{:margin$} | {:indent$}{}", "", "", "^".repeat(mark.len()), indent = mark.start)
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
        assert_eq!((excerpt.line, excerpt.column, excerpt.mark), (1, 5, 4..5));
    }

    #[test]
    fn of_a_long_line_only_what_stands_around_the_mark_is_shown() {
        let line = format!("{}é{}", "a".repeat(5000), "b".repeat(5000));
        let at = |span| Excerpt::new(&line, "case.toml", span, "is odd").to_string();
        let shown = at(5000..5002);
        let wanted = format!(
            "case.toml:1:5001: is odd\n  |\n1 | …{}é{}…\n  | {}^",
            "a".repeat(40),
            "b".repeat(59),
            " ".repeat(41)
        );
        assert_eq!(shown, wanted);
        for (span, before, carets) in [(0..1, 0, 1), (3..9000, 3, 97), (10_002..10_002, 101, 1), (9000..9002, 41, 2)] {
            let shown = at(span.clone());
            let marks = format!("  | {}{}", " ".repeat(before), "^".repeat(carets));
            assert_eq!(shown.lines().last(), Some(marks.as_str()), "{span:?}\n{shown}");
            assert!(shown.lines().all(|line| line.chars().count() <= SHOWN + 6), "{shown}");
        }
    }

    #[test]
    fn a_span_behind_the_end_is_shown_at_the_end() {
        let excerpt = Excerpt::new("a = ", "case.toml", 90..99, "ends");
        assert_eq!((excerpt.line, excerpt.column), (1, 5));
    }
}
