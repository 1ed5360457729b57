//! Reads an audit log and counts.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::SystemTime;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::frame::{Frame, Frames};
use crate::timestamp;

/// The longest line that can be an entry. Ours are far shorter.
const LONGEST: usize = 1 << 20;

/// The most damaged lines that are named.
const MOST_NAMED: usize = 100;

/// How much of the file one read takes.
const CHUNK: usize = 64 << 10;

/// What a line of the log must hold.
#[derive(Deserialize)]
struct Record {
    #[serde(deserialize_with = "time")]
    ts: SystemTime,
    tool: Option<String>,
    ok: bool,
    duration_ms: f64,
    error: Option<String>,
}

impl Record {
    fn read(line: &[u8]) -> Option<Self> {
        let record: Self = serde_json::from_slice(line).ok()?;
        (record.duration_ms >= 0.0).then_some(record)
    }

    /// Whether the call was refused by an error of the protocol, whose code is said first then. One that broke down
    /// (-32603) was made.
    fn is_refused(&self) -> bool {
        let code =
            self.error.as_deref().and_then(|error| error.split_once(' ')).and_then(|(code, _)| code.parse().ok());
        code.is_some_and(|code: i32| code <= -32000 && code != -32603)
    }
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
    timestamp::read(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("ts is no timestamp of RFC 3339"))
}

/// What the log says of one tool.
#[derive(Debug, Default)]
struct Tally {
    calls: usize,
    failures: usize,
    refusals: usize,
    durations: Vec<f64>,
}

/// What the log says of one tool, in numbers.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Row {
    /// The tool's name; `None` for calls that named none.
    pub(super) tool: Option<String>,
    /// All calls, however they ended.
    pub(super) calls: usize,
    /// Calls that were carried out and failed.
    pub(super) failures: usize,
    /// Calls that were refused by an error of the protocol.
    pub(super) refusals: usize,
    /// The time that half of the calls that were carried out did not exceed.
    pub(super) p50_ms: Option<f64>,
    /// The time that 95 of 100 calls that were carried out did not exceed.
    pub(super) p95_ms: Option<f64>,
}

/// Lines that are no entries.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Damaged {
    /// How many there are.
    pub(super) count: usize,
    /// The numbers of the first of them.
    pub(super) lines: Vec<usize>,
}

/// What an audit log says.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub(super) tools: Vec<Row>,
    pub(super) damaged: Damaged,
}

impl Summary {
    /// Reads a log. Calls that were made before `since` do not count.
    pub(crate) fn read(mut log: impl Read, since: Option<SystemTime>) -> io::Result<Self> {
        let mut reading = Reading { since, number: 0, tallies: BTreeMap::new(), damaged: Damaged::default() };
        let mut frames = Frames::with_longest(LONGEST);
        let mut chunk = vec![0; CHUNK];
        loop {
            let size = match log.read(&mut chunk) {
                Ok(0) => break,
                Ok(size) => size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let mut rest = chunk.get(..size).unwrap_or_default();
            while let Some(frame) = frames.next(&mut rest) {
                reading.line(&frame);
            }
        }
        if let Some(frame) = frames.rest() {
            reading.line(&frame);
        }
        Ok(reading.summary())
    }
}

/// A log that is being read.
struct Reading {
    since: Option<SystemTime>,
    number: usize,
    tallies: BTreeMap<Option<String>, Tally>,
    damaged: Damaged,
}

impl Reading {
    fn line(&mut self, frame: &Frame) {
        self.number += 1;
        let record = match frame {
            Frame::Line(line) if line.is_empty() => return,
            Frame::Line(line) => Record::read(line),
            Frame::TooLong => None,
        };
        let Some(record) = record else {
            self.damaged.count += 1;
            if self.damaged.lines.len() < MOST_NAMED {
                self.damaged.lines.push(self.number);
            }
            return;
        };
        if self.since.is_some_and(|since| record.ts < since) {
            return;
        }
        let refused = record.is_refused();
        let tally = self.tallies.entry(record.tool).or_default();
        tally.calls += 1;
        if refused {
            tally.refusals += 1;
        } else {
            tally.failures += usize::from(!record.ok);
            tally.durations.push(record.duration_ms);
        }
    }

