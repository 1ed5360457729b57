//! Finds the revision in which a request is served, and answers it.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::batch::Address;
use super::config::Config;
use super::meta::{Meta, PROTOCOL_VERSION};
use super::{handshake, listing, modern};
use crate::failure::{Excerpt, Failure};
use crate::job::Work;
use crate::json::{self, Kind};
use crate::message::Request;
use crate::revision::{Era, Revision};
use crate::tools::{self, Arguments, Refusal};

/// What later requests depend on: the settings, and the handshake if there was one.
#[derive(Debug)]
pub(crate) struct Session {
    config: Config,
    /// The revision that `initialize` settled. It counts for requests that do not speak for themselves.
    negotiated: Option<Revision>,
}

/// How a request is answered.
pub(crate) enum Answer {
    /// At once, with this result.
    Ready(Value),
    /// When this work is done.
    Later(Work),
}

impl Session {
    /// A session that is not open yet.
    pub(crate) fn new(config: Config) -> Self {
        Self { config, negotiated: None }
    }

    /// Whether a line may hold an array of messages now.
    pub(crate) fn has_batches(&self) -> bool {
        self.negotiated.is_some_and(Revision::has_batches)
    }

    /// Answers a request, and says in which revision.
    pub(crate) fn answer(
        &mut self,
        request: &Request<'_>,
        meta: &Meta<'_>,
        address: Address,
    ) -> Result<(Revision, Answer), Failure> {
        if request.method == "initialize" {
            return self.initialize(request.params, address);
        }
        if meta.claims_modern() && self.config.serves(Era::Modern) {
            if address != Address::Line {
                return Err(Failure::invalid_request("this revision has no batches"));
            }
            let revision = meta.revision(&self.config)?;
            return Ok((revision, self.modern(request, revision)?));
        }
        match self.negotiated {
            Some(revision) => Ok((revision, self.legacy(request, revision)?)),
            // A client may ask whether we live before it opens the session. The answer is the same in every revision.
            None if request.method == "ping" && self.config.serves(Era::Legacy) => {
                Ok((Revision::V2025_11_25, Answer::Ready(json!({}))))
            }
            None => Err(self.unopened()),
        }
    }

    fn initialize(&mut self, params: Option<&RawValue>, address: Address) -> Result<(Revision, Answer), Failure> {
        if address != Address::Line {
            return Err(Failure::invalid_request("initialize must not be part of a batch"));
        }
        let revision = handshake::negotiate(params, &self.config)?;
        self.negotiated = Some(revision);
        Ok((revision, Answer::Ready(handshake::welcome(revision))))
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

    fn modern(&self, request: &Request<'_>, revision: Revision) -> Result<Answer, Failure> {
        match request.method.as_str() {
            "server/discover" => Ok(Answer::Ready(modern::discovery(&self.config))),
            _ => self.shared(request, revision),
        }
    }

    fn legacy(&self, request: &Request<'_>, revision: Revision) -> Result<Answer, Failure> {
        match request.method.as_str() {
            "ping" => Ok(Answer::Ready(json!({}))),
            _ => self.shared(request, revision),
        }
    }

    /// The methods that both eras have.
    fn shared(&self, request: &Request<'_>, revision: Revision) -> Result<Answer, Failure> {
        match request.method.as_str() {
            "tools/list" => listing::tools(request.params, &self.config, revision).map(Answer::Ready),
            "tools/call" => call(request.params, revision),
            method => Err(Failure::method_not_found(method)),
        }
    }
}

/// Prepares a `tools/call`.
fn call(params: Option<&RawValue>, revision: Revision) -> Result<Answer, Failure> {
    let members = params.and_then(|params| json::members(params, ["name", "arguments"]));
    let [name, arguments] = members.unwrap_or_default();
    let name = name.and_then(json::string).ok_or_else(|| Failure::invalid_params("tools/call needs name, a string"))?;
    if arguments.is_some_and(|arguments| json::kind(arguments) != Kind::Object) {
        return Err(Failure::invalid_params("arguments must be an object"));
    }
    let tool = tools::named(&name)
        .ok_or_else(|| Failure::invalid_params(format_args!("unknown tool \"{}\"", Excerpt(&name))))?;
    match (tool.prepare)(&Arguments::new(arguments)) {
        Ok(work) => Ok(Answer::Later(work)),
        Err(Refusal::Malformed(why)) if !revision.reports_arguments_in_results() => Err(Failure::invalid_params(why)),
        Err(Refusal::Malformed(why) | Refusal::Unusable(why)) => Ok(Answer::Ready(tools::failed(&why))),
    }
}
