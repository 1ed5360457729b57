//! What the server says of itself.

use serde_json::{Value, json};

use crate::revision::Revision;

/// What a model is told of the server as a whole.
pub(crate) const INSTRUCTIONS: &str = "A small shop's books. Look up customers with list_customers, \
     and count orders by status with count_orders.";

/// What the server can do. It has tools, and their list never changes.
pub(crate) fn capabilities() -> Value {
    json!({ "tools": {} })
}

/// Who the server is, as a revision wants to hear it.
pub(crate) fn implementation(revision: Revision) -> Value {
    let mut implementation = json!({ "name": "mcp-reference-server", "version": env!("CARGO_PKG_VERSION") });
    if revision.has_titles() {
        implementation["title"] = "MCP reference server".into();
    }
    implementation
}
