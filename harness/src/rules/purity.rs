//! `stdio.stdout-pure`: every line on stdout is a message of the protocol (basic/transports#stdio).

use crate::judge::{Breach, Recording, Verdict};
use crate::transcript::{Cap, Received, What, escape};
use crate::wire::Class;

const PURE: &str = "stdio.stdout-pure";

/// Names each line that is no message, and output that never ends.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    let joined = joined_lines(recording);
    let mut behind_header = false;
    for (event, what) in recording.transcript.events.iter().map(|event| &event.what).enumerate() {
        match what {
            What::Received(line) => {
                let ends_header = behind_header && matches!(line.reading.class, Class::Blank);
                behind_header = matches!(line.reading.class, Class::LspHeader);
                if ends_header || joined.contains(&event) {
                    continue;
                }
                let breach = of_line(recording, event, line);
                // Nobody reads what a process says when it is told to go.
                let told_to_go = recording.transcript.signalled_before(event);
                breaches.extend(breach.map(|breach| if told_to_go { breach.weighing(Verdict::Info) } else { breach }));
            }
            What::Overflow { offset, cap, .. } => breaches.extend(of_overflow(event, *offset, *cap)),
            _ => {}
        }
    }
}

/// Lines that are part of one message which was printed over several lines: `framing` names that message once.
fn joined_lines(recording: &Recording) -> Vec<usize> {
    let mut parts = Vec::new();
    let mut lines = Vec::new();
    for (event, line) in recording.transcript.lines() {
        lines.push(event);
        if let Class::Joined { frames, .. } = &line.reading.class {
            parts.extend(lines.iter().rev().take(*frames));
        }
    }
    parts
}

fn of_line(recording: &Recording, event: usize, line: &Received) -> Option<Breach> {
    let before = is_before_first_answer(recording, event);
    let when = if before { " before the first answer" } else { "" };
    let breach = |message: String| Some(Breach::new(PURE, event, message));
    match &line.reading.class {
        Class::Message(_) | Class::Batch(_) | Class::Joined { .. } | Class::Concatenated(_) => None,
        Class::Blank => breach("writes a blank line to stdout".into()).map(|breach| breach.weighing(Verdict::Warn)),
        Class::LspHeader => breach("frames its output with Content-Length headers, as language servers do".into()),
        Class::Glued { before: noise, after, .. } => {
            let offset = if noise.is_empty() { after.start } else { noise.start };
            breach("writes text on the same line as a message".into()).map(|breach| breach.at(offset))
        }
        // `text` names broken UTF-8; where no message is in the line it is noise all the same, but one breach is enough.
        Class::NotUtf8 { .. } => None,
        Class::NotJson { offset, .. } => {
            breach(format!("writes a line to stdout that is not JSON{when}")).map(|breach| breach.at(*offset))
        }
        Class::NotObject(shape) => breach(format!("writes a JSON {} to stdout, which is no message", shape.name())),
        Class::NotMessage => breach("writes a JSON object to stdout that is no JSON-RPC message".into()),
    }
}

fn is_before_first_answer(recording: &Recording, event: usize) -> bool {
    !recording.transcript.requests.iter().any(|request| request.answer.is_some_and(|(answer, _)| answer <= event))
}

fn of_overflow(event: usize, offset: u64, cap: Cap) -> Option<Breach> {
    Some(match cap {
        // A message may be as long as it likes.
        Cap::Long(_) => return None,
        Cap::Line(length) => Breach::new(
            "stdio.line-terminated",
            event,
            format!("writes more than {length} bytes without a newline, from byte {offset} of stdout on"),
        ),
        Cap::Session(length) => Breach::new(PURE, event, format!("floods stdout: {length} bytes without an end")),
    })
}

/// A short look at bytes, for messages.
pub(super) fn glimpse(bytes: &[u8]) -> String {
    let text = escape(&bytes[..bytes.len().min(60)]);
    if bytes.len() > 60 { format!("{text}…") } else { text }
}
