//! The tools of the shop.

use std::time::{Duration, Instant};

use mcp_reference_server::{Config, Revision, Sqlite, SystemClock, World};
use serde_json::{Value, json};

use crate::client::{Client, code, ready, request};

const REVISION: Revision = Revision::V2025_11_25;

fn content(answer: &Value) -> &Value {
    let result = &answer["result"];
    assert!(result.get("isError").is_none(), "{answer}");
    &result["structuredContent"]
}

/// What a call that failed says.
fn complaint(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

/// A client in real time, of a server that gives all work so much of it.
fn timed(limit: Duration) -> Client {
    let world = World::new(Sqlite::new(None), SystemClock);
    let config = Config::default().limited(limit).limited_for("slow_report", Duration::from_secs(60));
    let mut client = Client::with(config, world);
    client.ask(&crate::client::initialize(REVISION.date()));
    client
}

#[test]
fn every_tool_says_what_it_does_to_the_world() {
    let mut client = Client::open(REVISION);
    let listed = client.request(REVISION, "tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let annotations = &tool["annotations"];
        let (reads, destroys) = match tool["name"].as_str().unwrap() {
            "delete_order" => (false, true),
            "append_insight" | "publish" => (false, false),
            _ => (true, false),
        };
        assert_eq!(annotations["readOnlyHint"], reads, "{tool}");
        assert_eq!(annotations["destructiveHint"], destroys, "{tool}");
    }
}

/// Whether a schema, or one in it, has a list of types.
fn lists_types(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.get("type").is_some_and(Value::is_array) || members.values().any(lists_types),
        Value::Array(elements) => elements.iter().any(lists_types),
        _ => false,
    }
}

#[test]
fn schemas_are_such_as_simple_clients_can_take() {
    let listed = Client::open(REVISION).request(REVISION, "tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert!(!lists_types(tool), "{tool}");
    }
}

#[test]
fn an_unknown_status_is_told_with_the_known_ones() {
    for revision in Revision::ALL {
        let answer = ready(revision).call(revision, "count_orders", json!({ "status": "banana" }));
        let told = complaint(&answer);
        assert!(told.contains("banana") && told.contains("pending, paid, shipped, cancelled"), "{told}");
    }
}

#[test]
fn arguments_that_break_the_schema_run_nothing() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for (tool, arguments) in [
            ("delete_order", json!({ "id": true })),
            ("delete_order", json!({ "id": "1" })),
            ("delete_order", json!({ "id": 1.5 })),
            ("delete_order", json!({})),
            ("delete_order", json!({ "id": 1, "force": true })),
            ("append_insight", json!({ "text": 5 })),
            ("list_tables", json!({ "name": "orders" })),
        ] {
            let answer = client.call(revision, tool, arguments.clone());
            if revision >= Revision::V2025_11_25 {
                complaint(&answer);
            } else {
                assert_eq!(code(&answer), -32602, "{tool} {arguments}");
            }
        }
        let found = client.call(revision, "read_query", json!({ "sql": "SELECT count(*) FROM orders" }));
        assert!(found["result"]["content"][0]["text"].as_str().unwrap().contains("[[8]]"), "{found}");
    }
}

#[test]
fn three_orders_can_be_deleted_and_no_more() {
    let mut client = Client::open(REVISION);
    complaint(&client.call(REVISION, "delete_order", json!({ "id": 99 })));
    for (id, left) in [(1, 2), (2, 1), (3, 0)] {
        let answer = client.call(REVISION, "delete_order", json!({ "id": f64::from(id) }));
        assert_eq!(content(&answer)["deleted"]["id"], id);
        assert_eq!(content(&answer)["deletions_left"], left);
    }
    assert!(complaint(&client.call(REVISION, "delete_order", json!({ "id": 4 }))).contains("nothing was deleted"));
    let left = client.call(REVISION, "read_query", json!({ "sql": "SELECT id FROM orders ORDER BY id" }));
    assert_eq!(content(&left)["rows"], json!([[4], [5], [6], [7], [8]]));
}

#[test]
fn an_order_that_the_user_wants_to_keep_is_kept() {
    let mut client = Client::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let mut ask = |extra: Value| {
        let mut params = json!({ "name": "delete_order", "arguments": { "id": 5 }, "_meta": meta });
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        client.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string())
    };
    let asked = ask(json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required");
    let state = &asked["result"]["requestState"];
    for said in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "confirm": false } }),
    ] {
        complaint(&ask(json!({ "requestState": state, "inputResponses": { "answer": said } })));
    }
    let yes = json!({ "action": "accept", "content": { "confirm": true } });
    let done = ask(json!({ "requestState": state, "inputResponses": { "answer": yes } }));
    assert_eq!(content(&done)["deletions_left"], 2);
}

