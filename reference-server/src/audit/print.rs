//! Shows the summary of an audit log.

use std::io::{self, Write};

use super::summary::{Row, Summary};
use crate::failure::Excerpt;

/// How a summary is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// Writes a summary.
pub(crate) fn print(summary: &Summary, shape: Shape, mut to: impl Write) -> io::Result<()> {
    match shape {
        Shape::Json => {
            serde_json::to_writer(&mut to, summary)?;
            writeln!(to)
        }
        Shape::Table => table(summary, to),
    }
}

fn table(summary: &Summary, mut to: impl Write) -> io::Result<()> {
    let rows: Vec<(String, &Row)> = summary.tools.iter().map(|row| (name(row), row)).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("tool".len());
    writeln!(
        to,
        "{:width$} {:>7} {:>8} {:>8} {:>9} {:>9}",
        "tool", "calls", "failures", "refusals", "p50 ms", "p95 ms"
    )?;
    for (name, row) in rows {
        let [p50, p95] = [row.p50_ms, row.p95_ms].map(|time| time.map_or("-".into(), |time| format!("{time:.3}")));
        let Row { calls, failures, refusals, .. } = row;
        writeln!(to, "{name:width$} {calls:>7} {failures:>8} {refusals:>8} {p50:>9} {p95:>9}")?;
    }
    let damaged = &summary.damaged;
    if damaged.count > 0 {
        let lines: Vec<String> = damaged.lines.iter().map(ToString::to_string).collect();
        let more = if damaged.lines.len() < damaged.count { ", …" } else { "" };
        writeln!(to, "damaged lines: {} ({}{more})", damaged.count, lines.join(", "))?;
    }
    Ok(())
}

/// What a row is called. Names of unknown tools are whatever a client has sent.
fn name(row: &Row) -> String {
    match &row.tool {
        None => "(no name)".into(),
        Some(tool) => {
            let shown: String = tool.chars().take(30).collect();
            let more = if shown.len() < tool.len() { "…" } else { "" };
            format!("{}{more}", Excerpt(&shown))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(shape: Shape) -> String {
        let log = [
            r#"{"ts":"2026-07-28T12:00:00.000Z","tool":"wait","arguments":{},"ok":true,"duration_ms":1.5,"error":null}"#,
            r#"{"ts":"2026-07-28T12:00:00.000Z","tool":"\u001bx","arguments":{},"ok":false,"duration_ms":0,"error":"-32602 x"}"#,
            "half a li",
        ];
        let summary = Summary::read(log.join("\n").as_bytes(), None).unwrap();
        let mut text = Vec::new();
        print(&summary, shape, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_table_has_a_row_for_each_tool_and_names_damage() {
        assert_eq!(
            shown(Shape::Table),
            "tool      calls failures refusals    p50 ms    p95 ms\n\
             \\u{1b}x       1        0        1         -         -\n\
             wait          1        0        0     1.500     1.500\n\
             damaged lines: 1 (3)\n"
        );
    }

    #[test]
    fn json_has_the_same_numbers() {
        let shown: serde_json::Value = serde_json::from_str(&shown(Shape::Json)).unwrap();
        assert_eq!(shown["tools"][1]["p50_ms"], 1.5);
        assert_eq!(shown["tools"][0]["p50_ms"], serde_json::Value::Null);
        assert_eq!(shown["damaged"], serde_json::json!({ "count": 1, "lines": [3] }));
    }
}
