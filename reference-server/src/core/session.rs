//! Finds the terms on which a request is served, and says how it is answered.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::batch::Address;
use super::calls::Purpose;
use super::config::Config;
use super::listing::listed;
use super::meta::{Meta, PROTOCOL_VERSION};
use super::modern::{Keep, cacheable};
use super::terms::Terms;
use super::{calling, handshake, modern};
use crate::ability::Abilities;
use crate::failure::Failure;
use crate::job::{Caller, Work, World};
use crate::json;
use crate::level::Level;
use crate::message::Request;
use crate::revision::{Era, Revision};
use crate::tools::{self, Arguments, Published, Refusal, WAIT};
use crate::{completion, prompts, resources};

/// What later requests depend on: the settings, the handshake if there was one, and what was published.
#[derive(Debug)]
pub(crate) struct Session {
    config: Config,
    /// What `initialize` settled. It counts for requests that do not speak for themselves.
    negotiated: Option<Terms>,
    /// The tools that were added.
    pub(crate) published: Published,
}

/// How a request is answered.
pub(crate) enum Answer<'a> {
    /// At once, with this result.
    Ready(Value),
    /// When this work is done.
    Later(Plan<'a>),
    /// As one of these methods, which touch more than the session, wants it.
    Special(Method),
}

/// Methods that touch more than the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// `resources/subscribe`
    Subscribe,
    /// `resources/unsubscribe`
    Unsubscribe,
    /// `subscriptions/listen`
    Listen,
    /// `tasks/get`
    GetTask,
    /// `tasks/list`
    ListTasks,
    /// `tasks/result`
    TaskResult,
    /// `tasks/cancel`
    CancelTask,
}

/// Work that answers a request.
pub(crate) struct Plan<'a> {
    /// The work.
    pub(crate) work: Work,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The request's wish for a task.
    pub(crate) task: Option<&'a RawValue>,
}

/// The method of lessons.
const LESSON: &str = "wait";

/// What is answered before a session is open, is answered on these terms.
const UNOPENED: Terms = Terms { revision: Revision::V2025_11_25, abilities: Abilities::NONE, log: None };

impl Plan<'_> {
    fn plain(work: Work) -> Self {
        Self { work, purpose: Purpose::Plain, task: None }
    }
}

impl Session {
    /// A session that is not open yet.
    pub(crate) fn new(config: Config) -> Self {
        Self { config, negotiated: None, published: Published::default() }
    }