#[test]
fn a_query_reads_and_does_nothing_else() {
    let mut client = Client::open(REVISION);
    let mut query = |sql: &str| client.call(REVISION, "read_query", json!({ "sql": sql }));
    let found = query("SELECT name, total_cents FROM orders JOIN customers USING (id) WHERE id = 3");
    assert_eq!(content(&found)["rows"], json!([["Zoë Brandt", 8900]]));
    for sql in [
        "DELETE FROM orders",
        "SELECT 1; DELETE FROM orders",
        "WITH x AS (SELECT 1) DELETE FROM orders",
        "INSERT INTO insights (text) VALUES ('x') RETURNING id",
        "DROP TABLE orders",
        "PRAGMA writable_schema = ON",
        "ATTACH 'x.db' AS x",
        "VACUUM INTO 'x.db'",
        "CREATE TEMP TABLE x (y)",
        "SELECT load_extension('x')",
        "nonsense",
    ] {
        complaint(&query(sql));
    }
    assert_eq!(content(&query("SELECT count(*) FROM orders"))["rows"], json!([[8]]));
}

#[test]
fn tables_are_described_and_an_unknown_one_is_told_with_the_known_ones() {
    let mut client = Client::open(REVISION);
    let listed = client.call(REVISION, "list_tables", json!({}));
    assert_eq!(content(&listed)["tables"], json!(["customers", "insights", "orders"]));
    let described = client.call(REVISION, "describe_table", json!({ "name": "customers" }));
    assert_eq!(content(&described)["columns"][1]["name"], "name");
    let told = client.call(REVISION, "describe_table", json!({ "name": "x'; DROP TABLE orders" }));
    assert!(complaint(&told).contains("customers, insights, orders"));
}

#[test]
fn an_insight_is_in_the_memo() {
    let mut client = Client::open(REVISION);
    client.call(REVISION, "append_insight", json!({ "text": "  Zoë comes back. " }));
    complaint(&client.call(REVISION, "append_insight", json!({ "text": " \n" })));
    let memo = client.request(REVISION, "resources/read", json!({ "uri": "memo://insights" }));
    assert_eq!(memo["result"]["contents"][0]["text"], "- Zoë comes back.\n");
}

#[test]
fn a_report_takes_its_time_and_tells_how_far_it_is() {
    let mut client = Client::open(REVISION);
    let params = json!({ "name": "slow_report", "arguments": { "seconds": 2 }, "_meta": { "progressToken": "p" } });
    let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut told = client.say(&line);
    let report = told.pop().unwrap();
    assert_eq!(told.len(), 10);
    assert_eq!(content(&report)["report"][3], json!({ "status": "shipped", "orders": 2, "total_cents": 13250 }));
}

#[test]
fn what_takes_too_long_is_stopped_and_told() {
    let limit = Duration::from_millis(50);
    let mut client = timed(limit);
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    for (tool, arguments) in [("wait", json!({ "ms": 60_000 })), ("read_query", json!({ "sql": endless }))] {
        let began = Instant::now();
        let answer = client.call(REVISION, tool, arguments);
        assert!(complaint(&answer).contains("50ms"), "{answer}");
        assert!(began.elapsed() >= limit && began.elapsed() < Duration::from_secs(30));
    }
    content(&client.call(REVISION, "slow_report", json!({ "seconds": 1 })));
    content(&client.call(REVISION, "wait", json!({ "ms": 1 })));
    content(&client.call(REVISION, "read_query", json!({ "sql": "SELECT 1" })));
}

#[test]
fn structured_content_keeps_to_its_schema() {
    let mut client = Client::able(REVISION, &json!({ "roots": {} }));
    let listed = client.request(REVISION, "tools/list", json!({}));
    for (name, arguments) in [
        ("list_customers", json!({})),
        ("wait", json!({ "ms": 5 })),
        ("slow_report", json!({ "seconds": 1 })),
        ("read_query", json!({ "sql": "SELECT 1, 0.5, 'x', x'00', NULL, 9e999 FROM orders" })),
        ("list_tables", json!({})),
        ("describe_table", json!({ "name": "orders" })),
        ("append_insight", json!({ "text": "x" })),
        ("delete_order", json!({ "id": 1 })),
        ("publish", json!({ "name": "greet" })),
    ] {
        let tools = listed["result"]["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let call = request(REVISION, "tools/call", json!({ "name": name, "arguments": arguments }));
        let answer = client.say(&call).into_iter().find(|message| message["id"] == 1).unwrap();
        let found = jsonschema::validate(&tool["outputSchema"], content(&answer));
        assert!(found.is_ok(), "{name}: {found:?}");
    }
}
