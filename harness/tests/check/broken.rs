//! Peers with one defect each: it is named, nothing else is, in time and in bounded memory, and nothing is left
//! running. The table is `peers/bad.py`; `peers/survey.py bad` plays all of it with every case.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use mcp_plumb::judge::Verdict;
use tempfile::tempdir;

use super::support::{Judged, check_words, complaints, peer, peers, python, rows, told};

/// Short waits for peers that are silent on purpose.
const SHORT: [&str; 4] = ["--startup-timeout", "4s", "--timeout", "2s"];

/// What each peer is played with. A few of each kind of defect.
const PLAYED: [(&str, &[&str]); 45] = [
    ("banner-on-stdout", &["lifecycle/initialize"]),
    ("answers-initialized", &["lifecycle/initialize"]),
    ("ids-as-strings", &["ping/*", "jsonrpc/id-values"]),
    ("dies-of-bad-json", &["jsonrpc/parse-error"]),
    ("never-flushes", &["lifecycle/initialize"]),
    ("ignores-eof-and-term", &["ping/ping"]),
    ("never-reads", &["lifecycle/initialize"]),
    ("silent", &["lifecycle/initialize"]),
    ("content-length-in", &["lifecycle/initialize"]),
    ("content-length-out", &["lifecycle/initialize"]),
    ("floods-lines", &["lifecycle/initialize"]),
    ("pretty-printed", &["lifecycle/initialize"]),
    ("grandchild-holds-stdout", &["ping/*"]),
    ("daemon-setsid", &["ping/*"]),
    ("missing-jsonrpc", &["ping/*"]),
    ("result-and-error", &["ping/*"]),
    ("ping-null-result", &["ping/*"]),
    ("error-code-string", &["jsonrpc/unknown-method"]),
    ("notification-with-id", &["tools/*"]),
    ("id-zero-dropped", &["jsonrpc/id-values"]),
    ("id-precision-below-2-53", &["jsonrpc/id-values"]),
    ("duplicate-response", &["ping/ping", "batch/array"]),
    ("dies-of-non-object", &["jsonrpc/no-request", "batch/*"]),
    ("parse-error-last-id", &["jsonrpc/parse-error"]),
    ("unknown-tool-success", &["tools/*"]),
    ("args-unchecked", &["tools/*"]),
    ("null-next-cursor", &["pagination/*"]),
    ("tools-missing-input-schema", &["tools/list"]),
    ("echoes-any-version", &["lifecycle/version*"]),
    ("asks-roots-undeclared", &["lifecycle/*"]),
    ("no-cache-fields", &["caching/*", "discover/*"]),
    ("server-request-modern", &["tools/*", "discover/*"]),
    ("discover-missing", &["discover/*", "tools/list"]),
    ("dies-on-discover", &["lifecycle/initialize"]),
    ("no-trailing-newline", &["lifecycle/initialize"]),
    ("cr-lines", &["lifecycle/initialize"]),
    ("stops-reading", &["ping/ping"]),
    ("exits-after-first-reply", &["ping/ping", "tools/list"]),
    ("array-wrapped", &["ping/*", "batch/array"]),
    ("nan-out", &["tools/list", "lifecycle/request-*"]),
    ("needs-params", &["tools/list", "pagination/no-params"]),
    ("tools-declared-unserved", &["tools/*", "pagination/*"]),
    ("asks-before-initialized", &["lifecycle/*"]),
    ("dies-of-notification-flood", &["robust/notification-flood"]),
    ("answers-cancelled", &["cancel/answered-id", "cancel/unknown-id"]),
];

/// Defects that no case or rule catches yet. One that is caught now has no place here.
const KNOWN_GAPS: [(&str, &[&str], &str); 8] = [
    ("input-schema-invalid", &["tools/list"], "no schema of a tool is compiled yet"),
    ("tool-name-duplicate", &["tools/list"], "no rule compares the tools of a list yet"),
    ("content-bad-type", &["tools/call"], "no block of content is judged yet"),
    ("structured-mismatch", &["tools/call"], "no result is held against its output schema yet"),
    ("meta-key-grammar", &["tools/*"], "no rule reads the keys of _meta yet"),
    ("progress-falls", &["progress/*"], "no rule follows progress yet"),
    ("negative-ttl", &["caching/*"], "only the presence of caching hints is judged yet"),
    ("cache-scope-mixed", &["caching/*"], "no rule compares pages yet"),
];

