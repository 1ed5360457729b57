//! The handshake of the legacy era.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::config::Config;
use super::identity::{INSTRUCTIONS, capabilities, implementation};
use super::meta::is_implementation;
use crate::failure::Failure;
use crate::json::{self, Kind};
use crate::revision::{Era, Revision};

/// Settles the revision for `initialize`: the one that the client asks for where it is served, and otherwise the
/// newest that has a handshake. Whether it can live with that is for the client to say.
pub(crate) fn negotiate(params: Option<&RawValue>, config: &Config) -> Result<Revision, Failure> {
    let requested = requested(params)?;
    let Some(newest) = config.of(Era::Legacy).next_back() else {
        return Err(Failure::unsupported_version(&requested, &config.modern_dates()));
    };
    Ok(config.of(Era::Legacy).find(|revision| revision.date() == requested).unwrap_or(newest))
}

/// The version that a complete `initialize` asks for.
fn requested(params: Option<&RawValue>) -> Result<String, Failure> {
    let names = ["protocolVersion", "capabilities", "clientInfo"];
    let [version, capabilities, client] = params.and_then(|params| json::members(params, names)).unwrap_or_default();
    let version = version
        .and_then(json::string)
        .ok_or_else(|| Failure::invalid_params("initialize needs protocolVersion, a string"))?;
    if !capabilities.is_some_and(|capabilities| json::kind(capabilities) == Kind::Object) {
        return Err(Failure::invalid_params("initialize needs capabilities, an object"));
    }
    if !client.is_some_and(is_implementation) {
        return Err(Failure::invalid_params("initialize needs clientInfo, an object with a name and a version"));
    }
    Ok(version)
}

/// The result of `initialize`.
pub(crate) fn welcome(revision: Revision) -> Value {
    json!({
        "protocolVersion": revision.date(),
        "capabilities": capabilities(),
        "serverInfo": implementation(revision),
        "instructions": INSTRUCTIONS,
    })
}
