//! How the input is cut makes no difference.

use mcp_reference_server::Revision;
use proptest::prelude::*;
use serde_json::json;

use crate::client::{Client, initialize, request};

/// A session with something of everything in it.
fn script() -> Vec<u8> {
    let revision = Revision::V2025_03_26;
    let modern = Revision::V2026_07_28;
    let wait = json!({ "name": "wait", "arguments": { "ms": 3 }, "_meta": { "progressToken": "é" } });
    let mut script = [
        request(modern, "server/discover", json!({})),
        initialize(revision.date()),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
        request(revision, "tools/list", json!({})) + "\r",
        "{not json é 😀".into(),
        String::new(),
        request(revision, "tools/call", wait),
        r#"[{"jsonrpc":"2.0","id":"\ud83d","method":"ping"},5]"#.into(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#.into(),
        request(modern, "tools/call", json!({ "name": "list_customers" })),
    ]
    .join("\n")
    .into_bytes();
    script.extend(b"\n\xff\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    script
}

/// The output for a script that is cut at these places.
fn play(script: &[u8], mut cuts: Vec<usize>) -> Vec<Vec<u8>> {
    cuts.sort_unstable();
    let mut client = Client::new();
    let mut lines = Vec::new();
    let mut start = 0;
    for end in cuts.into_iter().chain([script.len()]) {
        lines.extend(client.give(&script[start..end]));
        start = end;
    }
    lines.extend(client.end());
    lines
}

#[test]
fn a_script_gives_the_same_output_byte_by_byte() {
    let script = script();
    let whole = play(&script, Vec::new());
    assert_eq!(whole.len(), 8, "every request but the cancelled one is answered");
    assert_eq!(play(&script, (0..script.len()).collect()), whole);
}

proptest! {
    #[test]
    fn a_script_gives_the_same_output_however_it_is_cut(
        cuts in proptest::collection::vec(0..script().len(), 0..40),
    ) {
        let script = script();
        prop_assert_eq!(play(&script, cuts), play(&script, Vec::new()));
    }
}
