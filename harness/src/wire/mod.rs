//! Bytes as they travel: frames, JSON texts, ids and JSON-RPC messages. Pure: no I/O and no clock.
//!
//! Purity is judged on bytes and ids on tokens, never on `serde_json::Value`, which rounds large integers and refuses
//! texts that are inside the grammar.

mod envelope;
mod frame;
pub mod grammar;
mod growing;
mod held;
#[cfg(test)]
mod hostile;
mod id;
mod message;
mod reader;
mod suspects;
mod walker;

pub use frame::{Frame, FrameEnd, LineTooLong, Splitter};
pub use held::{held, whole_pairs};
pub use id::{FrameId, IdKey, IdKind, IdMatch};
pub use message::{EnvelopeFault, Message, MessageKind};
pub use reader::{BatchElement, Class, Note, Reader, Reading};
