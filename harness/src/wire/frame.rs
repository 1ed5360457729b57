//! Splits a stream into frames on 0x0A, over chunks of any size.

use memchr::memchr_iter;

/// One line of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The line without its newline.
    pub bytes: &'a [u8],
    /// Bytes of the stream before it.
    pub offset: u64,
    /// What ended it.
    pub end: FrameEnd,
}

/// What ended a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEnd {
    /// A newline.
    Newline,
    /// The end of the stream.
    Eof,
}

/// A line grew past the cap. What follows up to the next newline is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the line at byte {offset} is longer than {max} bytes")]
pub struct LineTooLong {
    /// Where the line begins.
    pub offset: u64,
    /// The cap.
    pub max: usize,
}

/// Splits a stream into frames. A frame that lies within one chunk is lent from the chunk and not copied.
#[derive(Debug)]
pub struct Splitter {
    max_line: usize,
    partial: Vec<u8>,
    /// Bytes of the stream before `partial`.
    offset: u64,
    /// The rest of a line that was too long is being dropped.
    dropping: bool,
}

impl Splitter {
    /// A splitter that refuses lines above this length.
    #[must_use]
    pub fn new(max_line: usize) -> Self {
        Self { max_line, partial: Vec::new(), offset: 0, dropping: false }
    }

    /// Takes a chunk and hands out the frames that it completes.
    ///
    /// # Errors
    /// A line is longer than the cap; the frames before and behind it are handed out all the same.
    pub fn push(&mut self, chunk: &[u8], each: &mut dyn FnMut(Frame<'_>)) -> Result<(), LineTooLong> {
        let mut ends = memchr_iter(b'\n', chunk);
        let mut result = Ok(());
        let mut begin = 0;
        if self.dropping || !self.partial.is_empty() {
            let Some(end) = ends.next() else { return self.keep(chunk) };
            result = self.keep(&chunk[..end]);
            self.end_partial(each);
            begin = end + 1;
        }
        let (first, before) = (begin, self.offset);
        for end in ends {
            let offset = before + (begin - first) as u64;
            let bytes = &chunk[begin..end];
            if bytes.len() <= self.max_line {
                each(Frame { bytes, offset, end: FrameEnd::Newline });
            } else {
                result = result.and(Err(LineTooLong { offset, max: self.max_line }));
            }
            begin = end + 1;
        }
        self.offset = before + (begin - first) as u64;
        result.and(self.keep(&chunk[begin..]))
    }

    /// A newline ends the line that began in an earlier chunk.
    fn end_partial(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if !std::mem::take(&mut self.dropping) {
            each(Frame { bytes: &self.partial, offset: self.offset, end: FrameEnd::Newline });
        }
        self.offset += self.partial.len() as u64 + 1;
        self.partial.clear();
    }

    /// Keeps the beginning of a line.
    fn keep(&mut self, rest: &[u8]) -> Result<(), LineTooLong> {
        if self.dropping {
            self.offset += rest.len() as u64;
            return Ok(());
        }
        if self.partial.len() + rest.len() > self.max_line {
            let error = LineTooLong { offset: self.offset, max: self.max_line };
            self.offset += (self.partial.len() + rest.len()) as u64;
            self.partial = Vec::new();
            self.dropping = true;
            return Err(error);
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    /// Whether a line beyond the cap has begun and not ended.
    #[must_use]
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The line that has begun and not ended.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.partial
    }

    /// Bytes of the stream before the line that has begun.
    #[must_use]
    pub fn pending_offset(&self) -> u64 {
        self.offset
    }

    /// The stream has ended: hands out what is left as a frame without a newline.
    pub fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if !self.partial.is_empty() {
            each(Frame { bytes: &self.partial, offset: self.offset, end: FrameEnd::Eof });
            self.offset += self.partial.len() as u64;
            self.partial.clear();
        }
        self.dropping = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(chunks: &[&[u8]], max: usize) -> (Vec<(Vec<u8>, u64, FrameEnd)>, usize) {
        let (mut frames, mut too_long) = (Vec::new(), 0);
        let mut splitter = Splitter::new(max);
        let mut each = |frame: Frame<'_>| frames.push((frame.bytes.to_vec(), frame.offset, frame.end));
        for chunk in chunks {
            too_long += usize::from(splitter.push(chunk, &mut each).is_err());
            assert!(splitter.pending().len() <= max);
        }
        splitter.finish(&mut each);
        (frames, too_long)
    }

    #[test]
    fn a_tail_without_a_newline_is_handed_out_at_the_end() {
        let (frames, _) = split(&[b"a\nb"], 9);
        assert_eq!(frames, [(b"a".to_vec(), 0, FrameEnd::Newline), (b"b".to_vec(), 2, FrameEnd::Eof)]);
    }

    #[test]
    fn a_line_above_the_cap_is_dropped_and_the_next_one_is_read() {
        for chunks in [&[&b"aaaa\nbb\n"[..]][..], &[b"aa", b"aa", b"\nbb\n"], &[b"aaaa", b"a", b"a\nbb\n"]] {
            let (frames, too_long) = split(chunks, 3);
            assert_eq!(too_long, 1);
            assert_eq!(frames.len(), 1);
            assert_eq!(frames[0].0, b"bb");
        }
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_frames(
            bytes in proptest::collection::vec(prop_oneof![3 => Just(b'\n'), 7 => any::<u8>()], 0..200),
            cuts in proptest::collection::vec(0usize..200, 0..20),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let (frames, _) = split(&chunks, usize::MAX);
            let naive: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
            let (tail, lines) = naive.split_last().unwrap();
            let mut expected: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
            expected.extend((!tail.is_empty()).then(|| tail.to_vec()));
            prop_assert_eq!(frames.iter().map(|frame| frame.0.clone()).collect::<Vec<_>>(), expected);
            for (line, offset, _) in &frames {
                let offset = usize::try_from(*offset).unwrap();
                prop_assert_eq!(&bytes[offset..offset + line.len()], &line[..]);
            }
        }
    }
}
