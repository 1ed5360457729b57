//! One line of the audit log.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::json;
use crate::timestamp::timestamp;

/// The most bytes of arguments that are written as they came.
const MOST_BYTES: usize = 4096;

/// The most characters of anything that is cut short.
const MOST_CHARACTERS: usize = 500;

/// A call that has been made, and has not come to its end.
#[derive(Debug, Clone)]
pub(crate) struct Trail {
    began: SystemTime,
    tool: Option<String>,
    arguments: Box<RawValue>,
}

impl Trail {
    /// Notes a call from the parameters of its request, whatever these are.
    pub(crate) fn new(params: Option<&RawValue>, now: SystemTime) -> Self {
        let members = params.and_then(|params| json::members(params, ["name", "arguments"]));
        let [name, arguments] = members.unwrap_or_default();
        let tool = name.and_then(json::string).map(cut);
        Self { began: now, tool, arguments: kept(arguments) }
    }

    /// The call with its end: what went wrong, if anything did.
    pub(crate) fn end(self, now: SystemTime, error: Option<String>) -> Entry {
        let took = now.duration_since(self.began).unwrap_or_default();
        let duration_ms = (took.as_secs_f64() * 1e6).round() / 1e3;
        let Self { began, tool, arguments } = self;
        Entry { ts: timestamp(began), tool, arguments, ok: error.is_none(), duration_ms, error: error.map(cut) }
    }
}

/// One call in the audit log.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    ts: String,
    tool: Option<String>,
    arguments: Box<RawValue>,
    ok: bool,
    duration_ms: f64,
    error: Option<String>,
}

impl Entry {
    /// The entry as a line, with its line feed.
    pub fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("an entry has string keys and is written to memory");
        line.push(b'\n');
        line
    }
}

/// Arguments as they are written down: none are an empty object, and where there are too many, the beginning of their
/// text stands for them.
fn kept(arguments: Option<&RawValue>) -> Box<RawValue> {
    let text = arguments.map_or("{}", RawValue::get);
    // A raw carriage return can only stand between tokens. Some programs take it for the end of a line.
    let text = text.replace('\r', " ");
    if text.len() <= MOST_BYTES {
        return RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    }
    let cut = format!("{} ({} bytes)", cut(text.chars().take(MOST_CHARACTERS + 1).collect()), text.len());
    serde_json::value::to_raw_value(&cut).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Text that is not too long.
fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use serde_json::{Value, json};

    use super::*;

    fn line(params: &str, error: Option<&str>) -> Value {
        let trail = Trail::new(json::parse(params.as_bytes()), UNIX_EPOCH);
        let line = trail.end(UNIX_EPOCH + Duration::from_micros(1500), error.map(ToOwned::to_owned)).line();
        assert!(line.len() < 10_000 && !line.contains(&b'\r'));
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        serde_json::from_slice(&line).unwrap()
    }

    #[test]
    fn a_call_is_a_line_of_six_members() {
        assert_eq!(
            line("{\"name\":\"wait\",\"arguments\":{\r\"ms\": 5e0}}", None),
            json!({
                "ts": "1970-01-01T00:00:00.000Z",
                "tool": "wait",
                "arguments": { "ms": 5.0 },
                "ok": true,
                "duration_ms": 1.5,
                "error": null,
            })
        );
        let failed = line(r#"{"name":"wait"}"#, Some("too late"));
        assert_eq!(
            (&failed["arguments"], &failed["ok"], &failed["error"]),
            (&json!({}), &json!(false), &json!("too late"))
        );
    }

    #[test]
    fn a_call_that_makes_no_sense_is_a_line_too() {
        for (params, arguments) in
            [("5", json!({})), ("[]", json!({})), (r#"{"name":5,"arguments":[1]}"#, json!([1])), ("{}", json!({}))]
        {
            let line = line(params, Some("x"));
            assert_eq!((&line["tool"], &line["arguments"]), (&json!(null), &arguments), "{params}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = "é".repeat(100_000);
        let line = line(&format!(r#"{{"name":"{long}","arguments":{{"sql":"{long}"}}}}"#), Some(&long));
        assert_eq!(line["tool"].as_str().unwrap().chars().count(), 501);
        assert_eq!(line["error"].as_str().unwrap().chars().count(), 501);
        let arguments = line["arguments"].as_str().unwrap();
        assert!(arguments.starts_with(r#"{"sql":"éé"#) && arguments.ends_with("é… (200010 bytes)"), "{arguments}");
    }

    #[test]
    fn deep_arguments_stay_json() {
        let deep = format!(r#"{{"name":"x","arguments":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(line(&deep, None)["arguments"].is_string());
    }
}
