//! Lists, in one piece or in pages.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::config::Config;
use crate::failure::Failure;
use crate::json;

/// The result that holds a list under the name `list`: all of it, or the page that the request's cursor leads to.
pub(crate) fn listed(
    params: Option<&RawValue>,
    config: &Config,
    list: &'static str,
    entries: Vec<Value>,
) -> Result<Value, Failure> {
    let total = entries.len();
    let size = config.page_size.map_or(total.max(1), usize::from);
    let cursor = params.and_then(|params| json::members(params, ["cursor"])).and_then(|[cursor]| cursor);
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let issued = json::string(cursor).and_then(|cursor| start_of(&cursor, list, size, total));
            issued.ok_or_else(|| Failure::invalid_params("cursor is not one that this server gave"))?
        }
    };
    let page: Vec<Value> = entries.into_iter().skip(start).take(size).collect();
    let mut result = json!({ list: page });
    if let Some(end) = start.checked_add(size).filter(|end| *end < total) {
        result["nextCursor"] = cursor_to(list, end).into();
    }
    Ok(result)
}

/// The cursor to the page that begins with an entry. It holds all there is to know, so that any process of this
/// server can take it, any number of times; the client is not meant to read it.
fn cursor_to(list: &str, start: usize) -> String {
    format!("{list}-{start:04x}")
}

/// The first entry of the page that a cursor leads to. `None` for a cursor that was never issued.
fn start_of(cursor: &str, list: &str, size: usize, total: usize) -> Option<usize> {
    let start = usize::from_str_radix(cursor.strip_prefix(list)?.strip_prefix('-')?, 16).ok()?;
    let issued = start > 0 && start < total && start.is_multiple_of(size) && cursor_to(list, start) == cursor;
    issued.then_some(start)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    const TOTAL: usize = 5;

    fn page(cursor: Option<&str>, size: usize) -> Result<(Vec<u64>, Option<String>), Failure> {
        let config = NonZeroUsize::new(size).map_or_else(Config::default, |size| Config::default().paged(size));
        let params = cursor.map(|cursor| json!({ "cursor": cursor }).to_string());
        let params = params.as_ref().map(|params| json::parse(params.as_bytes()).unwrap());
        let result = listed(params, &config, "things", (0..TOTAL).map(Value::from).collect())?;
        let entries = result["things"].as_array().unwrap().iter().map(|entry| entry.as_u64().unwrap()).collect();
        Ok((entries, result.get("nextCursor").map(|cursor| cursor.as_str().unwrap().to_owned())))
    }

    #[test]
    fn pages_together_hold_every_entry_once() {
        for size in 1..=TOTAL + 1 {
            let (mut found, mut next) = page(None, size).unwrap();
            while let Some(cursor) = next {
                let (entries, after) = page(Some(&cursor), size).unwrap();
                assert!(!entries.is_empty());
                found.extend(entries);
                next = after;
            }
            assert_eq!(found, [0, 1, 2, 3, 4], "{size}");
        }
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        for cursor in ["", "x", "things-0000", "things-1", "things-+001", "things-ffff", "others-0001"] {
            assert_eq!(page(Some(cursor), 1).unwrap_err().code(), -32602, "{cursor}");
            assert_eq!(page(Some(cursor), 0).unwrap_err().code(), -32602, "{cursor}");
        }
    }

    #[test]
    fn nothing_is_one_empty_page() {
        assert_eq!(listed(None, &Config::default(), "things", Vec::new()).unwrap(), json!({ "things": [] }));
    }
}
