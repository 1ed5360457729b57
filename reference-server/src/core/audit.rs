//! Which calls of tools are to be written down, and when.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::Value;
use serde_json::value::RawValue;

use super::calling;
use super::server::{Action, Server};
use crate::audit::{Entry, Trail};
use crate::failure::Failure;
use crate::job::{JobId, Work, Yield};
use crate::tools;

/// What is said of a call that its client called off before it had done anything.
pub(super) const CANCELLED: &str = "the client cancelled it";

/// What is said of a call that is not made because it could not be written down.
const UNAUDITED: &str =
    "nothing was done: the audit log can't be written, and no tool is called without it; tell whoever runs this server";

/// What is done instead of a call that can't be written down.
pub(super) fn refusal() -> Work {
    Box::new(|_, _| Err(UNAUDITED.into()))
}

/// Whether calls are written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nobody wants that.
    #[default]
    Off,
    /// They are.
    Works,
    /// They should be, and can't be.
    Fails,
}

/// The calls that are to be written down when they end.
#[derive(Debug, Default)]
pub(super) struct Audit {
    state: State,
    open: BTreeMap<JobId, Trail>,
}

impl Audit {
    /// An audit, or none.
    pub(super) fn new(wanted: bool) -> Self {
        Self { state: if wanted { State::Works } else { State::Off }, open: BTreeMap::new() }
    }

    /// Whether calls should be written down and can't be.
    pub(super) fn fails(&self) -> bool {
        self.state == State::Fails
    }

    /// Notes a call that begins.
    pub(super) fn begin(&mut self, job: JobId, params: Option<&RawValue>, now: SystemTime) {
        if self.state != State::Off {
            self.open.insert(job, Trail::new(params, now));
        }
    }

    fn end(&mut self, job: JobId, now: SystemTime, error: Option<String>) -> Option<Entry> {
        self.open.remove(&job).map(|trail| trail.end(now, error))
    }
}

impl Server {
    /// Learns whether the last entry could be written, or a first one could be. While none can, no tool is called.
    pub fn audit_works(&mut self, works: bool) {
        if self.audit.state != State::Off {
            self.audit.state = if works { State::Works } else { State::Fails };
        }
    }

    /// Writes down what nobody will hear the end of: the process ends, and the calls with it.
    pub fn abandon(&mut self) -> Vec<Action> {
        let jobs: Vec<JobId> = self.audit.open.keys().copied().collect();
        for job in jobs {
            self.audit_end(job, Some("the server ended before the call did".into()));
        }
        self.take_actions()
    }

    /// Writes down a call that was refused before it began.
    pub(super) fn audit_refusal(&mut self, params: Option<&RawValue>, failure: &Failure) {
        if self.audit.state != State::Off {
            let now = self.now.read();
            let entry = Trail::new(params, now).end(now, Some(failure.to_string()));
            self.push(Action::Audit(entry));
        }
    }

    /// Writes down a call that has been answered. One that was answered with a question is not over.
    pub(super) fn audit_answer(&mut self, job: JobId, outcome: &Result<Value, Failure>) {
        let error = match outcome {
            Err(failure) => Some(failure.to_string()),
            Ok(result) if result["resultType"] == "input_required" => {
                self.audit.open.remove(&job);
                return;
            }
            Ok(result) => tools::complaint(result).map(ToOwned::to_owned),
        };
        self.audit_end(job, error);
    }

    /// Writes down a call whose answer nobody wants any more. What it did counts all the same.
    pub(super) fn audit_unheard(&mut self, job: JobId, ended: &Yield) {
        self.audit_end(job, ended.as_ref().err().map(calling::words));
    }

    /// Writes down the end of a call, if it is to be.
    pub(super) fn audit_end(&mut self, job: JobId, error: Option<String>) {
        let now = self.now.read();
        if let Some(entry) = self.audit.end(job, now, error) {
            self.push(Action::Audit(entry));
        }
    }
}
