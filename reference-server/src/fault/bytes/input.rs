//! Cuts what is read into lines, as well as the faults allow.

use std::{iter, mem};

use super::{Bytes, Taken};

/// How many bytes are read before the line so far is looked at again.
const BLOCK: usize = 4096;

/// Something that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A line, without its line feed.
    Line(Vec<u8>),
    /// A reason to exit with this code.
    Death(i32),
}

/// The reading side of the layer of bytes.
pub(crate) struct Input {
    changes: Vec<&'static Bytes>,
    held: Vec<u8>,
    /// How much of what is held was seen to have no line feed.
    searched: usize,
}

impl Input {
    /// A side with these changes, of which it does those that are about reading.
    pub(crate) fn new(changes: Vec<&'static Bytes>) -> Self {
        Self { changes, held: Vec::new(), searched: 0 }
    }

    /// Takes what one read gave, and returns what that completes.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Vec<Arrival> {
        let mut piece = piece.to_vec();
        for change in &self.changes {
            if let Bytes::Piece(change) = change {
                piece = change(&piece);
            }
        }
        for block in piece.chunks(BLOCK) {
            self.held.extend_from_slice(block);
            for change in &self.changes {
                if let Bytes::Ponder(ponder) = change {
                    ponder(&self.held);
                }
            }
        }
        let mut found = Vec::new();
        for line in self.cut() {
            self.take(line, &mut found);
        }
        found
    }

    /// The line that was not finished when the input ended.
    pub(crate) fn rest(&mut self) -> Vec<Arrival> {
        let mut found = Vec::new();
        let line = mem::take(&mut self.held);
        if !line.is_empty() {
            self.take(line, &mut found);
        }
        found
    }

    /// What stands before the end of a line.
    pub(crate) fn unfinished(&self) -> &[u8] {
        &self.held
    }

    /// The lines that are whole by now.
    fn cut(&mut self) -> Vec<Vec<u8>> {
        if self.changes.iter().any(|change| matches!(change, Bytes::Headers)) {
            return iter::from_fn(|| self.cut_by_headers()).collect();
        }
        // Each byte is looked at once, so that a long line costs no more than many short ones.
        let fresh = self.held.get(self.searched..).unwrap_or_default();
        let Some(last) = fresh.iter().rposition(|byte| *byte == b'\n') else {
            self.searched = self.held.len();
            return Vec::new();
        };
        let rest = self.held.split_off(self.searched + last + 1);
        self.searched = rest.len();
        let mut lines = mem::replace(&mut self.held, rest);
        lines.pop();
        lines.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    }

    /// The next message that has a header with its length, once it is whole. What stands before is thrown away.
    fn cut_by_headers(&mut self) -> Option<Vec<u8>> {
        const HEADER: &[u8] = b"Content-Length:";
        let start = self.held.windows(HEADER.len()).position(|window| window.eq_ignore_ascii_case(HEADER))?;
        self.held.drain(..start);
        let end = self.held.windows(4).position(|window| window == b"\r\n\r\n")?;
        let length = self.held.get(HEADER.len()..end)?.split(|byte| *byte == b'\r').next()?;
        let length: usize = std::str::from_utf8(length).ok()?.trim().parse().ok()?;
        let body = self.held.get(end + 4..end + 4 + length)?.to_vec();
        self.held.drain(..end + 4 + length);
        Some(body)
    }

    fn take(&self, line: Vec<u8>, found: &mut Vec<Arrival>) {
        let mut lines = vec![line];
        for change in &self.changes {
            let Bytes::Take(take) = change else { continue };
            let mut taken = Vec::new();
            for line in lines {
                match take(&line) {
                    Taken::Same => taken.push(line),
                    Taken::Lost => {}
                    Taken::Instead(bytes) => taken.extend(bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec)),
                    Taken::Death(code) => return found.push(Arrival::Death(code)),
                }
            }
            lines = taken;
        }
        found.extend(lines.into_iter().map(Arrival::Line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Arrival {
        Arrival::Line(text.into())
    }

    #[test]
    fn without_changes_lines_are_lines() {
        let mut input = Input::new(Vec::new());
        assert_eq!(input.feed(b"one\ntw"), [line("one")]);
        assert_eq!(input.unfinished(), b"tw");
        assert_eq!(input.feed(b"o\n\nx"), [line("two"), line("")]);
        assert_eq!(input.rest(), [line("x")]);
        assert_eq!(input.rest(), []);
    }

    #[test]
    fn lines_may_be_split_lost_or_deadly() {
        static SPLIT: Bytes = Bytes::Take(|line| Taken::Instead(line.to_ascii_uppercase().replacen_newline()));
        static LOSE: Bytes = Bytes::Take(|line| if line == b"LOST" { Taken::Lost } else { Taken::Same });
        static DIE: Bytes = Bytes::Take(|line| if line == b"DEAD" { Taken::Death(3) } else { Taken::Same });
        let mut input = Input::new(vec![&SPLIT, &LOSE, &DIE]);
        assert_eq!(input.feed(b"a,lost,b\ndead\nc\n"), [line("A"), line("B"), Arrival::Death(3), line("C")]);
    }

    trait Commas {
        fn replacen_newline(self) -> Vec<u8>;
    }

    impl Commas for Vec<u8> {
        fn replacen_newline(self) -> Vec<u8> {
            self.into_iter().map(|byte| if byte == b',' { b'\n' } else { byte }).collect()
        }
    }

    #[test]
    fn a_message_may_need_headers() {
        let mut input = Input::new(vec![&Bytes::Headers]);
        assert_eq!(input.feed(b"{\"a\":1}\n"), []);
        assert_eq!(input.feed(b"content-length: 7\r\n\r\n{\"a\""), []);
        assert_eq!(input.feed(b":1}Content-Length: 2\r\nX: y\r\n\r\n{}"), [line("{\"a\":1}"), line("{}")]);
    }
}
