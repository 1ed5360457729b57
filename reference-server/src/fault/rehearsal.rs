//! Plays a session of everything with a fault, in this process, to see that the fault shows.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::bytes::{Arrival, Input};
use super::choice::{Choice, choose};
use super::messages::Filter;
use super::pipe::Pipe;
use super::run::Faults;
use super::table::{self, Fault, Layer, Reach};
use crate::clock::{Cancel, Clock};
use crate::core::{Action, Config, Server};
use crate::db::Sqlite;
use crate::job::World;
use crate::revision::{Era, Revision};

/// Faults that are seen from outside alone, or not at all.
const UNSEEN: [&str; 10] = [
    // These would end or fill this very process.
    "concurrent-exits",
    "floods-after-handshake",
    "unbounded-line",
    // This one costs time.
    "quadratic-reader",
    // These write to stderr.
    "stderr-echoes-args",
    "stderr-chatty",
    "stderr-only",
    // These do what is done anyway.
    "null-id-on-parse-error",
    "parse-error-storm",
    "prompt-probe-refused",
];

struct NoTime;

impl Clock for NoTime {
    fn pause(&self, _: Duration, _: &Cancel) {}
}

/// Remembers each write.
#[derive(Clone, Default)]
struct Writes(Arc<Mutex<Vec<Vec<u8>>>>);

impl Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What came of a session.
#[derive(Debug, PartialEq)]
struct Outcome {
    writes: Vec<Vec<u8>>,
    pause: Duration,
    /// Whether the session was over before the script.
    cut: bool,
}

struct Play {
    server: Server,
    world: World,
    filter: Filter,
    pipe: Pipe<Writes>,
    outcome: Outcome,
}

impl Play {
    fn hear(&mut self, line: Vec<u8>) -> Vec<Action> {
        let (passed, said) = self.filter.hear(line);
        said.into_iter().for_each(|line| self.pipe.line(line.into_bytes()).unwrap());
        self.outcome.pause += self.filter.scene().take_pause();
        self.outcome.cut |= self.filter.scene().is_deaf();
        let actions = passed.map(|line| self.server.feed(&[&line[..], b"\n"].concat()));
        self.act(actions.unwrap_or_default())
    }

    /// Sends what is to be sent, and returns the rest.
    fn act(&mut self, actions: Vec<Action>) -> Vec<Action> {
        let mut rest = Vec::new();
        for action in actions {
            match action {
                Action::Send(line) => {
                    for line in self.filter.tell(line.strip_suffix(b"\n").unwrap().to_vec()) {
                        self.pipe.line(line).unwrap();
                    }
                }
                other => rest.push(other),
            }
        }
        self.outcome.cut |= self.filter.scene().ending().is_some();
        rest
    }

    fn work(&mut self, actions: Vec<Action>) {
        for action in actions {
            if let Action::Start(job) = action {
                let mut reports = Vec::new();
                job.run(&self.world, &mut |report| reports.push(report));
                for report in reports {
                    let actions = self.server.settle(report);
                    let rest = self.act(actions);
                    self.work(rest);
                }
            }
        }
    }
}

fn play(choices: Vec<Choice>, era: Era, script: &[Vec<u8>]) -> Outcome {
    let faults = Faults::of(choices);
    let config = Config::default().retain(|revision| revision.era() == era).unwrap();
    let writes = Writes::default();
    let mut input = Input::new(faults.bytes.clone());
    let mut play = Play {
        server: Server::new(config.paged(NonZeroUsize::new(9).unwrap())),
        world: World::new(Sqlite::new(None), NoTime),
        filter: Filter::new(faults.messages, faults.sets),
        pipe: Pipe::new(writes.clone(), faults.bytes),
        outcome: Outcome { writes: Vec::new(), pause: Duration::ZERO, cut: false },
    };
    play.pipe.open().unwrap();
    for chunk in script {
        let mut actions = Vec::new();
        for arrival in input.feed(chunk) {
            match arrival {
                Arrival::Line(line) => actions.extend(play.hear(line)),
                Arrival::Death(_) => play.outcome.cut = true,
            }
        }
        play.work(actions);
        if play.outcome.cut {
            break;
        }
    }
    play.pipe.drain().unwrap();
    play.outcome.writes = std::mem::take(&mut *writes.0.lock().unwrap());
    play.outcome
}

