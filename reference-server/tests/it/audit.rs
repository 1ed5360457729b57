//! The audit log: that every call is in it, and that it stays whole.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use mcp_reference_server::{Config, Revision};
use serde_json::{Value, json};

use crate::client::{Client, initialize, request};
use crate::directory::Directory;
use crate::process::{self, Peer};

const REVISION: Revision = Revision::V2025_06_18;

fn client() -> Client {
    let mut client = Client::of(Config::default().audited());
    client.ask(&initialize(REVISION.date()));
    client
}

/// The members of the last entry that a test may look at.
fn last(client: &Client) -> (&Value, &Value, &Value) {
    let entry = client.audited.last().unwrap();
    (&entry["tool"], &entry["ok"], &entry["error"])
}

#[test]
fn every_call_is_written_down_however_it_ends() {
    let mut client = client();
    client.call(REVISION, "count_orders", json!({ "status": "shipped" }));
    let entry = client.audited[0].clone();
    let members: Vec<&str> = entry.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["arguments", "duration_ms", "error", "ok", "tool", "ts"]);
    assert_eq!(entry["arguments"], json!({ "status": "shipped" }));
    assert_eq!(last(&client), (&json!("count_orders"), &json!(true), &json!(null)));

    client.call(REVISION, "count_orders", json!({ "status": "banana" }));
    assert_eq!(last(&client).1, false);
    assert!(last(&client).2.as_str().unwrap().starts_with("unknown status"));
    client.call(REVISION, "count_orders", json!({ "status": true }));
    assert!(last(&client).2.as_str().unwrap().starts_with("-32602 "));
    client.call(REVISION, "banana", json!({}));
    assert_eq!((last(&client).0, last(&client).1), (&json!("banana"), &json!(false)));
    assert!(last(&client).2.as_str().unwrap().starts_with("-32602 unknown tool"));
    client.request(REVISION, "tools/call", json!({}));
    assert_eq!(last(&client).0, &json!(null));
    assert_eq!(client.audited.len(), 5);

    client.ask(r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"list_tables"}}"#);
    assert_eq!(last(&client).0, "list_tables");
    assert!(last(&client).2.as_str().unwrap().starts_with("-32600 "));
    client.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["list_tables"]}"#);
    assert_eq!(last(&client).0, &json!(null));
    assert_eq!(client.audited.split_off(5).len(), 2);

    for method in ["tools/list", "ping", "nothing/call"] {
        client.request(REVISION, method, json!({}));
    }
    client.request(REVISION, "resources/read", json!({ "uri": "shop://schema" }));
    assert_eq!(client.audited.len(), 5);
}

#[test]
fn a_call_before_the_session_is_open_is_written_down() {
    let mut client = Client::of(Config::default().audited());
    client.call(REVISION, "list_customers", json!({}));
    assert_eq!(last(&client).0, "list_customers");
}

#[test]
fn a_cancelled_call_is_written_down_with_what_it_did() {
    let mut client = client();
    for (tool, arguments, ok) in
        [("wait", json!({ "ms": 9 }), false), ("count_orders", json!({ "status": "shipped" }), true)]
    {
        let line = request(REVISION, "tools/call", json!({ "name": tool, "arguments": arguments }));
        client.give(format!("{line}\n").as_bytes());
        client.give(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
        client.finish();
        assert_eq!((last(&client).0, last(&client).1), (&json!(tool), &json!(ok)));
    }
    assert_eq!(client.audited.len(), 2);
}

#[test]
fn a_call_that_asks_is_written_down_once() {
    let mut client = Client::of(Config::default().audited());
    let mut opening: Value = serde_json::from_str(&initialize(REVISION.date())).unwrap();
    opening["params"]["capabilities"] = json!({ "elicitation": {} });
    client.ask(&opening.to_string());
    let delete = request(REVISION, "tools/call", json!({ "name": "delete_order", "arguments": { "id": 1 } }));
    let question = client.ask(&delete);
    assert_eq!((&question["method"], client.audited.len()), (&json!("elicitation/create"), 0));
    let yes = json!({ "action": "accept", "content": { "confirm": true } });
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }).to_string());
    assert_eq!(last(&client), (&json!("delete_order"), &json!(true), &json!(null)));

    client.say(&delete.replace("{\"id\":1}", "{\"id\":2}"));
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!((client.audited.len(), last(&client).1), (2, &json!(false)));
}

