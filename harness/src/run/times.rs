//! How long things may take.

use std::time::Duration;

use crate::peer::{Deadline, Patience};

/// The bounds of a run. They are ceilings: no wait is longer than what it waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// For the first answer of a process.
    pub startup: Duration,
    /// For the answer of a request.
    pub request: Duration,
    /// The median round trip of this peer.
    pub round_trip: Duration,
    /// How long a process of this peer takes to its first answer.
    pub usual_start: Duration,
    /// The least wait for an answer that is not owed.
    pub least: Duration,
    /// Whether the peer is known to outlive its input: then its end is not waited for.
    pub impatient: bool,
    /// The end of the run.
    pub budget: Deadline,
    /// The part of it that is kept for playing again what was not answered.
    pub reserve: Duration,
}

impl Times {
    /// The bounds before anything is known of the peer.
    #[must_use]
    pub(super) fn new(startup: Duration, request: Duration, budget: Deadline) -> Self {
        Self {
            startup,
            request,
            round_trip: Duration::from_millis(20),
            usual_start: Duration::ZERO,
            least: Duration::from_millis(250),
            impatient: false,
            budget,
            reserve: budget.remaining() / 4,
        }
    }

    /// Twice as patient, for a replay that confirms.
    #[must_use]
    pub(super) fn doubled(self) -> Self {
        Self { startup: self.startup * 2, request: self.request * 2, least: Duration::from_secs(4), ..self }
    }

    /// A deadline that does not outlive the run.
    #[must_use]
    pub(super) fn within(&self, bound: Duration) -> Deadline {
        Deadline::after(bound).earlier(self.budget)
    }

    /// The wait for strays once a session has nothing left to do.
    #[must_use]
    pub(super) fn grace(&self) -> Duration {
        (self.round_trip * 20).max(Duration::from_secs(1))
    }

    /// The wait for an answer that is not owed, by a process that may still be starting.
    #[must_use]
    pub(super) fn first_words(&self) -> Duration {
        (self.usual_start * 4).max(Duration::from_secs(3)).min(self.startup)
    }

    /// The wait for an answer that is not owed, once a barrier has come back.
    #[must_use]
    pub(super) fn stray(&self) -> Duration {
        (self.round_trip * 20).min(Duration::from_secs(2)).max(self.least)
    }

    /// The wait for a sign of life after input that a client must not send: what is missing then is at most a warning.
    #[must_use]
    pub(super) fn liveness(&self) -> Duration {
        (self.round_trip * 50).max(Duration::from_secs(2)).min(self.request)
    }

    /// The patience of the ending ladder.
    #[must_use]
    pub(super) fn patience(&self) -> Patience {
        // As patient as with a request: 5 s by default, 10 s where a finding is confirmed.
        let patient = (self.request / 2).max(Duration::from_secs(2));
        if self.budget.passed() {
            let short = Duration::from_millis(300);
            return Patience { eof: short, term: short, drain: short, follow: short };
        }
        let eof = if self.impatient { Duration::from_millis(200) } else { patient };
        // By default half a second, and twice that where a finding is confirmed.
        let follow = (self.request / 20).max(Duration::from_millis(500));
        Patience { eof, term: Duration::from_secs(2), drain: Duration::from_secs(1), follow }
    }
}
