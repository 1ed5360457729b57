//! What a transcript is worth: outcomes, verdicts and findings.

mod breach;
mod finding;
mod outcome;
mod recording;
mod session;
mod verdict;
mod weigh;

pub use breach::{Breach, Proof};
pub use finding::{CaseResult, Evidence, Finding, SessionEnd};
pub use outcome::{Decision, Situation, decide};
pub use recording::Recording;
pub use session::{Account, JudgedCase, JudgedSession, ended, judge_session, opening_case, shape_of};
pub use verdict::Verdict;
pub use weigh::{Weighed, weigh};
pub(crate) use weigh::{last_words, window};
