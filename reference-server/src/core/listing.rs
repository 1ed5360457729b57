//! `tools/list`, in one piece or in pages.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::config::Config;
use super::modern::cacheable;
use crate::failure::Failure;
use crate::json;
use crate::revision::{Era, Revision};
use crate::tools::TOOLS;

/// The result of `tools/list`.
pub(crate) fn tools(params: Option<&RawValue>, config: &Config, revision: Revision) -> Result<Value, Failure> {
    let size = config.page_size.map_or(TOOLS.len(), usize::from);
    let cursor = params.and_then(|params| json::members(params, ["cursor"])).and_then(|[cursor]| cursor);
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let issued = json::string(cursor).and_then(|cursor| start_of(&cursor, size));
            issued.ok_or_else(|| Failure::invalid_params("cursor is not one that this server gave"))?
        }
    };
    let page: Vec<Value> = TOOLS.iter().skip(start).take(size).map(|tool| tool.describe(revision)).collect();
    let mut result = json!({ "tools": page });
    if let Some(end) = start.checked_add(size).filter(|end| *end < TOOLS.len()) {
        result["nextCursor"] = cursor_to(end).into();
    }
    Ok(if revision.era() == Era::Modern { cacheable(result) } else { result })
}

/// The cursor to the page that begins with a tool. It holds all there is to know, so that any process of this
/// server can take it, any number of times; the client is not meant to read it.
fn cursor_to(start: usize) -> String {
    format!("tools-{start:04x}")
}

/// The first tool of the page that a cursor leads to. `None` for a cursor that was never issued.
fn start_of(cursor: &str, size: usize) -> Option<usize> {
    (1..)
        .map(|page: usize| page.saturating_mul(size))
        .take_while(|start| *start < TOOLS.len())
        .find(|start| cursor_to(*start) == cursor)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn page(cursor: Option<&str>, size: usize) -> Result<(Vec<String>, Option<String>), Failure> {
        let config = NonZeroUsize::new(size).map_or_else(Config::default, |size| Config::default().paged(size));
        let params = cursor.map(|cursor| json!({ "cursor": cursor }).to_string());
        let params = params.as_ref().map(|params| json::parse(params.as_bytes()).unwrap());
        let result = tools(params, &config, Revision::V2025_11_25)?;
        let names =
            result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().into()).collect();
        Ok((names, result.get("nextCursor").map(|cursor| cursor.as_str().unwrap().to_owned())))
    }

    #[test]
    fn pages_together_hold_every_tool_once() {
        for size in 1..=TOOLS.len() + 1 {
            let (mut found, mut next) = page(None, size).unwrap();
            while let Some(cursor) = next {
                let (names, after) = page(Some(&cursor), size).unwrap();
                assert!(!names.is_empty());
                found.extend(names);
                next = after;
            }
            assert!(found.iter().eq(TOOLS.iter().map(|tool| tool.name)), "{size}: {found:?}");
        }
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        for cursor in ["", "x", "tools-0000", "tools-1", "tools-ffff"] {
            assert_eq!(page(Some(cursor), 1).unwrap_err().code(), -32602, "{cursor}");
            assert_eq!(page(Some(cursor), 0).unwrap_err().code(), -32602, "{cursor}");
        }
    }
}
