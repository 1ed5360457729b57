//! What the server says of itself.

use serde_json::{Value, json};

use crate::revision::Revision;

/// What a model is told of the server as a whole.
pub(crate) const INSTRUCTIONS: &str = "A small shop's books. Look up customers with list_customers, \
     count orders by status with count_orders, and read an order as shop://orders/{id}. \
     The tables are described in shop://schema; what was learnt is kept in memo://insights.";

/// What the server can do, of what a revision knows. Of all lists only that of the tools can change.
pub(crate) fn capabilities(revision: Revision) -> Value {
    let mut capabilities = json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true },
        "prompts": {},
        "logging": {},
    });
    if revision.declares_completions() {
        capabilities["completions"] = json!({});
    }
    if revision.has_tasks() {
        capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    }
    capabilities
}

/// Who the server is, as a revision wants to hear it.
pub(crate) fn implementation(revision: Revision) -> Value {
    let mut implementation = json!({ "name": "mcp-reference-server", "version": env!("CARGO_PKG_VERSION") });
    if revision.has_titles() {
        implementation["title"] = "MCP reference server".into();
    }
    implementation
}
