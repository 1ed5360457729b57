//! Finds the bytes that matter in a string: the quote, the backslash and the controls.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Words that are looked at before wide steps are worth it: most strings are short.
const NEAR: usize = 4;
/// Bytes of a wide step, which compilers turn into vector instructions.
const WIDE: usize = 32;

/// The first quote, backslash or control character from `at` on; the length where there is none.
#[inline]
pub(super) fn find(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..NEAR {
        let Some(word) = bytes.get(at..at + 8) else { return find_byte(bytes, at) };
        if let Some(hit) = in_word(word) {
            return at + hit;
        }
        at += 8;
    }
    find_far(bytes, at)
}

fn find_far(bytes: &[u8], mut at: usize) -> usize {
    while let Some(wide) = bytes.get(at..at + WIDE) {
        if wide.iter().fold(false, |any, &byte| any | is_suspect(byte)) {
            break;
        }
        at += WIDE;
    }
    while let Some(word) = bytes.get(at..at + 8) {
        if let Some(hit) = in_word(word) {
            return at + hit;
        }
        at += 8;
    }
    find_byte(bytes, at)
}

fn find_byte(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| !is_suspect(byte)) {
        at += 1;
    }
    at.min(bytes.len())
}

fn is_suspect(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// The first one in eight bytes.
#[inline]
fn in_word(word: &[u8]) -> Option<usize> {
    let hits = suspicious(word.try_into().map_or(0, u64::from_le_bytes));
    (hits != 0).then(|| hits.trailing_zeros() as usize / 8)
}

/// The high bit of each byte that is a quote, a backslash or below 0x20. The lowest set bit is exact; higher ones may
/// be carried over from it.
fn suspicious(word: u64) -> u64 {
    let below = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero_bytes(word ^ (ONES * u64::from(b'"')));
    let backslash = zero_bytes(word ^ (ONES * u64::from(b'\\')));
    (below | quote | backslash) & HIGHS
}

fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_first_as_a_plain_loop_does(
            bytes in proptest::collection::vec(prop_oneof![60 => 0x20u8..=0xff, 1 => any::<u8>()], 0..200),
            at in 0usize..200,
        ) {
            let at = at.min(bytes.len());
            let plain = bytes[at..].iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            prop_assert_eq!(find(&bytes, at), plain.map_or(bytes.len(), |found| at + found));
        }
    }
}
