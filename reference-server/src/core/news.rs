//! What jobs have to tell, and to whom that goes.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::audit::CANCELLED;
use super::calling;
use super::calls::{Call, Owed, Purpose};
use super::meta::Meta;
use super::modern::finish;
use super::questions::Resumed;
use super::server::{Action, Server};
use super::tasks::related;
use crate::failure::{Excerpt, Failure};
use crate::job::{Change, Client, Job, JobId, News, Report, Suspended};
use crate::json;
use crate::level::Level;
use crate::question::Question;
use crate::reply::{self, Stage};
use crate::revision::Era;

/// What is said of a job that ends as no work should.
const BROKEN: &str = "the tool broke down";

impl Server {
    /// Takes the news of a job. A job whose call was cancelled has nobody left to tell, but what it has changed has
    /// changed for others too.
    pub fn settle(&mut self, Report(job, news): Report) -> Vec<Action> {
        match news {
            News::Progress { done, total } => self.progressed(job, done, total),
            News::Changed(change) => self.changed(&change),
            News::Asks(question, work) => self.asked(job, &question, work),
            News::Ended(ended) if !self.calls.has(job) => self.audit_unheard(job, &ended),
            News::Ended(ended) => self.ended(job, |call| calling::outcome(call, ended)),
            News::Crashed if !self.calls.has(job) => self.audit_end(job, Some(BROKEN.into())),
            News::Crashed => self.ended(job, |_| Err(Failure::internal(BROKEN))),
        }
        self.take_actions()
    }

    fn progressed(&mut self, job: JobId, done: u64, total: u64) {
        let Some(call) = self.calls.get(job) else {
            return;
        };
        // Work that is run again, after a question, begins from nothing; the client has heard that part.
        if call.told.is_some_and(|told| told >= done) {
            return;
        }
        call.told = Some(done);
        let message = call.terms.revision.has_progress_messages().then(|| format!("{done} of {total}"));
        let meta = task_meta(call);
        let stage = Stage { done, total, message: message.as_deref(), meta: meta.as_ref() };
        let line = call.progress_token.as_ref().map(|token| reply::progress(token, &stage));
        line.into_iter().for_each(|line| self.send(line));
    }

    fn changed(&mut self, change: &Change) {
        for line in self.subscriptions.tell(change, self.session.revision()) {
            self.send(line);
        }
    }

    /// Puts a question to the client: by a request of ours, or in the answer to its own.
    fn asked(&mut self, job: JobId, question: &Question, work: Suspended) {
        let now = self.now.read();
        let Some(call) = self.calls.get(job) else {
            return self.audit_end(job, Some(CANCELLED.into()));
        };
        let revision = call.terms.revision;
        if revision.era() == Era::Modern {
            return self.ended(job, |call| match call.purpose {
                Purpose::Tool { binding, .. } => Ok(calling::input_required(question, binding, revision, now)),
                Purpose::Plain | Purpose::Lesson => Err(Failure::internal("only tools ask")),
            });
        }
        let id = self.questions.open(job, question, work);
        self.send(reply::request(&id, question.method(), &question.params(revision)));
    }

    /// Goes on with work whose question was answered.
    pub(super) fn resume(&mut self, Resumed { job, work, reply }: Resumed) {
        let Some(call) = self.calls.get(job) else {
            return self.audit_end(job, Some(CANCELLED.into()));
        };
        let (cancel, abilities) = (call.cancel.clone(), call.terms.abilities);
        let client = Client { abilities, reply: Some(reply), published: self.session.published.clone() };
        self.start(Job { id: job, work: work.0, cancel, client });
    }

    /// Tells of a call that is refused before it begins, to all who hear of calls.
    pub(super) fn call_refused(&mut self, params: Option<&RawValue>, failure: &Failure) {
        self.audit_refusal(params, failure);
        // A request that does not even set its terms says nothing of a log.
        let terms = Meta::read(params).and_then(|meta| self.session.terms(&meta)).ok().flatten();
        if terms.and_then(|terms| terms.log).is_some_and(|least| Level::Error >= least) {
            let name = params.and_then(|params| json::members(params, ["name"])).and_then(|[name]| name);
            let name = name.and_then(json::string).map(|name| Excerpt(&name).to_string());
            let message = format!("{} was refused", name.as_deref().unwrap_or("a call"));
            self.send(logged(Level::Error, json!({ "tool": name, "message": message }), None));
        }
    }

    /// Answers a call, or ends a task, with what its work came to.
    fn ended(&mut self, job: JobId, outcome: impl FnOnce(&Call) -> Result<Value, Failure>) {
        let Some(call) = self.calls.close(job) else {
            return;
        };
        let outcome = outcome(&call);
        self.audit_answer(job, &outcome);
        if let Purpose::Tool { name, .. } = &call.purpose {
            let line = log_line(&call, name, &outcome);
            line.into_iter().for_each(|line| self.send(line));
        }
        match &call.owed {
            Owed::Request { id, address } => {
                let line = match outcome {
                    Ok(result) => reply::success(id, &finish(result, call.terms.revision)),
                    Err(failure) => reply::failure(Some(id), &failure),
                };
                self.deliver(*address, Some(line));
            }
            Owed::Task(id) => {
                let ended = self.tasks.finish(id, outcome, self.now.read());
                ended.into_iter().for_each(|ended| self.task_ended(ended));
            }
        }
    }
}

/// The line for the client's log that tells how a call of a tool has ended, if the client wants lines of that level.
fn log_line(call: &Call, tool: &str, outcome: &Result<Value, Failure>) -> Option<Vec<u8>> {
    let (level, word) = match outcome {
        Ok(result) if result["isError"] == json!(true) => (Level::Warning, "failed"),
        Ok(result) if result["resultType"] == json!("input_required") => (Level::Info, "asks for input"),
        Ok(_) => (Level::Info, "succeeded"),
        Err(_) => (Level::Error, "was refused"),
    };
    if level < call.terms.log? {
        return None;
    }
    let data = json!({ "tool": tool, "message": format!("{tool} {word}") });
    Some(logged(level, data, task_meta(call)))
}

/// A line for the client's log.
fn logged(level: Level, data: Value, meta: Option<Value>) -> Vec<u8> {
    let mut params = json!({ "level": level.name(), "logger": "tools" });
    params["data"] = data;
    if let Some(meta) = meta {
        params["_meta"] = meta;
    }
    reply::notification("notifications/message", &params)
}

/// What messages about a call say of the task that it is.
fn task_meta(call: &Call) -> Option<Value> {
    match &call.owed {
        Owed::Task(id) => Some(related(id)),
        Owed::Request { .. } => None,
    }
}
