//! Lays out text for a terminal of 80 columns.

/// The width of the text report.
pub(crate) const WIDTH: usize = 80;

/// Breaks a text into lines of at most this width, at spaces where there are any.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > width {
            lines.push(String::new());
            used = 0;
        }
        if used > 0 {
            push(&mut lines, " ");
            used += 1;
        }
        while used + word.len() > width {
            let rest = word.split_off(width - used);
            push(&mut lines, &word.iter().collect::<String>());
            lines.push(String::new());
            word = rest;
            used = 0;
        }
        push(&mut lines, &word.iter().collect::<String>());
        used += word.len();
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

/// A part of an escaped line of a peer, and the column of a byte in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// What is shown.
    pub(super) text: String,
    /// The column of the byte.
    pub(super) column: usize,
}

/// Cuts the part around a byte of the line out of its escaped text.
///
/// `\xNN` stands for one byte and every other character for its own; `…[N bytes]…` at the start for what is left out.
pub(super) fn window(escaped: &str, offset: usize, width: usize) -> Window {
    let (mut byte, shown) = skip_left_out(escaped);
    let mut cells: Vec<&str> = Vec::new();
    let mut at = 0;
    let mut column = None;
    let mut columns = 0;
    while at < shown.len() {
        let (length, bytes) = cell(&shown[at..]);
        if column.is_none() && byte + bytes > offset {
            column = Some(cells.len());
        }
        cells.push(&shown[at..at + length]);
        columns += shown[at..at + length].chars().count();
        byte += bytes;
        at += length;
    }
    let target = column.unwrap_or(cells.len());
    if columns < width && byte >= offset {
        let column = cells[..target].iter().map(|cell| cell.chars().count()).sum();
        return Window { text: cells.concat(), column };
    }
    around(&cells, target, width)
}

fn around(cells: &[&str], target: usize, width: usize) -> Window {
    let length = |cells: &[&str]| cells.iter().map(|cell| cell.chars().count()).sum::<usize>();
    let mut from = target.min(cells.len());
    while from > 0 && length(&cells[from - 1..target]) <= width / 3 {
        from -= 1;
    }
    let mut to = target;
    while to < cells.len() && length(&cells[from..=to]) <= width - 2 {
        to += 1;
    }
    let before = if from > 0 { "…" } else { "" };
    let after = if to < cells.len() { "…" } else { "" };
    let column = before.chars().count() + length(&cells[from..target.max(from)]);
    Window { text: format!("{before}{}{after}", cells[from..to].concat()), column }
}

/// How many bytes are left out at the start, and what comes behind the mark.
fn skip_left_out(escaped: &str) -> (usize, &str) {
    let marked = escaped.strip_prefix("…[").and_then(|rest| rest.split_once(" bytes]…"));
    match marked.and_then(|(count, rest)| Some((count.parse().ok()?, rest))) {
        Some(marked) => marked,
        None => (0, escaped),
    }
}

/// The length of the first cell in the text, and how many bytes of the line it stands for.
fn cell(text: &str) -> (usize, usize) {
    let escape = text.as_bytes().get(..4).filter(|escape| escape.starts_with(b"\\x"));
    if escape.is_some_and(|escape| escape[2..].iter().all(u8::is_ascii_hexdigit)) {
        return (4, 1);
    }
    let length = text.chars().next().map_or(1, char::len_utf8);
    (length, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a abcdefgh", 4), ["a", "abcd", "efgh"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn the_column_counts_escapes_as_one_byte() {
        assert_eq!(window(r"\x1b[31mhi", 1, 60), Window { text: r"\x1b[31mhi".into(), column: 4 });
        assert_eq!(window("é!", 2, 60).column, 1);
        assert_eq!(window("abc", 3, 60).column, 3);
    }

    #[test]
    fn a_long_line_is_shown_around_the_byte() {
        let line = "a".repeat(100) + "B" + &"c".repeat(100);
        let shown = window(&line, 100, 40);
        assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));
        assert!(shown.text.chars().count() <= 40);
        assert_eq!(shown.text.chars().nth(shown.column), Some('B'));
        let left_out = format!("…[70 bytes]…{}", &line[70..]);
        let shown = window(&left_out, 100, 40);
        assert_eq!(shown.text.chars().nth(shown.column), Some('B'));
    }
}
