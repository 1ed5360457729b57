//! The server: reads what arrives, answers what it can at once, and starts jobs for the rest.

use std::fmt;
use std::time::SystemTime;

use serde_json::value::RawValue;

use super::audit::{Audit, CANCELLED, refusal};
use super::batch::{self, Address, Batches};
use super::calling;
use super::calls::{Call, Calls, Owed, Purpose};
use super::config::Config;
use super::meta::Meta;
use super::modern;
use super::questions::Questions;
use super::session::{Answer, Plan, Session};
use super::subscriptions::Subscriptions;
use super::tasks::Tasks;
use super::terms::Terms;
use crate::audit::Entry;
use crate::clock::Cancel;
use crate::failure::{Excerpt, Failure};
use crate::frame::{Frame, Frames};
use crate::job::{Client, Job};
use crate::json::{self, Kind};
use crate::message::{Message, Request};
use crate::reply;
use crate::revision::Era;

/// What the surroundings of a server have to do for it.
#[derive(Debug)]
pub enum Action {
    /// Write this line to stdout. Its line feed is included.
    Send(Vec<u8>),
    /// Write this line, which has no line feed, to stderr.
    Log(String),
    /// Write this to the audit log, before any message that follows is sent.
    Audit(Entry),
    /// Run this job on a worker, and bring its reports back.
    Start(Job),
}

/// A server, from its first byte of input to its last.
#[derive(Debug)]
pub struct Server {
    frames: Frames,
    batches: Batches,
    actions: Vec<Action>,
    pub(super) session: Session,
    pub(super) calls: Calls,
    pub(super) questions: Questions,
    pub(super) subscriptions: Subscriptions,
    pub(super) tasks: Tasks,
    pub(super) now: Now,
    pub(super) audit: Audit,
}

/// Tells the time of day.
pub(super) struct Now(Box<dyn Fn() -> SystemTime + Send>);

impl Now {
    /// The time of day.
    pub(super) fn read(&self) -> SystemTime {
        (self.0)()
    }
}

impl fmt::Debug for Now {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Now")
    }
}

impl Server {
    /// A server that nobody has spoken to yet. It goes by the machine's time of day.
    pub fn new(config: Config) -> Self {
        Self::timed(config, SystemTime::now)
    }

    /// A server that is told the time of day by `now`. It wants to know it when it makes tasks, and questions that
    /// do not hold for ever.
    pub fn timed(config: Config, now: impl Fn() -> SystemTime + Send + 'static) -> Self {
        Self {
            frames: Frames::default(),
            batches: Batches::default(),
            actions: Vec::new(),
            audit: Audit::new(config.audited),
            session: Session::new(config),
            calls: Calls::default(),
            questions: Questions::default(),
            subscriptions: Subscriptions::default(),
            tasks: Tasks::default(),
            now: Now(Box::new(now)),
        }
    }

