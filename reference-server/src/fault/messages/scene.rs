//! What faults know of the session so far.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fault::pipe::Ending;

/// The member of `_meta` that makes a request a modern one.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A request that came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// Its id.
    pub(crate) id: Value,
    /// Its method.
    pub(crate) method: String,
    /// Its parameters, or null.
    pub(crate) params: Value,
}

impl Asked {
    /// Reads a message, if it is a request.
    pub(crate) fn read(message: &Value) -> Option<Self> {
        let id = message.get("id").filter(|id| id.is_string() || id.is_number())?.clone();
        let method = message.get("method")?.as_str()?.to_owned();
        let params = message.get("params").cloned().unwrap_or_default();
        Some(Self { id, method, params })
    }

    /// Whether it is of the modern era.
    pub(crate) fn is_modern(&self) -> bool {
        self.params.get("_meta").is_some_and(|meta| meta.get(VERSION).is_some())
    }
}

/// Gives a made-up result what each result of the modern era has.
pub(super) fn complete(result: &mut Value) {
    if let Some(members) = result.as_object_mut() {
        members.insert("resultType".into(), "complete".into());
        let server = json!({ "name": "mcp-reference-server", "version": env!("CARGO_PKG_VERSION") });
        members.entry("_meta").or_insert(json!({ "io.modelcontextprotocol/serverInfo": server }));
    }
}

/// The session so far.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    /// Requests that are not answered, by the text of their ids.
    open: BTreeMap<String, Asked>,
    tallies: BTreeMap<&'static str, u64>,
    memory: BTreeMap<&'static str, Value>,
    /// How the process is about to end.
    ending: Option<Ending>,
    /// Whether nothing more is to be read.
    deaf: bool,
    /// For how long nothing is to be read.
    pause: Duration,
}

impl Scene {
    /// Notes that a request is passed on.
    pub(super) fn open(&mut self, asked: Asked) {
        self.open.insert(asked.id.to_string(), asked);
    }

    /// Notes that a request is answered, and returns it.
    pub(super) fn settle(&mut self, id: &Value) -> Option<Asked> {
        self.open.remove(&id.to_string())
    }

    /// Notes that a request will not be answered.
    pub(super) fn forget(&mut self, id: &Value) {
        self.open.remove(&id.to_string());
    }

    /// Whether everything is answered. An id that is no integer is refused without it.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.values().all(|asked| asked.id.is_f64())
    }

    /// Whether a request with this id is not answered.
    pub(crate) fn is_open(&self, id: &Value) -> bool {
        self.open.contains_key(&id.to_string())
    }

    /// The id of a request that is not answered.
    pub(crate) fn any_open(&self) -> Option<Value> {
        self.open.values().next().map(|asked| asked.id.clone())
    }

    /// Counts something, from one on.
    pub(crate) fn tally(&mut self, what: &'static str) -> u64 {
        let tally = self.tallies.entry(what).or_default();
        *tally += 1;
        *tally
    }

    /// How often something was counted.
    pub(crate) fn tallied(&self, what: &'static str) -> u64 {
        self.tallies.get(what).copied().unwrap_or(0)
    }

    /// Keeps a value.
    pub(crate) fn keep(&mut self, what: &'static str, value: Value) {
        self.memory.insert(what, value);
    }

    /// A value that was kept, or null.
    pub(crate) fn kept(&self, what: &'static str) -> Value {
        self.memory.get(what).cloned().unwrap_or_default()
    }

    /// Ends the process, once all that was said is written.
    pub(crate) fn end(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    /// How the process is to end, if it is.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Reads nothing more.
    pub(crate) fn go_deaf(&mut self) {
        self.deaf = true;
    }

    /// Whether nothing more is read.
    pub(crate) fn is_deaf(&self) -> bool {
        self.deaf
    }

    /// Reads nothing for a while, this message included.
    pub(crate) fn pause(&mut self, time: Duration) {
        self.pause += time;
    }

    /// For how long to read nothing, which is told once.
    pub(crate) fn take_pause(&mut self) -> Duration {
        std::mem::take(&mut self.pause)
    }
}
