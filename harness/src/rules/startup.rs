//! `robust.slow-start`: how long a process takes to its first answer, against the limits of real clients.

use std::time::Duration;

use crate::judge::{Breach, Recording, Verdict};
use crate::transcript::What;

/// Limits that clients are known to have.
const LIMITS: [u64; 4] = [30, 10, 5, 2];
/// A start above this is a warning: most clients have given up.
const WARN: Duration = Duration::from_secs(15);

/// Names a start that is slower than a client's patience.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let transcript = &recording.transcript;
    let first = transcript.lines().find(|(_, line)| !line.messages.is_empty());
    let Some((event, _)) = first else { return };
    let asked = transcript.events.iter().find(|event| matches!(event.what, What::Sent(_)));
    // A process that was asked late has not been slow.
    if asked.is_none_or(|asked| asked.at > Duration::from_secs(1)) {
        return;
    }
    let took = transcript.events[event].at;
    let Some(limit) = LIMITS.into_iter().find(|&limit| took > Duration::from_secs(limit)) else { return };
    let message = format!("takes {:.1} s to its first answer; some clients wait {limit} s", took.as_secs_f64());
    let verdict = if took > WARN { Verdict::Warn } else { Verdict::Info };
    breaches.push(Breach::new("robust.slow-start", event, message).weighing(verdict).by_absence());
}
