//! Reads `_meta`, where a request says things about itself.

use serde_json::value::RawValue;

use super::config::Config;
use super::terms::Terms;
use crate::ability::Abilities;
use crate::failure::Failure;
use crate::json::{self, Kind};
use crate::level::Level;
use crate::message;
use crate::revision::Era;

/// The revision that a modern request is written in.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What the client of a modern request can do.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The metadata of one request. Keys that we do not know are for others.
#[derive(Debug, Default)]
pub(crate) struct Meta<'a> {
    protocol_version: Option<&'a RawValue>,
    client_capabilities: Option<&'a RawValue>,
    client_info: Option<&'a RawValue>,
    log_level: Option<&'a RawValue>,
    /// The token under which the client wants to hear of progress.
    pub(crate) progress_token: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads the metadata from a request's parameters.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, Failure> {
        let meta = params.and_then(|params| json::members(params, ["_meta"])).and_then(|[meta]| meta);
        let Some(meta) = meta else {
            return Ok(Self::default());
        };
        let names = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, "progressToken"];
        let [protocol_version, client_capabilities, client_info, log_level, progress_token] =
            json::members(meta, names).ok_or_else(|| Failure::invalid_params("_meta must be an object"))?;
        if progress_token.is_some_and(|token| !message::is_token(token)) {
            return Err(Failure::invalid_params("progressToken must be a string or an integer"));
        }
        Ok(Self { protocol_version, client_capabilities, client_info, log_level, progress_token })
    }

    /// Whether the request speaks for itself, so that no handshake matters to it.
    pub(crate) fn claims_modern(&self) -> bool {
        self.protocol_version.is_some() || self.client_capabilities.is_some()
    }

    /// The terms that a modern request asks for, once all that it must say is said.
    pub(crate) fn terms(&self, config: &Config) -> Result<Terms, Failure> {
        let version = required(self.protocol_version, PROTOCOL_VERSION)?;
        let version = json::string(version).ok_or_else(|| wrong(PROTOCOL_VERSION, "a string"))?;
        let capabilities = required(self.client_capabilities, CLIENT_CAPABILITIES)?;
        if json::kind(capabilities) != Kind::Object {
            return Err(wrong(CLIENT_CAPABILITIES, "an object"));
        }
        if self.client_info.is_some_and(|info| !is_implementation(info)) {
            return Err(wrong(CLIENT_INFO, "an object with a name and a version"));
        }
        let log = self.log_level.map(log_level).transpose()?;
        let revision = config
            .of(Era::Modern)
            .find(|revision| revision.date() == version)
            .ok_or_else(|| Failure::unsupported_version(&version, &config.modern_dates()))?;
        Ok(Terms { revision, abilities: Abilities::read(capabilities, revision), log })
    }
}

/// Whether a value names a program and its version, as `clientInfo` does in both eras.
pub(crate) fn is_implementation(value: &RawValue) -> bool {
    let is_string = |member: Option<&RawValue>| member.is_some_and(|member| json::kind(member) == Kind::Text);
    json::members(value, ["name", "version"]).is_some_and(|[name, version]| is_string(name) && is_string(version))
}

fn log_level(value: &RawValue) -> Result<Level, Failure> {
    let level = json::string(value).and_then(|level| Level::named(&level));
    level.ok_or_else(|| wrong(LOG_LEVEL, &format!("one of {}", Level::names())))
}

fn required<'a>(value: Option<&'a RawValue>, key: &str) -> Result<&'a RawValue, Failure> {
    value.ok_or_else(|| Failure::invalid_params(format_args!("_meta lacks {key:?}")))
}

fn wrong(key: &str, wanted: &str) -> Failure {
    Failure::invalid_params(format_args!("_meta {key:?} must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(params: &str) -> bool {
        Meta::read(json::parse(params.as_bytes())).unwrap().claims_modern()
    }

    #[test]
    fn either_of_the_required_keys_makes_a_request_modern() {
        assert!(claims(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}"#));
        assert!(claims(r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":null}}"#));
        assert!(!claims(r#"{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"},"progressToken":1}}"#));
        assert!(!claims(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#));
        assert!(!Meta::read(None).unwrap().claims_modern());
    }

    #[test]
    fn a_missing_key_is_told_before_a_wrong_version() {
        let params = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#;
        let meta = Meta::read(json::parse(params.as_bytes())).unwrap();
        assert_eq!(meta.terms(&Config::default()).unwrap_err().code(), -32602);
    }
}