fn line(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

fn notice(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string())
}

/// A request in the words of an era.
fn ask(era: Era, id: impl Into<Value>, method: &str, mut params: Value) -> Vec<u8> {
    if era == Era::Modern {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = Revision::V2026_07_28.date().into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    let id: Value = id.into();
    line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
}

fn initialize(id: u32, version: &str) -> Vec<u8> {
    let client = json!({ "name": "test", "version": "0" });
    let capabilities = json!({ "roots": {}, "x-new": {} });
    let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
    ask(Era::Legacy, id, "initialize", params)
}

/// How a session begins.
fn opening(era: Era) -> Vec<Vec<u8>> {
    let ping = |id: u32| ask(era, id, "ping", json!({}));
    let mut script = vec![
        ask(era, 301, "tools/list", json!({})),
        ask(Era::Modern, 300, "server/discover", json!({})),
        ask(Era::Modern, 300, "server/discover", json!({})),
        ping(302),
        initialize(303, "1900-01-01"),
        ping(304),
        notice("notifications/initialized", &json!({})),
        initialize(305, "2025-06-18"),
        ask(Era::Legacy, 306, "initialize", json!({})),
    ];
    if era == Era::Modern {
        let version = json!({ "io.modelcontextprotocol/protocolVersion": "1900-01-01",
            "io.modelcontextprotocol/clientCapabilities": {} });
        script.push(ask(Era::Legacy, 307, "tools/list", json!({ "_meta": version })));
        let lacking = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        script.push(ask(Era::Legacy, 308, "tools/list", json!({ "_meta": lacking })));
    }
    script.push(line(r#"{"jsonrpc":"2.0","id":309,"method":"tools/list"}"#));
    script
}

/// What is asked for in the middle.
fn features(era: Era) -> Vec<Vec<u8>> {
    let ask = |id: u64, method: &str, params: Value| ask(era, id, method, params);
    let mut script = vec![
        ask(0, "tools/list", json!({})),
        ask(1, "resources/list", json!({})),
        ask(2, "prompts/list", json!({})),
        ask(3, "logging/setLevel", json!({ "level": "bogus" })),
        ask(4, "no/such", json!({})),
        ask(5, "tools/call", json!({ "name": "no-such" })),
        ask(6, "tools/call", json!({ "arguments": {} })),
        ask(7, "tools/call", json!({ "name": "list_customers", "_meta": { "progressToken": 7 } })),
        ask(8, "tools/call", json!({ "name": "count_orders", "arguments": {} })),
        ask(9, "tools/call", json!({ "name": "count_orders", "arguments": { "status": "banana" } })),
        ask(10, "resources/read", json!({ "uri": "shop://no-such" })),
        ask(11, "resources/read", json!({ "uri": "shop://schema" })),
        ask(12, "prompts/get", json!({ "name": "no-such" })),
        ask(13, "prompts/get", json!({ "name": "welcome" })),
        ask(14, "ping", json!({ "_meta": { "x": 1 } })),
        ask(15, "completion/complete", json!({})),
    ];
    for cursor in [json!(2), json!(""), json!("again"), json!("behind"), json!("page-2"), json!("bogus")] {
        script.push(ask(20, "tools/list", json!({ "cursor": cursor })));
    }
    // Two that are open together, two with one id, and one that is cancelled.
    let call = |id| ask(id, "tools/call", json!({ "name": "list_customers", "arguments": {} }));
    let cancelled = notice("notifications/cancelled", &json!({ "requestId": 33 }));
    script.extend([[call(30), call(31)].concat(), [call(32), call(32)].concat(), [call(33), cancelled].concat()]);
    script
}

/// Lines that are odd.
fn oddities(era: Era) -> Vec<Vec<u8>> {
    let named = |id: Value| ask(era, id, "ping", json!({}));
    let mut crlf = ask(era, 41, "ping", json!({}));
    crlf.insert(crlf.len() - 1, b'\r');
    vec![
        named(json!("12")),
        named(json!("x".repeat(100))),
        named(json!("é\u{2028}")),
        named(json!((1_u64 << 53) + 1)),
        named(json!((1_u64 << 53) - 1)),
        named(json!(1_u64 << 31)),
        named(Value::Null),
        notice("notifications/cancelled", &json!({ "requestId": 5 })),
        notice("notifications/x", &json!({})),
        line(r#"{"jsonrpc":"2.0","method":"ping"}"#),
        line("{junk"),
        [line(r#"{"jsonrpc":"2.0","id":42,"method":NaN}"#), named(json!(43))].concat(),
        line("5"),
        line(r#"[{"jsonrpc":"2.0","id":44,"method":"ping"},{"jsonrpc":"2.0","id":45,"method":"ping"}]"#),
        line(r#"{"jsonrpc":"2.0","id":46,"method":"ping","params":null}"#),
        line(r#"{"jsonrpc":"2.0","id":47,"method":"ping","x":1}"#),
        line(r#"{"jsonrpc":"2.0","id":51,"id":52,"method":"ping"}"#),
        line(r#"{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}"#),
        line(r#"{"jsonrpc":"2.0","id":"\u0000","method":"ping"}"#),
        line(&format!(r#"{{"jsonrpc":"2.0","id":48,"method":"ping","params":{{"x":{}}}}}"#, "9".repeat(500))),
        line(&format!(
            r#"{{"jsonrpc":"2.0","id":49,"method":"ping","params":{{"x":{}1{}}}}}"#,
            "[".repeat(120),
            "]".repeat(120)
        )),
        crlf,
        b"\"\xff\"\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3".to_vec(),
        b"\xa9\",\"method\":\"ping\"}\n".to_vec(),
        named(json!(50)),
    ]
}

/// Much that is asked, or told.
fn plenty(era: Era) -> Vec<Vec<u8>> {
    let padded = |size: usize| ask(era, 60, "ping", json!({ "pad": "x".repeat(size) }));
    vec![
        padded(70 << 10),
        padded(600 << 10),
        notice("notifications/y", &json!({})).repeat(5001),
        ask(era, 61, "ping", json!({})),
    ]
}

/// Whether it takes much for a fault to show.
fn needs_plenty(fault: &Fault) -> bool {
    fault.name.starts_with("line-limit") || fault.name.contains("flood")
}

fn script(era: Era) -> Vec<Vec<u8>> {
    [opening(era), features(era), oddities(era)].concat()
}

fn eras(fault: &Fault) -> &'static [Era] {
    match fault.reach {
        Reach::Legacy => &[Era::Legacy],
        Reach::Modern => &[Era::Modern],
        Reach::Both => &[Era::Legacy, Era::Modern],
    }
}

#[test]
fn without_a_fault_the_session_is_that_of_the_clean_server() {
    for era in [Era::Legacy, Era::Modern] {
        let script = script(era);
        let played = play(Vec::new(), era, &script);
        assert!(!played.cut && played.pause.is_zero());
        let harmless = choose("set:no/such-method:/x=1").unwrap();
        assert_eq!(play(vec![harmless], era, &script), played);
    }
}

/// Faults that do not show in an era that they should show in.
fn hidden(era: Era) -> Vec<&'static str> {
    let scripts = [script(era), plenty(era)].map(|script| (play(Vec::new(), era, &script), script));
    let is_seen = |fault: &&Fault| !matches!(fault.layer, Layer::Behaviour(_)) && !UNSEEN.contains(&fault.name);
    let faults = table::all().filter(|fault| eras(fault).contains(&era)).filter(is_seen);
    let hides = |fault: &&Fault| {
        let [few, plenty] = &scripts;
        let (clean, script) = if needs_plenty(fault) { plenty } else { few };
        play(vec![Choice::Named(table::named(fault.name).unwrap())], era, script) == *clean
    };
    faults.filter(hides).map(|fault| fault.name).collect()
}

#[test]
fn each_fault_shows_in_a_legacy_session() {
    assert_eq!(hidden(Era::Legacy), [] as [&str; 0]);
}

#[test]
fn each_fault_shows_in_a_modern_session() {
    assert_eq!(hidden(Era::Modern), [] as [&str; 0]);
}

#[test]
fn faults_of_different_layers_add_up() {
    let both = ["id-stringified", "crlf-frames", "set:ping:/result/x=1"].map(|name| choose(name).unwrap());
    let played = play(both.to_vec(), Era::Legacy, &[ask(Era::Legacy, 1, "ping", json!({}))]);
    assert_eq!(played.writes, [b"{\"id\":\"1\",\"jsonrpc\":\"2.0\",\"result\":{\"x\":1}}\r\n"]);
}
