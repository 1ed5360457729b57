//! The handshake of the legacy era.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::config::Config;
use super::identity::{INSTRUCTIONS, capabilities, implementation};
use super::meta::is_implementation;
use super::terms::Terms;
use crate::ability::Abilities;
use crate::failure::Failure;
use crate::json::{self, Kind};
use crate::level::Level;
use crate::revision::{Era, Revision};

/// What a client hears until it sets a level of its own: that is for the server to say.
const USUAL_LEVEL: Level = Level::Info;

/// Settles the terms of a session. Its revision is the one that the client asks for where it is served, and
/// otherwise the newest that has a handshake. Whether it can live with that is for the client to say.
pub(crate) fn negotiate(params: Option<&RawValue>, config: &Config) -> Result<Terms, Failure> {
    let (requested, capabilities) = offer(params)?;
    let Some(newest) = config.of(Era::Legacy).next_back() else {
        return Err(Failure::unsupported_version(&requested, &config.modern_dates()));
    };
    let revision = config.of(Era::Legacy).find(|revision| revision.date() == requested).unwrap_or(newest);
    Ok(Terms { revision, abilities: Abilities::read(capabilities, revision), log: Some(USUAL_LEVEL) })
}

/// The version and the capabilities of a complete `initialize`.
fn offer(params: Option<&RawValue>) -> Result<(String, &RawValue), Failure> {
    let names = ["protocolVersion", "capabilities", "clientInfo"];
    let [version, capabilities, client] = params.and_then(|params| json::members(params, names)).unwrap_or_default();
    let version = version
        .and_then(json::string)
        .ok_or_else(|| Failure::invalid_params("initialize needs protocolVersion, a string"))?;
    let capabilities = capabilities
        .filter(|capabilities| json::kind(capabilities) == Kind::Object)
        .ok_or_else(|| Failure::invalid_params("initialize needs capabilities, an object"))?;
    if !client.is_some_and(is_implementation) {
        return Err(Failure::invalid_params("initialize needs clientInfo, an object with a name and a version"));
    }
    Ok((version, capabilities))
}

/// The result of `initialize`.
pub(crate) fn welcome(revision: Revision) -> Value {
    json!({
        "protocolVersion": revision.date(),
        "capabilities": capabilities(revision),
        "serverInfo": implementation(revision),
        "instructions": INSTRUCTIONS,
    })
}
