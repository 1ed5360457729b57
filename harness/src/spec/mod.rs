//! What the specification says: revisions and eras, the requirement ledger, and which methods each revision knows.

mod ledger;
pub mod methods;
mod revision;
mod set;

pub use ledger::{Class, Ledger, LedgerError, Level, Requirement, RequirementId};
pub use revision::{Era, Revision, UnknownRevision};
pub use set::{RevisionSet, RevisionSetError};