    /// Takes bytes from stdin, however they are cut.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Action> {
        while let Some(frame) = self.frames.next(&mut bytes) {
            self.frame(&frame);
        }
        self.take_actions()
    }

    /// Learns that stdin has ended. A last line counts without its line feed, if it is whole.
    pub fn end(&mut self) -> Vec<Action> {
        match self.frames.rest() {
            Some(Frame::Line(line)) if json::parse(&line).is_none() => {
                self.log("dropped an unfinished line");
            }
            Some(frame) => self.frame(&frame),
            None => {}
        }
        for resumed in self.questions.give_up() {
            self.resume(resumed);
        }
        for line in self.subscriptions.close() {
            self.send(line);
        }
        self.take_actions()
    }

    /// Whether everything that was asked is answered.
    pub fn is_idle(&self) -> bool {
        self.calls.is_empty() && !self.tasks.is_awaited()
    }

    fn frame(&mut self, frame: &Frame) {
        let line = match frame {
            Frame::Line(line) if line.iter().all(u8::is_ascii_whitespace) => return,
            Frame::Line(line) => json::parse(line).ok_or_else(Failure::parse_error),
            Frame::TooLong => Err(Failure::invalid_request("the line is too long")),
        };
        match line {
            Ok(value) if json::kind(value) == Kind::Array => self.batch(value),
            Ok(value) => self.message(&Message::read(value), Address::Line),
            Err(failure) => self.reject(&failure),
        }
    }

    fn batch(&mut self, array: &RawValue) {
        if !self.session.has_batches() {
            return self.reject(&Failure::invalid_request("no batches in this revision"));
        }
        match json::elements(array, batch::MOST) {
            None => self.reject(&Failure::invalid_request("the batch is too long")),
            Some(elements) if elements.is_empty() => {
                self.reject(&Failure::invalid_request("the batch is empty"));
            }
            Some(elements) => {
                let address = Address::Batch(self.batches.open(elements.len()));
                for element in elements {
                    self.message(&Message::read(element), address);
                }
            }
        }
    }

    /// Answers, on a line of its own, something that is no request and has no id.
    fn reject(&mut self, failure: &Failure) {
        self.log(format_args!("refused a line: {failure}"));
        self.deliver(Address::Line, Some(reply::failure(None, failure)));
    }

    /// Handles one message, and settles its place in a batch unless that has to wait for a job.
    fn message(&mut self, message: &Message<'_>, address: Address) {
        match message {
            Message::Request(request) => self.request(request, address),
            Message::Notification { method, params } => {
                self.log(format_args!("notification {}", Excerpt(method)));
                if method == "notifications/cancelled" {
                    self.cancelled(*params);
                }
                self.deliver(address, None);
            }
            Message::Response { id, said } => {
                match self.questions.answer(*id, *said) {
                    Some(resumed) => {
                        self.log("response to a question");
                        self.resume(resumed);
                    }
                    None => self.log("dropped a response to nothing"),
                }
                self.deliver(address, None);
            }
            Message::Invalid { id, method, params, failure } => {
                match method {
                    None => self.log(format_args!("refused a message: {failure}")),
                    Some(method) => self.log(format_args!("refused request {}: {failure}", Excerpt(method))),
                }
                if method.as_deref() == Some("tools/call") {
                    self.call_refused(*params, failure);
                }
                self.deliver(address, Some(reply::failure(id.as_ref(), failure)));
            }
        }
    }

    fn request(&mut self, request: &Request<'_>, address: Address) {
        self.log(format_args!("request {}", Excerpt(&request.method)));
        if let Err(failure) = self.serve(request, address) {
            if request.method == "tools/call" {
                self.call_refused(request.params, &failure);
            }
            self.deliver(address, Some(reply::failure(Some(&request.id), &failure)));
        }
    }

    /// Answers a request, or sees to it that it will be answered.
    fn serve(&mut self, request: &Request<'_>, address: Address) -> Result<(), Failure> {
        let meta = Meta::read(request.params)?;
        let (terms, answer) = self.session.answer(request, &meta, address)?;
        match answer {
            Answer::Ready(result) => {
                if request.method == "initialize" {
                    self.subscriptions.restart();
                }
                let line = reply::success(&request.id, &modern::finish(result, terms.revision));
                self.deliver(address, Some(line));
                Ok(())
            }
            Answer::Later(plan) => self.begin(request, plan, terms, meta.progress_token, address),
            Answer::Special(method) => self.special(method, request, terms, address),
        }
    }

    /// Starts the work that answers a request, or that is a task.
    fn begin(
        &mut self,
        request: &Request<'_>,
        plan: Plan<'_>,
        terms: Terms,
        progress_token: Option<&RawValue>,
        address: Address,
    ) -> Result<(), Failure> {
        let now = self.now.read();
        let reply = match plan.purpose {
            Purpose::Tool { binding, .. } if terms.revision.era() == Era::Modern => {
                calling::reply(request.params, binding, now)?
            }
            _ => None,
        };
        let owed = match plan.task {
            None => Owed::Request { id: request.id.clone(), address },
            Some(wish) => {
                let (id, told) = self.tasks.begin(wish, now)?;
                self.deliver(address, Some(reply::success(&request.id, &told)));
                Owed::Task(id)
            }
        };
        let config = self.session.config();
        let cancel = match &plan.purpose {
            Purpose::Tool { name, .. } => Cancel::limited(config.limit(Some(name))),
            Purpose::Plain => Cancel::limited(config.limit(None)),
            Purpose::Lesson => Cancel::default(),
        };
        let call = Call {
            owed,
            terms,
            progress_token: progress_token.map(ToOwned::to_owned),
            told: None,
            purpose: plan.purpose,
            cancel: cancel.clone(),
        };
        let is_tool = matches!(call.purpose, Purpose::Tool { .. });
        let unaudited = is_tool && self.audit.fails();
        let work = if unaudited { refusal() } else { plan.work };
        let client = Client { abilities: terms.abilities, reply, published: self.session.published.clone() };
        let id = self.calls.open(call);
        if is_tool {
            self.audit.begin(id, request.params, now);
        }
        self.start(Job { id, work, cancel, client });
        Ok(())
    }

    /// Stops what a notification names. One that names nothing is too late, or wrong; either way nobody is told.
    fn cancelled(&mut self, params: Option<&RawValue>) {
        let Some(id) = params.and_then(|params| json::members(params, ["requestId"])).and_then(|[id]| id) else {
            return;
        };
        for (job, call) in self.calls.cancel(id) {
            // Nobody waits for the answer to our question any more; the client's user need not think about it.
            if let Some(question) = self.questions.forget(job) {
                self.send(reply::cancelled(&question));
                self.audit_end(job, Some(CANCELLED.into()));
            }
            if let Owed::Request { address, .. } = call.owed {
                self.deliver(address, None);
            }
        }
        for waiter in self.tasks.forget(id) {
            self.deliver(waiter.address, None);
        }
        self.subscriptions.cancel(id);
    }

    /// Sends an answer to where it belongs, or settles that there will be none.
    pub(super) fn deliver(&mut self, address: Address, reply: Option<Vec<u8>>) {
        let line = match address {
            Address::Line => reply,
            Address::Batch(id) => self.batches.settle(id, reply),
        };
        line.into_iter().for_each(|line| self.send(line));
    }

    /// Has a message sent on a line of its own.
    pub(super) fn send(&mut self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.actions.push(Action::Send(line));
    }

    /// Has something done.
    pub(super) fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Has a job started.
    pub(super) fn start(&mut self, job: Job) {
        self.actions.push(Action::Start(job));
    }

    /// What is to be done now.
    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    fn log(&mut self, line: impl fmt::Display) {
        self.actions.push(Action::Log(format!("mcp-reference-server: {line}")));
    }
}
