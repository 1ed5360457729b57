//! Calls that are asked about later: the tasks of 2025-11-25.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::batch::Address;
use crate::failure::{Excerpt, Failure};
use crate::integer::Integer;
use crate::json::{self, Kind};
use crate::message::Id;
use crate::timestamp::timestamp;

/// The most tasks that are kept.
const MOST: usize = 256;
/// For how long a task is kept where its caller does not say, in milliseconds.
const USUAL_TTL: u64 = 600_000;
/// For how long a task is kept at most, in milliseconds.
const LONGEST_TTL: u64 = 3_600_000;
/// How often a client may want to ask, in milliseconds.
const POLL: u64 = 500;

/// How far a task has come.
#[derive(Debug)]
enum State {
    Working,
    /// The call has come to what it would have been answered with.
    Done(Result<Value, Failure>),
    Cancelled,
}

#[derive(Debug)]
struct Task {
    id: String,
    state: State,
    created: SystemTime,
    updated: SystemTime,
    ttl: u64,
}

/// A request for the result of a task that has not ended.
#[derive(Debug)]
pub(crate) struct Waiter {
    /// The id of the request.
    pub(crate) id: Id,
    /// Where the answer goes.
    pub(crate) address: Address,
    task: String,
}

/// All tasks, the oldest first, and those who wait for their results.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    waiters: Vec<Waiter>,
    count: u64,
    random: RandomState,
}

/// A task that has come to its end.
pub(crate) struct Ended {
    /// The task as its client sees it now.
    pub(crate) task: Value,
    /// What it is answered with.
    pub(crate) result: Result<Value, Failure>,
    /// Who waited for that.
    pub(crate) waiters: Vec<Waiter>,
}

impl Tasks {
    /// Begins a task with the `task` of a request, and returns its id and what the client is told of it.
    pub(crate) fn begin(&mut self, wish: &RawValue, now: SystemTime) -> Result<(String, Value), Failure> {
        let ttl = ttl(wish)?;
        self.expire(now);
        if self.tasks.len() == MOST {
            let Some(oldest) = self.tasks.iter().position(|task| !matches!(task.state, State::Working)) else {
                return Err(Failure::internal(format_args!("{MOST} tasks are running, and no more can be")));
            };
            self.tasks.remove(oldest);
        }
        self.count += 1;
        // Nobody can guess the keys of the hash, and so nobody an id.
        let [one, other] = [0, 1].map(|half| self.random.hash_one((self.count, half)));
        let id = format!("{one:016x}{other:016x}");
        let task = Task { id: id.clone(), state: State::Working, created: now, updated: now, ttl };
        let told = json!({ "task": task.describe() });
        self.tasks.push(task);
        Ok((id, told))
    }

    /// The task that a request names.
    pub(crate) fn get(&mut self, params: Option<&RawValue>, now: SystemTime) -> Result<Value, Failure> {
        Ok(self.named(params, now)?.describe())
    }

    /// All tasks, as their client sees them.
    pub(crate) fn list(&mut self, now: SystemTime) -> Vec<Value> {
        self.expire(now);
        self.tasks.iter().map(Task::describe).collect()
    }

    /// The result of the task that a request names. `None` where that has not ended: the request is noted, and
    /// answered when it has.
    pub(crate) fn result(
        &mut self,
        params: Option<&RawValue>,
        id: &Id,
        address: Address,
        now: SystemTime,
    ) -> Result<Option<Value>, Failure> {
        let task = self.named(params, now)?;
        match task.result() {
            Some(result) => result.map(Some),
            None => {
                let task = task.id.clone();
                self.waiters.push(Waiter { id: id.clone(), address, task });
                Ok(None)
            }
        }
    }

    /// Ends the task that a request names, before its work does. Returns the task's id too.
    pub(crate) fn cancel(&mut self, params: Option<&RawValue>, now: SystemTime) -> Result<(String, Ended), Failure> {
        let task = self.named(params, now)?;
        if !matches!(task.state, State::Working) {
            return Err(Failure::invalid_params("the task has ended already"));
        }
        let id = task.id.clone();
        let ended = self.end(&id, State::Cancelled, now);
        ended.map(|ended| (id, ended)).ok_or_else(|| Failure::internal("the task was lost"))
    }

    /// Ends a task with what its work came to. `None` where the task is gone, or ended before.
    pub(crate) fn finish(&mut self, id: &str, result: Result<Value, Failure>, now: SystemTime) -> Option<Ended> {
        self.end(id, State::Done(result), now)
    }

    /// Forgets those who wait under a request's id, and returns them.
    pub(crate) fn forget(&mut self, id: &RawValue) -> Vec<Waiter> {
        self.waiters.extract_if(.., |waiter| waiter.id.is(id)).collect()
    }

    /// Whether anybody waits.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.waiters.is_empty()
    }

    fn end(&mut self, id: &str, state: State, now: SystemTime) -> Option<Ended> {
        let task = self.tasks.iter_mut().find(|task| task.id == id && matches!(task.state, State::Working))?;
        task.state = state;
        task.updated = now;
        let (result, task) = (task.result()?, task.describe());
        let waiters = self.waiters.extract_if(.., |waiter| waiter.task == id).collect();
        Some(Ended { task, result, waiters })
    }

    fn named(&mut self, params: Option<&RawValue>, now: SystemTime) -> Result<&Task, Failure> {
        self.expire(now);
        let id = params.and_then(|params| json::members(params, ["taskId"])).and_then(|[id]| id);
        let id = id.and_then(json::string).ok_or_else(|| Failure::invalid_params("taskId must be a string"))?;
        self.tasks
            .iter()
            .find(|task| task.id == id)
            .ok_or_else(|| Failure::invalid_params(format_args!("there is no task \"{}\"", Excerpt(&id))))
    }

    /// Forgets tasks that have ended and whose time is over.
    fn expire(&mut self, now: SystemTime) {
        self.tasks.retain(|task| {
            matches!(task.state, State::Working) || task.created + Duration::from_millis(task.ttl) > now
        });
    }
}

