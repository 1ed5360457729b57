//! The steps of a session behind its first request: each is a request whose answer is read.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::dialect::Dialect;
use super::super::prelude::initialized;
use super::super::session::{Session, Waited};
use super::super::times::Times;
use super::call::ToolCall;
use super::failure::{Failure, Stop, short};
use super::hold::Outcome;
use super::opening::Begun;
use crate::judge::window;
use crate::spec::{Era, Revision};
use crate::transcript::{Kept, Link, Purpose, RequestIndex};
use crate::wire::MessageKind;

/// How long a process whose stdout has ended may take to end itself.
const LAST_MOMENT: Duration = Duration::from_secs(2);
/// How many names stand in a sentence.
const NAMED: usize = 20;

/// A page of `tools/list`. What a client does not use is not looked at: it may be odd and lawful.
#[derive(Deserialize)]
struct Page {
    tools: Vec<Named>,
    #[serde(rename = "nextCursor")]
    next_cursor: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The result of `tools/call`.
#[derive(Deserialize)]
struct Called {
    content: Vec<Block>,
    #[serde(rename = "isError", default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<Box<RawValue>>,
}

/// What tells whether a result is the whole answer, in the modern era.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "resultType")]
    result_type: Option<String>,
}

/// A session that is being played.
pub(super) struct Talk<'a> {
    session: &'a mut Session,
    dialect: &'a Dialect,
    times: &'a Times,
    /// The step at hand, as a person would name it.
    step: String,
}

/// Plays a session from its first answer on.
pub(super) fn talk(begun: &mut Begun, calls: &[ToolCall], exact: bool, times: &Times) -> Result<Outcome, Stop> {
    let Begun { session, dialect, index, waited } = begun;
    let step = session.transcript().requests[*index].method.clone();
    let mut talk = Talk { session, dialect, times, step };
    talk.opened(*index, *waited, exact)?;
    let tools = talk.list()?;
    // A mistake in the last call is found before the first one does anything.
    for call in calls {
        talk.check_listed(call, &tools)?;
    }
    let mut saved = Vec::new();
    for call in calls {
        let text = talk.call(call)?;
        saved.extend(call.save.clone().zip(text));
    }
    Ok(Outcome { tools, saved })
}

