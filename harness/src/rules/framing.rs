//! One message a line, ended by a newline: `stdio.no-embedded-newline`, `stdio.line-terminated`,
//! `stdio.single-message-per-line`, `batch.server-sent` (basic/transports#stdio).

use crate::judge::{Breach, Recording, Verdict};
use crate::spec::Revision;
use crate::transcript::{Received, What};
use crate::wire::{BatchElement, Class};

/// Names messages that do not stand on one line of their own.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    for (event, line) in recording.transcript.lines() {
        breaches.extend(of_class(recording, event, line));
        if !line.terminated && !line.messages.is_empty() {
            breaches.push(unterminated(recording, event));
        }
    }
}

fn of_class(recording: &Recording, event: usize, line: &Received) -> Option<Breach> {
    let is_batch_revision = recording.transcript.revision() == Revision::V2025_03_26;
    match &line.reading.class {
        Class::Joined { frames, .. } => {
            Some(Breach::new("stdio.no-embedded-newline", event, format!("writes one message over {frames} lines")))
        }
        Class::Concatenated(messages) => Some(Breach::new(
            // The revision that has batches has no row of its own for this.
            if is_batch_revision { "stdio.stdout-pure" } else { "stdio.single-message-per-line" },
            event,
            format!("writes {} messages on one line", messages.len()),
        )),
        Class::Batch(elements) if is_batch_revision => of_batch(event, elements),
        Class::Batch(_) => {
            let breach =
                Breach::new("stdio.single-message-per-line", event, "writes a JSON array instead of a message");
            // An array that answers an array breaks no rule for input that a client may send: it shows an older habit.
            Some(if sent_array(recording, event) { breach.weighing(Verdict::Info) } else { breach })
        }
        _ => None,
    }
}

fn sent_array(recording: &Recording, event: usize) -> bool {
    let transcript = &recording.transcript;
    let first = transcript.play_of(event).map_or(0, |play| transcript.events_of(play).start);
    (first..event).any(|sent| transcript.sent_text(sent).is_some_and(|text| text.trim_start().starts_with('[')))
}

fn of_batch(event: usize, elements: &[BatchElement]) -> Option<Breach> {
    let invalid = elements.iter().any(|element| !matches!(element, BatchElement::Message(..)));
    let message = match (elements.is_empty(), invalid) {
        (true, _) => "writes an empty batch",
        (false, true) => "writes a batch with an element that is no message",
        (false, false) => return None,
    };
    Some(Breach::new("batch.server-sent", event, message))
}

/// Without a newline a reader waits for ever; only behind the last line before the exit nobody waits any more.
fn unterminated(recording: &Recording, event: usize) -> Breach {
    let transcript = &recording.transcript;
    let waited = transcript.events.iter().any(|event| matches!(event.what, What::Unanswered(_)));
    let breach = Breach::new("stdio.line-terminated", event, "writes a message without a newline behind it");
    if waited { breach } else { breach.weighing(Verdict::Warn) }
}
