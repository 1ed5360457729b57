//! A case file as it stands on disk: the keys, their types and their documentation, which is also the editors' schema.
//!
//! Nothing is checked here beyond names and types; what a value means is the business of `convert`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A case: what is sent to a server, and what it may answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "A case of mcp-plumb"))]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    /// The version of this format: 1.
    #[cfg_attr(test, schemars(with = "Option<u32>"))]
    pub(super) version: Option<Spanned<u32>>,
    /// What the peer does when it is right; present tense.
    pub(super) title: String,
    /// Ids of the ledger; the first one is blamed when no outcome matches.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) requirements: Spanned<Vec<String>>,
    /// The revisions in which the case is played: all, legacy, modern, a date, or bounds such as
    /// ">=2025-06-18,<=2025-11-25"; left out: all.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) revisions: Option<Spanned<String>>,
    /// What the server must have: a declared capability ("resources.subscribe"), "tool:safe", "tool:args", "tool:free",
    /// "tool:any", "call:slow", "pages:tools" or "undeclared:CAPABILITY".
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) needs: Vec<Spanned<String>>,
    /// How far the session is when the first step begins; left out: ready.
    #[serde(default)]
    pub(super) session: SessionWord,
    /// Whether the case leaves a healthy peer as it found it; left out: true for ready, false otherwise.
    pub(super) shares: Option<bool>,
    /// What is done, in order.
    #[serde(default)]
    pub(super) step: Vec<StepFile>,
    /// A family of cases that differ in some values only.
    #[serde(default)]
    pub(super) variant: Vec<VariantFile>,
}

/// How far a session is before the first step.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum SessionWord {
    /// Nothing was sent.
    Cold,
    /// Legacy: initialize was answered, notifications/initialized was not sent. Modern: as cold.
    Opening,
    /// The whole handshake is done, or one list request was answered.
    #[default]
    Ready,
}

/// One member of a family; its case is named `area/name#variant`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct VariantFile {
    /// The name behind the "#": letters, digits, "-", "_" and ".".
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) name: Spanned<String>,
    /// The values of its variables.
    #[serde(default)]
    pub(super) set: BTreeMap<String, String>,
    /// Narrows the revisions of the case.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) revisions: Option<Spanned<String>>,
    /// A title of its own.
    pub(super) title: Option<String>,
}

/// One step: at most one action, and outcomes if it judges.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    /// Writes this text and a newline; it must be a message that a client may send.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) send: Option<Spanned<String>>,
    /// Writes just these bytes: "text:…" (with \n, \r, \t, \\ and \xNN) or "hex:ff0a".
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) raw: Option<Spanned<String>>,
    /// Sends a request; a fresh integer id and the era's _meta are added.
    #[cfg_attr(test, schemars(with = "Option<RequestFile>"))]
    pub(super) request: Option<Spanned<RequestFile>>,
    /// Sends a notification.
    #[cfg_attr(test, schemars(with = "Option<NotificationFile>"))]
    pub(super) notification: Option<Spanned<NotificationFile>>,
    /// A cheap request whose answer is waited for.
    #[cfg_attr(test, schemars(with = "Option<bool>"))]
    pub(super) barrier: Option<Spanned<bool>>,
    /// Closes a pipe of the peer.
    #[cfg_attr(test, schemars(with = "Option<ChannelWord>"))]
    pub(super) close: Option<Spanned<ChannelWord>>,
    /// Sends a signal to the process.
    #[cfg_attr(test, schemars(with = "Option<SignalWord>"))]
    pub(super) signal: Option<Spanned<SignalWord>>,
    /// Goes on reading for this long: "200ms".
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) pause: Option<Spanned<String>>,
    /// From here on answers this request of the server so.
    #[cfg_attr(test, schemars(with = "Option<AnswerFile>"))]
    pub(super) answer: Option<Spanned<AnswerFile>>,
    /// How often the action is done, each time with fresh ids; left out: once.
    #[cfg_attr(test, schemars(with = "Option<u32>"))]
    pub(super) count: Option<Spanned<u32>>,
    /// Offsets after which the bytes are flushed, or "every".
    #[cfg_attr(test, schemars(with = "Option<CutFile>"))]
    pub(super) cut: Option<Spanned<CutFile>>,
    /// Keeps the bytes back, to go out in one write with the next step's.
    #[cfg_attr(test, schemars(with = "Option<bool>"))]
    pub(super) hold: Option<Spanned<bool>>,
    /// The bound of the wait for an outcome: "2s".
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) within: Option<Spanned<String>>,
    /// What may happen; the first that fits decides.
    #[serde(default)]
    pub(super) outcome: Vec<OutcomeFile>,
    /// Binds values of the reply, each by a JSON pointer; the case ends, passing, where one is absent.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    pub(super) take: BTreeMap<String, Spanned<String>>,
}

