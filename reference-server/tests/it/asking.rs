//! Calls for which the server has a question to the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use mcp_reference_server::{Config, Revision, Server};
use serde_json::{Value, json};

use crate::client::{Client, code, modern_meta, parse, request};

const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn all() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {} })
}

fn roots() -> Value {
    json!({ "roots": [{ "uri": "file:///shop", "name": "shop" }] })
}

/// Calls a tool, and returns the server's own request.
fn asked(client: &mut Client, revision: Revision, tool: &str, arguments: Value) -> Value {
    let mut params = json!({ "name": tool });
    params["arguments"] = arguments;
    let question = client.ask(&request(revision, "tools/call", params));
    assert!(question["id"].is_string() && question.get("result").is_none(), "{question}");
    question
}

fn answer(question: &Value, result: Value) -> String {
    let mut response = json!({ "jsonrpc": "2.0", "id": question["id"] });
    response["result"] = result;
    response.to_string()
}

/// A modern call of a client with capabilities, and with what a retry brings.
fn call(tool: &str, arguments: &Value, capabilities: &Value, more: &Value) -> String {
    let mut meta = modern_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let mut params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn a_legacy_client_is_asked_by_requests_with_ids_of_their_own() {
    for revision in LEGACY {
        let mut client = Client::able(revision, &all());
        let first = asked(&mut client, revision, "show_roots", json!({}));
        assert_eq!(first["method"], "roots/list");
        let second = asked(&mut client, revision, "ask_model", json!({ "prompt": "Say hello." }));
        assert_eq!(second["method"], "sampling/createMessage");
        assert_eq!(second["params"]["messages"][0]["content"]["text"], "Say hello.");
        assert_ne!(first["id"], second["id"]);
        let said = json!({ "role": "assistant", "model": "m-1", "content": { "type": "text", "text": "hello" } });
        let told = client.ask(&answer(&second, said));
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), json!({ "model": "m-1", "answer": "hello" }));
        let told = client.ask(&answer(&first, roots()));
        assert!(told["result"]["content"][0]["text"].as_str().unwrap().contains("file:///shop"));
        assert_eq!(client.say(&answer(&first, roots())), [] as [Value; 0], "answered twice");
        assert!(client.end().is_empty());
    }
}

#[test]
fn a_legacy_client_that_refuses_or_makes_no_sense_is_told_in_the_result() {
    for revision in LEGACY {
        let mut client = Client::able(revision, &all());
        let question = asked(&mut client, revision, "show_roots", json!({}));
        let refusal = json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "not now" } });
        let told = client.ask(&refusal.to_string());
        assert_eq!(told["result"]["isError"], true);
        assert!(told["result"]["content"][0]["text"].as_str().unwrap().contains("not now"));
        for nonsense in [json!({}), json!({ "roots": [5] }), json!(null)] {
            let question = asked(&mut client, revision, "show_roots", json!({}));
            assert_eq!(client.ask(&answer(&question, nonsense))["result"]["isError"], true);
        }
    }
}

#[test]
fn a_client_is_not_asked_for_what_it_did_not_declare() {
    for revision in LEGACY {
        let mut client = Client::open(revision);
        for (tool, arguments) in [("show_roots", json!({})), ("ask_model", json!({ "prompt": "x" }))] {
            let told = client.call(revision, tool, arguments);
            assert_eq!(told["result"]["isError"], true);
        }
    }
    let told = Client::new().ask(&call("ask_model", &json!({ "prompt": "x" }), &json!({ "roots": {} }), &json!({})));
    assert_eq!(code(&told), -32021);
    assert_eq!(told["error"]["data"], json!({ "requiredCapabilities": { "sampling": {} } }));
}

