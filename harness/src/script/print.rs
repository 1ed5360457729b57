//! Scripts as case files: what a fuzzer found or a recorder kept is written down in the format that people write.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::time::Duration;

use toml::{Table, Value};

use super::json::toml_of;
use super::{Action, Bytes, Channel, Cut, Delivery, Need, On, Outcome, Prelude, Reply, Script, Signal, Step};
use crate::spec::{Era, RequirementId, Revision, RevisionSet};

/// The case file that holds this script: loaded under the same id it gives the script again.
///
/// A file holds values for variables only in a variant, so a script that has values but no variant in its id becomes
/// the variant `1`.
#[must_use]
pub fn print(script: &Script) -> String {
    let mut file = File::default();
    file.key("title", text(&script.title));
    file.key("requirements", texts(script.requirements.iter().map(RequirementId::as_str)));
    file.revisions(script.revisions);
    if !script.needs.is_empty() {
        file.key("needs", texts(script.needs.iter().map(need)));
    }
    if let Some(session) = session(script.session) {
        file.key("session", text(session));
    }
    if script.shares != (script.session == Prelude::Ready) {
        file.key("shares", script.shares);
    }
    script.steps.iter().for_each(|step| file.step(step));
    let name = script.id.as_str().split_once('#').map(|(_, name)| name);
    if let Some(name) = name.or((!script.set.is_empty()).then_some("1")) {
        file.table("variant");
        file.key("name", text(name));
        file.map("set", &script.set);
    }
    file.text
}

#[derive(Default)]
struct File {
    text: String,
}

impl File {
    fn key(&mut self, name: &str, value: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{name} = {value}");
    }

    fn table(&mut self, name: &str) {
        let _ = writeln!(self.text, "\n[[{name}]]");
    }

    fn map(&mut self, name: &str, values: &BTreeMap<String, String>) {
        if !values.is_empty() {
            let table = values.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            self.key(name, Value::Table(table.collect::<Table>()));
        }
    }

    fn revisions(&mut self, set: RevisionSet) {
        if set != RevisionSet::ALL {
            self.key("revisions", text(&revisions(set)));
        }
    }

    fn step(&mut self, step: &Step) {
        self.table("step");
        if let Some(action) = &step.action {
            self.action(action);
        }
        self.delivery(&step.delivery);
        if let Some(within) = step.within {
            self.key("within", duration(within));
        }
        self.map("take", &step.take);
        step.outcomes.iter().for_each(|outcome| self.outcome(outcome));
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Send(line) => self.key("send", text(line)),
            Action::Raw(Bytes::Text(template)) => self.key("raw", text(&format!("text:{template}"))),
            Action::Raw(Bytes::Hex(bytes)) => self.key("raw", text(&hex(bytes))),
            Action::Request { method, params, id, cancelled } => {
                let parts = [
                    Some(format!("method = {}", text(method))),
                    params.as_ref().map(|params| format!("params = {}", toml_of(params))),
                    id.as_ref().map(|id| format!("id = {}", toml_of(id))),
                    cancelled.then(|| "cancelled = true".to_owned()),
                ];
                self.inline("request", parts);
            }
            Action::Notification { method, params } => {
                let params = params.as_ref().map(|params| format!("params = {}", toml_of(params)));
                self.inline("notification", [Some(format!("method = {}", text(method))), params]);
            }
            Action::Barrier => self.key("barrier", true),
            Action::Close(Channel::Stdin) => self.key("close", text("stdin")),
            Action::Signal(signal) => self.key("signal", text(signal_word(*signal))),
            Action::Pause(pause) => self.key("pause", duration(*pause)),
            Action::Answer { method, reply } => {
                let reply = match reply {
                    Reply::Result(json) => format!("result = {}", toml_of(json)),
                    Reply::Error(json) => format!("error = {}", toml_of(json)),
                    Reply::Never => "never = true".to_owned(),
                };
                self.inline("answer", [Some(format!("method = {}", text(method))), Some(reply)]);
            }
        }
    }

    fn inline<const N: usize>(&mut self, name: &str, parts: [Option<String>; N]) {
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        self.key(name, format_args!("{{ {} }}", parts.join(", ")));
    }

    fn delivery(&mut self, delivery: &Delivery) {
        if delivery.count != 1 {
            self.key("count", delivery.count);
        }
        match &delivery.cut {
            Cut::Nowhere => {}
            Cut::At(offsets) => self.key("cut", format_args!("{offsets:?}")),
            Cut::Every => self.key("cut", text("every")),
        }
        if delivery.hold {
            self.key("hold", true);
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        self.table("step.outcome");
        self.key("verdict", text(outcome.verdict.as_str()));
        self.key("on", text(on_word(outcome.on)));
        if let Some(to) = &outcome.to {
            self.key("to", text(to));
        }
        if let Some(like) = &outcome.like {
            self.key("like", text(&like.0));
        }
        if let Some(requirement) = &outcome.requirement {
            self.key("requirement", text(requirement.as_str()));
        }
        self.revisions(outcome.revisions);
        if let Some(says) = &outcome.says {
            self.key("says", text(says));
        }
    }
}

/// A TOML string; a literal one where that spares escapes.
fn text(text: &str) -> Value {
    Value::from(text)
}

fn texts(texts: impl Iterator<Item = impl Into<String>>) -> Value {
    Value::Array(texts.map(|text| Value::String(text.into())).collect())
}

fn duration(duration: Duration) -> Value {
    Value::String(humantime::format_duration(duration).to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("hex:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

fn need(need: &Need) -> String {
    match need {
        Need::Capability(path) => path.clone(),
        Need::Undeclared(path) => format!("undeclared:{path}"),
        Need::Tool(kind) => format!("tool:{kind}"),
        Need::Call(kind) => format!("call:{kind}"),
        Need::Pages(list) => format!("pages:{list}"),
    }
}

fn session(session: Prelude) -> Option<&'static str> {
    match session {
        Prelude::Cold => Some("cold"),
        Prelude::Opening => Some("opening"),
        Prelude::Ready => None,
    }
}

fn signal_word(signal: Signal) -> &'static str {
    match signal {
        Signal::Term => "TERM",
        Signal::Int => "INT",
        Signal::Hup => "HUP",
        Signal::Kill => "KILL",
    }
}

fn on_word(on: On) -> &'static str {
    match on {
        On::Reply => "reply",
        On::Message => "message",
        On::Silence => "silence",
        On::Exit => "exit",
        On::Closed => "closed",
    }
}

/// A set of revisions as `RevisionSet::parse` reads it: an era, bounds, or dates one by one.
fn revisions(set: RevisionSet) -> String {
    for era in Era::ALL {
        if set == Revision::of(era).collect() {
            return era.as_str().to_owned();
        }
    }
    let dates: Vec<_> = set.iter().collect();
    if let [first, _, .., last] = dates[..] {
        let between = |revision: &Revision| (first..=last).contains(revision);
        if set == Revision::ALL.into_iter().filter(between).collect() {
            return format!(">={first},<={last}");
        }
    }
    dates.into_iter().map(Revision::as_str).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests;
