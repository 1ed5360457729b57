//! The bytes of a line: `stdio.utf8`, and hints about characters that some readers trip over.

use crate::judge::{Breach, Recording, Verdict};
use crate::spec::Revision;
use crate::transcript::What;
use crate::wire::{Class, Note};

/// Names bytes that are not UTF-8 and characters that hurt.
pub(super) fn judge(recording: &Recording, breaches: &mut Vec<Breach>) {
    // The oldest revision has no sentence on UTF-8: there such a line simply is no message.
    let oldest = recording.transcript.revision() == Revision::V2024_11_05;
    let utf8 = if oldest { "stdio.stdout-pure" } else { "stdio.utf8" };
    // A peer that echoes what it was sent only shows that it can.
    let mut hinted = Hinted { line_separator: transcript_sends_separators(recording), ..Hinted::default() };
    for (event, line) in recording.transcript.lines() {
        if let Class::NotUtf8 { offset, .. } = &line.reading.class {
            breaches.push(Breach::new(utf8, event, "writes a line that is not UTF-8").at(*offset));
        }
        for note in line.notes() {
            breaches.extend(of_note(utf8, event, note, &mut hinted));
        }
    }
}

fn transcript_sends_separators(recording: &Recording) -> bool {
    recording.transcript.events.iter().any(|event| match &event.what {
        What::Sent(sent) => memchr::memmem::find(sent.bytes.head(), b"\xe2\x80\xa8").is_some(),
        _ => false,
    })
}

/// What was said once in this session.
#[derive(Default)]
struct Hinted {
    carriage_return: bool,
    line_separator: bool,
}

fn of_note(utf8: &str, event: usize, note: &Note, hinted: &mut Hinted) -> Option<Breach> {
    let hint = |id, message: &str| Breach::new(id, event, message).weighing(Verdict::Info);
    match note {
        Note::Bom => {
            Some(Breach::new(utf8, event, "writes a byte order mark before a message").weighing(Verdict::Warn))
        }
        Note::LoneSurrogateEscape => Some(
            Breach::new(utf8, event, "writes an escaped lone surrogate, which many decoders refuse")
                .weighing(Verdict::Warn),
        ),
        Note::CarriageReturn if !std::mem::replace(&mut hinted.carriage_return, true) => {
            Some(hint("stdio.no-embedded-newline", "ends its lines with CR LF"))
        }
        Note::U2028 if !std::mem::replace(&mut hinted.line_separator, true) => {
            Some(hint("stdio.no-embedded-newline", "writes U+2028 or U+2029 unescaped, where some readers split lines"))
        }
        _ => None,
    }
}
