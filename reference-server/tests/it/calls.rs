//! Calling tools.

use std::num::NonZeroUsize;

use mcp_reference_server::{
    Cancel, Column, Config, Customer, Order, Revision, Rows, Status, Store, StoreError, Total, World,
};
use serde_json::{Value, json};

use crate::client::{Client, NoTime, code, parse, ready, request};

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer} has no text"))
}

fn is_error(answer: &Value) -> bool {
    answer["result"]["isError"] == json!(true)
}

#[test]
fn tools_answer_in_every_revision() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let answer = client.call(revision, "wait", json!({ "ms": 60_000 }));
        let content = json!({ "waited_ms": 60_000 });
        assert_eq!(serde_json::from_str::<Value>(text(&answer)).unwrap(), content);
        let structured = (revision >= Revision::V2025_06_18).then_some(&content);
        assert_eq!(answer["result"].get("structuredContent"), structured);
        assert!(answer["result"].get("isError").is_none());
        let answer = client.call(revision, "list_customers", json!({}));
        assert!(text(&answer).contains("山田 花子"));
    }
}

#[test]
fn a_tool_without_a_schema_for_its_output_answers_with_text_alone() {
    for revision in Revision::ALL {
        let answer = ready(revision).call(revision, "count_orders", json!({ "status": "paid" }));
        assert_eq!(answer["result"]["content"], json!([{ "type": "text", "text": "4" }]));
        assert!(answer["result"].get("structuredContent").is_none() && !is_error(&answer), "{answer}");
    }
}

#[test]
fn arguments_may_be_left_out_where_none_are_needed() {
    for revision in Revision::ALL {
        let answer = ready(revision).request(revision, "tools/call", json!({ "name": "list_customers" }));
        assert!(!is_error(&answer) && text(&answer).contains("Ana"));
    }
}

#[test]
fn a_status_that_does_not_exist_is_told_to_the_model_with_those_that_do() {
    for revision in Revision::ALL {
        let answer = ready(revision).call(revision, "count_orders", json!({ "status": "banana" }));
        assert!(is_error(&answer));
        for status in Status::ALL {
            assert!(text(&answer).contains(status.name()), "{answer}");
        }
    }
}

#[test]
fn malformed_arguments_are_told_as_the_revision_has_it() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for (tool, arguments) in [
            ("count_orders", json!({})),
            ("count_orders", json!({ "status": 5 })),
            ("wait", json!({ "ms": "5" })),
            ("wait", json!({ "ms": 0.5 })),
            ("list_customers", json!({ "x": 1 })),
        ] {
            let answer = client.call(revision, tool, arguments);
            if revision >= Revision::V2025_11_25 {
                assert!(is_error(&answer), "{answer}");
            } else {
                assert_eq!(code(&answer), -32602);
            }
        }
    }
}

#[test]
fn a_number_out_of_range_is_told_to_the_model() {
    for revision in Revision::ALL {
        for ms in [json!(-1), json!(60_001), json!(1e300)] {
            assert!(is_error(&ready(revision).call(revision, "wait", json!({ "ms": ms }))));
        }
    }
}

#[test]
fn arguments_that_a_schema_does_not_forbid_are_passed_over() {
    let arguments = json!({ "status": "pending", "extra": [1] });
    let answer = Client::open(Revision::V2025_11_25).call(Revision::V2025_11_25, "count_orders", arguments);
    assert!(!is_error(&answer));
}

#[test]
fn a_malformed_call_and_an_unknown_tool_are_errors_of_the_protocol() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for params in [
            json!({}),
            json!({ "name": 5 }),
            json!({ "name": "wait", "arguments": [1] }),
            json!({ "name": "wait", "arguments": null }),
            json!({ "name": "x-test-no-such-tool", "arguments": {} }),
            json!({ "name": "Wait", "arguments": { "ms": 0 } }),
            json!({ "name": "" }),
        ] {
            assert_eq!(code(&client.request(revision, "tools/call", params)), -32602);
        }
    }
}

#[test]
fn a_wish_for_a_task_is_passed_over_where_there_are_none() {
    for revision in Revision::ALL.into_iter().filter(|revision| *revision != Revision::V2025_11_25) {
        let params = json!({ "name": "list_customers", "task": { "ttl": 1000 } });
        assert!(text(&ready(revision).request(revision, "tools/call", params)).contains("Ana"));
    }
}

