//! Our own requests to the client, until they are answered (legacy era).

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::Excerpt;
use crate::job::{JobId, Suspended};
use crate::json;
use crate::message::Id;
use crate::question::{Question, Reply};

/// A question that the client has not answered.
#[derive(Debug)]
struct Open {
    job: JobId,
    work: Suspended,
    digest: u64,
}

/// All questions that the client has not answered. A request's number is never used again.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    last: u64,
    open: BTreeMap<u64, Open>,
}

/// Work that can go on.
#[derive(Debug)]
pub(crate) struct Resumed {
    /// The job that it is.
    pub(crate) job: JobId,
    /// The work.
    pub(crate) work: Suspended,
    /// What the client said.
    pub(crate) reply: Reply,
}

impl Questions {
    /// Notes a question, and gives it the id of a request.
    pub(crate) fn open(&mut self, job: JobId, question: &Question, work: Suspended) -> Id {
        self.last += 1;
        self.open.insert(self.last, Open { job, work, digest: question.digest() });
        id(self.last)
    }

    /// Takes a response. `None` where it is one to nothing that is open.
    pub(crate) fn answer(
        &mut self,
        id: Option<&RawValue>,
        said: Result<&RawValue, Option<&RawValue>>,
    ) -> Option<Resumed> {
        let open = self.open.remove(&number(&json::string(id?)?)?)?;
        Some(open.resume(said.map_err(refusal).and_then(|result| {
            serde_json::from_str::<Value>(result.get()).map_err(|_| "the client's answer can't be read".into())
        })))
    }

    /// Forgets the question of a job, and returns its id.
    pub(crate) fn forget(&mut self, job: JobId) -> Option<Id> {
        let number = *self.open.iter().find(|(_, open)| open.job == job)?.0;
        self.open.remove(&number).map(|_| id(number))
    }

    /// Gives up all questions: nobody is there to answer them.
    pub(crate) fn give_up(&mut self) -> Vec<Resumed> {
        let open = std::mem::take(&mut self.open).into_values();
        open.map(|open| open.resume(Err("the client left without answering".into()))).collect()
    }
}

impl Open {
    fn resume(self, said: Result<Value, String>) -> Resumed {
        Resumed { job: self.job, work: self.work, reply: Reply { to: self.digest, said } }
    }
}

/// What an error says, in a sentence for the model.
fn refusal(error: Option<&RawValue>) -> String {
    let message = error.and_then(|error| json::members(error, ["message"])).and_then(|[message]| message);
    let message = message.and_then(json::string).unwrap_or_default();
    format!("the client refused to answer: \"{}\"", Excerpt(&message))
}

fn id(number: u64) -> Id {
    Id::ours(&format!("server-{number}"))
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix("server-")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Suspended {
        Suspended(Box::new(|_, _| Ok(Value::Null)))
    }

    #[test]
    fn a_question_is_answered_once() {
        let mut questions = Questions::default();
        let id = questions.open(JobId(3), &Question::Roots, work());
        let result = json::parse(b"{}").unwrap();
        assert!(questions.answer(None, Ok(result)).is_none());
        assert!(questions.answer(Some(result), Ok(result)).is_none());
        let resumed = questions.answer(Some(id.token()), Ok(result)).unwrap();
        assert_eq!((resumed.job, resumed.reply.to), (JobId(3), Question::Roots.digest()));
        assert!(questions.answer(Some(id.token()), Ok(result)).is_none());
        let next = questions.open(JobId(3), &Question::Roots, work());
        assert!(!next.is(id.token()));
    }

    #[test]
    fn an_error_is_told_in_its_own_words() {
        let mut questions = Questions::default();
        let id = questions.open(JobId(3), &Question::Roots, work());
        let error = json::parse(br#"{"code":-1,"message":"not now"}"#);
        let said = questions.answer(Some(id.token()), Err(error)).unwrap().reply.said;
        assert_eq!(said.unwrap_err(), "the client refused to answer: \"not now\"");
    }

    #[test]
    fn a_forgotten_question_can_not_be_answered() {
        let mut questions = Questions::default();
        let id = questions.open(JobId(3), &Question::Roots, work());
        assert!(questions.forget(JobId(4)).is_none());
        assert!(questions.forget(JobId(3)).unwrap().is(id.token()));
        assert!(questions.answer(Some(id.token()), Err(None)).is_none());
        assert!(questions.give_up().is_empty());
    }
}
