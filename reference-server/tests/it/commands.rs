//! What the program does besides serving, and limits of time in real processes.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use mcp_reference_server::{Sqlite, Store};
use serde_json::{Value, json};

use crate::client::initialize;
use crate::directory::Directory;
use crate::process::{Peer, command};

fn run(args: &[&str], database: Option<&Path>) -> Output {
    let mut command = command(args);
    if let Some(database) = database {
        command.env("MCP_DB", database);
    }
    command.stderr(Stdio::piped()).output().unwrap()
}

/// Checks that a run failed with one sentence, and returns that.
fn complaint(output: &Output) -> String {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(output.stdout.is_empty() && told.lines().count() == 1, "{told}");
    told
}

#[test]
fn a_database_is_made_once() {
    let directory = Directory::new("init");
    let file = directory.file("shop.db");
    let made = run(&["init-db"], Some(&file));
    assert!(made.status.success() && made.stdout.is_empty());
    assert_eq!(Sqlite::new(Some(file.clone())).order_ids().unwrap().len(), 8);
    assert!(complaint(&run(&["init-db"], Some(&file))).contains("exists already"));
    assert!(complaint(&run(&["init-db"], None)).contains("MCP_DB"));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn a_seed_is_run_whole_or_not_at_all() {
    let directory = Directory::new("seed");
    let (file, seed) = (directory.file("shop.db"), directory.file("seed.sql"));
    let good = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, total_cents INTEGER);
        INSERT INTO customers VALUES (1, 'Only One', 'one@example.com');";
    let args = ["init-db", "--seed", seed.to_str().unwrap()];
    assert!(complaint(&run(&args, Some(&file))).contains("can't be read"));
    for (script, told) in [
        ("CREATE TABLE customers (id INTEGER)".to_owned(), "no usable table customers"),
        (format!("{good} INSERT INTO nowhere VALUES (1)"), "nowhere"),
        (format!("{good} COMMIT"), "transactions"),
        ("{\"customers\":[]}".to_owned(), "the seed fails"),
        (String::new(), "no usable table"),
    ] {
        fs::write(&seed, script).unwrap();
        let complaint = complaint(&run(&args, Some(&file)));
        assert!(complaint.contains(told), "{complaint}");
        assert!(!file.exists());
    }
    fs::write(&seed, good).unwrap();
    assert!(run(&args, Some(&file)).status.success());
    assert_eq!(Sqlite::new(Some(file)).customers().unwrap().len(), 1);
}

#[test]
fn the_audit_log_is_summed_up() {
    let directory = Directory::new("summary");
    let log = directory.file("audit.jsonl");
    let mut server = command(&[]);
    server.env("MCP_AUDIT_LOG", &log).stderr(Stdio::null());
    let mut peer = Peer::start(server);
    peer.send(&initialize("2025-06-18"));
    for (id, tool) in ["list_tables", "list_tables", "banana"].into_iter().enumerate() {
        let params = json!({ "name": tool });
        peer.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string());
    }
    assert!(peer.end().0.success());
    let name = log.to_str().unwrap();
    let summary = |args: &[&str]| {
        let output = run(&[&["audit", name, "--json"], args].concat(), None);
        assert!(output.status.success());
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(summary(&[]), summary(&["--since", "1h"]));
    let tools = &summary(&[])["tools"];
    assert_eq!((&tools[0]["tool"], &tools[0]["refusals"]), (&json!("banana"), &json!(1)));
    assert_eq!((&tools[1]["calls"], &tools[1]["failures"]), (&json!(2), &json!(0)));
    assert!(tools[1]["p95_ms"].as_f64().unwrap() >= tools[1]["p50_ms"].as_f64().unwrap());
    let table = run(&["audit", name], None);
    assert!(table.status.success() && String::from_utf8(table.stdout).unwrap().contains("list_tables"));
    let missing = directory.file("nothing.jsonl");
    assert!(complaint(&run(&["audit", missing.to_str().unwrap()], None)).contains("can't be read"));
}

#[test]
fn a_tool_that_takes_too_long_is_stopped_and_the_server_lives() {
    let mut server = command(&["--tool-timeout", "50ms", "--tool-timeout", "wait=60s"]);
    server.stderr(Stdio::null());
    let mut peer = Peer::start(server);
    peer.send(&initialize("2025-11-25"));
    peer.receive();
    let call = |tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
    };
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    for line in [call("slow_report", json!({ "seconds": 60 })), call("read_query", json!({ "sql": endless }))] {
        peer.send(&line);
        let answer = peer.receive();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    peer.send(&call("wait", json!({ "ms": 100 })));
    assert_eq!(peer.receive()["result"]["structuredContent"]["waited_ms"], 100);
    assert!(peer.end().0.success());
}

#[test]
fn stdout_holds_messages_and_nothing_else_whatever_the_database_is() {
    let directory = Directory::new("purity");
    let garbage = directory.file("garbage.db");
    fs::write(&garbage, "no database".repeat(999)).unwrap();
    let empty = directory.file("empty.db");
    fs::write(&empty, "").unwrap();
    for database in [garbage, empty, directory.file("no/such.db"), directory.file("new.db"), directory.file("")] {
        let mut server = command(&[]);
        server.env("MCP_DB", &database).stderr(Stdio::null());
        let mut peer = Peer::start(server);
        peer.send(&initialize("2025-11-25"));
        for (id, tool) in ["list_customers", "list_tables", "slow_report"].into_iter().enumerate() {
            let params =
                json!({ "name": tool, "arguments": if id == 2 { json!({ "seconds": 0 }) } else { json!({}) } });
            peer.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string());
        }
        // Each line is read as one message, or the test fails.
        let (status, messages) = peer.end();
        assert!(status.success() && messages.len() >= 4, "{messages:?}");
    }
}
