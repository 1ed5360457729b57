//! Walks over JSON texts byte by byte, without recursion.

use std::ops::Range;

use super::suspects;

/// What the grammar wants where a walk stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Value,
    FirstElement,
    NextElement,
    FirstMember,
    Member,
    NextMember,
    Colon,
    Digit,
    HexDigits,
    EscapeCharacter,
    EscapeOfControl,
    Quote,
}

impl Want {
    /// The words for messages.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Value | Self::FirstElement => "a value",
            Self::NextElement => "',' or ']'",
            Self::FirstMember => "a member name or '}'",
            Self::Member => "a member name",
            Self::NextMember => "',' or '}'",
            Self::Colon => "':' after a member name",
            Self::Digit => "a digit",
            Self::HexDigits => "four hexadecimal digits",
            Self::EscapeCharacter => "an escape character",
            Self::EscapeOfControl => "an escape instead of a control character",
            Self::Quote => "'\"' at the end of a string",
        }
    }
}

/// Where a text leaves the grammar or ends too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) offset: usize,
    pub(super) want: Want,
}

/// Is told what a walk passes, so that nobody needs to walk again.
pub(super) trait Watch {
    /// The depth down to which it wants to know of members; 0 for nothing at all.
    const DEPTH: usize;

    /// A member of the object at this depth: its name with quotes, and where its value begins.
    fn member(&mut self, depth: usize, name: Range<usize>, value: usize);

    /// A value within the container at this depth ends here.
    fn ended(&mut self, depth: usize, end: usize);

    /// An escaped UTF-16 surrogate; the place is that of its `u`.
    fn surrogate(&mut self, at: usize, unit: u16);
}

/// Nobody watches.
impl Watch for () {
    const DEPTH: usize = 0;

    fn member(&mut self, _: usize, _: Range<usize>, _: usize) {}

    fn ended(&mut self, _: usize, _: usize) {}

    fn surrogate(&mut self, _: usize, _: u16) {}
}

/// The open containers, one bit each: set for an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    /// The innermost ones, at most 64, in its low bits.
    top: u64,
    /// Words that were full.
    below: Vec<u64>,
    depth: usize,
}

impl Stack {
    fn push(&mut self, object: bool) {
        if self.depth.is_multiple_of(64) {
            self.below.push(self.top);
        }
        self.top = self.top << 1 | u64::from(object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.top >>= 1;
        self.depth -= 1;
        if self.depth.is_multiple_of(64) {
            self.top = self.below.pop().unwrap_or_default();
        }
    }

    fn in_object(&self) -> bool {
        self.top & 1 == 1
    }
}

/// The value of each byte as a hexadecimal digit; 16 for those that are none.
const HEX: [u8; 256] = {
    let mut table = [16; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        table[digit as usize] = value as u8;
        table[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    table
};

/// A walk over one text.
pub(super) struct Walker<'a, W> {
    pub(super) bytes: &'a [u8],
    pub(super) stack: Stack,
    pub(super) watch: W,
}

type Walk = Result<usize, Stop>;

impl<'a> Walker<'a, ()> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, stack: Stack::default(), watch: () }
    }
}

