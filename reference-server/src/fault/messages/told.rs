//! A message that is about to leave, in the hands of faults.

use serde_json::{Map, Value, json};

use super::scene::{self, Asked};

/// A line that is said besides, which need be no message.
pub(crate) struct Said(String);

impl From<Value> for Said {
    fn from(message: Value) -> Self {
        Self(message.to_string())
    }
}

impl From<&str> for Said {
    fn from(line: &str) -> Self {
        Self(line.into())
    }
}

/// A message that is about to leave.
#[derive(Debug)]
pub(crate) struct Told {
    /// What it says.
    pub(crate) message: Value,
    /// The request that it answers, if it is a response.
    pub(crate) asked: Option<Asked>,
    before: Vec<String>,
    after: Vec<String>,
    spellings: Vec<fn(String) -> String>,
    is_kept: bool,
}

impl Told {
    pub(super) fn new(message: Value, asked: Option<Asked>) -> Self {
        let (before, after, spellings) = (Vec::new(), Vec::new(), Vec::new());
        Self { message, asked, before, after, spellings, is_kept: true }
    }

    /// The lines that leave. The message is written as `line` has it, if it says the same as before.
    pub(super) fn finish(self, original: &Value, line: Vec<u8>) -> Vec<Vec<u8>> {
        let mut lines: Vec<Vec<u8>> = self.before.into_iter().map(String::into_bytes).collect();
        let line = if self.message == *original { line } else { self.message.to_string().into_bytes() };
        let line = match String::from_utf8(line) {
            Ok(text) => self.spellings.iter().fold(text, |text, spell| spell(text)).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        lines.extend(self.is_kept.then_some(line));
        lines.extend(self.after.into_iter().map(String::into_bytes));
        lines
    }

    /// Its method, or that of the request that it answers.
    pub(crate) fn method(&self) -> &str {
        match &self.asked {
            Some(asked) => &asked.method,
            None => self.message.get("method").and_then(Value::as_str).unwrap_or_default(),
        }
    }

    /// A parameter of the request that it answers, or null.
    pub(crate) fn asked_param(&self, pointer: &str) -> &Value {
        self.asked.as_ref().and_then(|asked| asked.params.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// Whether it answers a request of the modern era.
    pub(crate) fn is_modern(&self) -> bool {
        self.asked.as_ref().is_some_and(Asked::is_modern)
    }

    /// Whether it is a result or an error.
    pub(crate) fn is_response(&self) -> bool {
        self.message.get("result").is_some() || self.message.get("error").is_some()
    }

    /// Its result, if it is one.
    pub(crate) fn any_result(&mut self) -> Option<&mut Map<String, Value>> {
        self.message.get_mut("result")?.as_object_mut()
    }

    /// Its result, if it answers a request of this method with one.
    pub(crate) fn result(&mut self, method: &str) -> Option<&mut Map<String, Value>> {
        if self.method() == method { self.any_result() } else { None }
    }

    /// The result of a call that went well, if it is one.
    pub(crate) fn success(&mut self) -> Option<&mut Map<String, Value>> {
        self.result("tools/call").filter(|result| {
            result.contains_key("content") && result.get("isError").is_none_or(|failed| *failed == false)
        })
    }

    /// The tools that it lists.
    pub(crate) fn tools(&mut self) -> Option<&mut Vec<Value>> {
        self.result("tools/list")?.get_mut("tools")?.as_array_mut()
    }

    /// The first of the tools that it lists.
    pub(crate) fn tool(&mut self) -> Option<&mut Map<String, Value>> {
        self.tools()?.first_mut()?.as_object_mut()
    }

    /// Its error, if it is one.
    pub(crate) fn error(&mut self) -> Option<&mut Map<String, Value>> {
        self.message.get_mut("error")?.as_object_mut()
    }

    /// The code of its error, or 0 where it is none.
    pub(crate) fn code(&self) -> i64 {
        self.message.pointer("/error/code").and_then(Value::as_i64).unwrap_or(0)
    }

    /// Whether it says that a tool is unknown.
    pub(crate) fn is_about_unknown_tool(&self) -> bool {
        let text = self.message.pointer("/error/message").and_then(Value::as_str);
        self.method() == "tools/call" && text.is_some_and(|text| text.starts_with("unknown tool"))
    }

    /// Makes a result of it, in the place of what it says.
    pub(crate) fn succeed(&mut self, mut result: Value) {
        if self.is_modern() {
            scene::complete(&mut result);
        }
        if let Some(members) = self.message.as_object_mut() {
            members.remove("error");
            members.insert("result".into(), result);
        }
    }

    /// Makes an error of it, in the place of what it says.
    pub(crate) fn fail(&mut self, code: i64, message: &str) {
        if let Some(members) = self.message.as_object_mut() {
            members.remove("result");
            members.insert("error".into(), json!({ "code": code, "message": message }));
        }
    }

    /// Sends nothing in its place.
    pub(crate) fn swallow(&mut self) {
        self.is_kept = false;
    }

    /// Sends a line before it.
    pub(crate) fn before(&mut self, line: impl Into<Said>) {
        self.before.push(line.into().0);
    }

    /// Sends a line after it.
    pub(crate) fn after(&mut self, line: impl Into<Said>) {
        self.after.push(line.into().0);
    }

    /// Writes its text otherwise.
    pub(crate) fn spell(&mut self, spelling: fn(String) -> String) {
        self.spellings.push(spelling);
    }
}
