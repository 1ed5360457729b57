//! Hearing of changes.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, parse, ready, request};

const MODERN: Revision = Revision::V2026_07_28;
const LEGACY: Revision = Revision::V2025_11_25;

/// A `subscriptions/listen` under an id.
fn listen(id: &Value, notifications: &Value) -> String {
    let mut line: Value =
        serde_json::from_str(&request(MODERN, "subscriptions/listen", json!({ "notifications": notifications })))
            .unwrap();
    line["id"] = id.clone();
    line.to_string()
}

fn call(revision: Revision, tool: &str, arguments: Value) -> String {
    let mut params = json!({ "name": tool });
    params["arguments"] = arguments;
    request(revision, "tools/call", params)
}

fn tag(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["method"].as_str().unwrap_or("-")).collect()
}

#[test]
fn a_published_tool_is_told_listed_and_can_be_called() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let messages = client.say(&call(revision, "publish", json!({ "name": "greet" })));
        let told: &[&str] = if revision == MODERN { &["-"] } else { &["notifications/tools/list_changed", "-"] };
        assert_eq!(methods(&messages), told);
        let listed = client.request(revision, "tools/list", json!({}))["result"]["tools"].take();
        assert_eq!(listed.as_array().unwrap().last().unwrap()["name"], "greet");
        let told = client.call(revision, "greet", json!({}))["result"].take();
        assert_eq!(told["content"][0]["text"], r#"{"name":"greet"}"#);
        for name in ["greet", "wait", "no name", ""] {
            let messages = client.say(&call(revision, "publish", json!({ "name": name })));
            assert_eq!((messages.len(), &messages[0]["result"]["isError"]), (1, &json!(true)), "{name}");
        }
    }
}

#[test]
fn a_listener_hears_what_it_asked_for_under_its_own_id() {
    let mut client = Client::new();
    let all = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["memo://insights", "x-test://y"],
    });
    for id in [json!("L"), json!(7)] {
        let acknowledged = client.ask(&listen(&id, &all));
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(tag(&acknowledged), &id);
        let granted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["memo://insights"] });
        assert_eq!(acknowledged["params"]["notifications"], granted);
    }
    let narrow = client.ask(&listen(&json!("N"), &json!({ "toolsListChanged": false })));
    assert_eq!(narrow["params"]["notifications"], json!({}));
    let messages = client.say(&call(MODERN, "publish", json!({ "name": "one" })));
    assert_eq!(methods(&messages), ["notifications/tools/list_changed", "notifications/tools/list_changed", "-"]);
    assert_eq!([tag(&messages[0]), tag(&messages[1])], [&json!("L"), &json!(7)]);
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}}"#);
    let messages = client.say(&call(MODERN, "publish", json!({ "name": "two" })));
    assert_eq!(methods(&messages), ["notifications/tools/list_changed", "-"]);
    assert_eq!(tag(&messages[0]), &json!(7));
    let closed: Vec<_> = client.end().iter().map(|line| parse(line)).collect();
    assert_eq!(closed.len(), 2);
    for message in closed {
        assert_eq!(message["result"]["resultType"], "complete");
        assert_eq!(message["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], message["id"]);
    }
}

#[test]
fn a_filter_that_is_none_is_refused() {
    let mut client = Client::new();
    assert_eq!(code(&client.request(MODERN, "subscriptions/listen", json!({}))), -32602);
    for filter in [json!(5), json!({ "toolsListChanged": "yes" }), json!({ "resourceSubscriptions": "x" })] {
        assert_eq!(code(&client.ask(&listen(&json!("L"), &filter))), -32602);
    }
    client.ask(&listen(&json!("L"), &json!({})));
    assert_eq!(code(&client.ask(&listen(&json!("L"), &json!({})))), -32600, "an id is used while it is open");
}

#[test]
fn a_session_subscribes_to_what_can_be_read() {
    for revision in Revision::ALL.into_iter().filter(|revision| *revision != MODERN) {
        let mut client = ready(revision);
        for method in ["resources/subscribe", "resources/unsubscribe", "resources/unsubscribe"] {
            let told = client.request(revision, method, json!({ "uri": "memo://insights" }));
            assert_eq!(told["result"], json!({}));
        }
        let told = client.request(revision, "resources/subscribe", json!({ "uri": "x-test://y" }));
        assert_eq!(code(&told), -32002);
        assert_eq!(code(&client.request(revision, "resources/subscribe", json!({}))), -32602);
    }
}

#[test]
fn a_subscriber_hears_that_an_insight_came_until_it_has_heard_enough() {
    let insight = |text: &str| call(LEGACY, "append_insight", json!({ "text": text }));
    let mut client = Client::open(LEGACY);
    assert_eq!(methods(&client.say(&insight("nobody listens"))), ["-"]);
    client.request(LEGACY, "resources/subscribe", json!({ "uri": "memo://insights" }));
    let messages = client.say(&insight("Ana pays late"));
    assert_eq!(methods(&messages), ["notifications/resources/updated", "-"]);
    assert_eq!(messages[0]["params"], json!({ "uri": "memo://insights" }));
    let read = client.request(LEGACY, "resources/read", json!({ "uri": "memo://insights" }));
    assert_eq!(read["result"]["contents"][0]["text"], "- nobody listens\n- Ana pays late\n");
    client.request(LEGACY, "resources/unsubscribe", json!({ "uri": "memo://insights" }));
    assert_eq!(methods(&client.say(&insight("enough"))), ["-"]);
}

#[test]
fn a_listener_hears_of_the_resources_that_it_named() {
    let mut client = Client::new();
    let named = ["memo://insights", "shop://orders/3"];
    client.ask(&listen(&json!("L"), &json!({ "resourceSubscriptions": named })));
    for (tool, arguments, uri) in [
        ("append_insight", json!({ "text": "Ana pays late" }), Some("memo://insights")),
        ("delete_order", json!({ "id": 3 }), Some("shop://orders/3")),
        ("delete_order", json!({ "id": 4 }), None),
    ] {
        let messages = client.say(&call(MODERN, tool, arguments));
        let (answer, told) = messages.split_last().unwrap();
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        assert_eq!(told.first().map(|message| message["params"]["uri"].as_str().unwrap()), uri);
        assert!(told.iter().all(|message| tag(message) == "L"));
    }
}

#[test]
fn both_eras_hear_of_a_change_in_their_own_way() {
    let mut client = Client::open(LEGACY);
    client.ask(&listen(&json!("L"), &json!({ "toolsListChanged": true })));
    let messages = client.say(&call(LEGACY, "publish", json!({ "name": "one" })));
    assert_eq!(methods(&messages), ["notifications/tools/list_changed", "notifications/tools/list_changed", "-"]);
    assert_eq!([tag(&messages[0]), tag(&messages[1])], [&Value::Null, &json!("L")]);
}
