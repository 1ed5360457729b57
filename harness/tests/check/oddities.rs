//! Conformant peers that look wrong: nothing may be held against any of them. The table is `peers/odd.py`;
//! `peers/survey.py odd` plays it with every case.

use mcp_plumb::judge::Verdict;

use super::support::{Judged, check_words, complaints, peer, peers, rows, told};

/// What every peer is judged by.
const SMOKE: [&str; 6] =
    ["lifecycle/initialize", "discover/discover", "ping/*", "tools/list", "jsonrpc/parse-error", "stdio/eof-idle"];

/// What could misjudge a peer, by a part of its name; all that fit are added.
const SUSPECTS: [(&[&str], &[&str]); 15] = [
    (&["undeclared", "free", "empty-lists"], &["capability/*", "pagination/*", "tools/*"]),
    (&["prompts", "resources"], &["errors/*", "capability/*", "caching/*", "pagination/*"]),
    (&["tool", "schema", "annotations", "array", "result"], &["tools/*", "progress/*"]),
    (&["slow-call", "cancelled", "two-tools", "progress", "listen"], &["cancel/*", "progress/*", "robust/overlap"]),
    (&["pages", "many-tools", "cursor"], &["pagination/*"]),
    (&["extra", "members", "legacy", "era", "modern", "versions"], &["era/*", "version/*", "meta/*", "result/*"]),
    (&["version", "batch", "sends-batches"], &["batch/*", "lifecycle/version*"]),
    (&["preinit", "initialize", "discover", "error-code"], &["lifecycle/*", "robust/initialized-first", "discover/*"]),
    (&["pings-before", "eras-notify", "logs-much"], &["stdio/*", "era/*", "meta/*", "jsonrpc/id*"]),
    (&["list-changed", "sends-ping", "log-on"], &["lifecycle/*", "jsonrpc/notification-*", "stdio/stays-open"]),
    (&["out-of-order", "threads", "joined"], &["jsonrpc/*", "stdio/*-in-one-write", "robust/overlap"]),
    (&["eof", "exit", "wrapped", "helper"], &["stdio/eof-*", "stdio/partial-frame-eof", "stdio/sigterm"]),
    (&["id-", "junk", "invalid-request", "null-error", "odd-error"], &["jsonrpc/*"]),
    (&["unicode", "escaped", "raw", "whitespace", "crlf", "numbers"], &["jsonrpc/id-*", "tools/*", "stdio/crlf"]),
    (&["split", "byte", "newline", "deep", "sorted", "utf8"], &["stdio/split-*", "jsonrpc/pipelining", "tools/*"]),
];

/// Peers that take seconds for a start or an answer: enough cases to see that they are waited for.
const SLOW: [&str; 6] = ["slow-start", "slow-first-answer", "slow-answers", "never-answers", "byte-writes", "huge"];
const FEW: [&str; 2] = ["lifecycle/initialize", "discover/discover"];

fn cases(name: &str) -> Vec<&'static str> {
    if SLOW.iter().any(|part| name.contains(part)) {
        return FEW.to_vec();
    }
    let fits = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let suspects = SUSPECTS.iter().filter(|(parts, _)| fits(parts)).flat_map(|(_, cases)| cases.iter().copied());
    SMOKE.into_iter().chain(suspects).collect()
}

#[test]
fn nothing_is_held_against_a_peer_that_only_looks_wrong() {
    let names: Vec<String> = rows("odd.py").into_keys().collect();
    assert!(names.len() >= 25, "{}", names.len());
    let complaints = complaints(&names, |name| {
        let peer = peer(&peers(), "odd.py", name);
        let judged = match Judged::by(&check_words(&["--budget", "3m"], &cases(name), peer)) {
            Ok(judged) => judged,
            Err(error) => return Some(format!("{name}: {error}")),
        };
        let held: Vec<String> =
            judged.findings(Verdict::Fail).chain(judged.findings(Verdict::Warn)).map(told).collect();
        let clean = held.is_empty() && judged.code == Some(0);
        (!clean).then(|| format!("{name}: exit code {:?}; {}", judged.code, held.join("; ")))
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
