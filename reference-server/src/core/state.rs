//! The state of a request that was answered with a question (modern era).
//!
//! Nothing of such a request is kept here: the client keeps it, gives it back with its answer, and any process of
//! this server can go on from there. The state says what was asked and until when it holds, and is bound to the
//! call by a digest, so that an answer counts for nothing else.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::digest::digest;

/// How long a question may wait for its answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// Stands for a call in states: its tool and its arguments, however these are spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding(u64);

impl Binding {
    /// The binding to a call.
    pub(crate) fn of(tool: &str, arguments: Option<&RawValue>) -> Self {
        let text = arguments.map_or("{}", RawValue::get);
        // What no value can hold, such as half a surrogate pair, must be spelt the same to be the same.
        let text = serde_json::from_str(text).map_or_else(|_| text.into(), |value| sorted(value).to_string());
        Self(digest(&["tools/call", tool, &text]))
    }

    /// The state that goes with a question.
    pub(crate) fn seal(self, question: u64, now: SystemTime) -> String {
        let until = seconds(now + PATIENCE);
        format!("{question:016x}{until:016x}{:016x}", self.mark(question, until))
    }

    /// Finds the question that a state goes with. Otherwise says what is wrong with the state.
    pub(crate) fn open(self, state: &str, now: SystemTime) -> Result<u64, &'static str> {
        let part = |index: usize| u64::from_str_radix(state.get(index * 16..(index + 1) * 16)?, 16).ok();
        let (Some(question), Some(until)) = (part(0), part(1)) else {
            return Err("requestState is not one that this server gave");
        };
        if state != format!("{question:016x}{until:016x}{:016x}", self.mark(question, until)) {
            return Err("requestState is not one that this server gave for this call");
        }
        if seconds(now) > until { Err("requestState has expired") } else { Ok(question) }
    }

    fn mark(self, question: u64, until: u64) -> u64 {
        digest(&["requestState", &format!("{:016x}{question:016x}{until:016x}", self.0)])
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The value with the members of all its objects in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(Map::from_iter(members))
        }
        Value::Array(elements) => elements.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn binding(tool: &str, arguments: &str) -> Binding {
        Binding::of(tool, json::parse(arguments.as_bytes()))
    }

    #[test]
    fn a_state_is_good_for_its_call_until_it_expires() {
        let call = binding("publish", r#"{"a":1,"b":{"c":2,"d":3}}"#);
        let state = call.seal(7, UNIX_EPOCH);
        assert_eq!(call.open(&state, UNIX_EPOCH + PATIENCE), Ok(7));
        assert!(call.open(&state, UNIX_EPOCH + PATIENCE + Duration::from_secs(1)).is_err());
        let respelt = binding("publish", r#"{ "b": {"d":3,"c":2}, "a":1 }"#);
        assert_eq!(respelt.open(&state, UNIX_EPOCH), Ok(7));
        for other in [binding("other", r#"{"a":1,"b":{"c":2,"d":3}}"#), binding("publish", r#"{"a":2}"#)] {
            assert!(other.open(&state, UNIX_EPOCH).is_err());
        }
    }

    #[test]
    fn any_other_character_spoils_a_state() {
        let call = binding("publish", "{}");
        let state = call.seal(u64::MAX, UNIX_EPOCH);
        for index in 0..state.len() {
            let mut other = state.clone().into_bytes();
            other[index] = if other[index] == b'0' { b'1' } else { b'0' };
            assert!(call.open(std::str::from_utf8(&other).unwrap(), UNIX_EPOCH).is_err());
        }
        for other in
            ["", "x", "é", &state[1..], &state.to_uppercase(), &format!("{state}0"), &format!("+{}", &state[1..])]
        {
            assert!(call.open(other, UNIX_EPOCH).is_err(), "{other}");
        }
    }

    #[test]
    fn arguments_that_are_left_out_are_none() {
        assert_eq!(Binding::of("x", None), binding("x", "{ }"));
    }
}
