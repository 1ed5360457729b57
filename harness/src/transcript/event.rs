//! The parts of a transcript.

use std::ops::Range;
use std::time::Duration;

use super::{Kept, Standing};
use crate::peer::Exit;
use crate::script::CaseId;
use crate::wire::{FrameId, IdMatch, Message, Note, Reading};

/// Time since the peer was started.
pub type Moment = Duration;

/// Index into [`Transcript::requests`](super::Transcript::requests).
pub type RequestIndex = usize;
/// Index into [`Transcript::plays`](super::Transcript::plays).
pub type PlayIndex = usize;

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub at: Moment,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// We wrote bytes.
    Sent(Sent),
    /// The peer ended a line, or its stdout ended behind an unterminated one.
    Received(Box<Received>),
    /// We closed the peer's stdin.
    StdinClosed,
    /// We sent a signal.
    Signalled(&'static str),
    /// The peer could not be written to.
    WriteFailed(String),
    /// The process ended.
    Exited(Exit),
    /// Its stdout ended.
    StdoutClosed,
    /// A line grew past the cap, or the session's output did; reading ended here.
    Overflow {
        /// The offset of the line, or of the end of the output.
        offset: u64,
        /// What was exceeded.
        cap: Cap,
        /// The first bytes of it.
        head: Kept,
    },
    /// A wait for the answer of a request ended without one.
    Unanswered(RequestIndex),
}

/// A bound on a peer's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// The length of one line, whose end did not come.
    Line(u64),
    /// The length of one line, which is read over.
    Long(u64),
    /// The bytes or frames of one session.
    Session(u64),
}

/// Bytes that we wrote in one go.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The bytes.
    pub bytes: Kept,
    /// The frames that these bytes completed.
    pub frames: Vec<SentFrame>,
}

/// A frame that we completed.
#[derive(Clone, Debug)]
pub struct SentFrame {
    /// Whether a client may send it.
    pub standing: Standing,
    /// The method, for a request or a notification.
    pub method: Option<String>,
    /// The request that it is, if it has an id.
    pub request: Option<RequestIndex>,
}

/// A line of the peer.
#[derive(Clone, Debug)]
pub struct Received {
    /// The line without its newline.
    pub bytes: Kept,
    /// Bytes of stdout before it.
    pub offset: u64,
    /// Whether a newline ended it.
    pub terminated: bool,
    /// What it is.
    pub reading: Reading,
    /// The messages in it, and what each answers.
    pub messages: Vec<Linked>,
}

impl Received {
    /// What was noticed about its bytes.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.reading.notes
    }
}

/// A message of the peer, and what it answers.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The message.
    pub message: Message,
    /// Its bytes within the line, where it is kept whole.
    pub range: Range<usize>,
    /// What it answers.
    pub link: Link,
}

/// How a message of the peer hangs together with what we sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is a request or a notification.
    NoResponse,
    /// The first answer to a request.
    Answer(RequestIndex, IdMatch),
    /// An answer to a request that was answered before.
    Again(RequestIndex),
    /// An id that was never sent, or none, but that a sloppy peer would have meant so.
    Loose(RequestIndex),
    /// A response with id null or without id, and the event with the bad line that excuses it, if one is left.
    WithoutId(Option<usize>),
    /// The id that `notifications/cancelled` named in this event, when no request was open under it.
    Cancellation(usize),
    /// An id that nobody sent.
    Unknown,
}

/// A request of ours.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its id, as it was sent.
    pub id: FrameId,
    /// Its method.
    pub method: String,
    /// The event that sent it.
    pub event: usize,
    /// When it was sent.
    pub sent_at: Moment,
    /// Why it was sent.
    pub purpose: Purpose,
    /// Whether a client may send it.
    pub standing: Standing,
    /// The first event that answered it, and when, if one did.
    pub answer: Option<(usize, Moment)>,
    /// Whether that answer could not be read, or had another id and was taken for its own because no other request
    /// was open.
    pub presumed: bool,
    /// Whether its answer is owed: it is lawful, not cancelled, and no outcome allows silence.
    pub owed: bool,
    /// Whether `notifications/cancelled` named it.
    pub cancelled: bool,
}

impl Request {
    /// The time from sending to the answer.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        self.answer.map(|(_, at)| at.saturating_sub(self.sent_at))
    }
}

/// Why a request was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It opens the session.
    Prelude,
    /// It belongs to a case.
    Case,
    /// It ends a wait.
    Barrier,
    /// It is a client's own, who reads the whole answer.
    Client,
}

/// Where a case begins in a transcript.
#[derive(Clone, Debug)]
pub struct Play {
    /// The case.
    pub case: CaseId,
    /// Its first event.
    pub first: usize,
    /// Its first request.
    pub first_request: RequestIndex,
}
