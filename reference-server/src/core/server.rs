//! The server: reads what arrives, answers what it can at once, and starts jobs for the rest.

use serde_json::value::RawValue;

use super::batch::{self, Address, Batches};
use super::calls::{Call, Calls};
use super::config::Config;
use super::meta::Meta;
use super::modern;
use super::session::{Answer, Session};
use crate::clock::Cancel;
use crate::failure::{Excerpt, Failure};
use crate::frame::{Frame, Frames};
use crate::job::{Client, Job, JobId, News, Report, Stop};
use crate::json::{self, Kind};
use crate::message::{Message, Request};
use crate::reply;
use crate::tools;

/// What the surroundings of a server have to do for it.
#[derive(Debug)]
pub enum Action {
    /// Write this line to stdout. Its line feed is included.
    Send(Vec<u8>),
    /// Write this line, which has no line feed, to stderr.
    Log(String),
    /// Run this job on a worker, and bring its reports back.
    Start(Job),
}

/// A server, from its first byte of input to its last.
#[derive(Debug)]
pub struct Server {
    frames: Frames,
    session: Session,
    calls: Calls,
    batches: Batches,
    actions: Vec<Action>,
}

impl Server {
    /// A server that nobody has spoken to yet.
    pub fn new(config: Config) -> Self {
        Self {
            frames: Frames::default(),
            session: Session::new(config),
            calls: Calls::default(),
            batches: Batches::default(),
            actions: Vec::new(),
        }
    }

    /// Takes bytes from stdin, however they are cut.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Action> {
        while let Some(frame) = self.frames.next(&mut bytes) {
            self.frame(&frame);
        }
        std::mem::take(&mut self.actions)
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
        std::mem::take(&mut self.actions)
    }

    /// Takes the news of a job. A job whose call was cancelled has nobody left to tell.
    pub fn settle(&mut self, Report(job, news): Report) -> Vec<Action> {
        match news {
            News::Progress { done, total } => self.progressed(job, done, total),
            News::Log(_) | News::Changed(_) => {}
            News::Asks(question, _) => self.stopped(job, Stop::Lacks(question.ability())),
            News::Ended(Ok(content)) => self.ended(job, |call| {
                let result = tools::succeeded(content, call.revision);
                reply::success(&call.id, &modern::finish(result, call.revision))
            }),
            News::Ended(Err(why)) => self.stopped(job, why),
            News::Crashed => {
                self.ended(job, |call| reply::failure(Some(&call.id), &Failure::internal("the tool broke down")));
            }
        }
        std::mem::take(&mut self.actions)
    }

    /// Whether everything that was asked is answered.
    pub fn is_idle(&self) -> bool {
        self.calls.is_empty()
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
            Message::Response => {
                self.log("dropped a response to nothing");
                self.deliver(address, None);
            }
            Message::Invalid { id, failure } => {
                self.log(format_args!("refused a message: {failure}"));
                self.deliver(address, Some(reply::failure(id.as_ref(), failure)));
            }
        }
    }

    fn request(&mut self, request: &Request<'_>, address: Address) {
        self.log(format_args!("request {}", Excerpt(&request.method)));
        let answered = Meta::read(request.params).and_then(|meta| {
            let (revision, answer) = self.session.answer(request, &meta, address)?;
            Ok((revision, answer, meta.progress_token))
        });
        match answered {
            Ok((revision, Answer::Ready(result), _)) => {
                let line = reply::success(&request.id, &modern::finish(result, revision));
                self.deliver(address, Some(line));
            }
            Ok((revision, Answer::Later(work), progress_token)) => {
                let cancel = Cancel::default();
                let call = Call {
                    id: request.id.clone(),
                    address,
                    revision,
                    progress_token: progress_token.map(ToOwned::to_owned),
                    cancel: cancel.clone(),
                };
                let id = self.calls.open(call);
                self.actions.push(Action::Start(Job { id, work, cancel, client: Client::default() }));
            }
            Err(failure) => {
                self.deliver(address, Some(reply::failure(Some(&request.id), &failure)));
            }
        }
    }

    fn progressed(&mut self, job: JobId, done: u64, total: u64) {
        let Some(call) = self.calls.get(job) else {
            return;
        };
        if let Some(token) = &call.progress_token {
            let message = call.revision.has_progress_messages().then(|| format!("{done} of {total}"));
            let line = reply::progress(token, done, total, message.as_deref());
            self.actions.push(send(line));
        }
    }

    fn stopped(&mut self, job: JobId, why: Stop) {
        let why = match why {
            Stop::Refused(failure) => {
                return self.ended(job, |call| reply::failure(Some(&call.id), &failure));
            }
            Stop::Failed(why) => why,
            Stop::Lacks(ability) => format!("this client has no {}", ability.name()),
            Stop::Asks(_) | Stop::Misanswered(_) => "the client's answer can't be used".into(),
        };
        self.ended(job, |call| reply::success(&call.id, &modern::finish(tools::failed(&why), call.revision)));
    }

    fn ended(&mut self, job: JobId, reply: impl FnOnce(&Call) -> Vec<u8>) {
        if let Some(call) = self.calls.close(job) {
            self.deliver(call.address, Some(reply(&call)));
        }
    }

    /// Stops what a notification names. One that names nothing is too late, or wrong; either way nobody is told.
    fn cancelled(&mut self, params: Option<&RawValue>) {
        let named = params.and_then(|params| json::members(params, ["requestId"])).and_then(|[id]| id);
        for call in named.map(|id| self.calls.cancel(id)).unwrap_or_default() {
            self.deliver(call.address, None);
        }
    }

    fn deliver(&mut self, address: Address, reply: Option<Vec<u8>>) {
        let line = match address {
            Address::Line => reply,
            Address::Batch(id) => self.batches.settle(id, reply),
        };
        self.actions.extend(line.map(send));
    }

    fn log(&mut self, line: impl std::fmt::Display) {
        self.actions.push(Action::Log(format!("mcp-reference-server: {line}")));
    }
}

fn send(mut line: Vec<u8>) -> Action {
    line.push(b'\n');
    Action::Send(line)
}
