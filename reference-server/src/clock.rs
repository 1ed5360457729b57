//! Waiting that can be called off.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Says that a call is no longer wanted. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<(Mutex<bool>, Condvar)>);

impl Cancel {
    /// Calls it off, and wakes whoever waits.
    pub fn cancel(&self) {
        let (cancelled, changed) = &*self.0;
        *cancelled.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Whether it was called off.
    pub fn is_cancelled(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until the deadline, or until it is called off.
    fn sleep_until(&self, deadline: Instant) {
        let (cancelled, changed) = &*self.0;
        let guard = cancelled.lock().unwrap_or_else(PoisonError::into_inner);
        let left = deadline.saturating_duration_since(Instant::now());
        // The outcome is read from the flag; a poisoned lock only means that somebody panicked while he held it.
        drop(changed.wait_timeout_while(guard, left, |cancelled| !*cancelled));
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
}