/// A request to send.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RequestFile {
    /// The method.
    pub(super) method: String,
    /// The params; "${json:NAME}" stands for the JSON text of a variable, { "$json" = 'TEXT' } for this JSON text.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub(super) params: Option<Spanned<toml::Value>>,
    /// The id; left out: a fresh integer.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub(super) id: Option<Spanned<toml::Value>>,
    /// The case cancels the request: its answer is not owed.
    #[serde(default)]
    pub(super) cancelled: bool,
}

/// A notification to send.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct NotificationFile {
    /// The method.
    pub(super) method: String,
    /// The params, written as those of a request.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub(super) params: Option<Spanned<toml::Value>>,
}

/// How a request of the server is answered: exactly one of result, error and never.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerFile {
    /// The method of the server's request.
    pub(super) method: String,
    /// The result of the answer.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub(super) result: Option<Spanned<toml::Value>>,
    /// The error of the answer.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub(super) error: Option<Spanned<toml::Value>>,
    /// No answer is sent.
    #[serde(default)]
    pub(super) never: bool,
}

/// Where bytes are cut into separate writes.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`cut` is a list of offsets, such as [24], or \"every\"")]
pub(super) enum CutFile {
    /// After these offsets, counted after variables were replaced.
    At(Vec<usize>),
    /// After each byte.
    Word(EveryWord),
}

/// The one word that `cut` knows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum EveryWord {
    /// After each byte.
    Every,
}

/// A pipe that a step can close.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum ChannelWord {
    /// The peer's standard input.
    Stdin,
}

/// A signal that a step can send.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum SignalWord {
    /// SIGTERM
    Term,
    /// SIGINT
    Int,
    /// SIGHUP
    Hup,
    /// SIGKILL
    Kill,
}

/// One thing that may happen after a step, and what it is worth.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct OutcomeFile {
    /// What it is worth.
    pub(super) verdict: VerdictWord,
    /// What happens.
    pub(super) on: OnWord,
    /// The id that the reply carries, as JSON text; left out: the id of the last request of the case.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) to: Option<Spanned<String>>,
    /// A subset of the message, as JSON text with $type, $absent, $regex, $any, $not, $each and $in; for exit
    /// {"code":0} or {"signal":"SIGSEGV"}.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) like: Option<Spanned<String>>,
    /// The requirement that is blamed instead of the case's first one.
    pub(super) requirement: Option<String>,
    /// The revisions in which the outcome holds; left out: all.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) revisions: Option<Spanned<String>>,
    /// What the finding says, in the present tense.
    pub(super) says: Option<String>,
}

/// A verdict that a case can give.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum VerdictWord {
    /// As the specification asks.
    Pass,
    /// A MUST is broken.
    Fail,
    /// A SHOULD is broken, or the peer is not robust.
    Warn,
    /// Left open by the specification, or a hint.
    Info,
    /// Not applicable.
    Skip,
}

/// What an outcome is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum OnWord {
    /// The response to the request meant.
    Reply,
    /// Anything else that the peer wrote since the step began.
    Message,
    /// None of the things that could have come.
    Silence,
    /// The end of the process.
    Exit,
    /// The end of its standard output.
    Closed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_for_editors_is_up_to_date() {
        crate::contract::assert_schema::<CaseFile>("cases/schema.json");
    }
}
