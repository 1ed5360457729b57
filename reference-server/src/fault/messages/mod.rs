//! The layer of messages: what they say, which are swallowed, and which are made up.

mod asking;
mod calls;
mod capabilities;
mod content;
mod envelope;
mod errors;
mod extremes;
mod filter;
mod heard;
mod ids;
mod lifecycle;
mod lists;
mod malformed;
mod modern;
mod notifications;
mod pace;
mod progress;
mod scene;
mod told;
mod tools;

use super::table::Fault;

pub(super) use filter::Filter;
pub(crate) use heard::Heard;
pub(crate) use scene::Scene;
pub(crate) use told::Told;

/// The faults of this layer.
pub(super) static FAULTS: &[&[Fault]] = &[
    ids::FAULTS,
    envelope::FAULTS,
    errors::FAULTS,
    notifications::FAULTS,
    malformed::FAULTS,
    extremes::FAULTS,
    lifecycle::FAULTS,
    capabilities::FAULTS,
    asking::FAULTS,
    tools::FAULTS,
    calls::FAULTS,
    content::FAULTS,
    lists::FAULTS,
    progress::FAULTS,
    pace::FAULTS,
    modern::FAULTS,
];

/// What happens to messages.
pub(crate) enum Messages {
    /// This may change, swallow or answer a line that came.
    Hear(fn(&mut Scene, &mut Heard)),
    /// This may change, swallow or surround a message that is about to leave.
    Tell(fn(&mut Scene, &mut Told)),
}
