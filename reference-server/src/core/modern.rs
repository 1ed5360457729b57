//! What only the modern era has: `server/discover`, and members that every result carries.

use serde_json::{Value, json};

use super::config::Config;
use super::identity::{INSTRUCTIONS, capabilities, implementation};
use crate::revision::{Era, Revision};

/// For how long and for whom a result may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It is the same for everybody, for as long as the server runs.
    Long,
    /// It may change at any time, and another process may say something else.
    Fresh,
}

/// How long a client may keep what does not change while the server runs, in milliseconds.
const TTL_MS: u64 = 60_000;

/// The result of `server/discover`.
pub(crate) fn discovery(config: &Config, revision: Revision) -> Value {
    let discovery = json!({
        "supportedVersions": config.modern_dates(),
        "capabilities": capabilities(revision),
        "instructions": INSTRUCTIONS,
    });
    cacheable(discovery, Keep::Long, revision)
}

/// Adds for how long and for whom a result may be cached, where the revision has that.
pub(crate) fn cacheable(mut result: Value, keep: Keep, revision: Revision) -> Value {
    if revision.era() == Era::Modern {
        let (ttl, scope) = match keep {
            Keep::Long => (TTL_MS, "public"),
            Keep::Fresh => (0, "private"),
        };
        result["ttlMs"] = ttl.into();
        result["cacheScope"] = scope.into();
    }
    result
}

/// Completes a result as its revision wants it: a modern one says whether it is complete, and who gave it.
pub(crate) fn finish(mut result: Value, revision: Revision) -> Value {
    if revision.era() == Era::Modern {
        if result.get("resultType").is_none() {
            result["resultType"] = "complete".into();
        }
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
        assert_eq!(cacheable(json!({}), Keep::Long, Revision::V2025_11_25), json!({}));
    }

    #[test]
    fn a_result_that_is_not_complete_does_not_say_so() {
        let asking = finish(json!({ "resultType": "input_required" }), Revision::V2026_07_28);
        assert_eq!(asking["resultType"], "input_required");
    }
}
