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
    let mut hinted = Hinted {
        line_separator: was_sent(recording, |bytes| memchr::memmem::find(bytes, b"\xe2\x80\xa8").is_some()),
        ..Hinted::default()
    };
    let echoes_surrogates = was_sent(recording, has_surrogate_escape);
    for (event, line) in recording.transcript.lines() {
        if let Class::NotUtf8 { offset, .. } = &line.reading.class {
            breaches.push(Breach::new(utf8, event, "writes a line that is not UTF-8").at(*offset));
        }
        for note in line.notes() {
            // Headers and the blank line behind them end in CR LF by their own rules.
            if *note == Note::CarriageReturn && line.messages.is_empty() {
                continue;
            }
            let breach = of_note(utf8, event, note, &mut hinted);
            let is_echo = *note == Note::LoneSurrogateEscape && echoes_surrogates;
            breaches.extend(breach.map(|breach| if is_echo { breach.weighing(Verdict::Info) } else { breach }));
        }
    }
}

fn was_sent(recording: &Recording, wanted: impl Fn(&[u8]) -> bool) -> bool {
    recording.transcript.events.iter().any(|event| match &event.what {
        What::Sent(sent) => wanted(sent.bytes.head()),
        _ => false,
    })
}

/// Whether text has the escape of a surrogate; those of a pair count too.
fn has_surrogate_escape(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\\u").any(|at| matches!(bytes.get(at + 2), Some(b'd' | b'D')))
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
