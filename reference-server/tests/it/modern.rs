//! Requests that speak for themselves.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, modern_meta, request};

const MODERN: Revision = Revision::V2026_07_28;

/// A request whose `_meta` is what the test wants.
fn with_meta(method: &str, meta: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta } }).to_string()
}

/// A good `_meta` with one key set.
fn meta_with(key: &str, value: Value) -> Value {
    let mut meta = modern_meta();
    meta[key] = value;
    meta
}

#[test]
fn discover_tells_what_there_is_to_know() {
    let result = Client::new().request(MODERN, "server/discover", json!({}))["result"].take();
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(
        result["capabilities"],
        json!({
            "tools": { "listChanged": true },
            "resources": { "subscribe": true },
            "prompts": {},
            "logging": {},
            "completions": {},
        })
    );
    assert_eq!(result["resultType"], "complete");
    assert!(result["ttlMs"].is_u64());
    assert_eq!(result["cacheScope"], "public");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-reference-server");
    assert!(result["instructions"].is_string());
}

#[test]
fn any_request_may_be_the_first_and_only_one() {
    let listed = Client::new().request(MODERN, "tools/list", json!({}))["result"].take();
    assert_eq!(listed["resultType"], "complete");
    assert_eq!(listed["cacheScope"], "private");
    assert!(listed["ttlMs"].is_u64());
    assert_eq!(listed["tools"][0]["name"], "list_customers");
    let called = Client::new().call(MODERN, "list_tables", json!({}))["result"].take();
    assert_eq!(called["resultType"], "complete");
    assert_eq!(called["structuredContent"], json!({ "tables": ["customers", "insights", "orders"] }));
    assert!(called["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
}

#[test]
fn a_missing_key_is_refused() {
    for key in ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] {
        let mut meta = modern_meta();
        meta.as_object_mut().unwrap().remove(key);
        let answer = Client::new().ask(&with_meta("tools/list", &meta));
        assert_eq!(code(&answer), -32602);
        assert!(answer["error"]["message"].as_str().unwrap().contains(key), "{answer}");
    }
    assert_eq!(code(&Client::new().ask(&with_meta("tools/list", &json!({})))), -32602);
    assert_eq!(code(&Client::new().ask(&with_meta("tools/list", &json!(5)))), -32602);
}

#[test]
fn an_ill_typed_key_is_refused() {
    for (key, value) in [
        ("io.modelcontextprotocol/protocolVersion", json!(5)),
        ("io.modelcontextprotocol/protocolVersion", json!(null)),
        ("io.modelcontextprotocol/clientCapabilities", json!([])),
        ("io.modelcontextprotocol/clientInfo", json!("x")),
        ("io.modelcontextprotocol/clientInfo", json!({ "name": "x" })),
        ("io.modelcontextprotocol/logLevel", json!("bogus")),
        ("progressToken", json!(null)),
        ("progressToken", json!(0.5)),
    ] {
        let answer = Client::new().ask(&with_meta("tools/list", &meta_with(key, value.clone())));
        assert_eq!(code(&answer), -32602, "{key} {value}");
    }
}

#[test]
fn optional_and_unknown_keys_are_welcome() {
    for (key, value) in [
        ("io.modelcontextprotocol/clientInfo", json!({ "name": "x", "version": "0", "title": "X" })),
        ("io.modelcontextprotocol/logLevel", json!("debug")),
        ("com.example/x", json!([1])),
        ("traceparent", json!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")),
        ("bare", json!(null)),
        ("progressToken", json!(0)),
    ] {
        let answer = Client::new().ask(&with_meta("tools/list", &meta_with(key, value)));
        assert!(answer.get("result").is_some(), "{answer}");
    }
}

#[test]
fn an_unsupported_version_is_told_with_the_supported_ones() {
    let key = "io.modelcontextprotocol/protocolVersion";
    for version in ["1900-01-01", "2025-11-25", ""] {
        for method in ["server/discover", "tools/list", "x-test/none"] {
            let answer = Client::new().ask(&with_meta(method, &meta_with(key, version.into())));
            assert_eq!(code(&answer), -32022);
            assert_eq!(answer["error"]["data"], json!({ "supported": ["2026-07-28"], "requested": version }));
        }
    }
}

#[test]
fn methods_that_this_era_removed_do_not_exist() {
    let mut client = Client::new();
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "x-test/none",
    ] {
        assert_eq!(code(&client.request(MODERN, method, json!({}))), -32601, "{method}");
    }
}

#[test]
fn an_id_may_be_used_again_once_it_was_answered() {
    let mut client = Client::new();
    let line = request(MODERN, "server/discover", json!({}));
    assert_eq!(client.ask(&line), client.ask(&line));
}

#[test]
fn legacy_notifications_are_passed_over() {
    let mut client = Client::new();
    assert_eq!(client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), [] as [Value; 0]);
    assert!(client.request(MODERN, "tools/list", json!({})).get("result").is_some());
}
