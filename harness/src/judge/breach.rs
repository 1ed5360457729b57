//! One requirement broken at one place of a transcript, before it is weighed.

use super::Verdict;
use crate::spec::RequirementId;
use crate::transcript::RequestIndex;

/// A requirement broken at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// What is broken.
    pub requirement: RequirementId,
    /// How heavy it is, where that is not the ledger's level.
    pub verdict: Option<Verdict>,
    /// The event that shows it.
    pub event: usize,
    /// The byte within that line.
    pub offset: usize,
    /// The request that it is about.
    pub request: Option<RequestIndex>,
    /// The event that sent what it answers, where that is no request.
    pub stimulus: Option<usize>,
    /// What the peer does, in the present tense.
    pub message: String,
    /// What shows it.
    pub proof: Proof,
}

/// What shows a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Bytes that came.
    Bytes,
    /// Something that did not come, or came late.
    Absence,
}

impl Breach {
    /// A breach shown by bytes.
    #[must_use]
    pub fn new(requirement: &str, event: usize, message: impl Into<String>) -> Self {
        Self {
            requirement: RequirementId::new(requirement),
            verdict: None,
            event,
            offset: 0,
            request: None,
            stimulus: None,
            message: message.into(),
            proof: Proof::Bytes,
        }
    }

    /// Weighs it lighter or heavier than the ledger does.
    #[must_use]
    pub fn weighing(self, verdict: Verdict) -> Self {
        Self { verdict: Some(verdict), ..self }
    }

    /// Points at a byte of the line.
    #[must_use]
    pub fn at(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Names the request that it is about.
    #[must_use]
    pub fn about(self, request: RequestIndex) -> Self {
        Self { request: Some(request), ..self }
    }

    /// Names the event that sent what it answers.
    #[must_use]
    pub fn answering(self, event: usize) -> Self {
        Self { stimulus: Some(event), ..self }
    }

    /// Says that something is missing.
    #[must_use]
    pub fn by_absence(self) -> Self {
        Self { proof: Proof::Absence, ..self }
    }
}
