//! Calls as tasks, which one revision has.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, parse, request};

const TASKS: Revision = Revision::V2025_11_25;
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// A call of `wait` as a task.
fn wait() -> String {
    let params = json!({
        "name": "wait", "arguments": { "ms": 20 }, "task": { "ttl": 60_000 }, "_meta": { "progressToken": "pt" },
    });
    request(TASKS, "tools/call", params)
}

/// Begins a task whose work does not run yet, and returns the task.
fn begin(client: &mut Client) -> Value {
    let lines = client.give(format!("{}\n", wait()).as_bytes());
    assert_eq!(lines.len(), 1);
    parse(&lines[0])["result"]["task"].take()
}

fn about(client: &mut Client, method: &str, id: &Value) -> Value {
    let line = request(TASKS, method, json!({ "taskId": id, "_meta": { RELATED: { "taskId": "another" } } }));
    let mut lines = client.give(format!("{line}\n").as_bytes());
    assert_eq!(lines.len(), 1, "{method}");
    parse(&lines.remove(0))
}

#[test]
fn a_task_works_then_ends_and_keeps_its_result() {
    let mut client = Client::open(TASKS);
    let task = begin(&mut client);
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60_000)));
    let id = &task["taskId"];
    assert_eq!(about(&mut client, "tasks/get", id)["result"], task);
    let line = request(TASKS, "tasks/result", json!({ "taskId": id }));
    assert!(client.give(format!("{line}\n").as_bytes()).is_empty(), "it waits for the end");
    let messages: Vec<_> = client.finish().iter().map(|line| parse(line)).collect();
    let (progress, end) = messages.split_at(10);
    for message in progress {
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("pt"))
        );
        assert_eq!(message["params"]["_meta"][RELATED]["taskId"], *id);
    }
    assert_eq!(end[0]["method"], "notifications/tasks/status");
    assert_eq!((&end[0]["params"]["taskId"], &end[0]["params"]["status"]), (id, &json!("completed")));
    assert_eq!(end[1]["result"]["structuredContent"], json!({ "waited_ms": 20 }));
    assert_eq!(end[1]["result"]["_meta"][RELATED]["taskId"], *id);
    assert_eq!(end.len(), 2);
    let again = about(&mut client, "tasks/result", id);
    assert_eq!(again, end[1]);
    assert_eq!(about(&mut client, "tasks/get", id)["result"]["status"], "completed");
    assert_eq!(code(&about(&mut client, "tasks/cancel", id)), -32602);
    assert_eq!(client.logged().len(), 1);
}

#[test]
fn a_cancelled_task_stays_cancelled() {
    let mut client = Client::open(TASKS);
    let task = begin(&mut client);
    let by_request = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert!(client.give(format!("{by_request}\n").as_bytes()).is_empty());
    assert_eq!(about(&mut client, "tasks/get", &task["taskId"])["result"]["status"], "working");
    let line = request(TASKS, "tasks/cancel", json!({ "taskId": task["taskId"] }));
    let lines = client.give(format!("{line}\n").as_bytes());
    assert_eq!(parse(&lines[0])["method"], "notifications/tasks/status");
    assert_eq!(parse(&lines[1])["result"]["status"], "cancelled");
    assert!(client.finish().is_empty(), "nothing more is told of it");
    assert_eq!(about(&mut client, "tasks/get", &task["taskId"])["result"]["status"], "cancelled");
    assert_eq!(about(&mut client, "tasks/result", &task["taskId"])["result"]["isError"], true);
}

#[test]
fn tasks_are_listed_and_unknown_ones_refused() {
    let mut client = Client::open(TASKS);
    let ids = [begin(&mut client)["taskId"].take(), begin(&mut client)["taskId"].take()];
    assert_ne!(ids[0], ids[1]);
    client.finish();
    let listed = client.request(TASKS, "tasks/list", json!({}))["result"]["tasks"].take();
    assert!(listed.as_array().unwrap().iter().map(|task| &task["taskId"]).eq(&ids));
    assert_eq!(code(&client.request(TASKS, "tasks/list", json!({ "cursor": "x-test" }))), -32602);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        assert_eq!(code(&about(&mut client, method, &json!("x-test"))), -32602);
        assert_eq!(code(&client.request(TASKS, method, json!({}))), -32602);
    }
    assert!(client.end().is_empty());
}

#[test]
fn a_tool_that_is_no_task_is_refused_and_one_that_may_be_is_a_call_too() {
    let mut client = Client::open(TASKS);
    let params = json!({ "name": "list_customers", "task": {} });
    assert_eq!(code(&client.request(TASKS, "tools/call", params)), -32601);
    let params = json!({ "name": "wait", "arguments": { "ms": 1 }, "task": 5 });
    assert_eq!(code(&client.request(TASKS, "tools/call", params)), -32602);
    let listed = client.request(TASKS, "tools/list", json!({}))["result"]["tools"].take();
    let wait = listed.as_array().unwrap().iter().find(|tool| tool["name"] == "wait").unwrap();
    assert_eq!(wait["execution"], json!({ "taskSupport": "optional" }));
    assert_eq!(client.call(TASKS, "wait", json!({ "ms": 1 }))["result"]["structuredContent"]["waited_ms"], 1);
}

#[test]
fn a_task_that_fails_says_why() {
    let mut client = Client::open(TASKS);
    let params = json!({ "name": "wait", "arguments": { "ms": "x" }, "task": {} });
    let lines = client.say(&request(TASKS, "tools/call", params));
    let id = &lines[0]["result"]["task"]["taskId"];
    assert_eq!(lines[1]["params"]["status"], "failed");
    assert!(lines[1]["params"]["statusMessage"].as_str().unwrap().contains("ms"));
    assert_eq!(about(&mut client, "tasks/result", id)["result"]["isError"], true);
}

#[test]
fn a_task_that_is_waited_for_in_vain_holds_nothing_up() {
    let mut client = Client::open(TASKS);
    let task = begin(&mut client);
    let mut line: Value =
        serde_json::from_str(&request(TASKS, "tasks/result", json!({ "taskId": task["taskId"] }))).unwrap();
    line["id"] = json!("r");
    assert!(client.give(format!("{line}\n").as_bytes()).is_empty());
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r"}}"#;
    assert!(client.give(format!("{cancel}\n").as_bytes()).is_empty());
    let messages = client.finish();
    assert_eq!(parse(messages.last().unwrap())["method"], "notifications/tasks/status");
    assert!(client.end().is_empty());
}
