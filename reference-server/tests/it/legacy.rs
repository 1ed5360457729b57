//! The handshake, and the session that it opens.

use mcp_reference_server::{Config, Revision};
use serde_json::{Value, json};

use crate::client::{Client, code, initialize};

const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

#[test]
fn a_served_version_is_agreed_to() {
    for revision in LEGACY {
        let result = Client::new().ask(&initialize(revision.date()))["result"].take();
        assert_eq!(result["protocolVersion"], revision.date());
        let mut capabilities = json!({
            "tools": { "listChanged": true }, "resources": { "subscribe": true }, "prompts": {}, "logging": {},
        });
        if revision >= Revision::V2025_03_26 {
            capabilities["completions"] = json!({});
        }
        if revision == Revision::V2025_11_25 {
            capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        assert_eq!(result["capabilities"], capabilities);
        assert_eq!(result["serverInfo"]["name"], "mcp-reference-server");
        assert_eq!(result["serverInfo"].get("title").is_some(), revision >= Revision::V2025_06_18);
        assert!(result.get("resultType").is_none());
    }
}

#[test]
fn another_version_is_answered_with_the_newest_that_has_a_handshake() {
    for version in ["1900-01-01", "2099-01-01", "1.0.0", "2026-07-28", ""] {
        let result = Client::new().ask(&initialize(version))["result"].take();
        assert_eq!(result["protocolVersion"], "2025-11-25", "{version}");
    }
    let old = Config::default().retain(|revision| revision <= Revision::V2025_03_26).unwrap();
    let result = Client::of(old).ask(&initialize("2025-11-25"))["result"].take();
    assert_eq!(result["protocolVersion"], "2025-03-26");
}

#[test]
fn an_incomplete_handshake_is_refused_and_can_be_repeated() {
    let client = json!({ "name": "test", "version": "0" });
    for params in [
        json!({}),
        json!({ "protocolVersion": 5, "capabilities": {}, "clientInfo": client }),
        json!({ "protocolVersion": "2025-11-25", "clientInfo": client }),
        json!({ "protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": client }),
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test" } }),
    ] {
        let mut client = Client::new();
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        assert_eq!(code(&client.ask(&request.to_string())), -32602, "{request}");
        assert!(client.ask(&initialize("2025-11-25")).get("result").is_some());
    }
    assert_eq!(code(&Client::new().ask(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)), -32602);
}

#[test]
fn a_client_may_have_capabilities_that_we_do_not_know() {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": { "x-test": {}, "experimental": { "x": { "rate": 0.5 } }, "elicitation": { "url": {} } },
        "clientInfo": { "name": "test", "version": "0", "icons": [], "title": "Test" },
    } });
    assert!(Client::new().ask(&request.to_string()).get("result").is_some());
}

#[test]
fn a_ping_is_answered_at_any_time() {
    let mut client = Client::new();
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let pong = json!({ "jsonrpc": "2.0", "id": "p", "result": {} });
    assert_eq!(client.ask(ping), pong);
    client.ask(&initialize("2024-11-05"));
    assert_eq!(client.ask(ping), pong);
    assert_eq!(client.ask(r#"{"jsonrpc":"2.0","id":"p","method":"ping","params":{"_meta":{"a":1}}}"#), pong);
}

#[test]
fn requests_before_the_handshake_are_refused_and_change_nothing() {
    let mut client = Client::new();
    for method in ["tools/list", "server/discover", "x-test/none"] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        assert_eq!(code(&client.ask(&request.to_string())), -32602, "{method}");
    }
    assert!(client.ask(&initialize("2025-11-25")).get("result").is_some());
}

#[test]
fn requests_are_served_before_initialized_and_after_a_second_handshake() {
    let mut client = Client::new();
    client.ask(&initialize("2025-11-25"));
    let listed = client.request(Revision::V2025_11_25, "tools/list", json!({}))["result"].take();
    assert!(listed["tools"][0].get("outputSchema").is_some());
    client.ask(&initialize("2024-11-05"));
    let listed = client.request(Revision::V2024_11_05, "tools/list", json!({}))["result"].take();
    assert!(listed["tools"][0].get("outputSchema").is_none());
}

#[test]
fn a_list_needs_no_params_and_has_no_members_of_the_modern_era() {
    for revision in LEGACY {
        let answer = Client::open(revision).ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let members: Vec<_> = answer["result"].as_object().unwrap().keys().collect();
        assert_eq!(members, ["tools"]);
    }
}

#[test]
fn methods_of_other_revisions_do_not_exist() {
    for revision in LEGACY {
        let mut client = Client::open(revision);
        for method in
            ["server/discover", "subscriptions/listen", "x-test/none", "Ping", "notifications/initialized", ""]
        {
            assert_eq!(code(&client.request(revision, method, json!({}))), -32601, "{method}");
        }
        let tasks = client.request(revision, "tasks/list", json!({}));
        assert_eq!(tasks.get("result").is_some(), revision == Revision::V2025_11_25);
    }
}

#[test]
fn notifications_are_never_answered() {
    let mut client = Client::open(Revision::V2025_11_25);
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x-test"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
    ] {
        assert_eq!(client.say(line), [] as [Value; 0], "{line}");
    }
}

#[test]
fn each_request_and_notification_is_one_line_in_the_log() {
    let mut client = Client::open(Revision::V2025_11_25);
    client.call(Revision::V2025_11_25, "list_customers", json!({}));
    client.request(Revision::V2025_11_25, "a\nb", json!({}));
    assert_eq!(
        client.log,
        [
            "mcp-reference-server: request initialize",
            "mcp-reference-server: notification notifications/initialized",
            "mcp-reference-server: request tools/call",
            "mcp-reference-server: request a\\nb",
        ]
    );
}
