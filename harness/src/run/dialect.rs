//! How requests are written in an era: what opens a session, and what each request carries.

use serde_json::{Value, json};

use crate::spec::{Era, Revision};

/// The revision that a session speaks, and what the client says of itself in it.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    /// The revision asked for.
    pub revision: Revision,
    /// The client capabilities declared.
    pub declared: Value,
}

impl Dialect {
    /// A client that declares nothing.
    pub(super) fn new(revision: Revision) -> Self {
        Self { revision, declared: json!({}) }
    }

    /// Who we say we are.
    pub(super) fn client_info() -> Value {
        json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")})
    }

    /// The `_meta` that every modern request carries; an empty object in the legacy era.
    pub(super) fn meta(&self) -> Value {
        match self.revision.era() {
            Era::Legacy => json!({}),
            Era::Modern => json!({
                "io.modelcontextprotocol/protocolVersion": self.revision.as_str(),
                "io.modelcontextprotocol/clientCapabilities": self.declared,
                "io.modelcontextprotocol/clientInfo": Self::client_info(),
            }),
        }
    }

    /// The params of `initialize`.
    pub(super) fn initialize(&self) -> String {
        json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": self.declared,
            "clientInfo": Self::client_info(),
        })
        .to_string()
    }

    /// Params as this era sends them: in the modern era `_meta` is added, and what the text has in `_meta` itself is kept.
    pub(super) fn params(&self, text: Option<&str>) -> Option<String> {
        if self.revision.era() == Era::Legacy {
            return text.map(str::to_owned);
        }
        let Some(text) = text else {
            return Some(json!({"_meta": self.meta()}).to_string());
        };
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(mut params)) => {
                let mut meta = self.meta();
                if let (Some(Value::Object(own)), Value::Object(all)) = (params.remove("_meta"), &mut meta) {
                    all.extend(own);
                }
                params.insert("_meta".to_owned(), meta);
                Some(Value::Object(params).to_string())
            }
            Ok(_) => Some(text.to_owned()),
            // A text that `Value` cannot hold is extended as text.
            Err(_) => Some(match text.trim_start().strip_prefix('{') {
                Some(rest) if rest.trim_start() != "}" => format!(r#"{{"_meta":{},{rest}"#, self.meta()),
                _ => text.to_owned(),
            }),
        }
    }

    /// The method of the cheap request that serves as barrier, given what the server declares.
    pub(super) fn cheap(&self, capabilities: &Value) -> &'static str {
        if self.revision.era() == Era::Legacy {
            return "ping";
        }
        [("tools", "tools/list"), ("prompts", "prompts/list"), ("resources", "resources/list")]
            .into_iter()
            .find(|(capability, _)| capabilities.get(capability).is_some())
            .map_or("server/discover", |(_, method)| method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modern_params_keep_their_own_meta() {
        let dialect = Dialect::new(Revision::NEWEST_MODERN);
        let params: Value = serde_json::from_str(&dialect.params(Some(r#"{"a":1,"_meta":{"x":2}}"#)).unwrap()).unwrap();
        assert_eq!(params["a"], 1);
        assert_eq!(params["_meta"]["x"], 2);
        assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }

    #[test]
    fn params_that_a_value_cannot_hold_still_get_their_meta() {
        let dialect = Dialect::new(Revision::NEWEST_MODERN);
        let params = dialect.params(Some(r#"{"a":1e400}"#)).unwrap();
        assert!(params.starts_with(r#"{"_meta":{"#) && params.ends_with(r#""a":1e400}"#), "{params}");
    }

    #[test]
    fn legacy_params_are_left_alone() {
        let dialect = Dialect::new(Revision::NEWEST_LEGACY);
        assert_eq!(dialect.params(None), None);
        assert_eq!(dialect.params(Some("[1]")).as_deref(), Some("[1]"));
    }
}
