//! `tools/call`: from a request to work, and from what the work came to to a result.

use std::time::SystemTime;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::calls::{Call, Purpose};
use super::session::{Answer, Plan};
use super::state::Binding;
use super::terms::Terms;
use crate::failure::{Excerpt, Failure};
use crate::job::{Stop, Yield};
use crate::json::{self, Kind};
use crate::question::{Question, Reply};
use crate::revision::{Era, Revision};
use crate::tools::{self, Arguments, Published, Refusal};

/// The key of our one question in a result that asks.
const QUESTION: &str = "answer";

/// Prepares a `tools/call`.
pub(crate) fn prepare<'a>(
    params: Option<&'a RawValue>,
    published: &Published,
    revision: Revision,
) -> Result<Answer<'a>, Failure> {
    let members = params.and_then(|params| json::members(params, ["name", "arguments", "task"]));
    let [name, arguments, task] = members.unwrap_or_default();
    let name = name.and_then(json::string).ok_or_else(|| Failure::invalid_params("tools/call needs name, a string"))?;
    if arguments.is_some_and(|arguments| json::kind(arguments) != Kind::Object) {
        return Err(Failure::invalid_params("arguments must be an object"));
    }
    let task = task.filter(|_| revision.has_tasks());
    let Some(prepared) = tools::prepare(&name, &Arguments::new(arguments), published) else {
        return Err(Failure::invalid_params(format_args!("unknown tool \"{}\"", Excerpt(&name))));
    };
    if task.is_some() && !tools::may_be_task(&name) {
        return Err(Failure::no_task(&name));
    }
    let binding = Binding::of(&name, arguments);
    let purpose = Purpose::Tool { name, binding };
    match prepared {
        Ok(work) => Ok(Answer::Later(Plan { work, purpose, task })),
        Err(Refusal::Malformed(why)) if !revision.reports_arguments_in_results() => Err(Failure::invalid_params(why)),
        // Told by work too, so that such a call is logged, and may be a task, as any other.
        Err(Refusal::Malformed(why) | Refusal::Unusable(why)) => {
            Ok(Answer::Later(Plan { work: Box::new(move |_, _| Err(why.clone().into())), purpose, task }))
        }
    }
}

/// What a request brings as the answer to the question with which it was answered before (modern era).
pub(crate) fn reply(params: Option<&RawValue>, binding: Binding, now: SystemTime) -> Result<Option<Reply>, Failure> {
    let names = ["requestState", "inputResponses"];
    let [state, responses] = params.and_then(|params| json::members(params, names)).unwrap_or_default();
    if responses.is_some_and(|responses| json::kind(responses) != Kind::Object) {
        return Err(Failure::invalid_params("inputResponses must be an object"));
    }
    let Some(state) = state else {
        return Ok(None);
    };
    let state = json::string(state).ok_or_else(|| Failure::invalid_params("requestState must be a string"))?;
    let to = binding.open(&state, now).map_err(Failure::invalid_params)?;
    let said = responses.and_then(|responses| json::members(responses, [QUESTION])).and_then(|[said]| said);
    let Some(said) = said else {
        return Ok(None);
    };
    let said = serde_json::from_str(said.get())
        .map_err(|_| Failure::invalid_params(format_args!("inputResponses {QUESTION:?} can't be read")))?;
    Ok(Some(Reply { to, said: Ok(said) }))
}

/// The result that asks the client (modern era).
pub(crate) fn input_required(question: &Question, binding: Binding, revision: Revision, now: SystemTime) -> Value {
    json!({
        "resultType": "input_required",
        "inputRequests": { QUESTION: { "method": question.method(), "params": question.params(revision) } },
        "requestState": binding.seal(question.digest(), now),
    })
}

/// What a call is answered with.
pub(crate) fn outcome(call: &Call, ended: Yield) -> Result<Value, Failure> {
    let Terms { revision, .. } = call.terms;
    match (&call.purpose, ended) {
        (Purpose::Plain | Purpose::Lesson, Ok(result)) => Ok(result),
        (Purpose::Tool { name, .. }, Ok(content)) => Ok(tools::succeeded(name, content, revision)),
        (_, Err(Stop::Refused(failure))) => Err(failure),
        (Purpose::Plain | Purpose::Lesson, Err(Stop::Failed(why))) => Err(Failure::internal(why)),
        (_, Err(Stop::Lacks(ability))) if revision.era() == Era::Modern => Err(Failure::missing_capability(ability)),
        (_, Err(Stop::Misanswered(what))) if revision.era() == Era::Modern => {
            Err(Failure::invalid_params(format_args!("inputResponses {QUESTION:?}: {what}")))
        }
        (_, Err(stop)) => Ok(tools::failed(&words(&stop))),
    }
}

/// What a model is told where a call failed.
pub(super) fn words(stop: &Stop) -> String {
    match stop {
        Stop::Failed(why) => why.clone(),
        Stop::Lacks(ability) => {
            format!("this needs a client with the capability {}, and this one did not declare it", ability.name())
        }
        Stop::Misanswered(what) => format!("the client's answer can't be used: {what}"),
        Stop::Refused(failure) => failure.to_string(),
        Stop::Asks(question) => format!("{} was not answered", question.method()),
    }
}
