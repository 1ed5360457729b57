//! Cuts the byte stream into lines.
//!
//! A frame ends with a line feed and with nothing else: a carriage return, U+2028 and U+0085 are ordinary bytes
//! here. Each byte is looked at once however small the pieces are in which it arrives, so a long line costs no
//! more than many short ones.

use std::io::BufRead;
use std::mem;

/// The longest line that is kept. What is longer is thrown away as it arrives, so that memory stays bounded.
const LONGEST: usize = 256 << 20;

/// One line of input, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The bytes of the line.
    Line(Vec<u8>),
    /// A line that was too long to keep.
    TooLong,
}

/// The bytes that have arrived since the last line feed.
#[derive(Debug)]
pub(crate) struct Frames {
    line: Vec<u8>,
    longest: usize,
    overflowed: bool,
}

impl Default for Frames {
    fn default() -> Self {
        Self::with_longest(LONGEST)
    }
}

impl Frames {
    /// A splitter that keeps lines of up to `longest` bytes.
    pub(crate) fn with_longest(longest: usize) -> Self {
        Self { line: Vec::new(), longest, overflowed: false }
    }

    /// Moves bytes from the front of `input` up to the next line feed, and returns the frame which that ends.
    /// `None` means that the input is used up and the line is not complete yet.
    pub(crate) fn next(&mut self, input: &mut &[u8]) -> Option<Frame> {
        while !input.is_empty() {
            // Reading from a slice can't fail; the standard library's search for the line feed is a fast one.
            input.read_until(b'\n', &mut self.line).ok()?;
            let ended = self.line.last() == Some(&b'\n');
            if ended {
                self.line.pop();
            }
            if self.line.len() > self.longest {
                self.overflowed = true;
                self.line = Vec::new();
            }
            if ended {
                return Some(self.take());
            }
        }
        None
    }

    /// What is left when the input has ended without a line feed.
    pub(crate) fn rest(&mut self) -> Option<Frame> {
        (self.overflowed || !self.line.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> Frame {
        let line = mem::take(&mut self.line);
        if mem::take(&mut self.overflowed) { Frame::TooLong } else { Frame::Line(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(frames: &mut Frames, mut input: &[u8]) -> Vec<Frame> {
        std::iter::from_fn(|| frames.next(&mut input)).collect()
    }

    fn line(text: &str) -> Frame {
        Frame::Line(text.into())
    }

    #[test]
    fn only_a_line_feed_ends_a_frame() {
        let mut frames = Frames::default();
        let text = "a\rb\u{2028}c\u{85}d";
        assert_eq!(split(&mut frames, format!("{text}\n\ne").as_bytes()), [line(text), line("")]);
        assert_eq!(frames.rest(), Some(line("e")));
        assert_eq!(frames.rest(), None);
    }

    #[test]
    fn a_frame_may_arrive_byte_by_byte() {
        let mut frames = Frames::default();
        let found: Vec<_> = b"one\ntwo\nth".chunks(1).flat_map(|piece| split(&mut frames, piece)).collect();
        assert_eq!(found, [line("one"), line("two")]);
    }

    #[test]
    fn a_line_past_the_bound_is_dropped_and_the_next_one_is_read() {
        let mut frames = Frames::with_longest(4);
        let found: Vec<_> = b"1234\n123456789\nok\n".chunks(3).flat_map(|piece| split(&mut frames, piece)).collect();
        assert_eq!(found, [line("1234"), Frame::TooLong, line("ok")]);
    }

    #[test]
    fn a_long_line_in_small_pieces_keeps_every_byte() {
        let mut frames = Frames::default();
        let long = vec![b'x'; 1 << 20];
        for piece in long.chunks(4096) {
            assert_eq!(frames.next(&mut &*piece), None);
        }
        assert_eq!(frames.next(&mut &b"\n"[..]), Some(Frame::Line(long)));
    }
}
