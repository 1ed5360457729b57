//! Many calls at a time, which end in another order than they began.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use mcp_reference_server::{Cancel, Clock, Revision, Sqlite, World};
use serde_json::{Value, json};

use crate::client::{Client, initialize};
use crate::process::Peer;

const CALLS: u64 = 64;

/// How long the call of an id waits, in steps: no two the same, and in no order.
fn steps(id: u64) -> u64 {
    (id * 37 + 11) % CALLS
}

fn wait(id: u64, ms: u64) -> String {
    let params = json!({ "name": "wait", "arguments": { "ms": ms } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The id of an answer that tells of a wait as long as was asked for.
fn answered(answer: &Value, step: u64) -> u64 {
    let id = answer["id"].as_u64().unwrap_or_else(|| panic!("{answer} has another id"));
    assert_eq!(answer["result"]["structuredContent"], json!({ "waited_ms": step * steps(id) }));
    id
}

/// Time that passes only while all who live by it are asleep, and then at once.
struct Dreams {
    state: Mutex<Night>,
    changed: Condvar,
}

struct Night {
    now: Duration,
    awake: usize,
    /// How many wake at each time.
    alarms: BTreeMap<Duration, usize>,
}

impl Dreams {
    fn of(sleepers: usize) -> Self {
        let night = Night { now: Duration::ZERO, awake: sleepers, alarms: BTreeMap::new() };
        Self { state: Mutex::new(night), changed: Condvar::new() }
    }

    /// One fewer is awake. The last one lets time pass to the next alarm.
    fn doze(&self, night: &mut Night) {
        night.awake -= 1;
        if night.awake == 0
            && let Some((time, sleepers)) = night.alarms.pop_first()
        {
            night.now = time;
            night.awake = sleepers;
            self.changed.notify_all();
        }
    }

    fn leave(&self) {
        self.doze(&mut self.state.lock().unwrap());
    }
}

impl Clock for &'static Dreams {
    fn pause(&self, time: Duration, _: &Cancel) {
        let mut night = self.state.lock().unwrap();
        let until = night.now + time;
        *night.alarms.entry(until).or_default() += 1;
        self.doze(&mut night);
        drop(self.changed.wait_while(night, |night| night.now < until).unwrap());
    }
}

#[test]
fn each_of_many_calls_is_answered_once_as_soon_as_it_is_ready() {
    let mut client = Client::open(Revision::V2025_11_25);
    for id in 0..CALLS {
        assert!(client.give(format!("{}\n", wait(id, steps(id))).as_bytes()).is_empty());
    }
    let jobs = std::mem::take(&mut client.jobs);
    let clock: &Dreams = Box::leak(Box::new(Dreams::of(jobs.len())));
    let world = World::new(Sqlite::new(None), clock);
    let mut order = Vec::new();
    thread::scope(|scope| {
        let (reports, told) = mpsc::channel();
        for job in jobs {
            let (world, reports) = (&world, reports.clone());
            scope.spawn(move || {
                // A test that has failed listens no more, and must not keep the others asleep.
                job.run(world, &mut |report| drop(reports.send(report)));
                clock.leave();
            });
        }
        drop(reports);
        for report in told {
            order.extend(client.settle(report).iter().map(|answer| steps(answered(answer, 1))));
        }
    });
    assert!(order.into_iter().eq(0..CALLS));
    assert!(client.end().is_empty());
}

#[test]
fn many_calls_over_pipes_are_each_answered_once_and_short_ones_before_long_ones() {
    const STEP: u64 = 30;
    /// By how many steps a machine that has much else to do may mix the calls up: a second.
    const BLUR: u64 = 1000 / STEP;
    let mut peer = Peer::quiet(&["--tool-timeout", "wait=60s"]);
    peer.send(&initialize("2025-11-25"));
    peer.receive();
    let calls: Vec<String> = (0..CALLS).map(|id| wait(id, STEP * steps(id))).collect();
    peer.send(&calls.join("\n"));
    let mut ids = BTreeSet::new();
    let mut longest = 0;
    for _ in 0..CALLS {
        let id = answered(&peer.receive(), STEP);
        assert!(ids.insert(id), "{id} was answered twice");
        assert!(steps(id) + BLUR > longest, "{} came after {longest}", steps(id));
        longest = longest.max(steps(id));
    }
    let (status, rest) = peer.end();
    assert!(status.success() && rest.is_empty());
}