#[test]
fn a_fast_call_overtakes_a_slow_one() {
    let mut client = Client::open(Revision::V2025_11_25);
    let slow = request(Revision::V2025_11_25, "tools/call", json!({ "name": "wait", "arguments": { "ms": 9 } }));
    assert!(client.give(format!("{slow}\n").as_bytes()).is_empty());
    let ping = client.give(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    assert_eq!(parse(&ping[0])["id"], 2);
    assert_eq!(parse(&client.finish()[0])["id"], 1);
}

#[test]
fn progress_goes_up_under_the_clients_own_token_and_then_stops() {
    for revision in Revision::ALL {
        for token in [json!("pt-1"), json!("5"), json!(5), json!(0)] {
            let mut params = json!({ "name": "wait", "arguments": { "ms": 25 } });
            let mut line: Value = serde_json::from_str(&request(revision, "tools/call", params.take())).unwrap();
            line["params"]["_meta"]["progressToken"] = token.clone();
            let mut messages = ready(revision).say(&line.to_string());
            let answer = messages.pop().unwrap();
            assert_eq!(text(&answer), r#"{"waited_ms":25}"#);
            assert_eq!(messages.len(), 10);
            let reached: Vec<_> =
                messages.iter().map(|message| message["params"]["progress"].as_u64().unwrap()).collect();
            assert!(reached.windows(2).all(|pair| pair[0] < pair[1]), "{reached:?}");
            assert_eq!(reached.last(), Some(&25));
            for message in messages {
                assert_eq!(message["method"], "notifications/progress");
                assert_eq!(message["params"]["progressToken"], token);
                assert_eq!(message["params"].get("message").is_some(), revision >= Revision::V2025_03_26);
            }
        }
    }
}

#[test]
fn without_a_token_there_is_no_progress() {
    let mut client = Client::open(Revision::V2025_11_25);
    client.call(Revision::V2025_11_25, "wait", json!({ "ms": 25 }));
}

#[test]
fn a_cancelled_call_says_nothing_more() {
    for (id, named) in [("1", "1"), (r#""é""#, r#""\u00e9""#)] {
        let mut client = Client::open(Revision::V2025_11_25);
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wait","arguments":{{"ms":9}},"_meta":{{"progressToken":1}}}}}}"#
        );
        client.give(format!("{line}\n").as_bytes());
        let job = client.jobs.remove(0);
        let reports = client.work(job);
        let cancel =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{named}}}}}"#);
        assert_eq!(client.say(&cancel), [] as [Value; 0]);
        for report in reports {
            assert_eq!(client.settle(report), [] as [Value; 0]);
        }
        assert_eq!(client.say(&cancel), [] as [Value; 0], "cancelled twice");
        assert!(client.end().is_empty());
    }
}

#[test]
fn a_job_that_is_cancelled_before_it_runs_does_not_work() {
    let mut client = Client::open(Revision::V2025_11_25);
    let line = request(Revision::V2025_11_25, "tools/call", json!({ "name": "wait", "arguments": { "ms": 9 } }));
    client.give(format!("{line}\n").as_bytes());
    client.give(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    let job = client.jobs.remove(0);
    assert_eq!(client.work(job).len(), 1, "it ends without progress");
}

/// A store that breaks a promise: it panics.
struct Broken;

impl Store for Broken {
    fn open(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn customers(&self) -> Result<Vec<Customer>, StoreError> {
        panic!("this store panics, and the test expects that")
    }

    fn count_orders(&self, _: Status) -> Result<u32, StoreError> {
        Ok(7)
    }

    fn order(&self, _: i64) -> Result<Option<Order>, StoreError> {
        Ok(None)
    }

    fn order_ids(&self) -> Result<Vec<i64>, StoreError> {
        Ok(Vec::new())
    }

    fn schema(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn insights(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn append_insight(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn totals(&self) -> Result<Vec<Total>, StoreError> {
        Ok(Vec::new())
    }

    fn delete_order(&self, _: i64) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn tables(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn columns(&self, _: &str) -> Result<Vec<Column>, StoreError> {
        Ok(Vec::new())
    }

    fn query(&self, _: &str, _: &Cancel) -> Result<Rows, StoreError> {
        Err(StoreError::Stopped)
    }
}

#[test]
fn a_tool_that_breaks_down_is_an_internal_error_and_the_server_lives() {
    let mut client = Client::with(Config::default(), World::new(Broken, NoTime));
    let modern = Revision::V2026_07_28;
    assert_eq!(code(&client.call(modern, "list_customers", json!({}))), -32603);
    let answer = client.call(modern, "count_orders", json!({ "status": "pending" }));
    assert_eq!(text(&answer), "7");
}

#[test]
fn a_job_that_no_worker_can_run_is_answered() {
    let mut client = Client::open(Revision::V2025_11_25);
    let line = request(Revision::V2025_11_25, "tools/call", json!({ "name": "list_customers" }));
    client.give(format!("{line}\n").as_bytes());
    let refused = client.jobs.remove(0).refused();
    assert_eq!(code(&client.settle(refused)[0]), -32603);
}

#[test]
fn pages_hold_all_tools_once_and_cursors_can_be_used_again() {
    for revision in Revision::ALL {
        let two = NonZeroUsize::new(2).unwrap();
        let mut client = Client::of(Config::default().paged(two));
        if revision != Revision::V2026_07_28 {
            client.ask(&crate::client::initialize(revision.date()));
        }
        let mut params = json!({});
        let mut names = Vec::new();
        loop {
            let page = client.request(revision, "tools/list", params.clone())["result"].take();
            assert_eq!(client.request(revision, "tools/list", params)["result"], page);
            assert!((1..=2).contains(&page["tools"].as_array().unwrap().len()));
            assert_eq!(page.get("cacheScope").is_some(), revision == Revision::V2026_07_28);
            names.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].to_string()));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        let all = ready(revision).request(revision, "tools/list", json!({}))["result"]["tools"].take();
        assert!(
            names.iter().eq(&all.as_array().unwrap().iter().map(|tool| tool["name"].to_string()).collect::<Vec<_>>())
        );
        for cursor in [json!("x-test-invalid-cursor"), json!(5), json!(null)] {
            let answer = client.request(revision, "tools/list", json!({ "cursor": cursor }));
            assert_eq!(code(&answer), -32602);
        }
    }
}
