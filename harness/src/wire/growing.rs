//! Looks whether lines are one JSON text, without looking at any of them twice.

use super::walker::{Stack, Stop, Walker, Want, skip_space};

/// A text that grows by whole lines. A line may end wherever white space may stand.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    stack: Stack,
    want: Want,
}

/// What a text is after one more line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The beginning of a value.
    Open,
    /// A whole value.
    Whole,
    /// Nothing that more lines could make a value.
    Broken,
}

impl Growing {
    pub(super) fn new() -> Self {
        Self { stack: Stack::default(), want: Want::Value }
    }

    /// Takes a line without its newline. After anything but [`Growth::Open`] it is of no more use.
    pub(super) fn line(&mut self, line: &[u8]) -> Growth {
        if skip_space(line, 0) == line.len() {
            return Growth::Open;
        }
        let mut walker = Walker { bytes: line, stack: std::mem::take(&mut self.stack), watch: () };
        let result = walker.walk(0, self.want);
        self.stack = walker.stack;
        match result {
            Ok(end) if skip_space(line, end) == line.len() => Growth::Whole,
            Err(Stop { offset, want }) if offset == line.len() && may_follow_newline(want) => {
                self.want = want;
                Growth::Open
            }
            _ => Growth::Broken,
        }
    }
}

fn may_follow_newline(want: Want) -> bool {
    match want {
        Want::Value | Want::FirstElement | Want::NextElement | Want::Colon => true,
        Want::FirstMember | Want::Member | Want::NextMember => true,
        Want::Digit | Want::HexDigits | Want::EscapeCharacter | Want::EscapeOfControl | Want::Quote => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::grammar;

    proptest! {
        /// Line by line gives what the whole text gives.
        #[test]
        fn a_text_may_grow_by_lines(tokens in proptest::collection::vec(token(), 0..24)) {
            let text = tokens.concat();
            let mut growing = Growing::new();
            let mut so_far = String::new();
            for line in text.split('\n') {
                so_far.push_str(line);
                so_far.push('\n');
                let growth = growing.line(line.as_bytes());
                let expected = match grammar::check(so_far.as_bytes()) {
                    Ok(_) => Growth::Whole,
                    Err(error) if error.offset == so_far.len() => Growth::Open,
                    Err(_) => Growth::Broken,
                };
                prop_assert_eq!(growth, expected, "{}", so_far);
                if growth != Growth::Open {
                    break;
                }
            }
        }
    }

    fn token() -> impl Strategy<Value = &'static str> {
        let tokens =
            ["{", "}", "[", "]", ",", ":", "\"a\"", "\"a\":", "1", "-", "1.", "true", "\"", " ", "{}", "{\"a\":["];
        prop_oneof![3 => Just("\n"), 7 => proptest::sample::select(tokens.to_vec())]
    }
}
