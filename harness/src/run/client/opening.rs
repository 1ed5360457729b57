//! Opens a client's session in the era that the server speaks: the process that answered the probe of that era goes on
//! as the session.

use std::sync::Mutex;
use std::time::Duration;

use super::super::diagnose::{self, Mute};
use super::super::dialect::Dialect;
use super::super::prelude::newest;
use super::super::session::{Session, Waited};
use super::super::survey::{
    Discovered, NotStarted, Probe, Probes, Surveyed, discovered, probe_both, probe_legacy, probe_modern,
};
use super::super::times::Times;
use super::SessionOptions;
use crate::spec::{Era, Revision};
use crate::transcript::RequestIndex;

/// How far a session came with its first request.
pub(super) enum Opening {
    /// There is an answer to look at, or there will be none.
    Begun(Box<Begun>),
    /// The server runs and does not speak.
    Mute(Box<Mute>),
    /// Nothing can be said of it.
    NotStarted(NotStarted),
}

/// A session after its first request.
pub(super) struct Begun {
    /// The session.
    pub session: Session,
    /// How requests are written.
    pub dialect: Dialect,
    /// The first request.
    pub index: RequestIndex,
    /// How the wait for its answer ended.
    pub waited: Waited,
}

/// Starts the server and sends the first request.
pub(super) fn open(options: &SessionOptions, times: &Times) -> Opening {
    let setting = &options.setting;
    let opened = match options.revision {
        None => probe_both(setting, times, &Era::ALL).map(|probes| choose(probes, times)),
        Some(revision) => match revision.era() {
            Era::Legacy => probe_legacy(setting, times, revision).map(|probe| (probe, revision)),
            // There is no other process whose pace could bound the wait.
            Era::Modern => probe_modern(setting, times, &Mutex::new(None)).map(|probe| (probe, revision)),
        },
    };
    match opened {
        Err(error) => Opening::NotStarted(error.into()),
        Ok((probe, revision)) if revision.era() == Era::Legacy && probe.waited != Waited::Done => {
            match diagnose::mute(probe, setting, times) {
                Surveyed::Mute(mute) => Opening::Mute(mute),
                Surveyed::NotStarted(trouble) => Opening::NotStarted(trouble),
                Surveyed::Speaks(_) => unreachable!("a mute server has no survey"),
            }
        }
        Ok((probe, revision)) => {
            let Probe { session, index, waited, .. } = probe;
            Opening::Begun(Box::new(Begun { session, dialect: Dialect::new(revision), index, waited }))
        }
    }
}

/// Takes the process of the newest era that the server speaks, and ends the other. A server that refuses both openings
/// is shown what it says of the era that it knows.
fn choose(probes: Probes, times: &Times) -> (Probe, Revision) {
    let Probes { legacy, modern } = probes;
    let Some(modern) = modern else { return (legacy, newest(Era::Legacy)) };
    let refuses = legacy.waited == Waited::Done && legacy.session.transcript().hello.is_none();
    let serves = modern.session.transcript().hello.is_some();
    let by_discover = said_by(&modern).filter(|_| serves || refuses);
    let by_refusal = said_by(&legacy).filter(|said| refuses && !said.doubtful);
    let mut said = by_discover.into_iter().chain(by_refusal);
    let (taken, other, revision) = match said.find_map(|said| said.revision) {
        Some(revision) => (modern, legacy, revision),
        None => (legacy, modern, newest(Era::Legacy)),
    };
    other.session.finish(Duration::ZERO, times);
    (taken, revision)
}

/// What the answer to a probe says of the modern era.
fn said_by(probe: &Probe) -> Option<Discovered> {
    let answer = probe.session.transcript().answer_text(probe.index)?;
    discovered(&serde_json::from_str(answer).ok()?)
}
