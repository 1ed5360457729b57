//! What comes out of a peer on its way into the transcript: split, classified, linked and bounded.

use std::time::{Duration, Instant};

use crate::peer::PeerEvent;
use crate::transcript::{Cap, Kept, Transcript, What};
use crate::wire::{Class, MessageKind, Reader, Reading, Splitter, grammar};

/// Bytes of a session that are kept; more than that is a flood.
const MAX_KEPT: u64 = 16 << 20;
/// Lines of a session that are kept.
const MAX_LINES: usize = 16_384;
/// Bytes of a session that are read.
const MAX_READ: u64 = 512 << 20;
/// From here on an unfinished line must at least look like JSON.
const SUSPECT_LINE: usize = 1 << 20;
/// A number or word that the cut broke may be reported where it begins.
const LONGEST_TOKEN: usize = 64;
/// A line of this many times the cap has no end.
const ENDLESS: u64 = 3;
/// How much of what broke a cap is kept.
const HEAD: usize = 256;

/// Whether a line is a notification and nothing else.
fn is_plain_notification(reading: &Reading) -> bool {
    matches!(&reading.class, Class::Message(message) if message.kind == MessageKind::Notification && message.faults.is_empty())
        && reading.notes.is_empty()
}

/// The reading side of a session.
pub(super) struct Inbox {
    /// What happened so far.
    pub transcript: Transcript,
    splitter: Splitter,
    reader: Reader,
    started: Instant,
    max_line: usize,
    /// Bytes that the peer wrote to stdout.
    pub read: u64,
    kept: u64,
    lines: usize,
    /// Bytes of a line beyond the cap that may still end.
    skipped: Option<u64>,
    /// Whether more can come.
    pub stdout_open: bool,
}

impl Inbox {
    /// An inbox for a peer that was started then.
    pub(super) fn new(transcript: Transcript, started: Instant, max_line: usize) -> Self {
        Self {
            transcript,
            splitter: Splitter::new(max_line),
            reader: Reader::new(),
            started,
            max_line,
            read: 0,
            kept: 0,
            lines: 0,
            skipped: None,
            stdout_open: true,
        }
    }

    /// Time since the peer was started.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// The unfinished line that the peer has written, and its offset.
    pub(super) fn unfinished(&self) -> (&[u8], u64) {
        (self.splitter.pending(), self.splitter.pending_offset())
    }

    /// Takes in one event.
    pub(super) fn take(&mut self, event: PeerEvent) {
        let at = self.now();
        match event {
            PeerEvent::Stdout(bytes) => self.take_bytes(&bytes),
            PeerEvent::StdoutClosed => self.close_stdout(),
            PeerEvent::Written { .. } => {}
            PeerEvent::WriteFailed(kind) => self.transcript.push(at, What::WriteFailed(kind.to_string())),
            PeerEvent::Exited(exit) => self.transcript.push(at, What::Exited(exit)),
        }
    }

    fn take_bytes(&mut self, bytes: &[u8]) {
        if !self.stdout_open {
            return;
        }
        self.read += bytes.len() as u64;
        if let Some(skipped) = self.skipped {
            self.skip(skipped, bytes);
            return;
        }
        let at = self.now();
        let mut is_flood = false;
        let Self { transcript, splitter, reader, kept, lines, .. } = self;
        let pushed = splitter.push(bytes, &mut |frame| {
            let is_full = *kept >= MAX_KEPT || *lines >= MAX_LINES;
            is_flood |= *kept >= 2 * MAX_KEPT || *lines >= 2 * MAX_LINES;
            if is_flood {
                return;
            }
            let reading = reader.read(frame.bytes, frame.offset, frame.end);
            // Where there are so many, one notification more says nothing new.
            if is_full && is_plain_notification(&reading) {
                return;
            }
            transcript.received(at, frame.bytes, frame.offset, frame.end, reading);
            // What was asked for is no flood.
            if !transcript.last_is_answer() {
                *kept += (frame.bytes.len() as u64).clamp(64, 64 << 10);
                *lines += 1;
            }
        });
        if let Err(too_long) = pushed {
            // It may be one long message: where its newline has not come, that is still to be seen.
            self.skipped = Some(self.max_line as u64);
            self.stdout_open = self.splitter.is_dropping();
            self.transcript.push(
                at,
                What::Overflow {
                    offset: too_long.offset,
                    cap: Cap::Long(self.max_line as u64),
                    head: Kept::new(&bytes[..bytes.len().min(HEAD)]),
                },
            );
        } else if is_flood || self.read >= MAX_READ {
            self.overflow(self.read, Cap::Session(self.read), &bytes[..bytes.len().min(HEAD)]);
        } else if self.is_hopeless() {
            let (pending, offset) = self.unfinished();
            let head = pending[..HEAD].to_vec();
            self.overflow(offset, Cap::Line(SUSPECT_LINE as u64), &head);
        }
    }

    /// Reads over a line beyond the cap, to its newline or to where none can be expected any more.
    fn skip(&mut self, skipped: u64, bytes: &[u8]) {
        if memchr::memchr(b'\n', bytes).is_some() {
            self.stdout_open = false;
        } else if skipped > ENDLESS * self.max_line as u64 {
            let offset = self.read.saturating_sub(skipped);
            self.overflow(offset, Cap::Line(skipped), &bytes[..bytes.len().min(HEAD)]);
        } else {
            self.skipped = Some(skipped + bytes.len() as u64);
        }
    }

    /// A line that is long already and cannot become JSON any more is not worth the memory.
    fn is_hopeless(&self) -> bool {
        let pending = self.splitter.pending();
        pending.len() > SUSPECT_LINE
            && grammar::check(&pending[..SUSPECT_LINE]).is_err_and(|error| error.offset + LONGEST_TOKEN < SUSPECT_LINE)
    }

    fn overflow(&mut self, offset: u64, cap: Cap, head: &[u8]) {
        let head = Kept::new(head);
        self.transcript.push(self.now(), What::Overflow { offset, cap, head });
        self.splitter = Splitter::new(0);
        self.stdout_open = false;
    }

    /// Takes in the end of stdout: what is left is an unterminated line.
    pub(super) fn close_stdout(&mut self) {
        if !self.stdout_open {
            return;
        }
        self.stdout_open = false;
        let at = self.now();
        let Self { transcript, splitter, reader, .. } = self;
        splitter.finish(&mut |frame| {
            let reading = reader.read(frame.bytes, frame.offset, frame.end);
            transcript.received(at, frame.bytes, frame.offset, frame.end, reading);
        });
        transcript.push(at, What::StdoutClosed);
    }
}
