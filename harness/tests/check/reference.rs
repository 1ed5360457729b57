//! What the bundled server says, byte for byte but for ids and nonces: one snapshot for each case and revision.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mcp_plumb::peer::Tap;
use mcp_plumb::run::{RevisionChoice, check};
use mcp_plumb::script::embedded;
use mcp_plumb::snapshot::{Conversation, Speaker};
use mcp_plumb::spec::{Era, Revision};

use super::support::{on_the_bundled_server, traced};

/// Cases that show what differs from revision to revision: recorded in each of their revisions.
const EVERY_REVISION: [&str; 3] = ["lifecycle/initialize", "tools/list", "tools/call"];

/// Cases that are recorded in the newest revision of each era.
const NEWEST: [&str; 15] = [
    "discover/discover",
    "era/initialize-first",
    "jsonrpc/id-text#accent-escaped",
    "jsonrpc/invalid-request#params-string",
    "jsonrpc/notification-unknown",
    "jsonrpc/parse-error#truncated",
    "jsonrpc/unknown-method",
    "lifecycle/initialize-twice",
    "meta/missing-claim#no-meta",
    "pagination/invalid-cursor",
    "ping/ping#params",
    "stdio/two-in-one-write",
    "tools/missing-argument",
    "tools/unknown-tool",
    "version/unsupported-request",
];

/// The conversations of a run, by the label of the process.
#[derive(Default)]
struct Tapes(Mutex<BTreeMap<String, Arc<Tape>>>);

#[derive(Default)]
struct Tape(Mutex<Conversation>);

impl Tap for Tape {
    fn sent(&self, bytes: &[u8]) {
        self.0.lock().unwrap().push(Speaker::Client, bytes);
    }

    fn received(&self, bytes: &[u8]) {
        self.0.lock().unwrap().push(Speaker::Server, bytes);
    }

    fn stderr(&self, _: &[u8]) {}
}

/// Plays cases in one revision, each on a process of its own, and gives their normalised conversations.
fn conversations(revision: Revision, cases: &[&str]) -> BTreeMap<String, String> {
    let chosen = embedded().iter().filter(|script| cases.contains(&script.id.as_str()));
    let options = on_the_bundled_server(chosen.cloned().collect(), RevisionChoice::One(revision));
    let tapes: Arc<Tapes> = Arc::default();
    let trace = {
        let tapes = Arc::clone(&tapes);
        Arc::new(move |label: &str| {
            let tape: Arc<Tape> = Arc::default();
            tapes.0.lock().unwrap().insert(label.to_owned(), Arc::clone(&tape));
            tape as Arc<dyn Tap>
        })
    };
    let log = check(&traced(options, trace), &|_| {});
    assert_eq!(log.footer.exit_code, 0, "{:?}", log.findings);
    let tapes = tapes.0.lock().unwrap();
    let played = tapes.iter().filter(|(label, _)| cases.contains(&label.as_str()));
    played.map(|(label, tape)| (label.clone(), tape.0.lock().unwrap().normalise())).collect()
}

fn assert_snapshots(revision: Revision) {
    let newest = [Revision::NEWEST_LEGACY, Revision::V2026_07_28].contains(&revision);
    let cases: Vec<&str> = EVERY_REVISION.into_iter().chain(NEWEST.into_iter().filter(|_| newest)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/reference"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let conversations = conversations(revision, &cases);
    assert!(conversations.len() >= 2);
    for (case, text) in conversations {
        let name = format!("{}@{revision}", case.replace(['/', '#'], "_"));
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

#[test]
fn the_bundled_server_says_what_it_said() {
    for revision in Revision::ALL {
        assert_snapshots(revision);
    }
}

#[test]
fn every_case_with_a_snapshot_exists() {
    for case in EVERY_REVISION.into_iter().chain(NEWEST) {
        let script = embedded().iter().find(|script| script.id.as_str() == case);
        let script = script.unwrap_or_else(|| panic!("there is no case {case}"));
        assert!(Era::ALL.iter().any(|&era| {
            Revision::ALL.iter().any(|&revision| revision.era() == era && script.revisions.contains(revision))
        }));
    }
}