#[test]
fn a_question_holds_up_nobody_and_falls_with_its_call() {
    let revision = Revision::V2025_11_25;
    let mut client = Client::able(revision, &all());
    let question = asked(&mut client, revision, "show_roots", json!({}));
    let ping = client.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(ping["id"], 2);
    let told = client.ask(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(told["method"], "notifications/cancelled");
    assert_eq!(told["params"]["requestId"], question["id"]);
    assert_eq!(client.say(&answer(&question, roots())), [] as [Value; 0]);
    assert!(client.end().is_empty());
}

#[test]
fn a_client_that_leaves_is_waited_for_no_longer() {
    let revision = Revision::V2025_11_25;
    let mut client = Client::able(revision, &all());
    asked(&mut client, revision, "show_roots", json!({}));
    let lines = client.end();
    assert_eq!(lines.len(), 1);
    assert_eq!(parse(&lines[0])["result"]["isError"], true);
}

#[test]
fn an_answer_in_a_batch_is_one_too() {
    let revision = Revision::V2025_03_26;
    let mut client = Client::able(revision, &all());
    let question = asked(&mut client, revision, "show_roots", json!({}));
    let messages = client.say(&format!("[{}]", answer(&question, roots())));
    assert_eq!(messages.len(), 1);
    assert!(messages[0]["result"]["content"].is_array());
}

#[test]
fn a_modern_client_is_asked_in_the_result_and_any_process_takes_its_answer() {
    let none = json!({});
    let told = Client::new().ask(&call("show_roots", &none, &all(), &none))["result"].take();
    assert_eq!(told["resultType"], "input_required");
    assert!(told.get("ttlMs").is_none() && told.get("content").is_none());
    let requests = told["inputRequests"].as_object().unwrap();
    let (key, asked) = requests.iter().next().unwrap();
    assert_eq!(asked, &json!({ "method": "roots/list", "params": {} }));
    let retry = json!({ "inputResponses": { key: roots(), "x-test": 5 }, "requestState": told["requestState"] });
    let told = Client::new().ask(&call("show_roots", &none, &all(), &retry))["result"].take();
    assert_eq!(told["resultType"], "complete");
    assert_eq!(told["structuredContent"], json!({ "roots": ["file:///shop"] }));
}

#[test]
fn what_a_retry_lacks_is_asked_for_again() {
    let arguments = json!({ "prompt": "Say hello." });
    let mut client = Client::new();
    let first = client.ask(&call("ask_model", &arguments, &all(), &json!({})))["result"].take();
    let state = first["requestState"].clone();
    for more in [
        json!({ "requestState": state }),
        json!({ "requestState": state, "inputResponses": {} }),
        json!({ "requestState": state, "inputResponses": { "x-test": {} } }),
        json!({ "inputResponses": { "answer": { "role": "assistant" } } }),
    ] {
        let again = client.ask(&call("ask_model", &arguments, &all(), &more))["result"].take();
        assert_eq!(again["inputRequests"], first["inputRequests"], "{more}");
    }
}

#[test]
fn what_a_retry_has_wrong_is_refused() {
    let arguments = json!({ "prompt": "Say hello." });
    let mut client = Client::new();
    let first = client.ask(&call("ask_model", &arguments, &all(), &json!({})))["result"].take();
    let state = first["requestState"].as_str().unwrap();
    let said = json!({ "role": "assistant", "model": "m-1", "content": { "type": "text", "text": "hello" } });
    let good = json!({ "requestState": state, "inputResponses": { "answer": said } });
    let mut refused = |tool: &str, arguments: &Value, more: &Value| {
        let told = client.ask(&call(tool, arguments, &all(), more));
        assert_eq!(code(&told), -32602, "{tool} {more}");
    };
    for more in [
        json!({ "requestState": state, "inputResponses": [] }),
        json!({ "requestState": state, "inputResponses": { "answer": { "role": "assistant" } } }),
        json!({ "requestState": state, "inputResponses": { "answer": 5 } }),
        json!({ "requestState": 5, "inputResponses": { "answer": said } }),
        json!({ "requestState": format!("{state}0"), "inputResponses": { "answer": said } }),
        json!({ "requestState": &state[1..], "inputResponses": { "answer": said } }),
        json!({ "requestState": "", "inputResponses": { "answer": said } }),
    ] {
        refused("ask_model", &arguments, &more);
    }
    refused("ask_model", &json!({ "prompt": "Say goodbye." }), &good);
    refused("show_roots", &json!({}), &good);
    let told = client.ask(&call("ask_model", &arguments, &all(), &good));
    assert_eq!(told["result"]["structuredContent"]["answer"], "hello");
}

#[test]
fn a_deletion_waits_for_the_users_word_in_every_revision_that_has_forms() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut client = Client::able(revision, &all());
        for (said, deleted) in [
            (json!({ "action": "decline" }), false),
            (json!({ "action": "cancel" }), false),
            (json!({ "action": "accept", "content": { "confirm": false } }), false),
            (json!({ "action": "accept", "content": { "confirm": true } }), true),
        ] {
            let question = asked(&mut client, revision, "delete_order", json!({ "id": 6 }));
            assert_eq!(question["method"], "elicitation/create");
            assert_eq!(question["params"].get("mode").is_some(), revision == Revision::V2025_11_25);
            let told = client.ask(&answer(&question, said));
            assert_eq!(told["result"].get("isError").is_none(), deleted, "{told}");
        }
    }
    for revision in [Revision::V2024_11_05, Revision::V2025_03_26] {
        let told = Client::able(revision, &all()).call(revision, "delete_order", json!({ "id": 6 }));
        assert!(told["result"].get("isError").is_none(), "there is no way to ask: {told}");
    }
}

#[test]
fn an_agreement_holds_for_the_order_that_was_asked_about() {
    let arguments = json!({ "id": 6 });
    let mut client = Client::new();
    let first = client.ask(&call("delete_order", &arguments, &all(), &json!({})))["result"].take();
    assert!(first["inputRequests"]["answer"]["params"]["message"].as_str().unwrap().contains("order 6"));
    let yes = json!({ "action": "accept", "content": { "confirm": true } });
    let retry = json!({ "requestState": first["requestState"], "inputResponses": { "answer": yes } });
    assert_eq!(code(&client.ask(&call("delete_order", &json!({ "id": 7 }), &all(), &retry))), -32602);
    let told = client.ask(&call("delete_order", &arguments, &all(), &retry))["result"].take();
    assert_eq!(told["structuredContent"]["deleted"]["id"], 6);
    let again = client.ask(&call("delete_order", &arguments, &all(), &retry))["result"].take();
    assert_eq!(again["isError"], true, "there is no such order any more");
}

#[test]
fn an_answer_that_comes_too_late_is_refused() {
    let now = Arc::new(AtomicU64::new(1_000_000));
    let clock = Arc::clone(&now);
    let server =
        Server::timed(Config::default(), move || UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::SeqCst)));
    let mut client = Client::around(server);
    let none = json!({});
    let told = client.ask(&call("show_roots", &none, &all(), &none))["result"].take();
    let retry = json!({ "inputResponses": { "answer": roots() }, "requestState": told["requestState"] });
    now.fetch_add(600, Ordering::SeqCst);
    assert!(client.ask(&call("show_roots", &none, &all(), &retry)).get("result").is_some());
    now.fetch_add(1, Ordering::SeqCst);
    assert_eq!(code(&client.ask(&call("show_roots", &none, &all(), &retry))), -32602);
}