    /// The settings.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The revision that the handshake settled.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.negotiated.map(|terms| terms.revision)
    }

    /// Whether a line may hold an array of messages now.
    pub(crate) fn has_batches(&self) -> bool {
        self.revision().is_some_and(Revision::has_batches)
    }

    /// Says how a request is answered, and on which terms.
    pub(crate) fn answer<'a>(
        &mut self,
        request: &Request<'a>,
        meta: &Meta<'_>,
        address: Address,
    ) -> Result<(Terms, Answer<'a>), Failure> {
        if request.method == "initialize" {
            return self.initialize(request.params, address);
        }
        match self.terms(meta)? {
            Some(terms) if terms.revision.era() == Era::Legacy => Ok((terms, self.legacy(request, terms)?)),
            Some(_) if address != Address::Line => Err(Failure::invalid_request("this revision has no batches")),
            Some(terms) => Ok((terms, self.modern(request, terms)?)),
            None => Ok((UNOPENED, self.early(request)?)),
        }
    }

    /// The terms that a request sets by itself, or else those of the handshake, if there was one.
    pub(crate) fn terms(&self, meta: &Meta<'_>) -> Result<Option<Terms>, Failure> {
        if meta.claims_modern() && self.config.serves(Era::Modern) {
            meta.terms(&self.config).map(Some)
        } else {
            Ok(self.negotiated)
        }
    }

    /// Answers what needs no session. The answers are the same in every revision.
    fn early<'a>(&self, request: &Request<'a>) -> Result<Answer<'a>, Failure> {
        match request.method.as_str() {
            // A client may ask whether we live before it opens the session.
            "ping" if self.config.serves(Era::Legacy) => Ok(Answer::Ready(json!({}))),
            LESSON if self.config.lessons => lesson(request.params),
            _ => Err(self.unopened()),
        }
    }

    fn initialize<'a>(&mut self, params: Option<&RawValue>, address: Address) -> Result<(Terms, Answer<'a>), Failure> {
        if address != Address::Line {
            return Err(Failure::invalid_request("initialize must not be part of a batch"));
        }
        let terms = handshake::negotiate(params, &self.config)?;
        self.negotiated = Some(terms);
        Ok((terms, Answer::Ready(handshake::welcome(terms.revision))))
    }

    /// What to say to a request that comes before the handshake and does not speak for itself. Where the modern era
    /// is served, what such a request lacks is its metadata.
    fn unopened(&self) -> Failure {
        match (self.config.serves(Era::Legacy), self.config.serves(Era::Modern)) {
            (_, false) => Failure::invalid_request("the session is not open: send initialize first"),
            (false, true) => Failure::invalid_params(format_args!("_meta lacks {PROTOCOL_VERSION:?}")),
            (true, true) => {
                Failure::invalid_params(format_args!("_meta lacks {PROTOCOL_VERSION:?}, and initialize was not sent"))
            }
        }
    }

    fn modern<'a>(&self, request: &Request<'a>, terms: Terms) -> Result<Answer<'a>, Failure> {
        match request.method.as_str() {
            "server/discover" => Ok(Answer::Ready(modern::discovery(&self.config, terms.revision))),
            "subscriptions/listen" => Ok(Answer::Special(Method::Listen)),
            _ => self.shared(request, terms),
        }
    }

    fn legacy<'a>(&mut self, request: &Request<'a>, terms: Terms) -> Result<Answer<'a>, Failure> {
        match request.method.as_str() {
            "ping" => Ok(Answer::Ready(json!({}))),
            "logging/setLevel" => self.set_level(request.params),
            "resources/subscribe" => Ok(Answer::Special(Method::Subscribe)),
            "resources/unsubscribe" => Ok(Answer::Special(Method::Unsubscribe)),
            "tasks/get" if terms.revision.has_tasks() => Ok(Answer::Special(Method::GetTask)),
            "tasks/list" if terms.revision.has_tasks() => Ok(Answer::Special(Method::ListTasks)),
            "tasks/result" if terms.revision.has_tasks() => Ok(Answer::Special(Method::TaskResult)),
            "tasks/cancel" if terms.revision.has_tasks() => Ok(Answer::Special(Method::CancelTask)),
            _ => self.shared(request, terms),
        }
    }

    fn set_level<'a>(&mut self, params: Option<&RawValue>) -> Result<Answer<'a>, Failure> {
        let level = params.and_then(|params| json::members(params, ["level"])).and_then(|[level]| level);
        let level = level.and_then(json::string).and_then(|level| Level::named(&level));
        let level =
            level.ok_or_else(|| Failure::invalid_params(format_args!("level must be one of {}", Level::names())))?;
        if let Some(terms) = &mut self.negotiated {
            terms.log = Some(level);
        }
        Ok(Answer::Ready(json!({})))
    }

    /// The methods that both eras have.
    fn shared<'a>(&self, request: &Request<'a>, terms: Terms) -> Result<Answer<'a>, Failure> {
        let (params, revision) = (request.params, terms.revision);
        match request.method.as_str() {
            "tools/list" => {
                self.list(params, "tools", tools::entries(&self.published, revision), Keep::Fresh, revision)
            }
            "tools/call" => calling::prepare(params, &self.published, revision),
            "resources/list" => self.list(params, "resources", resources::entries(revision), Keep::Long, revision),
            "resources/templates/list" => {
                self.list(params, "resourceTemplates", resources::templates(revision), Keep::Long, revision)
            }
            "resources/read" => {
                let read = resources::read(params, revision)?;
                let work = move |world: &World, caller: &mut Caller<'_>| {
                    Ok(cacheable(read(world, caller)?, Keep::Fresh, revision))
                };
                Ok(Answer::Later(Plan::plain(Box::new(work))))
            }
            "prompts/list" => self.list(params, "prompts", prompts::entries(revision), Keep::Long, revision),
            "prompts/get" => prompts::get(params).map(Answer::Ready),
            "completion/complete" => Ok(Answer::Later(Plan::plain(completion::complete(params)?))),
            LESSON if self.config.lessons => lesson(params),
            method => Err(Failure::method_not_found(method)),
        }
    }

    fn list<'a>(
        &self,
        params: Option<&RawValue>,
        list: &'static str,
        entries: Vec<Value>,
        keep: Keep,
        revision: Revision,
    ) -> Result<Answer<'a>, Failure> {
        listed(params, &self.config, list, entries).map(|result| Answer::Ready(cacheable(result, keep, revision)))
    }
}

/// Prepares the method of lessons: what the tool of that name does, as a method of its own.
fn lesson<'a>(params: Option<&RawValue>) -> Result<Answer<'a>, Failure> {
    match WAIT.work(&Arguments::new(params)) {
        Ok(work) => Ok(Answer::Later(Plan { work, purpose: Purpose::Lesson, task: None })),
        Err(Refusal::Malformed(why) | Refusal::Unusable(why)) => Err(Failure::invalid_params(why)),
    }
}
