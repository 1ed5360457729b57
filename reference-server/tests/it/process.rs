//! The binary, over pipes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{initialize, parse, request};

/// Far more than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(60);

/// A running server, whose stdout is read all the time.
pub(crate) struct Peer {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-reference-server"));
    command.args(args).env_remove("MCP_DB").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

impl Peer {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if stdout.read_until(b'\n', &mut line).unwrap() == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    pub(crate) fn quiet(args: &[&str]) -> Self {
        let mut command = command(args);
        command.stderr(Stdio::null());
        Self::start(command)
    }

    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn receive(&self) -> Value {
        self.next().expect("an answer")
    }

    /// The next message that is not for the client's log.
    fn next(&self) -> Option<Value> {
        std::iter::from_fn(|| self.lines.recv_timeout(LONG).ok())
            .map(|line| parse(&line))
            .find(|message| message["method"] != "notifications/message")
    }

    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end, and returns the status and the lines that were not received yet.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<Value>) {
        self.close();
        let rest = std::iter::from_fn(|| self.next()).collect();
        (self.child.wait().unwrap(), rest)
    }
}

fn wait(id: u32, ms: u32) -> String {
    let params = json!({ "name": "wait", "arguments": { "ms": ms } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn a_session_of_each_era_runs_over_pipes() {
    let mut peer = Peer::quiet(&[]);
    peer.send(&request(Revision::V2026_07_28, "server/discover", json!({})));
    assert_eq!(peer.receive()["result"]["resultType"], "complete");
    peer.send(&initialize("2025-11-25"));
    assert_eq!(peer.receive()["result"]["protocolVersion"], "2025-11-25");
    peer.send(&request(Revision::V2025_11_25, "tools/call", json!({ "name": "list_customers" })));
    assert_eq!(peer.receive()["result"]["structuredContent"]["customers"][4]["name"], "Ingrid Åberg");
    let (status, rest) = peer.end();
    assert!(status.success() && rest.is_empty());
}

#[test]
fn a_slow_call_delays_nobody_and_can_be_cancelled() {
    let mut peer = Peer::quiet(&["--tool-timeout", "wait=60s"]);
    peer.send(&initialize("2025-11-25"));
    peer.receive();
    for id in 1..=40 {
        peer.send(&wait(id, 60_000));
    }
    peer.send(&wait(100, 0));
    assert_eq!(peer.receive()["id"], 100);
    for id in 1..=40 {
        let params = json!({ "requestId": id });
        peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string());
    }
    peer.send(r#"{"jsonrpc":"2.0","id":101,"method":"ping"}"#);
    assert_eq!(peer.receive()["id"], 101);
    let (status, rest) = peer.end();
    assert!(status.success() && rest.is_empty());
}

#[test]
fn calls_in_flight_at_the_end_of_input_are_answered_if_they_are_quick() {
    let mut peer = Peer::quiet(&["--tool-timeout", "wait=60s"]);
    peer.send(&initialize("2025-11-25"));
    peer.send(&wait(1, 100));
    peer.send(&wait(2, 60_000));
    let (status, rest) = peer.end();
    assert!(status.success());
    let ids: Vec<_> = rest.iter().map(|message| message["id"].clone()).collect();
    assert_eq!(ids, [json!("init"), json!(1)]);
}

#[test]
fn many_requests_that_nobody_reads_yet_are_all_answered() {
    let mut child = command(&[]).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let list = request(Revision::V2026_07_28, "tools/list", json!({})) + "\n";
    // About 25 MB of answers, and more log than a pipe holds, while neither stdout nor stderr is read.
    stdin.write_all(list.repeat(3000).as_bytes()).unwrap();
    drop(stdin);
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert_eq!(output.lines().count(), 3000);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_log_goes_to_stderr_and_only_messages_to_stdout() {
    let mut child = command(&[]).stderr(Stdio::piped()).spawn().unwrap();
    let input = format!(
        "{}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\nnonsense\n",
        initialize("2024-11-05")
    );
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let lines: Vec<Value> = output.stdout.split_inclusive(|byte| *byte == b'\n').map(parse).collect();
    assert_eq!(lines.len(), 2);
    let log = String::from_utf8(output.stderr).unwrap();
    let log: Vec<_> = log.lines().collect();
    assert_eq!(log.len(), 3);
    assert!(log[0].contains("initialize") && log[1].contains("notifications/initialized"));
}

#[test]
fn each_request_is_a_line_of_the_log_however_fast_they_come() {
    const REQUESTS: usize = 20_000;
    let mut child = command(&[]).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let pings = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".repeat(REQUESTS);
    let writing = thread::spawn(move || stdin.write_all(pings.as_bytes()));
    let reading = thread::spawn(move || io::copy(&mut stdout, &mut io::sink()));
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    writing.join().unwrap().unwrap();
    reading.join().unwrap().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(log.lines().filter(|line| line.ends_with("request ping")).count(), REQUESTS);
}

#[test]
fn a_broken_database_keeps_nobody_from_starting() {
    let mut command = command(&[]);
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/no/such/shop.db");
    command.env("MCP_DB", file).stderr(Stdio::piped());
    let mut peer = Peer::start(command);
    let mut told = String::new();
    BufReader::new(peer.child.stderr.take().unwrap()).read_line(&mut told).unwrap();
    assert!(told.contains("the database can't be used") && told.contains("MCP_DB"), "{told}");
    peer.send(&request(Revision::V2026_07_28, "tools/call", json!({ "name": "list_customers" })));
    assert_eq!(peer.receive()["result"]["isError"], json!(true));
    assert!(peer.end().0.success());
}

#[test]
fn a_client_that_stops_reading_for_good_ends_the_server() {
    let mut child = command(&[]).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    assert!(child.wait().unwrap().success(), "it ends though stdin is open");
}

#[test]
fn the_command_line_chooses_eras_and_pages() {
    let mut peer = Peer::quiet(&["--era", "modern", "--page-size", "1"]);
    peer.send(&initialize("2025-11-25"));
    assert_eq!(peer.receive()["error"]["code"], -32022);
    peer.send(&request(Revision::V2026_07_28, "tools/list", json!({})));
    assert!(peer.receive()["result"]["nextCursor"].is_string());
    assert!(peer.end().0.success());
}

#[test]
fn a_wrong_command_line_is_told_on_stderr() {
    for args in [&["--era", "stone"][..], &["--nonsense"], &["--era", "modern", "--revision", "2024-11-05"]] {
        let output = command(args).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}
