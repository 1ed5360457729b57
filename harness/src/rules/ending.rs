//! How a process ends when its stdin is closed: `stdio.eof-exit`, `stdio.eof-exit-code`, `stdio.sigterm-exit`,
//! `robust.leaked-process` (basic/transports/stdio#shutdown, basic/lifecycle#shutdown).

use crate::judge::{Breach, Recording, Verdict};
use crate::peer::{Exit, Rung};
use crate::spec::Era;
use crate::transcript::{Transcript, What};

/// Names processes that outlive their client or leave others behind.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    let last = transcript.events.len().saturating_sub(1);
    breaches.extend(of_leak(recording, last));
    let Some(closed) = transcript.events.iter().position(|event| matches!(event.what, What::StdinClosed)) else {
        return;
    };
    let signalled = transcript.events.iter().any(|event| matches!(event.what, What::Signalled(_)));
    if transcript.overflow().is_some() || signalled || ended_before(transcript, closed) {
        return;
    }
    if !handshake_was_over(transcript, closed) {
        return;
    }
    if recording.patient {
        breaches.extend(of_outliving(recording, closed));
    }
    // A process that is ending already, of a bad line, ends with the status of that.
    if transcript.frames().all(|(_, frame)| frame.standing.is_lawful()) {
        breaches.extend(of_exit(recording, closed));
    }
}

fn ended_before(transcript: &Transcript, closed: usize) -> bool {
    transcript.events[..closed].iter().any(|event| matches!(event.what, What::Exited(_)))
}

/// A process that had not answered anything may well call the end of its input an error.
fn handshake_was_over(transcript: &Transcript, closed: usize) -> bool {
    transcript.requests.iter().any(|request| request.answer.is_some_and(|(event, _)| event < closed))
}

fn of_outliving(recording: &Recording, closed: usize) -> Option<Breach> {
    let modern = recording.transcript.asked.era() == Era::Modern;
    let (message, verdict) = match recording.ended.rung {
        Rung::AlreadyExited | Rung::StdinClosed => return None,
        Rung::Terminated if modern => ("keeps running after its stdin is closed; SIGTERM ended it", Verdict::Warn),
        Rung::Terminated => ("keeps running after its stdin is closed; SIGTERM ended it", Verdict::Info),
        Rung::Killed => {
            ("keeps running after its stdin is closed and after SIGTERM; only SIGKILL ended it", Verdict::Warn)
        }
    };
    Some(Breach::new("stdio.eof-exit", closed, message).weighing(verdict).by_absence())
}

fn of_exit(recording: &Recording, closed: usize) -> Option<Breach> {
    if recording.ended.rung != Rung::StdinClosed {
        return None;
    }
    match recording.ended.exit.as_ref()? {
        Exit::Code(0) => None,
        exit @ Exit::Code(_) => {
            let message = format!("ends with {exit} when its stdin is closed");
            Some(Breach::new("stdio.eof-exit-code", closed, message).weighing(Verdict::Info))
        }
        exit @ Exit::Signal { .. } => {
            let message = format!("crashes ({exit}) when its stdin is closed");
            Some(Breach::new("stdio.eof-exit-code", closed, message).weighing(Verdict::Warn))
        }
    }
}

fn of_leak(recording: &Recording, last: usize) -> Option<Breach> {
    let leaked = &recording.ended.leaked;
    let first = leaked.first()?;
    let others = leaked.len() - 1;
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    let held = if recording.ended.stdout_held { ", holding its stdout open" } else { "" };
    let message = format!("leaves the process {} behind{more}{held}", first.name);
    let breach = Breach::new("robust.leaked-process", last, message).by_absence();
    // A client closes stdin first. What a signal to the launcher alone leaves behind is the launcher's affair.
    let closed = recording.transcript.events.iter().position(|event| matches!(event.what, What::StdinClosed));
    let is_first = recording.transcript.signalled_before(closed.unwrap_or(last));
    Some(if is_first { breach.weighing(Verdict::Info) } else { breach })
}
