//! Work that takes time: what a worker does while the core goes on reading.
//!
//! A worker never waits for the client. Work that has a question ends with it, and is run again from its beginning
//! once there is an answer; in one era that is the same process a moment later, in the other it may be another one.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use serde_json::Value;

use crate::ability::{Abilities, Ability};
use crate::clock::{Cancel, Clock};
use crate::db::{Store, StoreError};
use crate::duration::Words;
use crate::failure::Failure;
use crate::question::{Question, Reply};
use crate::quota::Quota;
use crate::tools::{MOST_DELETIONS, Published};

/// What tools may touch: the data and the time.
pub struct World {
    store: Box<dyn Store>,
    /// The time.
    pub(crate) clock: Box<dyn Clock>,
    /// How many orders may yet be deleted.
    pub(crate) deletions: Quota,
}

impl World {
    /// A world of one store and one clock.
    pub fn new(store: impl Store + 'static, clock: impl Clock + 'static) -> Self {
        Self { store: Box::new(store), clock: Box::new(clock), deletions: Quota::of(MOST_DELETIONS) }
    }

    /// The data.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("World").finish_non_exhaustive()
    }
}

/// Why work ends without content.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It failed, and these words say why, so that a model can do better.
    Failed(String),
    /// It has a question. See [`Caller::ask`].
    Asks(Question),
    /// It needs a client that can do this.
    Lacks(Ability),
    /// The client's answer to its question is none.
    Misanswered(&'static str),
    /// The request can't be answered; for what is no call of a tool.
    Refused(Failure),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl From<&str> for Stop {
    fn from(why: &str) -> Self {
        Self::Failed(why.into())
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What work came to: content, or why there is none.
pub(crate) type Yield = Result<Value, Stop>;

/// Work, with its arguments inside. It may be run more than once.
pub(crate) type Work = Box<dyn Fn(&World, &mut Caller<'_>) -> Yield + Send>;

/// Names a job in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobId(pub(crate) u64);

/// Something that others may want to hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// There is another set of tools.
    Tools,
    /// The resource of this URI reads differently.
    Resource(String),
}

/// The one for whom work is done: what a running job may say to it, hear from it and know of it.
pub(crate) struct Caller<'a> {
    id: JobId,
    cancel: &'a Cancel,
    client: Client,
    tell: &'a mut dyn FnMut(Report),
}

impl Caller<'_> {
    /// Tells how much of the whole is done.
    pub(crate) fn advance(&mut self, done: u64, total: u64) {
        self.tell(News::Progress { done, total });
    }

    /// Whether, and a way to wait until, the job is called off.
    pub(crate) fn cancel(&self) -> &Cancel {
        self.cancel
    }

    /// Tells that something has changed.
    pub(crate) fn changed(&mut self, change: Change) {
        self.tell(News::Changed(change));
    }

    /// Whether the client can be asked for something.
    pub(crate) fn can(&self, ability: Ability) -> bool {
        self.client.abilities.has(ability)
    }

    /// Asks the client one question, and returns its result.
    ///
    /// At first this gives [`Stop::Asks`], with which the work must end (`?` does that). When the client has
    /// answered, the work is run again from its beginning and gets the answer here. So ask before you change
    /// anything, and ask the same when asked again.
    pub(crate) fn ask(&mut self, question: Question) -> Yield {
        if !self.can(question.ability()) {
            return Err(Stop::Lacks(question.ability()));
        }
        match self.client.reply.take() {
            // An answer to other words is no answer to these: what was asked about may have changed since.
            Some(reply) if reply.to == question.digest() => {
                let result = reply.said?;
                question.check(&result).map_err(Stop::Misanswered)?;
                Ok(result)
            }
            _ => Err(Stop::Asks(question)),
        }
    }

    /// Adds a tool of that name to those that are listed, and tells of it.
    pub(crate) fn publish(&mut self, name: &str) -> Result<(), String> {
        self.client.published.add(name)?;
        self.changed(Change::Tools);
        Ok(())
    }

    fn tell(&mut self, news: News) {
        (self.tell)(Report(self.id, news));
    }
}

/// What a job knows of the client.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    /// What it can do.
    pub(crate) abilities: Abilities,
    /// What it said to the work's question.
    pub(crate) reply: Option<Reply>,
    /// The tools that were added for it.
    pub(crate) published: Published,
}

/// Something to run on a worker.
pub struct Job {
    pub(crate) id: JobId,
    pub(crate) work: Work,
    pub(crate) cancel: Cancel,
    pub(crate) client: Client,
}

