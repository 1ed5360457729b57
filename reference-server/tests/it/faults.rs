//! The server, broken on purpose, over pipes.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mcp_reference_server::Revision;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::client::{initialize, request};
use crate::process::command;

/// Far more than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(120);

/// How much of the output of a server is read. The rest of a flood is not.
const MOST: u64 = 256 << 10;

/// Faults with which a server goes on when stdin closes.
const STAY: [&str; 6] =
    ["ignores-eof", "spins-on-eof", "sigterm-ignored", "crash-on-signal", "never-reads", "stops-reading"];

/// A running server with a fault.
struct Broken {
    child: Child,
    output: Receiver<Vec<u8>>,
}

impl Broken {
    fn start(fault: &str, era: &str) -> Self {
        let mut child = command(&["--fault", fault, "--era", era]).stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap().take(MOST);
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(size @ 1..) = stdout.read(&mut piece) {
                if sender.send(piece[..size].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, output }
    }

    /// Writes a script and closes stdin. A server may end before it has read all.
    fn feed(&mut self, script: &str) {
        let _ = self.child.stdin.take().unwrap().write_all(script.as_bytes());
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end. What it wrote is complete unless it has left a process behind.
    fn end(mut self) -> ExitStatus {
        let (sender, ended) = mpsc::channel();
        let pid = Pid::from_child(&self.child);
        thread::spawn(move || sender.send(self.child.wait().unwrap()));
        ended.recv_timeout(LONG).unwrap_or_else(|_| {
            let _ = kill_process(pid, Signal::KILL);
            panic!("it does not end");
        })
    }
}

/// A short session of an era.
fn script(era: &str) -> String {
    if era == "modern" {
        let modern = |method, params| request(Revision::V2026_07_28, method, params);
        let call = json!({ "name": "list_customers", "arguments": {} });
        [modern("server/discover", json!({})), modern("tools/call", call), modern("tools/list", json!({}))].join("\n")
            + "\n"
    } else {
        let legacy = |method, params| request(Revision::V2025_11_25, method, params);
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into();
        let call = json!({ "name": "list_customers", "arguments": {} });
        let opening = [initialize("2025-11-25"), initialized, legacy("ping", json!({}))].join("\n");
        [opening, legacy("tools/call", call), legacy("tools/list", json!({}))].join("\n") + "\n"
    }
}

/// The names of all faults, each with an era in which it shows.
fn faults() -> Vec<(String, String)> {
    let list = command(&["--list-faults"]).output().unwrap();
    assert!(list.status.success());
    let list = String::from_utf8(list.stdout).unwrap();
    let fault = |line: &str| {
        let [name, era, _] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (name.to_owned(), if era == "both" { "legacy" } else { era }.to_owned())
    };
    list.lines().map(fault).collect()
}

/// The output and the end of a server with a fault, to which this is said.
fn heard(fault: &str, script: &str) -> (String, ExitStatus) {
    let mut broken = Broken::start(fault, "legacy");
    broken.feed(script);
    let output: Vec<u8> = broken.output.iter().flatten().collect();
    (String::from_utf8_lossy(&output).into_owned(), broken.end())
}

#[test]
fn each_listed_fault_starts_and_ends_as_it_should() {
    let faults = faults();
    assert!(faults.len() >= 110);
    let queue = Arc::new(Mutex::new(VecDeque::from(faults)));
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                loop {
                    let Some((fault, era)) = queue.lock().unwrap().pop_front() else { return };
                    let mut broken = Broken::start(&fault, &era);
                    broken.feed(&script(&era));
                    if STAY.contains(&fault.as_str()) {
                        broken.signal(Signal::KILL);
                    }
                    let status = broken.end();
                    let fine = match status.code() {
                        Some(code) => [0, 1, 3].contains(&code),
                        None if STAY.contains(&fault.as_str()) => status.signal() == Some(9),
                        None => status.signal() == Some(6),
                    };
                    assert!(fine, "{fault} ends with {status}");
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn an_unknown_fault_is_refused_with_the_nearest_name() {
    for (name, hint) in
        [("id-stringifed", "did you mean \"id-stringified\"?"), ("set:ping", "METHOD"), ("x", "--list-faults")]
    {
        let output = command(&["--fault", name]).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && String::from_utf8(output.stderr).unwrap().contains(hint), "{name}");
    }
}

#[test]
fn a_process_ends_as_its_fault_says() {
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let (output, status) = heard("exits-nonzero-on-eof", ping);
    assert_eq!((output.as_str(), status.code()), (pong, Some(3)));
    let (output, status) = heard("crashes-on-eof", ping);
    assert_eq!((output.as_str(), status.signal()), (pong, Some(6)));
    let (output, status) = heard("drops-inflight-on-eof", ping);
    assert_eq!((output.as_str(), status.code()), ("", Some(0)));
    let (output, status) = heard("exits-at-once", ping);
    assert_eq!((output.as_str(), status.code()), ("", Some(1)));
    assert!(heard("goodbye-on-stdout", ping).0.ends_with("}\nGoodbye.\n"));
    assert!(heard("last-line-unterminated", ping).0.ends_with('}'));
    assert_eq!(heard("no-flush", ping).0, pong);
    assert!(heard("concurrent-exits", &ping.repeat(20)).0.is_empty());
    assert!(heard("floods-lines", "").0.starts_with("tick tick tick\n"));
    assert!(heard("unbounded-line", &script("legacy")).0.ends_with("aaaa"));
}

#[test]
fn a_signal_does_what_the_fault_says() {
    for (fault, end) in [("sigterm-ignored", 9), ("crash-on-signal", 6), ("ignores-eof", 15)] {
        let mut broken = Broken::start(fault, "legacy");
        broken.feed("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        assert!(broken.output.recv_timeout(LONG).unwrap().starts_with(b"{"));
        broken.signal(Signal::TERM);
        if fault == "sigterm-ignored" {
            broken.signal(Signal::KILL);
        }
        assert_eq!(broken.end().signal(), Some(end), "{fault}");
    }
}

#[test]
fn a_serial_server_answers_in_the_order_of_requests() {
    let wait = json!({ "name": "wait", "arguments": { "ms": 50 } });
    let call = request(Revision::V2025_11_25, "tools/call", wait);
    let script = [initialize("2025-11-25"), call, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#.into()].join("\n");
    let (output, _) = heard("serial-server", &(script + "\n"));
    let ids: Vec<_> = output.lines().filter(|line| line.contains("\"result\"")).collect();
    assert!(ids[1].contains("\"id\":1") && ids[2].contains("\"id\":2"), "{output}");
}

#[test]
fn the_clean_server_writes_what_one_without_a_visible_fault_writes() {
    let ask = |method| request(Revision::V2025_11_25, method, json!({}));
    let script = [initialize("2025-11-25"), ask("tools/list"), ask("no/such"), "junk".into()].join("\n") + "\n";
    let mut child = command(&["--era", "legacy"]).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let clean = child.wait_with_output().unwrap();
    assert_eq!(heard("set:no/such:/nothing", &script).0.as_bytes(), clean.stdout);
}
