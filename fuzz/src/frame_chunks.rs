//! Whatever the chunks, a stream has the same frames at the same offsets, and no more than the cap is held.

use mcp_plumb::wire::{FrameEnd, LineTooLong, Splitter};

/// What a stream gives: its frames, and where the lines begin that were too long.
#[derive(Debug, Default, PartialEq, Eq)]
struct Given {
    frames: Vec<(Vec<u8>, u64, FrameEnd)>,
    too_long: Vec<u64>,
}

/// The first byte is the cap, the second says how many of the next ones are lengths of chunks, the rest is the stream.
pub fn run(input: &[u8]) -> bool {
    let [max, count, rest @ ..] = input else { return false };
    let (lengths, stream) = rest.split_at(usize::from(*count % 16).min(rest.len()));
    let max = usize::from(*max);

    let expected = by_the_book(stream, max);
    let Given { frames, too_long } = by_chunks(stream, max, lengths);
    assert_eq!(
        frames,
        expected.frames,
        "cap {max}, chunks {lengths:?}, stream {:?}",
        stream.escape_ascii().to_string()
    );
    // A chunk names the first line that is too long in it, and a byte can end but one.
    let named = too_long.iter().all(|offset| expected.too_long.contains(offset));
    assert!(named && too_long.is_sorted_by(|a, b| a < b), "{too_long:?} of {:?}", expected.too_long);
    assert_eq!(too_long.is_empty(), expected.too_long.is_empty());
    assert_eq!(by_chunks(stream, max, &[1]), expected);
    stream.contains(&b'\n')
}

/// The frames as one would find them with the whole stream at hand.
fn by_the_book(stream: &[u8], max: usize) -> Given {
    let mut given = Given::default();
    let mut offset = 0;
    let mut lines = stream.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let end = if lines.peek().is_some() { FrameEnd::Newline } else { FrameEnd::Eof };
        if line.len() > max {
            given.too_long.push(offset);
        } else if end == FrameEnd::Newline || !line.is_empty() {
            given.frames.push((line.to_vec(), offset, end));
        }
        offset += line.len() as u64 + 1;
    }
    given
}

/// The frames as the splitter finds them in chunks of these lengths, over and over; without lengths in one chunk.
fn by_chunks(stream: &[u8], max: usize, lengths: &[u8]) -> Given {
    let Given { mut frames, mut too_long } = Given::default();
    let mut splitter = Splitter::new(max);
    let mut lengths = lengths.iter().map(|&length| usize::from(length).max(1)).cycle();
    let mut taken = 0;
    while taken < stream.len() {
        let end = lengths.next().map_or(stream.len(), |length| (taken + length).min(stream.len()));
        let result = splitter.push(&stream[taken..end], &mut |frame| {
            frames.push((frame.bytes.to_vec(), frame.offset, frame.end));
        });
        if let Err(LineTooLong { offset, .. }) = result {
            too_long.push(offset);
        }
        taken = end;
        assert!(splitter.pending().len() <= max, "{} bytes are held, the cap is {max}", splitter.pending().len());
        assert_eq!(splitter.pending_offset() + splitter.pending().len() as u64, taken as u64);
    }
    splitter.finish(&mut |frame| frames.push((frame.bytes.to_vec(), frame.offset, frame.end)));
    assert_eq!((splitter.pending(), splitter.pending_offset()), (&[][..], stream.len() as u64));
    Given { frames, too_long }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_on_random_streams() {
        crate::tests::test_n_times(20_000, run);
    }

    #[test]
    fn the_book_is_right() {
        let Given { frames, too_long } = by_the_book(b"ab\n\nabcd\nc", 3);
        let eof = (b"c".to_vec(), 9, FrameEnd::Eof);
        assert_eq!(frames, [(b"ab".to_vec(), 0, FrameEnd::Newline), (Vec::new(), 3, FrameEnd::Newline), eof]);
        assert_eq!(too_long, [4]);
    }
}