impl Talk<'_> {
    fn stop(&self, message: impl Into<String>, expected: impl Into<String>) -> Stop {
        let failure = Failure {
            step: Some(self.step.clone()),
            message: message.into(),
            sent: None,
            received: None,
            expected: expected.into(),
        };
        Stop { failure: Box::new(failure), events: self.session.transcript().events.len() }
    }

    /// The same with the line that answered a request.
    fn stop_at(&self, index: RequestIndex, message: impl Into<String>, expected: impl Into<String>) -> Stop {
        let mut stop = self.stop(message, expected);
        let line = self.session.transcript().answer(index).map(|(line, _)| line);
        stop.failure.received = line.map(|line| window(&line.bytes, 0));
        stop
    }

    /// Reads the first answer; in the legacy era the server is told so.
    fn opened(&mut self, index: RequestIndex, waited: Waited, exact: bool) -> Result<(), Stop> {
        self.answered(index, waited)?;
        if self.dialect.revision.era() == Era::Modern {
            self.complete(index)?;
            return Ok(());
        }
        let asked = self.dialect.revision;
        let agreed = self.session.transcript().agreed().map(str::to_owned);
        let known = agreed.as_deref().and_then(|agreed| agreed.parse::<Revision>().ok());
        match known.filter(|known| known.era() == Era::Legacy) {
            Some(known) if !exact || known == asked => {}
            _ => {
                let version = agreed.map_or_else(|| "no protocolVersion".to_owned(), |agreed| short(&agreed));
                let legacy: Vec<&str> = Revision::of(Era::Legacy).map(Revision::as_str).collect();
                let right = if exact { asked.to_string() } else { format!("one of {}", legacy.join(", ")) };
                let message = format!("answers {version} where {asked} was asked for");
                return Err(self.stop_at(index, message, format!("protocolVersion {right}")));
            }
        }
        initialized(self.session);
        Ok(())
    }

    /// All tools, page after page; none where the server does not declare them.
    fn list(&mut self) -> Result<Vec<String>, Stop> {
        if !self.declares_tools() {
            return Ok(Vec::new());
        }
        "tools/list".clone_into(&mut self.step);
        let mut names = Vec::new();
        let mut params: Option<String> = None;
        let mut cursors = BTreeSet::new();
        loop {
            let params_text = self.dialect.params(params.as_deref());
            let index = self.ask("tools/list", params_text.as_deref())?;
            let page: Page = self.read(index)?;
            names.extend(page.tools.into_iter().map(|tool| tool.name));
            let Some(cursor) = page.next_cursor else { return Ok(names) };
            let cursor = cursor.get().to_owned();
            if !cursor.starts_with('"') {
                return Err(self.stop_at(
                    index,
                    "gives a nextCursor that is no string",
                    "a string, or none at the end",
                ));
            }
            if !cursors.insert(cursor.clone()) {
                let right = "a cursor of its own for each page, and none on the last";
                return Err(self.stop_at(index, "gives out a cursor again, so its list has no end", right));
            }
            params = Some(format!(r#"{{"cursor":{cursor}}}"#));
        }
    }

    fn declares_tools(&self) -> bool {
        self.session.transcript().capabilities().is_some_and(|declared| declared.get("tools").is_some())
    }

    fn check_listed(&mut self, call: &ToolCall, tools: &[String]) -> Result<(), Stop> {
        if tools.contains(&call.tool) {
            return Ok(());
        }
        self.step = step_of(call);
        if !self.declares_tools() {
            return Err(self.stop("does not declare tools", "the capability tools, and this tool in tools/list"));
        }
        let shown: Vec<String> = tools.iter().take(NAMED).map(|name| short(name)).collect();
        let more = tools.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let right = if tools.is_empty() {
            "this tool in tools/list, which names none".to_owned()
        } else {
            format!("a tool that it lists: {}{more}", shown.join(", "))
        };
        Err(self.stop("lists no such tool", right))
    }

    /// Makes a call; gives its text as a JSON string where that is to be kept.
    fn call(&mut self, call: &ToolCall) -> Result<Option<String>, Stop> {
        self.step = step_of(call);
        let meta = match self.dialect.revision.era() {
            Era::Legacy => String::new(),
            Era::Modern => format!(r#","_meta":{}"#, self.dialect.meta()),
        };
        let name = Value::from(call.tool.as_str());
        let params = format!(r#"{{"name":{name},"arguments":{}{meta}}}"#, call.arguments);
        let index = self.ask("tools/call", Some(&params))?;
        let Called { content, is_error } = self.read(index)?;
        let text = content.into_iter().find(|block| block.kind == "text").and_then(|block| block.text);
        let text = text.and_then(|text| serde_json::from_str::<String>(text.get()).ok());
        if is_error {
            let says = text.map(|text| format!(": {}", short(&text))).unwrap_or_default();
            return Err(self.stop_at(index, format!("answers with isError{says}"), "a result that is no error"));
        }
        if call.save.is_some() && text.is_none() {
            let right = "a content block of type text, whose text can be saved";
            return Err(self.stop_at(index, "answers without a text", right));
        }
        Ok(text)
    }

    /// Sends a request and waits for its result.
    fn ask(&mut self, method: &str, params: Option<&str>) -> Result<RequestIndex, Stop> {
        let id = self.session.fresh_id().to_string();
        let index = self.session.request(&id, method, params, Purpose::Client);
        let waited = self.session.wait_answer(index, self.times.within(self.times.request));
        if waited == Waited::Over {
            // Its stdout may end a moment before the process does.
            self.session.wait_exit(self.times.within(LAST_MOMENT));
        }
        self.answered(index, waited)?;
        self.complete(index)?;
        Ok(index)
    }

    /// Sees that a request was answered with a result, under its own id.
    fn answered(&self, index: RequestIndex, waited: Waited) -> Result<(), Stop> {
        let transcript = self.session.transcript();
        match transcript.answer(index).map(|(_, linked)| (linked.link, linked)) {
            Some((Link::Answer(..), linked)) => match linked.message.kind {
                MessageKind::Result => Ok(()),
                MessageKind::Error => {
                    let code = linked.message.error_code.as_deref().unwrap_or("none");
                    let message = format!("answers with an error, code {}", short(code));
                    Err(self.stop_at(index, message, "a result"))
                }
                _ => Err(self.stop_at(index, "answers with what is no response", "a JSON-RPC response with a result")),
            },
            Some(_) => Err(self.stop_at(index, "answers with another id than was sent", "the id of the request")),
            None if transcript.requests[index].answer.is_some() => {
                Err(self.stop("answers with a line that cannot be read", "a JSON-RPC response with a result"))
            }
            None => Err(self.silent(index, waited)),
        }
    }

    fn silent(&self, index: RequestIndex, waited: Waited) -> Stop {
        let transcript = self.session.transcript();
        if transcript.has_long_line() {
            return self.stop("writes a line that is longer than --max-line", "a shorter line, or a larger --max-line");
        }
        let after = self.session.now().saturating_sub(transcript.requests[index].sent_at).as_secs_f64();
        if waited == Waited::Over {
            return self.stop("has nothing more to say before it answers", "a result, from a process that runs on");
        }
        if self.times.budget.passed() {
            let message = format!("has not answered after {after:.1} s, when the budget of the session is used up");
            return self.stop(message, "a result sooner, or a larger --budget");
        }
        let (unfinished, _) = self.session.unfinished();
        if !unfinished.is_empty() {
            let message = format!("begins a line and does not end it within {after:.1} s");
            let mut stop = self.stop(message, "a result on one line, with its newline");
            stop.failure.received = Some(window(&Kept::brief(unfinished), 0));
            return stop;
        }
        let option = if transcript.first_answer().is_some() { "--timeout" } else { "--startup-timeout" };
        self.stop(format!("does not answer within {after:.1} s"), format!("a result sooner, or a larger {option}"))
    }

    /// Sees that a modern result is the whole answer.
    fn complete(&self, index: RequestIndex) -> Result<(), Stop> {
        if self.dialect.revision.era() == Era::Legacy {
            return Ok(());
        }
        let Kind { result_type } = self.read(index)?;
        match result_type.as_deref() {
            None | Some("complete") => Ok(()),
            Some("input_required") => {
                let message = "asks for input, which this client has not declared that it gives";
                Err(self.stop_at(index, message, "resultType complete"))
            }
            Some(other) => {
                Err(self.stop_at(index, format!("has the resultType {}", short(other)), "resultType complete"))
            }
        }
    }

    /// Reads the result of a request.
    fn read<T: DeserializeOwned>(&self, index: RequestIndex) -> Result<T, Stop> {
        let transcript = self.session.transcript();
        let place = transcript.answer(index).and_then(|(_, linked)| linked.message.places.result.clone());
        let text = transcript.answer_text(index).zip(place).and_then(|(text, place)| text.get(place));
        let read = serde_json::from_str(text.unwrap_or_default());
        read.map_err(|error| {
            let message = format!("answers with a result that cannot be used: {}", short(&error.to_string()));
            self.stop_at(index, message, format!("a result of {} as {} has it", self.method(index), self.revision()))
        })
    }

    fn method(&self, index: RequestIndex) -> &str {
        &self.session.transcript().requests[index].method
    }

    fn revision(&self) -> Revision {
        self.session.transcript().revision()
    }
}

fn step_of(call: &ToolCall) -> String {
    format!("tools/call {}", short(&call.tool))
}