    fn summary(self) -> Summary {
        let tools = self.tallies.into_iter().map(|(tool, mut tally)| {
            tally.durations.sort_by(f64::total_cmp);
            Row {
                tool,
                calls: tally.calls,
                failures: tally.failures,
                refusals: tally.refusals,
                p50_ms: percentile(&tally.durations, 50),
                p95_ms: percentile(&tally.durations, 95),
            }
        });
        Summary { tools: tools.collect(), damaged: self.damaged }
    }
}

/// The least of some ordered values that so many of a hundred do not exceed.
fn percentile(ordered: &[f64], percent: usize) -> Option<f64> {
    let rank = (ordered.len() * percent).div_ceil(100);
    ordered.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ts: &str, tool: &str, ms: u32, error: &str) -> String {
        let ok = error == "null";
        format!(r#"{{"ts":"{ts}","tool":{tool},"arguments":{{}},"ok":{ok},"duration_ms":{ms},"error":{error}}}"#)
    }

    #[test]
    fn calls_are_counted_by_tool() {
        const TIME: &str = "2026-07-28T12:00:00.000Z";
        let mut lines: Vec<String> = (1..=100).map(|ms| entry(TIME, "\"wait\"", ms, "null")).collect();
        lines.push(entry(TIME, "\"wait\"", 9999, "\"-32602 argument is missing\""));
        lines.push(entry(TIME, "\"count_orders\"", 1, "\"unknown status\""));
        lines.push(entry(TIME, "null", 0, "\"-32602 tools/call needs name, a string\""));
        let summary = Summary::read(lines.join("\n").as_bytes(), None).unwrap();
        let row = |tool: Option<&str>, counts: [usize; 3], p50_ms, p95_ms| Row {
            tool: tool.map(ToOwned::to_owned),
            calls: counts[0],
            failures: counts[1],
            refusals: counts[2],
            p50_ms,
            p95_ms,
        };
        assert_eq!(
            summary.tools,
            [
                row(None, [1, 0, 1], None, None),
                row(Some("count_orders"), [1, 1, 0], Some(1.0), Some(1.0)),
                row(Some("wait"), [101, 0, 1], Some(50.0), Some(95.0)),
            ]
        );
        assert_eq!(summary.damaged, Damaged::default());
    }

    #[test]
    fn what_came_before_does_not_count() {
        let log = ["2026-07-28T11:59:59.999Z", "2026-07-28T12:00:00.000Z", "2026-07-28T14:00:00+02:00"]
            .map(|ts| entry(ts, "\"x\"", 1, "null"));
        let since = timestamp::read("2026-07-28T12:00:00Z");
        let summary = Summary::read(log.join("\n").as_bytes(), since).unwrap();
        assert_eq!(summary.tools[0].calls, 2);
    }

    #[test]
    fn a_call_that_broke_down_has_failed_and_was_not_refused() {
        let log = entry("2026-07-28T12:00:00.000Z", "\"x\"", 7, "\"-32603 the tool broke down\"");
        let row = &Summary::read(log.as_bytes(), None).unwrap().tools[0];
        assert_eq!((row.failures, row.refusals, row.p50_ms), (1, 0, Some(7.0)));
    }

    #[test]
    fn a_damaged_line_is_named_and_the_others_count() {
        let good = entry("2026-07-28T12:00:00.000Z", "\"x\"", 1, "null");
        let half = &good[..good.len() / 2];
        let foreign = entry("yesterday", "\"x\"", 1, "null");
        let log = [&good, half, "", "{}", &good, &foreign, "\u{1}", half].join("\n");
        let summary = Summary::read(log.as_bytes(), None).unwrap();
        assert_eq!(summary.tools[0].calls, 2);
        assert_eq!(summary.damaged, Damaged { count: 5, lines: vec![2, 4, 6, 7, 8] });
        let summary = Summary::read("x\n".repeat(1000).as_bytes(), None).unwrap();
        assert_eq!((summary.damaged.count, summary.damaged.lines.len()), (1000, MOST_NAMED));
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[1.0], 95), Some(1.0));
        assert_eq!(percentile(&[1.0, 2.0], 50), Some(1.0));
        assert_eq!(percentile(&[1.0, 2.0, 3.0], 50), Some(2.0));
    }
}