#[test]
fn what_the_end_of_the_server_cuts_short_is_written_down() {
    let mut client = client();
    client.give(format!("{}\n", request(REVISION, "tools/call", json!({ "name": "list_tables" }))).as_bytes());
    client.abandon();
    assert_eq!((last(&client).0, last(&client).1), (&json!("list_tables"), &json!(false)));
}

#[test]
fn no_tool_is_called_while_the_log_can_not_be_written() {
    let mut client = client();
    client.audit_works(false);
    let refused = client.call(REVISION, "delete_order", json!({ "id": 1 }));
    assert_eq!(refused["result"]["isError"], true);
    client.request(REVISION, "resources/read", json!({ "uri": "shop://orders/1" }));
    client.audit_works(true);
    let found = client.call(REVISION, "delete_order", json!({ "id": 1 }));
    assert!(found["result"].get("isError").is_none(), "{found}");
    assert_eq!(client.audited.len(), 2);
}

#[test]
fn nothing_is_written_down_where_nobody_wants_it() {
    let mut client = Client::open(REVISION);
    client.audit_works(false);
    assert!(client.call(REVISION, "list_tables", json!({}))["result"].get("isError").is_none());
    assert!(client.audited.is_empty());
}

fn server(log: &Path) -> Command {
    let mut command = process::command(&[]);
    command.env("MCP_AUDIT_LOG", log).stderr(Stdio::null());
    command
}

fn count(id: usize) -> String {
    let params = json!({ "name": "count_orders", "arguments": { "status": "shipped" } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn lines_of_two_servers_do_not_mix() {
    const CALLS: usize = 500;
    let directory = Directory::new("two");
    let log = directory.file("audit.jsonl");
    let mut peers = [Peer::start(server(&log)), Peer::start(server(&log))];
    for peer in &mut peers {
        peer.send(&initialize(REVISION.date()));
        (0..CALLS).for_each(|id| peer.send(&count(id)));
    }
    for peer in peers {
        assert!(peer.end().0.success());
    }
    let log = fs::read_to_string(log).unwrap();
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 2 * CALLS);
    assert!(entries.iter().all(|entry| entry["ok"] == true));
}

#[test]
fn a_server_that_is_killed_has_written_down_all_that_it_has_answered() {
    const ANSWERS: usize = 500;
    let directory = Directory::new("killed");
    let log = directory.file("audit.jsonl");
    let mut peer = Peer::start(server(&log));
    peer.send(&initialize(REVISION.date()));
    (0..2 * ANSWERS).for_each(|id| peer.send(&count(id)));
    (0..=ANSWERS).for_each(|_| drop(peer.receive()));
    peer.child.kill().unwrap();
    peer.child.wait().unwrap();

    let text = fs::read(&log).unwrap();
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    // After the last line feed comes nothing, or the one line that may be broken.
    lines.pop();
    assert!(lines.len() >= ANSWERS, "{}", lines.len());
    assert!(lines.iter().all(|line| serde_json::from_slice::<Value>(line).is_ok()));
}

#[test]
fn a_broken_last_line_spoils_no_other() {
    let directory = Directory::new("torn");
    let log = directory.file("audit.jsonl");
    fs::write(&log, "{\"ts\":\"2026-").unwrap();
    let mut peer = Peer::start(server(&log));
    peer.send(&initialize(REVISION.date()));
    peer.send(&count(1));
    assert!(peer.end().0.success());
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "{\"ts\":\"2026-"));
    assert!(serde_json::from_str::<Value>(lines[1]).is_ok());
}

#[test]
fn a_log_that_can_not_be_written_is_told_once_and_mended_while_the_server_runs() {
    let directory = Directory::new("unwritable");
    let log = directory.file("missing/audit.jsonl");
    let mut command = server(&log);
    command.stderr(Stdio::piped());
    let mut peer = Peer::start(command);
    peer.send(&initialize(REVISION.date()));
    peer.receive();
    for id in 1..=3 {
        peer.send(&count(id));
        assert_eq!(peer.receive()["result"]["isError"], true);
    }
    fs::create_dir(directory.file("missing")).unwrap();
    // The refusal is the first entry that can be written; then all is well.
    peer.send(&count(4));
    assert_eq!(peer.receive()["result"]["isError"], true);
    peer.send(&count(5));
    assert!(peer.receive()["result"].get("isError").is_none());
    let mut stderr = peer.child.stderr.take().unwrap();
    assert!(peer.end().0.success());
    let mut told = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut told).unwrap();
    assert_eq!(told.matches("can't be written").count(), 1, "{told}");
    assert_eq!(fs::read_to_string(log).unwrap().lines().count(), 2);
}
