//! Arrays of messages, which one revision has.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, initialize, parse, ready, request};

const BATCHES: Revision = Revision::V2025_03_26;

#[test]
fn a_batch_is_answered_by_one_array() {
    let mut client = Client::open(BATCHES);
    let answers = client.ask(
        r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},
            {"jsonrpc":"2.0","method":"notifications/x-test"},
            {"jsonrpc":"2.0","id":"8","method":"x-test/none"},
            {"jsonrpc":"2.0","id":9,"result":{}}]"#
            .replace('\n', "")
            .as_str(),
    );
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0], json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    assert_eq!(answers[1]["id"], "8");
    assert_eq!(code(&answers[1]), -32601);
}

#[test]
fn a_batch_waits_for_its_slowest_call_and_nothing_else_waits_for_it() {
    let mut client = Client::open(BATCHES);
    let call = request(BATCHES, "tools/call", json!({ "name": "wait", "arguments": { "ms": 0 } }));
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    assert!(client.give(format!("[{ping},{call}]\n").as_bytes()).is_empty());
    assert_eq!(client.give(format!("{ping}\n").as_bytes()).len(), 1);
    let lines = client.finish();
    assert_eq!(lines.len(), 1);
    assert_eq!(parse(&lines[0]).as_array().unwrap().len(), 2);
}

#[test]
fn a_cancelled_call_is_missing_from_the_array() {
    let mut client = Client::open(BATCHES);
    let call = request(BATCHES, "tools/call", json!({ "name": "wait", "arguments": { "ms": 0 } }));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(client.say(&format!("[{call},{cancel}]")), [] as [Value; 0]);
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let answers = client.ask(&format!("[{call},{ping},{cancel}]"));
    assert_eq!(answers, json!([{ "jsonrpc": "2.0", "id": "p", "result": {} }]));
}

#[test]
fn a_batch_of_notifications_is_not_answered() {
    let mut client = Client::open(BATCHES);
    assert_eq!(client.say(r#"[{"jsonrpc":"2.0","method":"notifications/x-test"}]"#), [] as [Value; 0]);
}

#[test]
fn an_empty_batch_is_answered_by_one_error() {
    let answer = Client::open(BATCHES).ask("[ ]");
    assert_eq!(code(&answer), -32600);
    assert_eq!(answer["id"], json!(null));
}

#[test]
fn bad_elements_do_not_spoil_the_good_ones() {
    let mut client = Client::open(BATCHES);
    let inside = initialize("2024-11-05");
    let modern = request(Revision::V2026_07_28, "tools/list", json!({}));
    let answers = client.ask(&format!(r#"[1,[],{inside},{modern},{{"jsonrpc":"2.0","id":9,"method":"ping"}}]"#));
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 5);
    for answer in &answers[..4] {
        assert_eq!(code(answer), -32600);
    }
    assert_eq!(answers[4], json!({ "jsonrpc": "2.0", "id": 9, "result": {} }));
    assert_eq!(client.ask("[]")["error"]["code"], -32600, "the session is still one with batches");
}

#[test]
fn other_revisions_answer_an_array_by_one_error() {
    for revision in Revision::ALL.into_iter().filter(|revision| *revision != BATCHES) {
        let mut client = ready(revision);
        let answer =
            client.ask(r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#);
        assert_eq!(code(&answer), -32600);
        assert_eq!(answer["id"], json!(null));
    }
}

#[test]
fn a_batch_is_bounded() {
    let mut client = Client::open(BATCHES);
    let answer = client.ask(&format!("[{}1]", "1,".repeat(10_000)));
    assert_eq!(code(&answer), -32600);
    assert_eq!(client.ask(&format!("[{}1]", "1,".repeat(9_999))).as_array().unwrap().len(), 10_000);
}