/// How a run differs from what is owed: `a|b=fail,c=warn`.
fn difference(owed: &str, judged: &Judged) -> Option<String> {
    let mut allowed = Vec::new();
    for due in owed.split(',') {
        let (names, verdict) = due.split_once('=').unwrap();
        let names: Vec<&str> = names.split('|').collect();
        let told = |finding: &&mcp_plumb::judge::Finding| names.contains(&finding.requirement.as_str());
        let is_there = match names[..] {
            ["exit"] => judged.code == verdict.parse().ok(),
            _ => judged.report.findings.iter().filter(told).any(|finding| finding.verdict.as_str() == verdict),
        };
        if !is_there {
            return Some(format!("{due} is not told"));
        }
        allowed.extend(names);
    }
    let others = judged.findings(Verdict::Fail).filter(|finding| !allowed.contains(&finding.requirement.as_str()));
    let others: Vec<String> = others.map(told).collect();
    let exit_code = if judged.findings(Verdict::Fail).next().is_some() { Some(1) } else { judged.code };
    if !others.is_empty() {
        Some(format!("other requirements fail too: {}", others.join("; ")))
    } else if judged.code != exit_code {
        Some(format!("the exit code is {:?}", judged.code))
    } else {
        None
    }
}

fn owed(table: &BTreeMap<String, Vec<String>>, name: &str) -> String {
    table.get(name).unwrap_or_else(|| panic!("there is no broken peer {name}"))[0].clone()
}

/// The table below another path, so that its processes are told from those of other tests.
fn peers_of_our_own(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("peers");
    symlink(peers(), &path).unwrap();
    path
}

#[test]
fn each_defect_is_named_alone_and_nothing_is_left_running() {
    let table = rows("bad.py");
    let folder = tempdir().unwrap();
    let ours = peers_of_our_own(folder.path());
    let complaints = complaints(&PLAYED, |&(name, cases)| {
        let difference = match Judged::by(&check_words(&SHORT, cases, peer(&ours, "bad.py", name))) {
            Err(error) => Some(error),
            Ok(judged) => difference(&owed(&table, name), &judged).map(|difference| {
                format!("{difference} (all: {:?})", judged.report.findings.iter().map(told).collect::<Vec<_>>())
            }),
        };
        difference.map(|difference| format!("{name}: {difference}"))
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_none_left(folder.path());
}

#[test]
fn known_gaps_are_gaps() {
    let table = rows("bad.py");
    let complaints = complaints(&KNOWN_GAPS, |&(name, cases, reason)| {
        let judged = Judged::by(&check_words(&SHORT, cases, peer(&peers(), "bad.py", name)));
        match judged.map(|judged| difference(&owed(&table, name), &judged)) {
            Ok(Some(_)) => None,
            Ok(None) => Some(format!("{name} is caught now, and not because {reason}: play it with the others")),
            Err(error) => Some(format!("{name}: {error}")),
        }
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Runs a command, and writes the most memory that one of its processes had, in KiB, as the last line of stderr.
const MEASURE: &str = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); \
                       print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)";

#[test]
fn a_flood_ends_in_time_and_in_bounded_memory() {
    const MOST: u64 = 96 << 10;
    let folder = tempdir().unwrap();
    let ours = peers_of_our_own(folder.path());
    let floods = ["floods-stdout", "floods-after-handshake", "floods-inside-string"];
    let complaints = complaints(&floods, |name| {
        let began = Instant::now();
        let check = check_words(&SHORT, &["lifecycle/initialize", "tools/list"], peer(&ours, "bad.py", name));
        let words = [python(), "-c", MEASURE].map(str::to_owned).into_iter().chain(check).collect::<Vec<_>>();
        let judged = match Judged::by(&words) {
            Ok(judged) => judged,
            Err(error) => return Some(format!("{name}: {error}")),
        };
        let peak: u64 = judged.stderr.lines().last().and_then(|line| line.parse().ok()).unwrap();
        println!("{name}: {peak} KiB, {:?}", began.elapsed());
        (peak > MOST || judged.code != Some(1)).then(|| format!("{name}: {peak} KiB, exit code {:?}", judged.code))
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_none_left(folder.path());
}

/// Nothing runs whose command line names this folder. What was killed last may take a moment to go.
fn assert_none_left(folder: &Path) {
    let folder = folder.to_str().unwrap();
    let began = Instant::now();
    loop {
        let left = command_lines().into_iter().filter(|line| line.contains(folder)).collect::<Vec<_>>();
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "left running: {left:#?}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn command_lines() -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).collect()
}
