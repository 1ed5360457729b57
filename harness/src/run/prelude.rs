//! Opens a session: what each era asks for before the first step of a case.

use super::dialect::Dialect;
use super::session::{Session, Setting, Waited, notification_line};
use super::survey::EraFacts;
use super::times::Times;
use crate::peer::SpawnError;
use crate::script::{Cut, Prelude};
use crate::spec::{Era, Revision};
use crate::transcript::Purpose;

/// The requests that can serve as a barrier, whatever a legacy server offers.
pub(super) const BARRIERS: [&str; 3] = ["ping", "tools/list", "x-test/barrier"];

/// How far a session came.
pub(super) enum Opened {
    /// It is where the case wants it.
    Ready(Session),
    /// The peer answered with another revision than the one asked for.
    OtherRevision(Session, String),
    /// The peer did not get that far.
    Stuck(Session),
}

/// Starts a peer and brings the session to where a case wants it.
///
/// # Errors
/// The command cannot be started.
pub(super) fn open(
    setting: &Setting,
    dialect: &Dialect,
    facts: &EraFacts,
    prelude: Prelude,
    times: &Times,
    label: &str,
) -> Result<Opened, SpawnError> {
    let mut session = Session::start(setting, dialect.revision, dialect.declared.clone(), label)?;
    let opened = match (prelude, dialect.revision.era()) {
        (Prelude::Cold, _) | (Prelude::Opening, Era::Modern) => true,
        (Prelude::Opening, Era::Legacy) => initialize(&mut session, dialect, times),
        (Prelude::Ready, Era::Legacy) => {
            let answered = initialize(&mut session, dialect, times);
            if answered {
                initialized(&mut session);
            }
            answered
        }
        (Prelude::Ready, Era::Modern) => first_list(&mut session, dialect, facts, times),
    };
    if !opened {
        return Ok(Opened::Stuck(session));
    }
    let other = session
        .transcript()
        .agreed()
        .filter(|&agreed| dialect.revision.era() == Era::Legacy && agreed != dialect.revision.as_str())
        .map(str::to_owned);
    Ok(match other {
        Some(other) => Opened::OtherRevision(session, other),
        None => Opened::Ready(session),
    })
}

/// Sends `initialize` and waits for a result.
pub(super) fn initialize(session: &mut Session, dialect: &Dialect, times: &Times) -> bool {
    let id = session.fresh_id().to_string();
    let index = session.request(&id, "initialize", Some(&dialect.initialize()), Purpose::Prelude);
    session.wait_answer(index, times.within(times.startup)) == Waited::Done && session.transcript().hello.is_some()
}

/// Sends `notifications/initialized`.
pub(super) fn initialized(session: &mut Session) {
    let line = notification_line("notifications/initialized", None);
    session.write(line.into_bytes(), Purpose::Prelude, &Cut::Nowhere);
}

/// Opens a modern session: the first request that it answers pins the era for some servers.
fn first_list(session: &mut Session, dialect: &Dialect, facts: &EraFacts, times: &Times) -> bool {
    let id = session.fresh_id().to_string();
    let index = session.request(&id, &facts.cheap, dialect.params(None).as_deref(), Purpose::Prelude);
    session.wait_answer(index, times.within(times.startup)) == Waited::Done
}

/// Waits until the peer has dealt with what it was sent: sends a cheap request with a fresh id and reads to its answer.
pub(super) fn barrier(
    session: &mut Session,
    dialect: &Dialect,
    cheap: &str,
    bound: std::time::Duration,
    times: &Times,
) -> Waited {
    let id = session.fresh_id().to_string();
    let index = session.request(&id, cheap, dialect.params(None).as_deref(), Purpose::Barrier);
    session.wait_answer(index, times.within(bound))
}

/// The revision that a session of this era asks for first.
pub(super) fn newest(era: Era) -> Revision {
    match era {
        Era::Legacy => Revision::NEWEST_LEGACY,
        Era::Modern => Revision::NEWEST_MODERN,
    }
}
