//! A line that came, in the hands of faults.

use serde_json::{Value, json};

use super::scene::{self, Asked, Scene};
use crate::json;

/// A line that came.
#[derive(Debug)]
pub(crate) struct Heard {
    line: Vec<u8>,
    message: Option<Value>,
    is_kept: bool,
    /// Lines that are said to it.
    said: Vec<String>,
}

impl Heard {
    pub(super) fn new(line: Vec<u8>) -> Self {
        let message = serde_json::from_slice(&line).ok();
        Self { line, message, is_kept: true, said: Vec::new() }
    }

    /// The line, if it is to be passed on, and what is said to it.
    pub(super) fn finish(self) -> (Option<Vec<u8>>, Vec<String>) {
        (self.is_kept.then_some(self.line), self.said)
    }

    /// Whether no fault has swallowed it.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// The line.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Whether it is JSON. It may be, and hold what no [`Value`] can.
    pub(crate) fn is_json(&self) -> bool {
        json::parse(&self.line).is_some()
    }

    /// Whether there is nothing on it.
    pub(crate) fn is_blank(&self) -> bool {
        self.line.iter().all(u8::is_ascii_whitespace)
    }

    /// What it says, if a [`Value`] can hold that.
    pub(crate) fn message(&self) -> Option<&Value> {
        self.message.as_ref()
    }

    /// Its method, or nothing.
    pub(crate) fn method(&self) -> &str {
        self.message.as_ref().and_then(|message| message.get("method")).and_then(Value::as_str).unwrap_or_default()
    }

    /// A member of its parameters, or null.
    pub(crate) fn param(&self, pointer: &str) -> &Value {
        let params = self.message.as_ref().and_then(|message| message.get("params"));
        params.and_then(|params| params.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// The request that it is, if it is one.
    pub(crate) fn request(&self) -> Option<Asked> {
        self.message.as_ref().and_then(Asked::read)
    }

    /// Whether it is a request of this method.
    pub(crate) fn asks(&self, method: &str) -> bool {
        self.method() == method && self.request().is_some()
    }

    /// Whether it is a message with a method and without an id.
    pub(crate) fn is_notification(&self) -> bool {
        !self.method().is_empty() && self.message().is_some_and(|message| message.get("id").is_none())
    }

    /// Passes it on as something else.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Value)) {
        if let Some(message) = &mut self.message {
            change(message);
            self.line = message.to_string().into_bytes();
        }
    }

    /// The lines of the messages in it, if it is an array of some. Their requests are open from now on.
    pub(crate) fn unpack(&self, scene: &mut Scene) -> Vec<String> {
        let messages = self.message.as_ref().and_then(Value::as_array);
        let messages = messages.filter(|messages| messages.iter().all(Value::is_object));
        messages
            .into_iter()
            .flatten()
            .map(|message| {
                Asked::read(message).into_iter().for_each(|asked| scene.open(asked));
                message.to_string()
            })
            .collect()
    }

    /// Passes these bytes on in its place.
    pub(crate) fn replace(&mut self, line: Vec<u8>) {
        *self = Self { is_kept: self.is_kept, said: std::mem::take(&mut self.said), ..Self::new(line) };
    }

    /// Takes a call of one tool for a call of another.
    pub(crate) fn call_for(&mut self, name: &str, other: &str) {
        if self.method() == "tools/call" && self.param("/name") == name {
            self.change(|call| call["params"]["name"] = other.into());
        }
    }

    /// Passes nothing on.
    pub(crate) fn swallow(&mut self) {
        self.is_kept = false;
    }

    /// Says something to it.
    pub(crate) fn say(&mut self, message: &Value) {
        self.said.push(message.to_string());
    }

    /// Says an error to it, with this id.
    pub(crate) fn say_error(&mut self, id: &Value, code: i64, message: &str) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
    }

    /// Answers it with a result and passes nothing on, if it is a request.
    pub(crate) fn answer(&mut self, mut result: Value) {
        let Some(asked) = self.request() else { return };
        self.swallow();
        if asked.is_modern() {
            scene::complete(&mut result);
        }
        self.say(&json!({ "jsonrpc": "2.0", "id": asked.id, "result": result }));
    }

    /// Answers it with an error and passes nothing on, if it is a request.
    pub(crate) fn refuse(&mut self, code: i64, message: &str) {
        let Some(asked) = self.request() else { return };
        self.swallow();
        self.say_error(&asked.id, code, message);
    }
}
