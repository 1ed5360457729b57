//! A client that drives the core in this process, and runs its jobs when the test says so.

use std::time::Duration;

use mcp_reference_server::{Action, Cancel, Clock, Config, Job, Report, Revision, Server, Sqlite, World};
use serde_json::{Value, json};

/// A clock on which any wait is over at once.
pub(crate) struct NoTime;

impl Clock for NoTime {
    fn pause(&self, _: Duration, _: &Cancel) {}
}

/// A client and the server that it talks to.
pub(crate) struct Client {
    server: Server,
    world: World,
    /// Jobs that were started and have not been run.
    pub(crate) jobs: Vec<Job>,
    /// Lines of the log.
    pub(crate) log: Vec<String>,
    /// All messages that came, in order, those for the client's log too. Elsewhere these are passed over.
    pub(crate) heard: Vec<Vec<u8>>,
    /// Entries of the audit log.
    pub(crate) audited: Vec<Value>,
    sent: Vec<Vec<u8>>,
}

impl Client {
    /// A client of a server with these settings.
    pub(crate) fn of(config: Config) -> Self {
        Self::with(config, World::new(Sqlite::new(None), NoTime))
    }

    /// A client of a server with these settings, in this world.
    pub(crate) fn with(config: Config, world: World) -> Self {
        Self { world, ..Self::around(Server::new(config)) }
    }

    /// A client of this server.
    pub(crate) fn around(server: Server) -> Self {
        let world = World::new(Sqlite::new(None), NoTime);
        let (jobs, log, heard, audited, sent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { server, world, jobs, log, heard, audited, sent }
    }

    /// A client to which nobody has spoken yet.
    pub(crate) fn new() -> Self {
        Self::of(Config::default())
    }

    /// A client whose session is open in a legacy revision.
    pub(crate) fn open(revision: Revision) -> Self {
        Self::able(revision, &json!({}))
    }

    /// A client whose session is open in a legacy revision, and that has capabilities.
    pub(crate) fn able(revision: Revision, capabilities: &Value) -> Self {
        let mut client = Self::new();
        let mut request: Value = serde_json::from_str(&initialize(revision.date())).unwrap();
        request["params"]["capabilities"] = capabilities.clone();
        let opened = client.ask(&request.to_string());
        assert_eq!(opened["result"]["protocolVersion"], revision.date());
        assert_eq!(client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), [] as [Value; 0]);
        client
    }

    /// Gives bytes to the server, and returns its lines. Jobs stay as they are.
    pub(crate) fn give(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let actions = self.server.feed(bytes);
        self.act(actions);
        std::mem::take(&mut self.sent)
    }

    /// Tells the server whether its audit log can be written.
    pub(crate) fn audit_works(&mut self, works: bool) {
        self.server.audit_works(works);
    }

    /// Ends the process, as far as the server is concerned.
    pub(crate) fn abandon(&mut self) {
        let actions = self.server.abandon();
        self.act(actions);
    }

    /// Gives the server the news of a job.
    pub(crate) fn settle(&mut self, report: Report) -> Vec<Value> {
        let actions = self.server.settle(report);
        self.act(actions);
        std::mem::take(&mut self.sent).iter().map(|line| parse(line)).collect()
    }

    /// Runs a job to its end, and returns what it had to tell.
    pub(crate) fn work(&self, job: Job) -> Vec<Report> {
        let mut reports = Vec::new();
        job.run(&self.world, &mut |report| reports.push(report));
        reports
    }

    /// Ends the input.
    pub(crate) fn end(&mut self) -> Vec<Vec<u8>> {
        let actions = self.server.end();
        self.act(actions);
        let mut lines = std::mem::take(&mut self.sent);
        lines.extend(self.finish());
        assert!(self.server.is_idle());
        lines
    }

    /// Runs all jobs, and returns the lines that come of it.
    pub(crate) fn finish(&mut self) -> Vec<Vec<u8>> {
        for job in std::mem::take(&mut self.jobs) {
            for report in self.work(job) {
                let actions = self.server.settle(report);
                self.act(actions);
            }
        }
        std::mem::take(&mut self.sent)
    }

    /// Says one line, runs what it starts, and returns all messages that come of it.
    pub(crate) fn say(&mut self, line: &str) -> Vec<Value> {
        let mut lines = self.give(format!("{line}\n").as_bytes());
        lines.extend(self.finish());
        lines.iter().map(|line| parse(line)).collect()
    }

    /// Says one line, and returns the one message that answers it.
    pub(crate) fn ask(&mut self, line: &str) -> Value {
        let mut messages = self.say(line);
        assert_eq!(messages.len(), 1, "{line} was answered by {messages:?}");
        messages.remove(0)
    }

    /// Sends a request as the revision wants it, and returns its answer.
    pub(crate) fn request(&mut self, revision: Revision, method: &str, params: Value) -> Value {
        self.ask(&request(revision, method, params))
    }

    /// Calls a tool, and returns the answer.
    pub(crate) fn call(&mut self, revision: Revision, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        self.request(revision, "tools/call", params)
    }

    /// The levels and the texts of the messages for the client's log that have come so far.
    pub(crate) fn logged(&self) -> Vec<(String, String)> {
        let messages = self.heard.iter().filter(|line| is_for_the_log(line)).map(|line| parse(line)["params"].take());
        messages.map(|params| (text(&params["level"]), text(&params["data"]["message"]))).collect()
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(line) => {
                    self.heard.push(line.clone());
                    if !is_for_the_log(&line) {
                        self.sent.push(line);
                    }
                }
                Action::Log(line) => self.log.push(line),
                Action::Audit(entry) => self.audited.push(parse(&entry.line())),
                Action::Start(job) => self.jobs.push(job),
            }
        }
    }
}

/// Reads a line, which must be one message with its line feed at the end and nowhere else.
pub(crate) fn parse(line: &[u8]) -> Value {
    let (end, message) = line.split_last().expect("a line is not empty");
    assert!(*end == b'\n' && !message.contains(&b'\n'));
    serde_json::from_slice(message).expect("a line is JSON")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no string")).into()
}

/// Whether a line is a message for the client's log. It may hold what no string of Rust can, so it is not parsed.
fn is_for_the_log(line: &[u8]) -> bool {
    String::from_utf8_lossy(line).contains(r#""method":"notifications/message""#)
}

/// The handshake's request.
pub(crate) fn initialize(version: &str) -> String {
    let client = json!({ "name": "test", "version": "0" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params }).to_string()
}

/// What a modern request has to say of itself.
pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.date(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with id 1, as the revision wants it.
pub(crate) fn request(revision: Revision, method: &str, mut params: Value) -> String {
    if revision == Revision::V2026_07_28 {
        params["_meta"] = modern_meta();
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// A client that is ready for requests of a revision, of either era.
pub(crate) fn ready(revision: Revision) -> Client {
    if revision == Revision::V2026_07_28 { Client::new() } else { Client::open(revision) }
}

/// The error code of an answer.
pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer} is no error"))
}
