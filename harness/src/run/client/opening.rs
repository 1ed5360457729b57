//! Opens a client's session in the era that the server speaks: the process that answered the probe of that era goes on
//! as the session.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;

use super::super::diagnose::{self, Mute};
use super::super::dialect::Dialect;
use super::super::prelude::newest;
use super::super::session::{Session, Waited};
use super::super::survey::{NotStarted, Probe, Probes, Surveyed, discovered, probe_both, probe_legacy, probe_modern};
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

/// Takes the process of the newest era that the server speaks, and ends the other.
fn choose(probes: Probes, times: &Times) -> (Probe, Revision) {
    let Probes { legacy, modern } = probes;
    let Some(modern) = modern else { return (legacy, newest(Era::Legacy)) };
    let answer = modern.session.transcript().answer_text(modern.index);
    let answer = answer.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let spoken = answer.as_ref().and_then(discovered).and_then(|discovered| discovered.revision);
    let serves = spoken.is_some() && modern.session.transcript().hello.is_some();
    // A server that refuses both is told what it says of the era that it knows.
    let knows = spoken.is_some() && legacy.session.transcript().hello.is_none() && legacy.waited == Waited::Done;
    let (taken, other, revision) = match spoken.filter(|_| serves || knows) {
        Some(revision) => (modern, legacy, revision),
        None => (legacy, modern, newest(Era::Legacy)),
    };
    other.session.finish(Duration::ZERO, times);
    (taken, revision)
}
