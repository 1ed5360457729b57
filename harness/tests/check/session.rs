//! `session`: what it writes, and how each kind of failure is told.

use std::fs;
use std::time::Duration;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::support::{PLUMB, peer, peers};

/// No test needs it; one that hangs ends by it.
const LONG: Duration = Duration::from_secs(120);

const OUT: &str = "MCP_SESSION_OUT";

fn session(options: &[&str]) -> Command {
    let mut command = Command::new(PLUMB);
    command.env_remove(OUT).arg("session").args(options).timeout(LONG);
    command
}

fn on(table: &str, name: &str, options: &[&str]) -> Command {
    let mut command = session(options);
    command.arg("--").args(peer(&peers(), table, name));
    command
}

/// What a session wrote to stdout.
fn results(mut session: Command) -> Value {
    let run = session.assert().success().stderr("");
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// A session that fails with 1, writes nothing, and says so on stderr.
fn fails(mut session: Command, says: &[&str]) {
    let run = session.assert().code(1).stdout("").stderr(starts_with("mcp-plumb: "));
    let stderr = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(stderr.contains("\n  expected  "), "{stderr}");
    for part in says {
        assert!(stderr.contains(part), "no {part:?} in {stderr}");
    }
}

#[test]
fn the_bundled_server_is_called_in_both_eras() {
    for revision in ["auto", "2024-11-05", "2025-11-25", "2026-07-28"] {
        let query = r#"read_query={"sql":"SELECT count(*) AS n FROM customers"}"#;
        let options = ["--revision", revision, "--call", r#"count_orders={"status":"paid"}"#, "--save", "paid_orders"];
        let options: Vec<&str> = options.into_iter().chain(["--call", query, "--call", query, "--save", "n"]).collect();
        let written = results(session(&options));
        let names: Vec<&String> = written.as_object().unwrap().keys().collect();
        assert_eq!(names, ["n", "paid_orders", "tools"]);
        assert!(written["tools"].as_array().unwrap().contains(&json!("count_orders")), "{written}");
        assert_eq!(written["paid_orders"], "4", "{written}");
    }
}

#[test]
fn the_tools_come_first_and_the_saved_texts_in_the_order_of_the_calls() {
    let options = ["--call", r#"add={"a":2,"b":3}"#, "--save", "zwei", "--call", r#"echo={"text":"é"}"#, "--save", "a"];
    on("odd.py", "id-raw", &options)
        .assert()
        .success()
        .stdout("{\"tools\":[\"echo\",\"add\"],\"zwei\":\"5\",\"a\":\"é\"}\n");
}

#[test]
fn one_process_goes_on_as_the_session_and_speaks_its_era_only() {
    let legacy = || contains(r#""method":"initialize""#).and(contains("notifications/initialized"));
    let modern = || contains(r#""method":"server/discover""#).and(contains("clientCapabilities"));
    let one = |revision: &str| {
        let mut one = session(&["--trace", "--revision", revision, "--call", "list_customers"]);
        one.assert().success()
    };
    one("2025-06-18").stderr(legacy().and(modern().not()));
    one("2026-07-28").stderr(modern().and(contains("initialize").not()));
}

#[test]
fn every_page_of_tools_is_read_and_a_long_answer_whole() {
    let pages = results(on("odd.py", "many-tools", &[]));
    assert_eq!(pages["tools"].as_array().unwrap().len(), 50);
    let options = ["reference-server", "--page-size", "3"];
    let mut paged = session(&["--call", "show_roots"]);
    paged.arg("--").arg(PLUMB).args(options);
    fails(paged, &["tools/call show_roots: "]);
    let long = results(on("odd.py", "huge-tools-list", &[]));
    assert!(long["tools"].as_array().unwrap().len() > 2, "{long}");
}

#[test]
fn what_is_odd_and_lawful_is_no_failure() {
    let odd = ["odd-numbers", "deep-result", "modern-only", "discover-ignored", "fixed-older-version", "sends-ping"];
    for name in odd.into_iter().chain(["exit3-on-eof", "empty-string-cursor", "tools-free", "dual-era"]) {
        results(on("odd.py", name, &[]));
    }
}

#[test]
fn text_that_a_terminal_would_act_on_is_escaped_and_the_same_value() {
    let options = ["--call", "echo={\"text\":\"a\u{7f}\u{202e}\"}", "--save", "text"];
    let mut odd = on("odd.py", "id-raw", &options);
    odd.assert().success().stdout(contains(r#""text":"a\u007f\u202e""#));
}

#[test]
fn questions_of_the_server_are_declined_and_the_call_goes_on() {
    let options = ["--call", r#"echo={"text":"a"}"#, "--save", "text"];
    let written = results(on("odd.py", "pings-before-answering", &options));
    assert_eq!(written["text"], "a");
    results(on("bad.py", "asks-roots-undeclared", &options));
}

#[test]
fn results_go_whole_to_the_file_that_is_named_and_only_of_a_session_that_succeeds() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("out.json");
    fs::write(&path, "older").unwrap();
    let failing = ["--call", r#"count_orders={"status":"banana"}"#];
    session(&failing).env(OUT, &path).assert().code(1).stdout("");
    assert_eq!(fs::read_to_string(&path).unwrap(), "older");
    session(&["--call", "list_customers"]).env(OUT, &path).assert().success().stdout("");
    let written: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert!(written["tools"].is_array());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_wrong_invocation_gives_2_and_starts_nothing() {
    let folder = tempdir().unwrap();
    let started = folder.path().join("started");
    let wrong: [(&[&str], &str); 6] = [
        (&["--save", "a"], "--call TOOL --save a"),
        (&["--call", "t", "--save", "a", "--save", "b"], "saved as 'a' already"),
        (&["--call", "t", "--save", "a", "--call", "t", "--save", "a"], "name it otherwise"),
        (&["--call", "t", "--save", "tools"], "name it otherwise"),
        (&["--call", "t=[1]"], "with a JSON object"),
        (&["--revision", "all"], "write auto or a date"),
    ];
    for (options, says) in wrong {
        let mut wrong = session(options);
        wrong.arg("--").arg("touch").arg(&started);
        wrong.assert().code(2).stdout("").stderr(contains(says));
    }
    let mut nowhere = session(&[]);
    nowhere.env(OUT, folder.path()).arg("--").arg("touch").arg(&started);
    nowhere.assert().code(2).stdout("").stderr(contains("is a folder"));
    assert!(!started.exists());
}

#[test]
fn a_server_that_does_not_come_up_gives_3_and_says_why() {
    session(&["--", "mcp-plumb-no-such-command"]).assert().code(3).stdout("").stderr(contains("was not found in PATH"));
    for revision in ["auto", "2025-11-25", "2026-07-28"] {
        let mut ends = on("bad.py", "exits-at-once", &["--revision", revision]);
        ends.assert().code(3).stdout("").stderr(contains("exit code 1").and(contains("DATABASE_URL is not set")));
    }
}

#[test]
fn a_server_that_says_nothing_is_told_apart() {
    let short = ["--startup-timeout", "6s", "--timeout", "1s"];
    fails(on("bad.py", "never-flushes", &short), &["initialize: the server answers initialize only when stdin closes"]);
    fails(on("bad.py", "content-length-out", &short), &["initialize: ", "got       Content-Length: "]);
    fails(on("bad.py", "stops-reading", &short), &["tools/list: the server does not answer within 1.", "--timeout"]);
    fails(on("bad.py", "half-answer", &short), &["tools/list: the server begins a line", r#"got       {"jsonrpc""#]);
}

#[test]
fn a_call_that_is_not_answered_in_time_is_named() {
    let call = ["--call", r#"wait={"ms":60000}"#];
    let timed = session(&[&call[..], &["--timeout", "300ms"]].concat());
    fails(timed, &["tools/call wait: the server does not answer within 0.", "a larger --timeout"]);
    let whole = session(&[&call[..], &["--budget", "1s"]].concat());
    fails(whole, &["tools/call wait: ", "when the budget of the session is used up"]);
}

#[test]
fn a_server_that_ends_during_a_call_is_told_with_its_exit() {
    let call = ["--call", r#"echo={"text":"a"}"#];
    let says = ["tools/call echo: the server ends (SIGABRT", "while tools/call waits for its answer"];
    fails(on("bad.py", "crashes-on-call", &call), &says);
}

#[test]
fn errors_and_failed_calls_are_shown_with_their_bytes() {
    let banana = session(&["--call", r#"count_orders={"status":"banana"}"#, "--save", "n"]);
    fails(
        banana,
        &["tools/call count_orders: the server answers with isError: unknown status", "\n  got       {\"jsonrpc"],
    );
    let asks = session(&["--revision", "2026-07-28", "--call", r#"ask_model={"prompt":"hi"}"#]);
    fails(asks, &["tools/call ask_model: the server answers with an error, code -32021", "requiredCapabilities"]);
    let refused = on("bad.py", "tools-declared-unserved", &[]);
    fails(refused, &["tools/list: the server answers with an error, code -32603", "no database"]);
    let shapeless = on("bad.py", "content-string", &["--call", "report"]);
    fails(shapeless, &["tools/call report: the server answers with a result that cannot be used"]);
    let textless = on("odd.py", "result-content-empty", &["--call", "touch", "--save", "text"]);
    fails(textless, &["tools/call touch: the server answers without a text"]);
}

#[test]
fn a_tool_that_is_not_listed_is_found_before_the_first_call() {
    let folder = tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let mut typo = session(&["--call", "list_customers", "--call", "list_costumers"]);
    typo.env("MCP_AUDIT_LOG", &audit);
    fails(
        typo,
        &["tools/call list_costumers: the server lists no such tool", "a tool that it lists: list_customers, "],
    );
    assert_eq!(fs::read_to_string(&audit).unwrap_or_default(), "");
    fails(on("odd.py", "tools-free", &["--call", "echo"]), &["tools/call echo: the server does not declare tools"]);
}

#[test]
fn a_line_that_is_no_message_fails_the_session_wherever_it_comes() {
    let call = ["--call", r#"echo={"text":"a"}"#];
    let banner =
        ["the server writes a line to stdout that is not JSON", "got       Demo MCP server v1.0.0 running on stdio"];
    fails(on("bad.py", "banner-on-stdout", &call), &banner);
    fails(on("bad.py", "log-during-call", &call), &["the server writes a line to stdout that is not JSON"]);
    fails(on("bad.py", "goodbye-on-stdout", &call), &["got       Shutting down."]);
    fails(on("bad.py", "pretty-printed", &call), &["the server writes one message over "]);
}

#[test]
fn an_answer_under_another_id_is_no_answer() {
    fails(
        on("bad.py", "ids-as-strings", &[]),
        &["initialize: the server answers an id that is a number with a string"],
    );
}

#[test]
fn a_version_that_nobody_knows_or_that_was_not_asked_for_ends_the_session() {
    fails(on("bad.py", "version-unknown", &[]), &["initialize: the server answers 2.0 where 2025-11-25 was asked for"]);
    let older = on("odd.py", "fixed-older-version", &["--revision", "2025-06-18"]);
    fails(older, &["answers 2024-11-05 where 2025-06-18 was asked for", "protocolVersion 2025-06-18"]);
    let legacy = on("odd.py", "two-versions", &["--revision", "2026-07-28"]);
    fails(legacy, &["server/discover: the server answers with an error"]);
}

#[test]
fn a_list_without_end_ends_the_session() {
    fails(on("bad.py", "cursor-loop", &[]), &["tools/list: the server gives out a cursor again"]);
    fails(on("bad.py", "cursor-number", &[]), &["tools/list: the server gives a nextCursor that is no string"]);
}

#[test]
fn a_server_that_does_not_end_with_its_input_fails_the_session() {
    let short = ["--timeout", "1s"];
    fails(
        on("bad.py", "ignores-eof", &short),
        &["end: the server runs on after its stdin is closed; SIGTERM ended it"],
    );
    fails(on("bad.py", "ignores-eof-and-term", &short), &["SIGKILL ended it"]);
    fails(on("bad.py", "crashes-on-eof", &short), &["end: the server crashes (SIGABRT"]);
}

#[test]
fn the_example_of_the_readme_is_true() {
    let readme = fs::read_to_string(peers().join("../../../README.md")).unwrap();
    let mut lines = readme.lines().skip_while(|line| !line.starts_with("$ mcp-plumb session "));
    let words = shell_words::split(lines.next().unwrap()).unwrap();
    let (begin, end) = lines.next().unwrap().split_once('…').unwrap();
    let options: Vec<&str> = words[3..].iter().map(String::as_str).collect();
    let end = format!("{end}\n");
    session(&options).assert().success().stdout(starts_with(begin).and(predicates::str::ends_with(end)));
}
