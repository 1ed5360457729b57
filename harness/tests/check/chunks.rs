//! How bytes are cut into writes, and how long a client pauses, changes no verdict.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_plumb::run::{RevisionChoice, check};
use mcp_plumb::script::{Action, Cut, Prelude, Script, Step, embedded};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::support::on_the_bundled_server;

/// Lines of megabytes, and floods, take too long to be cut up again and again.
const LONG: [&str; 6] = [
    "robust/line-",
    "robust/nesting-1",
    "robust/number-",
    "robust/notification-flood",
    "stdio/hundred",
    "jsonrpc/id-long",
];

/// How the bytes of one step are delivered: the ends of its writes, and the pause behind it.
type Chunks = (Vec<usize>, Option<u64>);

/// Cases that can share a process, and send something that can be cut.
fn cuttable() -> Vec<Script> {
    let short = |script: &&Script| !LONG.iter().any(|long| script.id.as_str().starts_with(long));
    let sends = |script: &&Script| script.steps.iter().any(can_be_cut);
    let shares = |script: &&Script| script.shares && script.session == Prelude::Ready;
    embedded().iter().filter(shares).filter(short).filter(sends).cloned().collect()
}

/// Bytes that are held back go out in one write with those of the next step.
fn can_be_cut(step: &Step) -> bool {
    let sends = matches!(
        step.action,
        Some(Action::Send(_) | Action::Raw(_) | Action::Request { .. } | Action::Notification { .. })
    );
    sends && !step.delivery.hold
}

/// The same script with its bytes delivered otherwise.
fn recut(script: &Script, chunks: &mut impl Iterator<Item = Chunks>) -> Script {
    let mut script = script.clone();
    let steps = std::mem::take(&mut script.steps);
    for mut step in steps {
        let mut pause = None;
        if can_be_cut(&step) {
            let (mut cut, after) = chunks.next().unwrap_or_default();
            cut.sort_unstable();
            step.delivery.cut = Cut::At(cut);
            pause = after.map(|millis| Action::Pause(Duration::from_millis(millis)));
        }
        script.steps.push(step);
        script.steps.extend(pause.map(|pause| Step { action: Some(pause), ..Step::default() }));
    }
    script
}

/// The verdict of each case in each revision, and why.
fn verdicts(scripts: Vec<Script>) -> BTreeMap<(String, String), String> {
    let log = check(&on_the_bundled_server(scripts, RevisionChoice::Auto), &|_| {});
    let said = |id: &str| -> Vec<&str> {
        log.findings.iter().filter(|finding| finding.case == id).map(|finding| finding.message.as_str()).collect()
    };
    let verdict = |verdict, id: &str| format!("{verdict} {}", said(id).join("; "));
    log.cases.iter().map(|case| ((case.id.clone(), case.revision.clone()), verdict(case.verdict, &case.id))).collect()
}

#[test]
fn any_cut_and_any_pause_gives_the_same_verdict() {
    let scripts = cuttable();
    assert!(scripts.len() > 40, "{}", scripts.len());
    let plain = verdicts(scripts.clone());
    let chunks: Vec<_> = scripts
        .iter()
        .map(|script| {
            let steps = script.steps.iter().filter(|step| can_be_cut(step)).count();
            vec((vec(0usize..160, 0..5), prop::option::weighted(0.1, 0u64..4)), steps)
        })
        .collect();
    let config = Config { cases: 6, max_shrink_iters: 30, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, random).run(&chunks, |chunks| {
        let recut = scripts.iter().zip(chunks).map(|(script, chunks)| recut(script, &mut chunks.into_iter()));
        let cut = verdicts(recut.collect());
        let differs: Vec<_> = plain.iter().filter(|&(case, verdict)| cut.get(case) != Some(verdict)).collect();
        prop_assert!(differs.is_empty() && cut.len() == plain.len(), "{:?}", differs);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