impl Task {
    /// The task as its client sees it.
    fn describe(&self) -> Value {
        let (status, message) = match &self.state {
            State::Working => ("working", None),
            State::Cancelled => ("cancelled", Some("the client cancelled it".to_owned())),
            State::Done(Err(failure)) => ("failed", Some(failure.to_string())),
            State::Done(Ok(result)) if result["isError"] == json!(true) => {
                ("failed", result["content"][0]["text"].as_str().map(ToOwned::to_owned))
            }
            State::Done(Ok(_)) => ("completed", None),
        };
        let mut told = json!({
            "taskId": self.id,
            "status": status,
            "createdAt": timestamp(self.created),
            "lastUpdatedAt": timestamp(self.updated),
            "ttl": self.ttl,
            "pollInterval": POLL,
        });
        if let Some(message) = message {
            told["statusMessage"] = message.into();
        }
        told
    }

    /// What the task's call is answered with, once it has ended.
    fn result(&self) -> Option<Result<Value, Failure>> {
        let mut result = match &self.state {
            State::Working => return None,
            State::Done(Ok(result)) => result.clone(),
            State::Done(Err(failure)) => return Some(Err(failure.clone())),
            State::Cancelled => crate::tools::failed("the task was cancelled"),
        };
        result["_meta"] = related(&self.id);
        Some(Ok(result))
    }
}

/// Says of a message which task it belongs to.
pub(crate) fn related(task: &str) -> Value {
    json!({ "io.modelcontextprotocol/related-task": { "taskId": task } })
}

/// For how long a task is to be kept.
fn ttl(wish: &RawValue) -> Result<u64, Failure> {
    if json::kind(wish) != Kind::Object {
        return Err(Failure::invalid_params("task must be an object"));
    }
    match json::members(wish, ["ttl"]).and_then(|[ttl]| ttl) {
        None => Ok(USUAL_TTL),
        Some(ttl) => match Integer::read(ttl) {
            Some(ttl) if !ttl.is_negative() => Ok(ttl.to_u64().unwrap_or(LONGEST_TTL).min(LONGEST_TTL)),
            _ => Err(Failure::invalid_params("ttl must be a whole number of milliseconds")),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn begin(tasks: &mut Tasks, wish: &str, now: SystemTime) -> Result<(String, Value), Failure> {
        tasks.begin(json::parse(wish.as_bytes()).unwrap(), now)
    }

    fn get(tasks: &mut Tasks, id: &str, now: SystemTime) -> Result<Value, Failure> {
        let params = json!({ "taskId": id }).to_string();
        tasks.get(json::parse(params.as_bytes()), now)
    }

    #[test]
    fn a_task_is_kept_for_its_time_once_it_has_ended() {
        let mut tasks = Tasks::default();
        let (id, told) = begin(&mut tasks, r#"{"ttl":1000}"#, UNIX_EPOCH).unwrap();
        assert_eq!((&told["task"]["status"], &told["task"]["ttl"]), (&json!("working"), &json!(1000)));
        let late = UNIX_EPOCH + Duration::from_secs(5);
        assert_eq!(get(&mut tasks, &id, late).unwrap()["status"], "working");
        assert!(tasks.finish(&id, Ok(json!({ "content": [] })), UNIX_EPOCH).is_some());
        assert!(tasks.finish(&id, Ok(json!({ "content": [] })), UNIX_EPOCH).is_none());
        assert_eq!(get(&mut tasks, &id, UNIX_EPOCH).unwrap()["status"], "completed");
        assert_eq!(get(&mut tasks, &id, late).unwrap_err().code(), -32602);
    }

    #[test]
    fn a_wish_is_met_as_far_as_it_can_be() {
        let mut tasks = Tasks::default();
        for (wish, ttl) in [("{}", USUAL_TTL), (r#"{"ttl":1e400}"#, LONGEST_TTL), (r#"{"ttl":0}"#, 0)] {
            assert_eq!(begin(&mut tasks, wish, UNIX_EPOCH).unwrap().1["task"]["ttl"], ttl);
        }
        for wish in ["5", r#"{"ttl":-1}"#, r#"{"ttl":null}"#, r#"{"ttl":0.5}"#] {
            assert_eq!(begin(&mut tasks, wish, UNIX_EPOCH).unwrap_err().code(), -32602, "{wish}");
        }
    }

    #[test]
    fn the_oldest_that_has_ended_makes_room() {
        let mut tasks = Tasks::default();
        let ids: Vec<_> = (0..MOST).map(|_| begin(&mut tasks, "{}", UNIX_EPOCH).unwrap().0).collect();
        assert!(begin(&mut tasks, "{}", UNIX_EPOCH).is_err());
        tasks.finish(&ids[7], Err(Failure::internal("x")), UNIX_EPOCH).unwrap();
        assert_eq!(get(&mut tasks, &ids[7], UNIX_EPOCH).unwrap()["status"], "failed");
        begin(&mut tasks, "{}", UNIX_EPOCH).unwrap();
        assert!(get(&mut tasks, &ids[7], UNIX_EPOCH).is_err());
        assert_eq!(tasks.list(UNIX_EPOCH).len(), MOST);
    }
}
