//! Work that takes time: what a worker does while the core goes on reading.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::clock::{Cancel, Clock};
use crate::db::Store;

/// What tools may touch: the data and the time.
pub struct World {
    store: Mutex<Box<dyn Store>>,
    /// The time.
    pub(crate) clock: Box<dyn Clock>,
}

impl World {
    /// A world of one store and one clock.
    pub fn new(store: impl Store + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Mutex::new(Box::new(store)), clock: Box::new(clock) }
    }

    /// The data, for one user at a time.
    pub(crate) fn store(&self) -> MutexGuard<'_, Box<dyn Store>> {
        // A call that panicked is answered as a failure; it is no reason to fail all later ones.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("World").finish_non_exhaustive()
    }
}

/// What a tool's work came to: structured content, or words that say why not.
pub(crate) type Yield = Result<Value, String>;

/// A tool's work, with its arguments inside.
pub(crate) type Work = Box<dyn FnOnce(&World, &mut Progress<'_>) -> Yield + Send>;

/// Names a job in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobId(pub(crate) u64);

/// What a running job may say and hear.
pub(crate) struct Progress<'a> {
    id: JobId,
    cancel: &'a Cancel,
    tell: &'a mut dyn FnMut(Report),
}

impl Progress<'_> {
    /// Tells how much of the whole is done.
    pub(crate) fn advance(&mut self, done: u64, total: u64) {
        (self.tell)(Report(self.id, News::Progress { done, total }));
    }

    /// Whether, and a way to wait until, the job is called off.
    pub(crate) fn cancel(&self) -> &Cancel {
        self.cancel
    }
}

/// Something to run on a worker.
pub struct Job {
    pub(crate) id: JobId,
    pub(crate) work: Work,
    pub(crate) cancel: Cancel,
}

impl Job {
    /// Does the work, and tells each piece of news, the last of which ends the job. Take all of them to
    /// [`Server::settle`](crate::Server::settle), in order.
    pub fn run(self, world: &World, tell: &mut dyn FnMut(Report)) {
        let Self { id, work, cancel } = self;
        let mut progress = Progress { id, cancel: &cancel, tell: &mut *tell };
        let ended = panic::catch_unwind(AssertUnwindSafe(|| work(world, &mut progress)));
        tell(Report(id, ended.map_or(News::Crashed, News::Ended)));
    }

    /// What to tell where the job can't be run at all.
    pub fn refused(&self) -> Report {
        Report(self.id, News::Crashed)
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Job").field(&self.id).finish()
    }
}

/// News of a job.
#[derive(Debug)]
pub struct Report(pub(crate) JobId, pub(crate) News);

/// What there is to say of a job.
#[derive(Debug)]
pub(crate) enum News {
    /// It has come so far.
    Progress {
        /// The part that is done.
        done: u64,
        /// The whole.
        total: u64,
    },
    /// It has ended as tools do.
    Ended(Yield),
    /// It has not ended as tools do.
    Crashed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::db::Sqlite;

    fn run(work: impl FnOnce(&World, &mut Progress<'_>) -> Yield + Send + 'static) -> Vec<News> {
        let world = World::new(Sqlite::new(None), SystemClock);
        let job = Job { id: JobId(7), work: Box::new(work), cancel: Cancel::default() };
        let mut news = Vec::new();
        job.run(&world, &mut |Report(id, item)| {
            assert_eq!(id, JobId(7));
            news.push(item);
        });
        news
    }

    #[test]
    fn the_last_news_is_the_end() {
        let news = run(|_, progress| {
            progress.advance(1, 2);
            Err("enough".into())
        });
        assert!(matches!(
            &news[..],
            [News::Progress { done: 1, total: 2 }, News::Ended(Err(why))] if why == "enough"
        ));
    }

    #[test]
    fn work_that_panics_ends_too() {
        let news = run(|world, _| {
            let _held = world.store();
            panic!("this work panics, and the test expects that");
        });
        assert!(matches!(&news[..], [News::Crashed]));
    }
}
