//! The calls that are running, and what their answers need.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::batch::Address;
use crate::clock::Cancel;
use crate::job::JobId;
use crate::message::Id;
use crate::revision::Revision;

/// One call that has not been answered.
#[derive(Debug)]
pub(crate) struct Call {
    /// The id of the request.
    pub(crate) id: Id,
    /// Where the answer goes.
    pub(crate) address: Address,
    /// The revision in which the answer is written.
    pub(crate) revision: Revision,
    /// The token for progress, where the client wants any.
    pub(crate) progress_token: Option<Box<RawValue>>,
    /// Stops the work.
    pub(crate) cancel: Cancel,
}

/// All calls that have not been answered.
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

    /// The call of that number, unless it was answered or cancelled.
    pub(crate) fn get(&self, job: JobId) -> Option<&Call> {
        self.open.get(&job)
    }

    /// Forgets a call, whose answer is due now.
    pub(crate) fn close(&mut self, job: JobId) -> Option<Call> {
        self.open.remove(&job)
    }

    /// Stops and forgets the calls under an id: of what they still do, nothing will be told. A client should have
    /// only one.
    pub(crate) fn cancel(&mut self, id: &RawValue) -> Vec<Call> {
        let named: Vec<JobId> = self.open.iter().filter(|(_, call)| call.id.is(id)).map(|(job, _)| *job).collect();
        let cancelled: Vec<Call> = named.into_iter().filter_map(|job| self.open.remove(&job)).collect();
        for call in &cancelled {
            call.cancel.cancel();
        }
        cancelled
    }

    /// Whether every call was answered.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::message::{Message, Request};

    fn call(id: &str) -> Call {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
        let Message::Request(Request { id, .. }) = Message::read(json::parse(text.as_bytes()).unwrap()) else {
            panic!("{text} is a request");
        };
        let revision = Revision::V2025_11_25;
        Call { id, address: Address::Line, revision, progress_token: None, cancel: Cancel::default() }
    }

    #[test]
    fn a_cancelled_call_is_stopped_and_forgotten() {
        let mut calls = Calls::default();
        let (kept, gone) = (calls.open(call("1")), calls.open(call("\"1\"")));
        let cancel = calls.get(gone).unwrap().cancel.clone();
        assert_eq!(calls.cancel(json::parse(b"\"1\"").unwrap()).len(), 1);
        assert!(cancel.is_cancelled() && calls.close(gone).is_none());
        assert!(!calls.close(kept).unwrap().cancel.is_cancelled());
        assert!(calls.is_empty());
    }
}
