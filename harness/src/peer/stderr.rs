//! What is kept of a peer's stderr: the head and the tail, and how much there was.

use std::collections::VecDeque;

/// How much of stderr is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes kept from the start.
    pub stderr_head: usize,
    /// Bytes kept from the end.
    pub stderr_tail: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stderr_head: 16 * 1024, stderr_tail: 16 * 1024 }
    }
}

/// A look at a peer's stderr.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stderr {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes, without any that are in `head` already.
    pub tail: Vec<u8>,
    /// All bytes that came.
    pub total: u64,
    /// Lines that came; a last one without its newline counts.
    pub lines: u64,
}

impl Stderr {
    /// The last lines, with broken UTF-8 replaced.
    #[must_use]
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let bytes = if self.tail.is_empty() { self.head.clone() } else { [&self.head[..], &self.tail].concat() };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(count)..].iter().map(|&line| line.to_owned()).collect()
    }

    /// How many bytes between head and tail were dropped.
    pub fn omitted(&self) -> u64 {
        let kept = self.head.len().saturating_add(self.tail.len());
        self.total.saturating_sub(kept as u64)
    }
}

/// The growing record, written by the thread that drains stderr.
#[derive(Debug)]
pub(super) struct Kept {
    limits: Limits,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    newlines: u64,
    line_open: bool,
}

impl Kept {
    /// An empty record.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, head: Vec::new(), tail: VecDeque::new(), total: 0, newlines: 0, line_open: false }
    }

    /// Takes in what came next.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.line_open = *last != b'\n';

        let room = self.limits.stderr_head.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let (_, tail) = rest.split_at(rest.len().saturating_sub(self.limits.stderr_tail));
        let over = (self.tail.len() + tail.len()).saturating_sub(self.limits.stderr_tail);
        self.tail.drain(..over);
        self.tail.extend(tail);
    }

    /// What is kept now.
    pub(super) fn look(&self) -> Stderr {
        Stderr {
            head: self.head.clone(),
            tail: self.tail.iter().copied().collect(),
            total: self.total,
            lines: self.newlines + u64::from(self.line_open),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(chunks: &[&str]) -> Stderr {
        let mut kept = Kept::new(Limits { stderr_head: 4, stderr_tail: 3 });
        for chunk in chunks {
            kept.add(chunk.as_bytes());
        }
        kept.look()
    }

    #[test]
    fn little_is_kept_whole() {
        let stderr = kept(&["ab", "", "c\n"]);
        assert_eq!((stderr.head.as_slice(), stderr.tail.as_slice()), (&b"abc\n"[..], &b""[..]));
        assert_eq!((stderr.total, stderr.lines, stderr.omitted()), (4, 1, 0));
    }

    #[test]
    fn the_middle_is_dropped_however_it_is_cut() {
        for chunks in [&["abcdefghij"][..], &["abc", "defgh", "ij"], &["abcd", "e", "f", "g", "hij"]] {
            let stderr = kept(chunks);
            assert_eq!((stderr.head.as_slice(), stderr.tail.as_slice()), (&b"abcd"[..], &b"hij"[..]));
            assert_eq!((stderr.total, stderr.lines, stderr.omitted()), (10, 1, 3));
        }
    }

    #[test]
    fn an_open_line_counts_until_it_is_closed() {
        assert_eq!(kept(&["a\nb"]).lines, 2);
        assert_eq!(kept(&["a\nb", "\n"]).lines, 2);
        assert_eq!(kept(&[]).lines, 0);
    }
}