impl<W: Watch> Walker<'_, W> {
    /// Walks from a place where that is wanted to the end of the outermost value.
    pub(super) fn walk(&mut self, at: usize, want: Want) -> Walk {
        let (mut at, mut begins) = self.enter(skip_space(self.bytes, at), want)?;
        loop {
            if begins {
                match self.value(at)? {
                    (next, true) => {
                        at = next;
                        continue;
                    }
                    (end, false) => at = end,
                }
            }
            // A value has ended here: close what it ends, or go to the next value.
            loop {
                if self.stack.depth <= W::DEPTH {
                    self.watch.ended(self.stack.depth, at);
                }
                if self.stack.depth == 0 {
                    return Ok(at);
                }
                at = skip_space(self.bytes, at);
                let object = self.stack.in_object();
                match self.bytes.get(at) {
                    Some(b',') => {
                        at = skip_space(self.bytes, at + 1);
                        if object {
                            at = self.member(at, Want::Member)?;
                        }
                        begins = true;
                        break;
                    }
                    Some(b'}') if object => self.stack.pop(),
                    Some(b']') if !object => self.stack.pop(),
                    _ => return stop(at, if object { Want::NextMember } else { Want::NextElement }),
                }
                at += 1;
            }
        }
    }

    /// Where to begin, and whether a value begins or has ended there.
    fn enter(&mut self, at: usize, want: Want) -> Result<(usize, bool), Stop> {
        Ok(match (want, self.bytes.get(at)) {
            (Want::FirstElement, Some(b']')) | (Want::FirstMember, Some(b'}')) => {
                self.stack.pop();
                (at + 1, false)
            }
            (Want::Value | Want::FirstElement, _) => (at, true),
            (Want::NextElement | Want::NextMember, _) => (at, false),
            (Want::FirstMember | Want::Member, _) => (self.member(at, want)?, true),
            (Want::Colon, Some(b':')) => (skip_space(self.bytes, at + 1), true),
            _ => return stop(at, want),
        })
    }

    /// A value begins here. Gives where a first value within it begins, with true, or where it has ended.
    #[inline(always)]
    fn value(&mut self, at: usize) -> Result<(usize, bool), Stop> {
        let end = match self.bytes.get(at) {
            Some(b'"') => self.string(at + 1)?,
            Some(b'{') => {
                let inner = skip_space(self.bytes, at + 1);
                if self.bytes.get(inner) != Some(&b'}') {
                    self.stack.push(true);
                    return Ok((self.member(inner, Want::FirstMember)?, true));
                }
                inner + 1
            }
            Some(b'[') => {
                let inner = skip_space(self.bytes, at + 1);
                match self.bytes.get(inner) {
                    Some(b']') => inner + 1,
                    Some(_) => {
                        self.stack.push(false);
                        return Ok((inner, true));
                    }
                    None => {
                        self.stack.push(false);
                        return stop(inner, Want::FirstElement);
                    }
                }
            }
            Some(b'0') => self.fraction(at + 1)?,
            Some(b'1'..=b'9') => self.fraction(self.digits(at + 1))?,
            Some(b'-') => match self.bytes.get(at + 1) {
                Some(b'0') => self.fraction(at + 2)?,
                Some(b'1'..=b'9') => self.fraction(self.digits(at + 2))?,
                _ => return stop(at + 1, Want::Digit),
            },
            Some(b't') => self.word(at, b"true")?,
            Some(b'f') => self.word(at, b"false")?,
            Some(b'n') => self.word(at, b"null")?,
            _ => return stop(at, Want::Value),
        };
        Ok((end, false))
    }

    /// A member's name and colon; gives where its value begins.
    fn member(&mut self, at: usize, want: Want) -> Walk {
        if self.bytes.get(at) != Some(&b'"') {
            return stop(at, want);
        }
        let name = at..self.string(at + 1)?;
        let colon = skip_space(self.bytes, name.end);
        if self.bytes.get(colon) != Some(&b':') {
            return stop(colon, Want::Colon);
        }
        let value = skip_space(self.bytes, colon + 1);
        if self.stack.depth <= W::DEPTH {
            self.watch.member(self.stack.depth, name, value);
        }
        Ok(value)
    }

    fn word(&self, at: usize, word: &[u8]) -> Walk {
        if self.bytes[at..].starts_with(word) { Ok(at + word.len()) } else { stop(at, Want::Value) }
    }

    /// Behind an opening quote; gives where the string has ended.
    fn string(&mut self, mut at: usize) -> Walk {
        loop {
            at = suspects::find(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => return Ok(at + 1),
                Some(b'\\') => {
                    // Where one escape is, the next is often at its side.
                    while self.bytes.get(at) == Some(&b'\\') {
                        at = self.escape(at + 1)?;
                    }
                }
                Some(_) => return stop(at, Want::EscapeOfControl),
                None => return stop(at, Want::Quote),
            }
        }
    }

    fn escape(&mut self, at: usize) -> Walk {
        match self.bytes.get(at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 1),
            Some(b'u') => {
                let mut unit = 0;
                for digit in at + 1..at + 5 {
                    match self.bytes.get(digit).map(|&byte| HEX[usize::from(byte)]) {
                        Some(value) if value < 16 => unit = unit << 4 | u16::from(value),
                        _ => return stop(digit.min(self.bytes.len()), Want::HexDigits),
                    }
                }
                if W::DEPTH > 0 && matches!(unit, 0xd800..=0xdfff) {
                    self.watch.surrogate(at, unit);
                }
                Ok(at + 5)
            }
            _ => stop(at, Want::EscapeCharacter),
        }
    }

    /// Behind the whole part of a number.
    #[inline]
    fn fraction(&self, at: usize) -> Walk {
        match self.bytes.get(at) {
            Some(b'.') => {
                let end = self.some_digits(at + 1)?;
                if let Some(b'e' | b'E') = self.bytes.get(end) { self.exponent(end + 1) } else { Ok(end) }
            }
            Some(b'e' | b'E') => self.exponent(at + 1),
            _ => Ok(at),
        }
    }

    /// Behind an `e`.
    fn exponent(&self, at: usize) -> Walk {
        self.some_digits(at + usize::from(matches!(self.bytes.get(at), Some(b'+' | b'-'))))
    }

    fn some_digits(&self, at: usize) -> Walk {
        let end = self.digits(at);
        if end == at { stop(at, Want::Digit) } else { Ok(end) }
    }

    #[inline]
    fn digits(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }
}

#[cold]
fn stop<T>(offset: usize, want: Want) -> Result<T, Stop> {
    Err(Stop { offset, want })
}

#[inline]
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_keeps_what_is_beyond_a_word() {
        let mut stack = Stack::default();
        let is_object = |n: usize| n.is_multiple_of(3);
        (0..200).for_each(|n| stack.push(is_object(n)));
        for n in (0..200).rev() {
            assert_eq!((stack.in_object(), stack.depth), (is_object(n), n + 1));
            stack.pop();
        }
        assert_eq!((stack.depth, stack.below.len()), (0, 0));
    }
}
