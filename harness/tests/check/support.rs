//! Runs the harness on test peers and on the bundled server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use mcp_plumb::judge::{Finding, Verdict};
use mcp_plumb::peer::Launch;
use mcp_plumb::report::Report;
use mcp_plumb::run::{Allowed, Call, CheckOptions, RevisionChoice, Selection, Setting, Trace};
use mcp_plumb::script::Script;
use serde_json::json;

/// The binary under test.
pub(crate) const PLUMB: &str = env!("CARGO_BIN_EXE_mcp-plumb");

/// The folder of the test peers.
pub(crate) fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers")
}

/// The interpreter itself: a wrapper script in its place would be started with each of the many peers.
pub(crate) fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let run = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let run = run.expect("python3 should be installed: the test peers are written in it");
        String::from_utf8(run.stdout).unwrap().trim().to_owned()
    })
}

/// The words that start a peer of a table.
pub(crate) fn peer(folder: &Path, table: &str, name: &str) -> Vec<String> {
    let script = folder.join(table).display().to_string();
    [python(), "-S", "-E", &script, name].map(str::to_owned).to_vec()
}

/// The lines of `--list` of a table, by the name of the peer, without the name.
pub(crate) fn rows(table: &str) -> BTreeMap<String, Vec<String>> {
    let run = Command::new(python()).arg(peers().join(table)).arg("--list").output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let mut columns = line.split('\t').map(str::to_owned);
        rows.insert(columns.next().unwrap(), columns.collect());
    }
    assert!(!rows.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    rows
}

/// A finished run of `check`.
pub(crate) struct Judged {
    /// Its JSON report.
    pub(crate) report: Report,
    /// Its exit code.
    pub(crate) code: Option<i32>,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
}

/// Well above what any run of these tests takes; one that hangs is ended by it.
const DEADLINE: Duration = Duration::from_secs(240);

impl Judged {
    /// Runs a command that ends in a `check` with a JSON report on stdout.
    pub(crate) fn by(words: &[String]) -> Result<Self, String> {
        let run = assert_cmd::Command::new(&words[0]).args(&words[1..]).timeout(DEADLINE).output();
        let run = run.map_err(|error| format!("no run: {error}"))?;
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        let report = serde_json::from_slice(&run.stdout)
            .map_err(|error| format!("no report ({:?}): {error}; {stderr}", run.status))?;
        Ok(Self { report, code: run.status.code(), stderr })
    }

    /// The findings of this verdict.
    pub(crate) fn findings(&self, verdict: Verdict) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter().filter(move |finding| finding.verdict == verdict)
    }
}

/// The words of a `check` of some cases on a peer, with a JSON report.
pub(crate) fn check_words(options: &[&str], cases: &[&str], peer: Vec<String>) -> Vec<String> {
    let head = [PLUMB, "check", "--quiet", "--jobs", "4", "--report", "json"].into_iter();
    let cases = cases.iter().flat_map(|case| ["--case", case]);
    head.chain(options.iter().copied()).chain(cases).chain(["--"]).map(str::to_owned).chain(peer).collect()
}

/// A finding in one line.
pub(crate) fn told(finding: &Finding) -> String {
    format!("{}={} ({}: {})", finding.requirement, finding.verdict, finding.case, finding.message)
}

/// Does something with each item, several at a time since peers are waited for more than computed, and collects what
/// was wrong.
pub(crate) fn complaints<T: Sync>(items: &[T], wrong: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    complaints_of(10, items, wrong)
}

/// The same with so many at a time.
pub(crate) fn complaints_of<T: Sync>(
    workers: usize,
    items: &[T],
    wrong: impl Fn(&T) -> Option<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let complaint = wrong(item);
                    complaints.lock().unwrap().extend(complaint);
                }
            });
        }
    });
    complaints.into_inner().unwrap()
}

/// A run of some scripts on the bundled server, by the library. Its ids and nonces are the same each time.
pub(crate) fn on_the_bundled_server(scripts: Vec<Script>, revisions: RevisionChoice) -> CheckOptions {
    let wait = Call { tool: "wait".to_owned(), arguments: Some(json!({"ms": 250})), is: vec!["slow".to_owned()] };
    let command: Vec<OsString> = vec![PLUMB.into(), "reference-server".into()];
    CheckOptions {
        setting: Setting {
            launch: Launch { command, ..Launch::default() },
            max_line: 16 << 20,
            seed: 1,
            trace: None,
            starts: Arc::default(),
            flooded: Arc::default(),
            budget: Arc::default(),
        },
        command: Vec::new(),
        reproduce: Vec::new(),
        revisions,
        scripts,
        selection: Selection::default(),
        allowed: Allowed { calls: vec![wait], ..Allowed::default() },
        startup: Duration::from_secs(120),
        request: Duration::from_secs(60),
        budget: Duration::from_secs(600),
        jobs: 4,
        isolate: false,
        strict: false,
    }
}

/// The same with a tap for each process.
pub(crate) fn traced(mut options: CheckOptions, trace: Trace) -> CheckOptions {
    options.setting.trace = Some(trace);
    options.isolate = true;
    options
}
