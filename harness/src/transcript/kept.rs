//! Bytes that are kept whole while they are small, and as head, tail, length and hash above that.

/// Above this a frame is no longer kept whole.
const WHOLE: usize = 1 << 20;
/// How much of each end of a large frame is kept.
const END: usize = 32 << 10;

/// Bytes of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    head: Box<[u8]>,
    tail: Box<[u8]>,
    length: u64,
    hash: u64,
}

impl Kept {
    /// Keeps these bytes: whole up to 1 MiB.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        if bytes.len() > WHOLE {
            return Self::ends(bytes);
        }
        Self::entire(bytes)
    }

    /// Keeps these bytes whole, however many there are: somebody will read them.
    #[must_use]
    pub fn entire(bytes: &[u8]) -> Self {
        Self { head: bytes.into(), tail: [].into(), length: bytes.len() as u64, hash: 0 }
    }

    /// Keeps the ends only, of bytes whose meaning has been taken already.
    #[must_use]
    pub fn brief(bytes: &[u8]) -> Self {
        if bytes.len() > 2 * END { Self::ends(bytes) } else { Self::new(bytes) }
    }

    fn ends(bytes: &[u8]) -> Self {
        let (head, tail) = (&bytes[..END], &bytes[bytes.len() - END..]);
        Self { head: head.into(), tail: tail.into(), length: bytes.len() as u64, hash: fnv1a(bytes) }
    }

    /// The bytes, if they were kept whole.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        (self.length == self.head.len() as u64).then_some(&*self.head)
    }

    /// The bytes as text, if they were kept whole and are UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.whole().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// The first bytes: all of them where they were kept whole.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes of what was not kept whole.
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// How many bytes there were.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// FNV-1a over bytes that were not kept whole; 0 for those that were.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }
}

/// FNV-1a: short, and the same on every machine.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_bytes_are_kept_whole() {
        let kept = Kept::new(b"abc");
        assert_eq!(kept.whole(), Some(&b"abc"[..]));
        assert_eq!(kept.text(), Some("abc"));
    }

    #[test]
    fn large_bytes_keep_both_ends_and_a_hash() {
        let mut bytes = vec![b'a'; WHOLE + 1];
        let other = Kept::new(&bytes);
        bytes[WHOLE / 2] = b'b';
        let kept = Kept::new(&bytes);
        assert_eq!(kept.whole(), None);
        assert_eq!(kept.length(), WHOLE as u64 + 1);
        assert_eq!((kept.head().len(), kept.tail().len()), (END, END));
        assert_eq!(Kept::entire(&bytes).whole(), Some(&*bytes));
        assert_ne!(kept.hash(), other.hash());
    }
}
