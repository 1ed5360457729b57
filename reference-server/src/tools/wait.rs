//! `wait`: a call that takes as long as the caller wants.

use serde_json::{Value, json};

use super::steps::pass;
use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Caller, Work, World, Yield};

/// The longest wait, in milliseconds.
const MOST: u64 = 60_000;

pub(crate) const WAIT: Tool = Tool {
    name: "wait",
    title: "Wait",
    description: "Waits for a number of milliseconds, then answers. Reports progress, and can be cancelled.",
    input,
    output: Some(output),
    prepare,
    manner: Manner::Looks,
    tasks: Tasks::Optional,
};

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "ms": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST,
                "description": "How long, in milliseconds.",
            },
        },
        "required": ["ms"],
    })
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "waited_ms": { "type": "integer", "minimum": 0, "maximum": MOST } },
        "required": ["waited_ms"],
        "additionalProperties": false,
    })
}

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let total = arguments.integer("ms")?;
    Ok(Box::new(move |world: &World, caller: &mut Caller<'_>| wait(total, world, caller)))
}

fn wait(total: u64, world: &World, caller: &mut Caller<'_>) -> Yield {
    pass(total, world, caller)?;
    Ok(json!({ "waited_ms": total }))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;
    use crate::clock::{Cancel, Clock};
    use crate::db::Sqlite;
    use crate::job::{Client, Job, JobId, News, Report};

    /// Notes each pause, and cancels the call in one of them.
    struct Notes {
        pauses: Arc<Mutex<Vec<Duration>>>,
        cancel_in: Option<usize>,
    }

    impl Clock for Notes {
        fn pause(&self, time: Duration, cancel: &Cancel) {
            let mut pauses = self.pauses.lock().unwrap();
            pauses.push(time);
            if Some(pauses.len()) == self.cancel_in {
                cancel.cancel();
            }
        }
    }

    /// Waits, and returns the pauses that it took and the progress that it told.
    fn run(ms: u64, cancel_in: Option<usize>) -> (Vec<Duration>, Vec<u64>) {
        let pauses = Arc::default();
        let world = World::new(Sqlite::new(None), Notes { pauses: Arc::clone(&pauses), cancel_in });
        let work: Work = Box::new(move |world, caller| wait(ms, world, caller));
        let mut told = Vec::new();
        let client = Client::default();
        Job { id: JobId(1), work, cancel: Cancel::default(), client }.run(&world, &mut |Report(_, news)| {
            if let News::Progress { done, .. } = news {
                told.push(done);
            }
        });
        let pauses = pauses.lock().unwrap().clone();
        (pauses, told)
    }

    #[test]
    fn the_pauses_add_up_and_progress_always_grows() {
        for ms in [0, 1, 9, 10, 11, 12_345, MOST] {
            let (pauses, told) = run(ms, None);
            assert_eq!(pauses.iter().sum::<Duration>(), Duration::from_millis(ms));
            assert!(told.is_sorted_by(|one, next| one < next), "{told:?}");
            assert_eq!(told.last().copied().unwrap_or_default(), ms);
        }
    }

    #[test]
    fn a_cancelled_wait_takes_no_further_pause() {
        let (pauses, told) = run(1000, Some(3));
        assert_eq!((pauses.len(), told), (3, vec![100, 200]));
    }
}
