//! The method `wait`, for lessons that know of lines and ids only.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use mcp_reference_server::{Config, Revision};
use serde_json::{Value, json};

use crate::client::{Client, code, initialize, modern_meta, parse, ready};
use crate::process::{Peer, command};

fn wait(id: u64, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "wait", "params": params }).to_string()
}

fn pupil() -> Client {
    Client::of(Config::default().for_lessons())
}

#[test]
fn it_needs_no_handshake() {
    let answer = pupil().ask(&wait(1, &json!({ "ms": 100 })));
    assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": { "waited_ms": 100 } }));
}

#[test]
fn it_is_served_in_either_era_as_any_other_request() {
    for revision in Revision::ALL {
        let mut client = pupil();
        if revision != Revision::V2026_07_28 {
            client.ask(&initialize(revision.date()));
        }
        let answer = client.request(revision, "wait", json!({ "ms": 60_000 }));
        assert_eq!(answer["result"]["waited_ms"], 60_000);
        assert_eq!(answer["result"].get("resultType").is_some(), revision == Revision::V2026_07_28);
    }
    let meta = modern_meta();
    assert_eq!(code(&pupil().ask(&wait(1, &json!({ "ms": true, "_meta": meta })))), -32602);
}

#[test]
fn one_era_alone_has_it_too() {
    for legacy in [true, false] {
        let newest = |revision| (revision == Revision::V2026_07_28) != legacy;
        let mut client = Client::of(Config::default().retain(newest).unwrap().for_lessons());
        assert_eq!(client.ask(&wait(1, &json!({ "ms": 0 })))["result"], json!({ "waited_ms": 0 }));
    }
}

#[test]
fn its_parameters_are_checked() {
    for params in [json!({}), json!({ "ms": "5" }), json!({ "ms": true }), json!({ "ms": -1 }), json!({ "ms": 60_001 })]
    {
        assert_eq!(code(&pupil().ask(&wait(1, &params))), -32602);
    }
    assert_eq!(code(&pupil().ask(r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#)), -32602);
}

#[test]
fn nobody_else_has_it() {
    for revision in Revision::ALL {
        let answer = ready(revision).request(revision, "wait", json!({ "ms": 0 }));
        assert_eq!(code(&answer), -32601);
    }
    assert!(Client::new().ask(&wait(1, &json!({ "ms": 0 }))).get("error").is_some());
}

#[test]
fn it_can_be_called_off() {
    let mut client = pupil();
    client.give(format!("{}\n", wait(1, &json!({ "ms": 9 }))).as_bytes());
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert!(client.end().is_empty());
}

#[test]
fn short_ones_overtake_long_ones_and_each_is_a_line_of_the_log() {
    let mut server = command(&["--lesson", "--tool-timeout", "1ms"]);
    server.stderr(Stdio::piped());
    let mut peer = Peer::start(server);
    let log = BufReader::new(peer.child.stderr.take().unwrap());
    peer.send(&wait(1, &json!({ "ms": 60_000 })));
    peer.send(&wait(2, &json!({ "ms": 1500 })));
    peer.send(&wait(3, &json!({ "ms": 10 })));
    for (id, ms) in [(3, 10), (2, 1500)] {
        assert_eq!(peer.receive(), json!({ "jsonrpc": "2.0", "id": id, "result": { "waited_ms": ms } }));
    }
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert!(peer.end().1.is_empty());
    let log: Vec<String> = log.lines().map(Result::unwrap).collect();
    assert_eq!(log.iter().filter(|line| line.ends_with("request wait")).count(), 3, "{log:?}");
}

#[test]
fn a_batch_may_hold_it() {
    let mut client = pupil();
    client.ask(&initialize("2025-03-26"));
    let batch = format!("[{},{}]\n", wait(1, &json!({ "ms": 1 })), wait(2, &json!({ "ms": 2 })));
    assert!(client.give(batch.as_bytes()).is_empty());
    assert_eq!(parse(&client.finish()[0]).as_array().unwrap().len(), 2);
}
