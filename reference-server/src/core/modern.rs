//! What only the modern era has: `server/discover`, and members that every result carries.

use serde_json::{Value, json};

use super::config::Config;
use super::identity::{INSTRUCTIONS, capabilities, implementation};
use crate::revision::{Era, Revision};

/// How long a client may keep what it was told, in milliseconds. Nothing here changes while the server runs.
const TTL_MS: u64 = 60_000;

/// The result of `server/discover`.
pub(crate) fn discovery(config: &Config) -> Value {
    cacheable(json!({
        "supportedVersions": config.modern_dates(),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
    }))
}

/// Adds for how long and for whom a result may be cached. What we list is the same for everybody.
pub(crate) fn cacheable(mut result: Value) -> Value {
    result["ttlMs"] = TTL_MS.into();
    result["cacheScope"] = "public".into();
    result
}

/// Completes a result as its revision wants it: a modern one says that it is complete, and who gave it.
pub(crate) fn finish(mut result: Value, revision: Revision) -> Value {
    if revision.era() == Era::Modern {
        result["resultType"] = "complete".into();
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": implementation(revision) });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_modern_result_says_that_it_is_complete() {
        let modern = finish(json!({ "x": 1 }), Revision::V2026_07_28);
        assert_eq!(modern["resultType"], "complete");
        assert_eq!(modern["x"], 1);
        assert_eq!(finish(json!({ "x": 1 }), Revision::V2025_11_25), json!({ "x": 1 }));
    }
}
