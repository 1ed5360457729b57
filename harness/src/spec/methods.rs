//! Which methods a server may write in which revision (from each revision's schema: `ServerRequest`, `ServerNotification`).

use super::{Revision, RevisionSet};

/// A method of the protocol and the revisions that define it.
struct Known {
    method: &'static str,
    revisions: &'static [Revision],
}

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

const LEGACY: &[Revision] = &[V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25];
const ALL: &[Revision] = &Revision::ALL;

const SERVER_NOTIFICATIONS: &[Known] = &[
    Known { method: "notifications/cancelled", revisions: ALL },
    Known { method: "notifications/progress", revisions: ALL },
    Known { method: "notifications/message", revisions: ALL },
    Known { method: "notifications/resources/updated", revisions: ALL },
    Known { method: "notifications/resources/list_changed", revisions: ALL },
    Known { method: "notifications/tools/list_changed", revisions: ALL },
    Known { method: "notifications/prompts/list_changed", revisions: ALL },
    Known { method: "notifications/elicitation/complete", revisions: &[V2025_11_25] },
    Known { method: "notifications/tasks/status", revisions: &[V2025_11_25] },
    Known { method: "notifications/subscriptions/acknowledged", revisions: &[V2026_07_28] },
];

const SERVER_REQUESTS: &[Known] = &[
    Known { method: "ping", revisions: LEGACY },
    Known { method: "roots/list", revisions: LEGACY },
    Known { method: "sampling/createMessage", revisions: LEGACY },
    Known { method: "elicitation/create", revisions: &[V2025_06_18, V2025_11_25] },
    Known { method: "tasks/get", revisions: &[V2025_11_25] },
    Known { method: "tasks/result", revisions: &[V2025_11_25] },
    Known { method: "tasks/list", revisions: &[V2025_11_25] },
    Known { method: "tasks/cancel", revisions: &[V2025_11_25] },
];

const CLIENT_REQUESTS: &[Known] = &[
    Known { method: "initialize", revisions: LEGACY },
    Known { method: "ping", revisions: LEGACY },
    Known { method: "logging/setLevel", revisions: LEGACY },
    Known { method: "resources/subscribe", revisions: LEGACY },
    Known { method: "resources/unsubscribe", revisions: LEGACY },
    Known { method: "tools/list", revisions: ALL },
    Known { method: "tools/call", revisions: ALL },
    Known { method: "resources/list", revisions: ALL },
    Known { method: "resources/templates/list", revisions: ALL },
    Known { method: "resources/read", revisions: ALL },
    Known { method: "prompts/list", revisions: ALL },
    Known { method: "prompts/get", revisions: ALL },
    Known { method: "completion/complete", revisions: ALL },
    Known { method: "tasks/get", revisions: &[V2025_11_25] },
    Known { method: "tasks/result", revisions: &[V2025_11_25] },
    Known { method: "tasks/list", revisions: &[V2025_11_25] },
    Known { method: "tasks/cancel", revisions: &[V2025_11_25] },
    Known { method: "server/discover", revisions: &[V2026_07_28] },
    Known { method: "subscriptions/listen", revisions: &[V2026_07_28] },
];

fn revisions_of(table: &[Known], method: &str) -> RevisionSet {
    table
        .iter()
        .find(|known| known.method == method)
        .map_or(RevisionSet::NONE, |known| known.revisions.iter().copied().collect())
}

/// The revisions in which a server may send this notification.
#[must_use]
pub fn server_notification(method: &str) -> RevisionSet {
    revisions_of(SERVER_NOTIFICATIONS, method)
}

/// The revisions in which a server may send this request.
#[must_use]
pub fn server_request(method: &str) -> RevisionSet {
    revisions_of(SERVER_REQUESTS, method)
}

/// The revisions in which a client may send this request.
#[must_use]
pub fn client_request(method: &str) -> RevisionSet {
    revisions_of(CLIENT_REQUESTS, method)
}

/// The client capability that a server request needs; `None` for `ping`, which needs none, and for unknown methods.
#[must_use]
pub fn capability_for(server_request: &str) -> Option<&'static str> {
    match server_request {
        "roots/list" => Some("roots"),
        "sampling/createMessage" => Some("sampling"),
        "elicitation/create" => Some("elicitation"),
        method if method.starts_with("tasks/") => Some("tasks"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elicitation_came_with_2025_06_18_and_left_the_wire_with_2026_07_28() {
        let revisions = server_request("elicitation/create");
        assert!(!revisions.contains(V2025_03_26));
        assert!(revisions.contains(V2025_06_18));
        assert!(!revisions.contains(V2026_07_28));
    }

    #[test]
    fn an_invented_method_is_known_nowhere() {
        assert!(server_notification("window/logMessage").is_empty());
    }
}
