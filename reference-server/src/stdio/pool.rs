//! Workers for jobs.
//!
//! A worker is started when all others are busy, so that a slow call holds up nobody. Past the bound, jobs wait.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// The most workers. Each one sleeps most of the time, and needs little stack.
const MOST: usize = 256;
const STACK: usize = 512 << 10;

/// Something to do.
type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    waiting: VecDeque<Task>,
    workers: usize,
    idle: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

/// The workers. They last as long as the process.
#[derive(Default)]
pub(crate) struct Pool(Arc<Shared>);

impl Pool {
    /// Has a task done. An error means that there is no worker at all, and none could be started.
    pub(crate) fn submit(&self, task: Task) -> io::Result<()> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.idle <= state.waiting.len() && state.workers < MOST {
            let shared = Arc::clone(&self.0);
            match thread::Builder::new().name("worker".into()).stack_size(STACK).spawn(move || work(&shared)) {
                Ok(_) => state.workers += 1,
                Err(error) if state.workers == 0 => return Err(error),
                // The others will come to it.
                Err(_) => {}
            }
        }
        state.waiting.push_back(task);
        self.0.arrived.notify_one();
        Ok(())
    }
}

fn work(shared: &Shared) -> ! {
    loop {
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let task = loop {
            if let Some(task) = state.waiting.pop_front() {
                break task;
            }
            state.idle += 1;
            state = shared.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        };
        drop(state);
        task();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn tasks_that_wait_for_each_other_all_get_a_worker() {
        let pool = Pool::default();
        let barrier = Arc::new(std::sync::Barrier::new(16));
        let (done, ended) = mpsc::channel();
        for _ in 0..16 {
            let (barrier, done) = (Arc::clone(&barrier), done.clone());
            pool.submit(Box::new(move || {
                barrier.wait();
                done.send(()).unwrap();
            }))
            .unwrap();
        }
        for _ in 0..16 {
            ended.recv_timeout(LONG).unwrap();
        }
    }

    #[test]
    fn past_the_bound_tasks_wait_and_none_is_lost() {
        let pool = Pool::default();
        let (done, ended) = mpsc::channel();
        for number in 0..4 * MOST {
            let done = done.clone();
            pool.submit(Box::new(move || done.send(number).unwrap())).unwrap();
        }
        let mut seen: Vec<_> = (0..4 * MOST).map(|_| ended.recv_timeout(LONG).unwrap()).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..4 * MOST));
        assert!(pool.0.state.lock().unwrap().workers <= MOST);
    }
}
