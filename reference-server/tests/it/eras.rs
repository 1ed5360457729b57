//! Both eras on one command, and commands of one era.

use mcp_reference_server::{Config, Era, Revision};
use serde_json::{Value, json};

use crate::client::{Client, code, initialize};

const MODERN: Revision = Revision::V2026_07_28;

fn only(era: Era) -> Client {
    Client::of(Config::default().retain(|revision| revision.era() == era).unwrap())
}

fn bare(method: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method }).to_string()
}

#[test]
fn a_request_that_speaks_for_itself_is_modern_in_a_legacy_session_too() {
    let mut client = Client::open(Revision::V2024_11_05);
    let modern = client.request(MODERN, "tools/list", json!({}))["result"].take();
    assert_eq!(modern["resultType"], "complete");
    let legacy = client.ask(&bare("tools/list"))["result"].take();
    assert!(legacy.get("resultType").is_none());
    assert_eq!(code(&client.request(MODERN, "ping", json!({}))), -32601);
    assert_eq!(code(&client.ask(&bare("server/discover"))), -32601);
}

#[test]
fn a_handshake_after_modern_requests_is_served() {
    let mut client = Client::new();
    client.request(MODERN, "server/discover", json!({}));
    assert_eq!(code(&client.ask(&bare("tools/list"))), -32602);
    assert_eq!(client.ask(&initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
    assert!(client.ask(&bare("tools/list")).get("result").is_some());
}

#[test]
fn a_modern_server_refuses_the_handshake_and_names_its_versions() {
    let mut client = only(Era::Modern);
    let answer = client.ask(&initialize("2025-11-25"));
    assert_eq!(code(&answer), -32022);
    assert_eq!(answer["error"]["data"], json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("2026-07-28"));
    for method in ["tools/list", "ping", "server/discover"] {
        assert_eq!(code(&client.ask(&bare(method))), -32602, "{method}");
    }
    assert!(client.request(MODERN, "tools/list", json!({})).get("result").is_some());
}

#[test]
fn a_legacy_server_knows_nothing_of_the_modern_era() {
    let mut client = only(Era::Legacy);
    assert_eq!(code(&client.request(MODERN, "server/discover", json!({}))), -32600);
    client.ask(&initialize("2025-11-25"));
    assert_eq!(code(&client.request(MODERN, "server/discover", json!({}))), -32601);
    let listed = client.request(MODERN, "tools/list", json!({}))["result"].take();
    assert!(listed.get("resultType").is_none());
    assert_eq!(client.request(MODERN, "ping", json!({}))["result"], json!({}));
}

#[test]
fn responses_to_nothing_are_passed_over_in_both_eras() {
    let mut client = Client::open(Revision::V2025_11_25);
    for line in [
        r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":null}"#,
    ] {
        assert_eq!(client.say(line), [] as [Value; 0], "{line}");
    }
}
