//! The calls that are running, and what their answers need.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::batch::Address;
use super::state::Binding;
use super::terms::Terms;
use crate::clock::Cancel;
use crate::job::JobId;
use crate::message::Id;

/// One piece of work that has not ended.
#[derive(Debug)]
pub(crate) struct Call {
    /// Who is to be told of its end.
    pub(crate) owed: Owed,
    /// What it is answered under.
    pub(crate) terms: Terms,
    /// The token for progress, where the client wants any.
    pub(crate) progress_token: Option<Box<RawValue>>,
    /// The last progress that was told.
    pub(crate) told: Option<u64>,
    /// What the work is for.
    pub(crate) purpose: Purpose,
    /// Stops the work.
    pub(crate) cancel: Cancel,
}

/// Who is to be told of the end of a call.
#[derive(Debug, Clone)]
pub(crate) enum Owed {
    /// Whoever sent a request.
    Request {
        /// The id of the request.
        id: Id,
        /// Where the answer goes.
        address: Address,
    },
    /// Whoever asks for the task of that id.
    Task(String),
}

impl Owed {
    /// Whether the answer is owed to a request of that id.
    fn is_request(&self, named: &RawValue) -> bool {
        matches!(self, Self::Request { id, .. } if id.is(named))
    }
}

/// What work is for.
#[derive(Debug, Clone)]
pub(crate) enum Purpose {
    /// A tool was called.
    Tool {
        /// Its name.
        name: String,
        /// Stands for the call in states.
        binding: Binding,
    },
    /// Something else was asked for, and what the work yields is the result.
    Plain,
    /// The same, of the method of lessons, which may take as long as it is asked to.
    Lesson,
}

/// All calls that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    last: u64,
    open: BTreeMap<JobId, Call>,
}

impl Calls {
    /// Notes a call, and gives it a number.
    pub(crate) fn open(&mut self, call: Call) -> JobId {
        self.last += 1;
        let job = JobId(self.last);
        self.open.insert(job, call);
        job
    }

    /// The call of that number, unless it has ended or was cancelled.
    pub(crate) fn get(&mut self, job: JobId) -> Option<&mut Call> {
        self.open.get_mut(&job)
    }

    /// Whether there is a call of that number that has not ended and was not cancelled.
    pub(crate) fn has(&self, job: JobId) -> bool {
        self.open.contains_key(&job)
    }

    /// Forgets a call, whose answer is due now.
    pub(crate) fn close(&mut self, job: JobId) -> Option<Call> {
        self.open.remove(&job)
    }

    /// Stops and forgets the calls under a request's id: of what they still do, nothing will be told. A client
    /// should have only one.
    pub(crate) fn cancel(&mut self, id: &RawValue) -> Vec<(JobId, Call)> {
        self.stop(|call| call.owed.is_request(id))
    }

    /// Stops and forgets the work of a task.
    pub(crate) fn cancel_task(&mut self, task: &str) {
        self.stop(|call| matches!(&call.owed, Owed::Task(id) if id == task));
    }

    /// Whether every request was answered. Tasks owe no answer of their own.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.values().all(|call| matches!(call.owed, Owed::Task(_)))
    }

    fn stop(&mut self, which: impl Fn(&Call) -> bool) -> Vec<(JobId, Call)> {
        let named: Vec<JobId> = self.open.iter().filter(|(_, call)| which(call)).map(|(job, _)| *job).collect();
        let stopped: Vec<_> =
            named.into_iter().filter_map(|job| self.open.remove(&job).map(|call| (job, call))).collect();
        for (_, call) in &stopped {
            call.cancel.cancel();
        }
        stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::Abilities;
    use crate::json;
    use crate::message::{Message, Request};
    use crate::revision::Revision;

    fn call(owed: Owed) -> Call {
        let terms = Terms { revision: Revision::V2025_11_25, abilities: Abilities::default(), log: None };
        let cancel = Cancel::default();
        Call { owed, terms, progress_token: None, told: None, purpose: Purpose::Plain, cancel }
    }

    fn request(id: &str) -> Owed {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
        let Message::Request(Request { id, .. }) = Message::read(json::parse(text.as_bytes()).unwrap()) else {
            panic!("{text} is a request");
        };
        Owed::Request { id, address: Address::Line }
    }

    #[test]
    fn a_cancelled_call_is_stopped_and_forgotten() {
        let mut calls = Calls::default();
        let (kept, gone) = (calls.open(call(request("1"))), calls.open(call(request("\"1\""))));
        let cancel = calls.get(gone).unwrap().cancel.clone();
        assert_eq!(calls.cancel(json::parse(b"\"1\"").unwrap()).len(), 1);
        assert!(cancel.is_cancelled() && calls.close(gone).is_none());
        assert!(!calls.close(kept).unwrap().cancel.is_cancelled());
        assert!(calls.is_empty());
    }

    #[test]
    fn a_task_is_cancelled_by_its_own_id_only_and_owes_no_answer() {
        let mut calls = Calls::default();
        let job = calls.open(call(Owed::Task("1".into())));
        assert!(calls.is_empty());
        assert!(calls.cancel(json::parse(b"\"1\"").unwrap()).is_empty());
        calls.cancel_task("1");
        assert!(calls.get(job).is_none());
    }
}
