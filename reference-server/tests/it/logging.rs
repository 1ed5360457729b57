//! Messages for the client's log.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, modern_meta, parse, request};

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

fn legacy() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| *revision != Revision::V2026_07_28)
}

/// A modern call, with a level where there is one.
fn call(tool: &str, level: Option<&str>) -> String {
    let mut meta = modern_meta();
    if let Some(level) = level {
        meta["io.modelcontextprotocol/logLevel"] = level.into();
    }
    let params = json!({ "name": tool, "arguments": { "status": "banana" }, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn each_call_is_told_once_before_its_answer() {
    for revision in legacy() {
        let mut client = Client::open(revision);
        client.heard.clear();
        client.call(revision, "count_orders", json!({ "status": "shipped" }));
        client.call(revision, "count_orders", json!({ "status": "banana" }));
        let heard: Vec<Value> = client.heard.iter().map(|line| parse(line)).collect();
        let kinds: Vec<_> = heard.iter().map(|message| message.get("method").is_some()).collect();
        assert_eq!(kinds, [true, false, true, false]);
        assert_eq!(heard[0]["params"]["logger"], "tools");
        let told = |level: &str, text: &str| (level.to_owned(), text.to_owned());
        let both = [told("info", "count_orders succeeded"), told("warning", "count_orders failed")];
        assert_eq!(client.logged(), both);
    }
}

#[test]
fn a_call_that_changes_something_is_told_once_too() {
    for revision in legacy() {
        let mut client = Client::open(revision);
        for (tool, arguments) in [
            ("delete_order", json!({ "id": 6 })),
            ("append_insight", json!({ "text": "Zoë returns" })),
            ("publish", json!({ "name": "extra" })),
            ("wait", json!({ "ms": 100 })),
        ] {
            let before = client.logged().len();
            client.say(&request(revision, "tools/call", json!({ "name": tool, "arguments": arguments })));
            assert_eq!(client.logged()[before..], [("info".to_owned(), format!("{tool} succeeded"))]);
        }
    }
}

#[test]
fn a_level_keeps_lighter_messages_away() {
    for revision in legacy() {
        for (level, most) in LEVELS.into_iter().zip([2, 2, 1, 1, 0, 0, 0, 0]) {
            let mut client = Client::open(revision);
            let set = client.request(revision, "logging/setLevel", json!({ "level": level }));
            assert_eq!(set["result"], json!({}));
            client.call(revision, "count_orders", json!({ "status": "shipped" }));
            client.call(revision, "count_orders", json!({ "status": "banana" }));
            assert_eq!(client.logged().len(), most, "{level}");
        }
    }
}

#[test]
fn a_call_that_is_refused_is_told_before_its_answer_too() {
    for revision in Revision::ALL {
        let mut client = if revision == Revision::V2026_07_28 { Client::new() } else { Client::open(revision) };
        for (name, told) in [(json!("banana"), "banana was refused"), (json!(5), "a call was refused")] {
            client.heard.clear();
            let mut line: Value =
                serde_json::from_str(&request(revision, "tools/call", json!({ "name": name }))).unwrap();
            if revision == Revision::V2026_07_28 {
                line["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "error".into();
            }
            assert_eq!(code(&client.ask(&line.to_string())), -32602);
            assert_eq!(client.logged(), [("error".to_owned(), told.to_owned())]);
            assert!(parse(&client.heard[1])["error"].is_object());
        }
    }
    let mut early = Client::new();
    early.ask(&request(Revision::V2025_11_25, "tools/call", json!({ "name": "list_tables" })));
    early.ask(&call("banana", None));
    early.ask(&call("banana", Some("critical")));
    assert!(early.logged().is_empty());
}

#[test]
fn there_are_eight_levels() {
    for revision in legacy() {
        let mut client = Client::open(revision);
        for params in [json!({ "level": "warn" }), json!({ "level": "INFO" }), json!({ "level": 3 }), json!({})] {
            assert_eq!(code(&client.request(revision, "logging/setLevel", params)), -32602);
        }
    }
}

#[test]
fn a_modern_request_hears_only_what_it_asks_for() {
    let mut client = Client::new();
    client.ask(&call("count_orders", None));
    assert!(client.logged().is_empty());
    client.ask(&call("count_orders", Some("error")));
    assert!(client.logged().is_empty());
    client.ask(&call("count_orders", Some("warning")));
    client.ask(&call("count_orders", None));
    assert_eq!(client.logged(), [("warning".to_owned(), "count_orders failed".to_owned())]);
}