impl Job {
    /// Does the work, and tells each piece of news, the last of which ends the job. Take all of them to
    /// [`Server::settle`](crate::Server::settle), in order.
    pub fn run(self, world: &World, tell: &mut dyn FnMut(Report)) {
        let Self { id, work, cancel, client } = self;
        cancel.begin();
        let mut caller = Caller { id, cancel: &cancel, client, tell: &mut *tell };
        let ended = panic::catch_unwind(AssertUnwindSafe(|| work(world, &mut caller)));
        let last = match ended {
            Ok(Err(Stop::Asks(question))) => News::Asks(question, Suspended(work)),
            // What work says of its end when its time is over is of no use; what it has done in time, or in spite of
            // it, counts.
            Ok(Err(Stop::Failed(why))) => News::Ended(Err(Stop::Failed(match cancel.overdue() {
                Some(limit) => format!("stopped after {}, the longest that this may take", Words(limit)),
                None => why,
            }))),
            Ok(ended) => News::Ended(ended),
            Err(_) => News::Crashed,
        };
        tell(Report(id, last));
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
    /// It has changed something.
    Changed(Change),
    /// It has ended with a question, and goes on, with this work, when that is answered.
    Asks(Question, Suspended),
    /// It has ended as work does.
    Ended(Yield),
    /// It has not ended as work does.
    Crashed,
}

/// Work that waits to be run again.
pub(crate) struct Suspended(pub(crate) Work);

impl fmt::Debug for Suspended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Suspended")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::SystemClock;
    use crate::db::Sqlite;
    use crate::json;
    use crate::revision::Revision;

    fn run_for(client: Client, work: impl Fn(&World, &mut Caller<'_>) -> Yield + Send + 'static) -> Vec<News> {
        let world = World::new(Sqlite::new(None), SystemClock);
        let job = Job { id: JobId(7), work: Box::new(work), cancel: Cancel::default(), client };
        let mut news = Vec::new();
        job.run(&world, &mut |Report(id, item)| {
            assert_eq!(id, JobId(7));
            news.push(item);
        });
        news
    }

    fn run(work: impl Fn(&World, &mut Caller<'_>) -> Yield + Send + 'static) -> Vec<News> {
        run_for(Client::default(), work)
    }

    /// A client that has roots to tell, and has said something to a question.
    fn client(reply: Option<Reply>) -> Client {
        let roots = json::parse(br#"{"roots":{}}"#).unwrap();
        Client { abilities: Abilities::read(roots, Revision::V2025_11_25), reply, published: Published::default() }
    }

    fn ask(_: &World, caller: &mut Caller<'_>) -> Yield {
        caller.ask(Question::Roots)
    }

    #[test]
    fn the_last_news_is_the_end() {
        let news = run(|_, caller| {
            caller.advance(1, 2);
            caller.changed(Change::Tools);
            Err("enough".into())
        });
        assert!(matches!(
            &news[..],
            [News::Progress { done: 1, total: 2 }, News::Changed(Change::Tools), News::Ended(Err(Stop::Failed(why)))] if why == "enough"
        ));
    }

    #[test]
    fn work_that_panics_ends_too() {
        let news = run(|_, _| {
            panic!("this work panics, and the test expects that");
        });
        assert!(matches!(&news[..], [News::Crashed]));
    }

    #[test]
    fn a_question_ends_the_work_until_it_is_answered() {
        let unable = run(ask);
        assert!(matches!(&unable[..], [News::Ended(Err(Stop::Lacks(Ability::Roots)))]));
        let asked = run_for(client(None), ask);
        assert!(matches!(&asked[..], [News::Asks(Question::Roots, _)]));
        let reply = |said| Some(Reply { to: Question::Roots.digest(), said });
        let answered = run_for(client(reply(Ok(json!({ "roots": [] })))), ask);
        assert!(matches!(&answered[..], [News::Ended(Ok(content))] if *content == json!({ "roots": [] })));
        let refused = run_for(client(reply(Err("no".into()))), ask);
        assert!(matches!(&refused[..], [News::Ended(Err(Stop::Failed(_)))]));
        let misanswered = run_for(client(reply(Ok(json!({ "roots": 5 })))), ask);
        assert!(matches!(&misanswered[..], [News::Ended(Err(Stop::Misanswered(_)))]));
    }

    #[test]
    fn an_answer_to_another_question_is_none() {
        let other = Reply { to: Question::Model("x".into()).digest(), said: Ok(json!({ "roots": [] })) };
        assert!(matches!(&run_for(client(Some(other)), ask)[..], [News::Asks(..)]));
    }
}
