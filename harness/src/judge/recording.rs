//! A whole session as the rules read it.

use crate::peer::Ended;
use crate::transcript::Transcript;

/// A session that is over.
#[derive(Debug)]
pub struct Recording {
    /// What happened.
    pub transcript: Transcript,
    /// How the process ended.
    pub ended: Ended,
    /// Whether the ending was given its full time.
    pub patient: bool,
}
