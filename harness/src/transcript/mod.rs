//! What happened in one session: byte-exact, in order, and already correlated.
//!
//! Everything that judges reads only this; it holds no process, no clock and no file.

mod escape;
mod event;
mod kept;
mod record;
mod standing;

pub use escape::{escape, escape_json, escape_lines};
pub use event::{
    Cap, Event, Link, Linked, Moment, Play, PlayIndex, Purpose, Received, Request, RequestIndex, Sent, SentFrame, What,
};
pub use kept::Kept;
pub(crate) use kept::fnv1a;
pub use record::Transcript;
pub use standing::Standing;
pub(crate) use standing::{NOT_JSON, ODD_ID, WITHOUT_ID};
