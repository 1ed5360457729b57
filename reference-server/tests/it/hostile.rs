//! Lines that no client should send, and the next good one after each.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, parse};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"sentinel\",\"method\":\"ping\"}\n";

/// Gives a line, then a ping, and returns what the line itself was answered with.
fn give(client: &mut Client, line: &[u8]) -> Vec<Value> {
    let mut lines = client.give(line);
    lines.extend(client.give(b"\n"));
    lines.extend(client.finish());
    let pong = client.give(PING);
    assert_eq!(parse(&pong[0]), json!({ "jsonrpc": "2.0", "id": "sentinel", "result": {} }));
    lines.iter().map(|line| parse(line)).collect()
}

fn answer(line: &[u8]) -> Value {
    let mut answers = give(&mut Client::open(Revision::V2025_11_25), line);
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0)
}

/// The raw bytes of the one answer.
fn raw(line: &str) -> String {
    let mut client = Client::open(Revision::V2025_11_25);
    let mut lines = client.give(format!("{line}\n").as_bytes());
    lines.extend(client.finish());
    assert_eq!(lines.len(), 1);
    String::from_utf8(lines.remove(0)).unwrap()
}

#[test]
fn what_is_not_json_is_a_parse_error_without_an_id() {
    for line in [
        &b"{not json"[..],
        b"Content-Length: 5",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":NaN}",
        b"\0",
        b"'",
        b"[",
    ] {
        let answer = answer(line);
        assert_eq!(code(&answer), -32700, "{}", line.escape_ascii());
        assert_eq!(answer["id"], json!(null));
    }
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    for line in ["42", "\"s\"", "null", "true", "{}", "[]"] {
        let answer = answer(line.as_bytes());
        assert_eq!(code(&answer), -32600, "{line}");
        assert_eq!(answer["id"], json!(null));
    }
}

#[test]
fn the_log_names_the_method_of_a_refused_request() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":[1]}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list","result":{}}"#,
    ] {
        let mut client = Client::open(Revision::V2025_11_25);
        client.log.clear();
        client.ask(line);
        assert!(client.log.len() == 1 && client.log[0].contains("prompts/list"), "{:?}", client.log);
    }
}

#[test]
fn empty_lines_are_no_messages() {
    for line in ["", " ", "\t", "\r", " \r"] {
        assert_eq!(give(&mut Client::open(Revision::V2025_11_25), line.as_bytes()), [] as [Value; 0]);
    }
}

#[test]
fn a_good_line_may_have_a_mark_before_it_and_a_return_after_it() {
    for line in ["\u{feff}{L}", "{L}\r", "  {L}  ", "\t{L}\t\r"] {
        let line = line.replace("{L}", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert_eq!(answer(line.as_bytes())["result"], json!({}), "{line:?}");
    }
}

#[test]
fn separators_that_are_not_line_feeds_end_no_line() {
    let line = "{\"jsonrpc\":\"2.0\",\"id\":\"a\u{2028}b\u{2029}c\u{85}d\",\"method\":\"ping\"}";
    assert_eq!(answer(line.as_bytes())["id"], "a\u{2028}b\u{2029}c\u{85}d");
}

#[test]
fn ids_come_back_byte_for_byte() {
    let digits = "9".repeat(5000);
    for id in [
        "0",
        "-0",
        "-1",
        "1.0",
        "1E2",
        "9007199254740993",
        "184467440737095516160",
        &digits,
        "\"\"",
        "\"007\"",
        "\"7\"",
        r#""\u00e9""#,
        "\"é\"",
        r#""\ud83d""#,
        r#""\/\u0000\"""#,
        "\"😀\"",
    ] {
        let line = raw(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(line, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"));
    }
}

#[test]
fn deep_nesting_is_served_where_it_does_not_matter_and_refused_where_it_does() {
    for depth in [127, 128, 129, 10_000, 1_000_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{{"x":{open}{close}}}}}}}"#);
        assert_eq!(answer(line.as_bytes())["result"], json!({}), "{depth}");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"count_orders","arguments":{{"status":{open}{close}}}}}}}"#
        );
        assert_eq!(answer(line.as_bytes())["result"]["isError"], json!(true), "{depth}");
        assert_eq!(code(&answer(format!("{open}{close}").as_bytes())), -32600);
        assert_eq!(code(&answer(open.as_bytes())), -32700);
        let objects = format!("{}0{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        let line = format!(r#"{{"jsonrpc":"2.0","id":{objects},"method":"ping"}}"#);
        assert_eq!(code(&answer(line.as_bytes())), -32600);
    }
}

#[test]
fn odd_numbers_and_strings_in_arguments_are_answered() {
    for status in [r#""\ud83d""#, r#""\u0000""#, "\"\u{2028}\u{202e}\"", "1e400", "-0", "9007199254740993"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"count_orders","arguments":{{"status":{status}}}}}}}"#
        );
        assert_eq!(answer(line.as_bytes())["result"]["isError"], json!(true), "{status}");
    }
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud83d"}}"#;
    assert_eq!(code(&answer(line.as_bytes())), -32602);
    assert_eq!(code(&answer(br#"{"jsonrpc":"2.0","id":1,"method":"\ud83d"}"#)), -32601);
}

#[test]
fn of_two_equal_keys_the_last_counts() {
    let line = r#"{"jsonrpc":"2.0","id":7,"method":"x","id":8,"method":"ping"}"#;
    assert_eq!(answer(line.as_bytes()), json!({ "jsonrpc": "2.0", "id": 8, "result": {} }));
}

#[test]
fn a_long_line_in_small_pieces_is_answered() {
    let padding = "x".repeat(8 << 20);
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"padding":"{padding}"}}}}"#);
    let mut client = Client::open(Revision::V2025_11_25);
    for piece in line.as_bytes().chunks(4096) {
        assert!(client.give(piece).is_empty());
    }
    assert_eq!(parse(&client.give(b"\n")[0])["result"], json!({}));
}

#[test]
fn what_is_quoted_back_is_short() {
    let long = "x".repeat(1 << 20);
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{long}"}}}}"#),
    ] {
        assert!(raw(&line).len() < 300);
    }
}

#[test]
fn a_flood_of_notifications_is_survived() {
    let flood = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x-test\"}\n".repeat(10_000);
    assert_eq!(give(&mut Client::open(Revision::V2025_11_25), flood.as_bytes()), [] as [Value; 0]);
}

#[test]
fn at_the_end_of_input_a_whole_message_counts_and_half_a_one_does_not() {
    let mut client = Client::open(Revision::V2025_11_25);
    client.give(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(client.end().len(), 1);
    let mut client = Client::open(Revision::V2025_11_25);
    client.give(br#"{"jsonrpc":"2.0","id":1,"meth"#);
    assert!(client.end().is_empty());
}
