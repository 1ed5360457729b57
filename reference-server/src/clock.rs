//! Waiting that can be called off.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Says that a call is no longer wanted: somebody called it off, or its time is over. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    limit: Option<Duration>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    cancelled: bool,
    deadline: Option<Instant>,
}

impl State {
    fn is_over(&self) -> bool {
        self.cancelled || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }
}

impl Cancel {
    /// A call whose work may take so long.
    pub(crate) fn limited(limit: Duration) -> Self {
        Self(Arc::new(Shared { limit: Some(limit), ..Shared::default() }))
    }

    /// Has the time limit, if there is one, count from now on.
    pub(crate) fn begin(&self) {
        self.state().deadline = self.0.limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// Calls it off, and wakes whoever waits.
    pub fn cancel(&self) {
        self.state().cancelled = true;
        self.0.changed.notify_all();
    }

    /// Whether it was called off, or took too long.
    pub fn is_cancelled(&self) -> bool {
        self.state().is_over()
    }

    /// The time limit, where that is over and nobody has called it off.
    pub(crate) fn overdue(&self) -> Option<Duration> {
        let state = self.state();
        self.0.limit.filter(|_| !state.cancelled && state.is_over())
    }

    /// Waits until it is called off, or takes too long, or something else is `over`. Who makes that true must then
    /// [`wake`](Self::wake) us.
    pub(crate) fn wait(&self, over: impl Fn() -> bool) {
        let mut state = self.state();
        while !state.is_over() && !over() {
            state = match state.deadline {
                None => self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => self.wait_until(deadline, state),
            };
        }
    }

    /// Has those who wait look again.
    pub(crate) fn wake(&self) {
        drop(self.state());
        self.0.changed.notify_all();
    }

    /// Sleeps until the time, or until it is called off or takes too long.
    fn sleep_until(&self, time: Instant) {
        let mut state = self.state();
        while !state.is_over() && Instant::now() < time {
            let next = state.deadline.map_or(time, |deadline| deadline.min(time));
            state = self.wait_until(next, state);
        }
    }

    fn wait_until<'a>(&self, time: Instant, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let left = time.saturating_duration_since(Instant::now());
        self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock only means that somebody panicked while he held it.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes time.
pub trait Clock: Send + Sync {
    /// Returns after `time`, or earlier where `cancel` says so.
    fn pause(&self, time: Duration, cancel: &Cancel);
}

/// The time of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn pause(&self, time: Duration, cancel: &Cancel) {
        cancel.sleep_until(Instant::now() + time);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_pause_lasts_its_time() {
        let start = Instant::now();
        SystemClock.pause(Duration::from_millis(20), &Cancel::default());
        assert!(start.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn a_cancelled_pause_ends_at_once() {
        let cancel = Cancel::default();
        let (done, ended) = mpsc::channel();
        let waiting = cancel.clone();
        let sleeper = thread::spawn(move || {
            SystemClock.pause(Duration::from_secs(3600), &waiting);
            done.send(waiting.is_cancelled())
        });
        cancel.cancel();
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(true));
        sleeper.join().unwrap().unwrap();
    }

    #[test]
    fn a_pause_ends_with_the_time_limit_and_not_before_it_has_begun() {
        let cancel = Cancel::limited(Duration::from_millis(10));
        SystemClock.pause(Duration::from_millis(20), &cancel);
        assert!(!cancel.is_cancelled());
        cancel.begin();
        SystemClock.pause(Duration::from_secs(3600), &cancel);
        assert!(cancel.is_cancelled());
        assert_eq!(cancel.overdue(), Some(Duration::from_millis(10)));
        cancel.cancel();
        assert_eq!(cancel.overdue(), None);
    }
}
