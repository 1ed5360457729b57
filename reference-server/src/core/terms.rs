//! What a request is answered under.

use crate::ability::Abilities;
use crate::level::Level;
use crate::revision::Revision;

/// What a request is answered under, said by itself or settled by the handshake.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// The revision in which the answer is written.
    pub(crate) revision: Revision,
    /// What the client can do.
    pub(crate) abilities: Abilities,
    /// The lightest messages that the client wants for its log. `None` where it wants none.
    pub(crate) log: Option<Level>,
}
