//! The script: the one form that case files, generated sequences, fuzz inputs and replays share.
//!
//! Texts in a script are templates: `${…}` is replaced when the script is played, since ids and nonces are drawn then.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::judge::Verdict;
use crate::spec::{RequirementId, RevisionSet};

/// The name of a case: its path below the case folder, and `#variant` where it has variants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseId(String);

impl CaseId {
    /// The id with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first part of the path.
    #[must_use]
    pub fn area(&self) -> &str {
        self.0.split('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One case, ready to be played: variants are expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Its name.
    pub id: CaseId,
    /// What the peer does when it is right.
    pub title: String,
    /// What it judges; the first is blamed where no outcome matches.
    pub requirements: Vec<RequirementId>,
    /// The revisions in which it is played.
    pub revisions: RevisionSet,
    /// What the server must have declared or offer.
    pub needs: Vec<Need>,
    /// How far the session is when the first step begins.
    pub session: Prelude,
    /// Whether a healthy peer can be used for other scripts afterwards.
    pub shares: bool,
    /// Values that the variant sets.
    pub set: BTreeMap<String, String>,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// How far a session is before the first step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prelude {
    /// Nothing was sent.
    Cold,
    /// The legacy handshake without its `notifications/initialized`; nothing in the modern era.
    Opening,
    /// The session is open.
    Ready,
}

/// A precondition of a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A declared capability, as a dotted path.
    Capability(String),
    /// A capability that is not declared.
    Undeclared(String),
    /// A listed tool of this kind: `safe`, `args`, `free`, `any`.
    Tool(String),
    /// A call that the user described: `slow`, `fails`, …
    Call(String),
    /// A list that came in pages: `tools`, …
    Pages(String),
}

/// One step: at most one action, and outcomes if it judges.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Step {
    /// What is done.
    pub action: Option<Action>,
    /// How the bytes of the action are delivered.
    pub delivery: Delivery,
    /// The bound of the wait for an outcome; the shared time-out where absent.
    pub within: Option<Duration>,
    /// What may happen; the first match decides.
    pub outcomes: Vec<Outcome>,
    /// Values of the reply to bind, by JSON pointer.
    pub take: BTreeMap<String, String>,
}

/// How bytes reach the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// How often the action is done, each time with fresh ids.
    pub count: u32,
    /// Where the bytes are cut into separate writes.
    pub cut: Cut,
    /// Whether the bytes wait for the next step's, to go out in one write.
    pub hold: bool,
}

impl Default for Delivery {
    fn default() -> Self {
        Self { count: 1, cut: Cut::Nowhere, hold: false }
    }
}

/// Where bytes are cut into separate writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// One write.
    Nowhere,
    /// A write ends after each of these offsets.
    At(Vec<usize>),
    /// Each byte is a write of its own.
    Every,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A line that a client may send; a newline is added.
    Send(String),
    /// Any bytes, just as they are.
    Raw(Bytes),
    /// A request; the id where absent, and the era's `_meta`, are added.
    Request {
        /// The method.
        method: String,
        /// The params, as JSON text.
        params: Option<String>,
        /// The id, as JSON text.
        id: Option<String>,
        /// The script cancels it: no answer is owed.
        cancelled: bool,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The params, as JSON text.
        params: Option<String>,
    },
    /// A cheap request whose answer is waited for.
    Barrier,
    /// Closes a pipe.
    Close(Channel),
    /// Sends a signal to the process.
    Signal(Signal),
    /// Goes on reading for this long.
    Pause(Duration),
    /// From here on, answers a server request.
    Answer {
        /// The method of the server's request.
        method: String,
        /// What it is answered with.
        reply: Reply,
    },
}

/// Bytes of a `raw` step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// Text with `\n`, `\r`, `\t`, `\\` and `\xNN` escapes, and variables.
    Text(String),
    /// Bytes as they are.
    Hex(Vec<u8>),
}

/// A pipe that a step can close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The peer's standard input.
    Stdin,
}

/// A signal that a step can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM
    Term,
    /// SIGINT
    Int,
    /// SIGHUP
    Hup,
    /// SIGKILL
    Kill,
}

/// How a server request is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// With this result, as JSON text.
    Result(String),
    /// With this error object, as JSON text.
    Error(String),
    /// Not at all.
    Never,
}

/// One thing that may happen after a step, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What it is worth.
    pub verdict: Verdict,
    /// What happens.
    pub on: On,
    /// The id that a reply carries, as JSON text; the last request's where absent.
    pub to: Option<String>,
    /// The shape of the message or of the exit.
    pub like: Option<Like>,
    /// The requirement to blame instead of the script's first.
    pub requirement: Option<RequirementId>,
    /// The revisions in which the outcome holds.
    pub revisions: RevisionSet,
    /// What a finding says.
    pub says: Option<String>,
}

/// What an outcome waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A response.
    Reply,
    /// Any other message.
    Message,
    /// None of the things that could have come.
    Silence,
    /// The end of the process.
    Exit,
    /// The end of its stdout.
    Closed,
}

/// A pattern for JSON, as JSON text with variables; it is parsed when the script is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like(pub String);
