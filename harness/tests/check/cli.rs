//! The binary as a person or a script sees it: words, streams and exit codes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use assert_cmd::Command;
use mcp_plumb::judge::Verdict;
use mcp_plumb::report::Report;
use predicates::prelude::*;
use predicates::str::contains;
use rustix::process::Signal;
use tempfile::{TempDir, tempdir};
use wait_timeout::ChildExt as _;

use super::support::{PLUMB, peer, peers};

/// No test needs it; one that hangs ends by it.
const LONG: Duration = Duration::from_secs(120);

/// A case that is short in both eras' ways.
const SHORT: [&str; 2] = ["--case", "ping/ping"];

fn plumb<'a>(words: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(PLUMB);
    command.args(words).timeout(LONG);
    command
}

/// A server that answers ping with an error.
const BROKEN: &str = "ping-unknown";

/// Words, and behind them the command of a broken peer.
fn on_a_broken_peer<'a>(words: impl IntoIterator<Item = &'a str>, name: &str) -> Command {
    let mut command = plumb(words);
    command.arg("--").args(peer(&peers(), "bad.py", name));
    command
}

fn report(bytes: &[u8]) -> Report {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn without_a_command_the_bundled_server_is_judged_in_both_eras() {
    let json = plumb(["check", "--report", "json"]).assert().success().get_output().stdout.clone();
    let report = report(&json);
    assert_eq!(report.server.revisions, ["2025-11-25", "2026-07-28"]);
    let failing: Vec<_> = report.findings.iter().map(|finding| (&finding.requirement, &finding.message)).collect();
    assert!(failing.is_empty(), "{failing:?}");
    assert!(report.summary.pass > 60, "{:?}", report.summary);
}

#[test]
fn a_conformant_server_gives_0_and_a_few_lines() {
    let run = plumb(["check"].into_iter().chain(SHORT)).assert().success().stderr("");
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(text.lines().count() <= 8 && text.contains("PASS"), "{text}");
}

#[test]
fn a_breach_gives_1_and_the_command_that_shows_it_again() {
    let json = on_a_broken_peer(["check", "--report", "json"].into_iter().chain(SHORT), BROKEN)
        .assert()
        .code(1)
        .get_output()
        .stdout
        .clone();
    let report = report(&json);
    let finding = report.findings.iter().find(|finding| finding.requirement.as_str() == "ping.responds").unwrap();
    let words = shell_words::split(&finding.reproduce).unwrap();
    assert_eq!(words[..2], ["mcp-plumb", "replay"]);
    plumb(words[1..].iter().map(String::as_str)).assert().code(1).stdout(contains("FAIL  ping.responds"));
}

#[test]
fn warnings_count_when_strict() {
    let words = ["check", "--case", "jsonrpc/unknown-method"];
    let warned = contains("WARN  jsonrpc.method-not-found");
    on_a_broken_peer(words, "unknown-method-wrong-code").assert().code(0).stdout(warned.clone());
    let words = words.into_iter().chain(["--strict"]);
    on_a_broken_peer(words, "unknown-method-wrong-code").assert().code(1).stdout(warned);
}

#[test]
fn what_cannot_be_started_gives_3_and_says_why() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("not-executable");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let file = file.to_str().unwrap();
    let troubles = [
        ("mcp-plumb-no-such-command", "was not found in PATH"),
        ("./mcp-plumb-no-such-file", "there is no file"),
        (file, "is not executable"),
        (folder.path().to_str().unwrap(), "is a directory"),
    ];
    for (command, says) in troubles {
        let run = plumb(["check", "--", command]).assert().code(3);
        run.stdout(contains("INCOMPLETE").and(predicate::function(|text: &str| unwrapped(text).contains(says))));
    }
}

/// A text without the line breaks that fit it to a terminal.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_exits_at_once_gives_3_and_the_last_lines_of_its_stderr() {
    let script = "for i in $(seq 40); do echo line $i >&2; done; echo KeyError: API_KEY >&2; exit 7";
    let run = plumb(["check", "--", "sh", "-c", script]).assert().code(3);
    run.stdout(contains("exit code 7").and(contains("line 40")).and(contains("KeyError: API_KEY")));
}

#[test]
fn a_wrong_invocation_gives_2_and_starts_nothing() {
    let folder = tempdir().unwrap();
    let started = folder.path().join("started");
    let path = started.to_str().unwrap();
    let wrong: [(&[&str], &str); 17] = [
        (&["--bogus"], "--bogus"),
        (&["--case", "a["], "'a[' is no glob"),
        (&["--skip", "a["], "'a[' is no glob"),
        (&["--env", "NAME"], "write NAME=VALUE"),
        (&["--env", "=value"], "write NAME=VALUE"),
        (&["--call", "tool=[1]"], "is no call"),
        (&["--revision", "2020-01-01"], "known are 2024-11-05"),
        (&["--timeout", "fast"], "'--timeout <TIME>': this is no time"),
        (&["--timeout", "0s"], "'--timeout <TIME>': a time of nothing"),
        (&["--startup-timeout", "0ms"], "'--startup-timeout <TIME>': a time of nothing"),
        (&["--budget", "0s"], "'--budget <TIME>': a time of nothing"),
        (&["--budget", "9999years"], "the longest time is a year"),
        (&["--max-line", "1023"], "the least is 1024 bytes"),
        (&["--max-line", "much"], "this is no number of bytes"),
        (&["--jobs", "0"], "--jobs"),
        (&["--report", "xml"], "write text or json"),
        (&["--report", "json=/no/such/folder/report.json"], "cannot be written"),
    ];
    for (options, says) in wrong {
        let words = ["check"].into_iter().chain(options.iter().copied()).chain(["--", "touch", path]);
        plumb(words).assert().code(2).stdout("").stderr(contains(says));
        assert!(!started.exists(), "{options:?} started the server");
    }
}

#[test]
fn unwritable_logs_and_folders_in_the_place_of_reports_are_refused_before_the_run() {
    let folder = tempdir().unwrap();
    let started = folder.path().join("started");
    let command = ["--", "touch", started.to_str().unwrap()];
    let at_folder = format!("json={}", folder.path().display());
    let words = ["check", "--report", &at_folder].into_iter().chain(command);
    plumb(words).assert().code(2).stdout("").stderr(contains("is a folder"));
    let words = ["check", "--log", "/no/such/folder/log.jsonl"].into_iter().chain(command);
    plumb(words).assert().code(2).stdout("").stderr(contains("cannot be written"));
    assert!(!started.exists());
}

#[test]
fn a_broken_case_file_gives_2_with_line_and_caret() {
    let folder = tempdir().unwrap();
    let case = "title = \"answers ping\"\nrequirements = [\"ping.responds\"]\n\n[[step]]\nbarier = true\n";
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/typo.toml"), case).unwrap();
    let path = folder.path().to_str().unwrap();
    let run = plumb(["check", "--cases", path]).assert().code(2).stdout("");
    run.stderr(contains("typo.toml:5:1").and(contains("barier = true")).and(contains("^^^^^^")));
}

#[test]
fn an_answer_beyond_the_cap_that_came_at_once_is_not_waited_for() {
    let patient = ["--timeout", "10m", "--startup-timeout", "10m", "--budget", "1h", "--max-line", "1024"];
    plumb(["check"].into_iter().chain(SHORT).chain(patient)).assert().success();
}

/// A folder with one case, `mine/case`, that has these steps.
fn own_case(steps: &str) -> TempDir {
    let folder = tempdir().unwrap();
    let head = "title = \"answers as I say\"\nrequirements = [\"ping.responds\"]\nrevisions = \"legacy\"\n";
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/case.toml"), format!("{head}{steps}")).unwrap();
    folder
}

/// The words of a check with the cases of a folder, of which only one is played.
fn with_own_case(folder: &TempDir) -> Vec<&str> {
    vec!["check", "--case", "mine/case", "--cases", folder.path().to_str().unwrap()]
}

#[test]
fn a_case_that_cannot_be_played_gives_2_with_line_and_caret_and_starts_nothing() {
    for (steps, place, says) in [
        ("", "1:1", "the case does nothing"),
        ("[[step]]\nraw = 'text:${nope}'", "5:15", "the variable 'nope', which nothing sets"),
        ("[[step]]\nraw = 'text:${repeat:A:99999999999}'", "5:7", "beyond 64 MiB"),
        ("[[step]]\nsend = '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}'", "5:8", "use `raw`"),
        ("[[step]]\nrequest = { method = 'a', id = '${last_id}' }", "5:35", "nothing was asked before"),
    ] {
        let folder = own_case(steps);
        let started = folder.path().join("started");
        let words = with_own_case(&folder).into_iter().chain(["--", "touch", started.to_str().unwrap()]);
        let place = format!("case.toml:{place}: ");
        plumb(words).assert().code(2).stdout("").stderr(contains(place).and(contains(says)).and(contains(" | ")));
        assert!(!started.exists(), "{steps}");
    }
}

#[test]
fn of_a_long_line_in_a_case_only_the_place_is_shown() {
    let folder = own_case(&format!("[[step]]\nraw = 'text:{}${{nope}}{}'", "a".repeat(50_000), "b".repeat(50_000)));
    let run = plumb(with_own_case(&folder)).assert().code(2);
    let stderr = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    let shown: Vec<&str> = stderr.lines().skip(1).collect();
    assert!(shown.len() == 3 && shown.iter().all(|line| line.chars().count() <= 110), "{stderr}");
    assert!(shown[1].contains("aaa${nope}bbb") && shown[2].ends_with(" ^^^^"), "{stderr}");
}

#[test]
fn a_case_of_a_user_that_turns_out_wrong_while_it_is_played_is_no_bug_of_ours() {
    let taken = "[[step]]\nrequest = { method = 'ping' }\ntake = { version = '/jsonrpc' }\n[[step]]\n\
                 send = '{\"jsonrpc\":\"2.0\",\"method\":\"${version}\"}'\n";
    let folder = own_case(taken);
    plumb(with_own_case(&folder)).assert().code(2).stdout(contains("the case itself is wrong"));
}

#[test]
fn a_pause_that_the_budget_cuts_short_leaves_its_case_open() {
    let folder = own_case("[[step]]\npause = '1h'\n");
    let words = with_own_case(&folder).into_iter().chain(["--budget", "5s", "--report", "json"]);
    let report = report(&plumb(words).assert().code(3).get_output().stdout);
    let told: Vec<_> = report.cases.iter().map(|case| (case.verdict, case.reason.as_deref())).collect();
    assert_eq!(told, [(Verdict::Inconclusive, Some("the budget of the run was used up; raise --budget"))]);
}

#[test]
fn own_cases_are_played_beside_the_embedded_ones() {
    let folder = tempdir().unwrap();
    let case = "title = \"answers a ping of mine\"\nrequirements = [\"ping.responds\"]\nrevisions = \"legacy\"\n\n\
                [[step]]\nrequest = { method = \"ping\" }\n";
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/ping.toml"), case).unwrap();
    let path = folder.path().to_str().unwrap();
    let words = ["check", "--cases", path, "--case", "mine/*", "--report", "json"];
    let cases = report(&plumb(words).assert().success().get_output().stdout).cases;
    assert_eq!(cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["mine/ping"]);
}

#[test]
fn one_star_of_a_glob_stays_within_a_folder() {
    let folder = own_case("[[step]]\nrequest = { method = 'ping' }\n");
    fs::create_dir(folder.path().join("mine/deep")).unwrap();
    fs::copy(folder.path().join("mine/case.toml"), folder.path().join("mine/deep/case.toml")).unwrap();
    let cases = folder.path().to_str().unwrap();
    let played = |globs: &[&str]| {
        let words = ["check", "--cases", cases, "--report", "json"].into_iter().chain(globs.iter().copied());
        let report = report(&plumb(words).output().unwrap().stdout);
        let played = report.cases.into_iter().filter(|case| case.verdict == Verdict::Pass);
        played.map(|case| case.id).collect::<Vec<_>>()
    };
    assert_eq!(played(&["--case", "mine/*"]), ["mine/case"]);
    assert_eq!(played(&["--case", "mine/**"]), ["mine/case", "mine/deep/case"]);
    assert_eq!(played(&["--case", "mine/**", "--skip", "mine/*"]), ["mine/deep/case"]);
    plumb(["check", "--case", "*"]).assert().code(3).stderr(contains("no case matches"));
}

#[test]
fn a_run_without_cases_gives_3() {
    let none = "no case matches";
    plumb(["check", "--case", "no/such-case"]).assert().code(3).stdout("").stderr(contains(none));
    plumb(["replay", "no/such-case"]).assert().code(3).stdout("").stderr(contains(none));
    let empty = tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    plumb(["check", "--cases", path]).assert().code(2).stderr(contains("no case files"));
}

#[test]
fn a_run_in_which_every_case_is_skipped_gives_3() {
    let words = ["check", "--case", "ping/ping", "--skip", "ping/*", "--report", "json"];
    let report = report(&plumb(words).assert().code(3).get_output().stdout);
    assert_eq!(report.summary.skip, report.cases.len());
}

#[test]
fn a_json_report_is_alone_on_stdout_even_when_traced() {
    let words = ["check", "--report", "json", "--trace"].into_iter().chain(SHORT);
    let run = plumb(words).assert().success().stderr(contains(" -> ").and(contains(" <- ")));
    let stdout = &run.get_output().stdout;
    assert_eq!(report(stdout).exit_code, 0);
    assert!(stdout.ends_with(b"}\n"));
}

#[test]
fn the_trace_shows_both_directions_and_stderr() {
    let words = ["check", "--trace"].into_iter().chain(SHORT);
    let shown = contains(r#"-> {"jsonrpc":"2.0""#).and(contains(r#"<- {"jsonrpc":"2.0""#)).and(contains(" stderr "));
    plumb(words).assert().success().stderr(shown);
}

#[test]
fn reports_go_whole_to_files_and_the_text_to_stdout() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, "an older report").unwrap();
    let target = format!("json={}", path.display());
    let words = ["check", "--report", &target].into_iter().chain(SHORT);
    on_a_broken_peer(words, BROKEN).assert().code(1).stdout(contains("FAIL"));
    assert_eq!(report(&fs::read(&path).unwrap()).exit_code, 1);
    assert_eq!(names_in(folder.path()), ["report.json"]);
}

#[test]
fn a_link_keeps_its_place_and_its_target_takes_the_report() {
    let folder = tempdir().unwrap();
    let link = folder.path().join("latest.json");
    fs::write(folder.path().join("monday.json"), "an older report").unwrap();
    std::os::unix::fs::symlink("monday.json", &link).unwrap();
    let target = format!("json={}", link.display());
    plumb(["check", "--report", &target].into_iter().chain(SHORT)).assert().success();
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("monday.json"));
    assert_eq!(report(&fs::read(folder.path().join("monday.json")).unwrap()).exit_code, 0);
    assert_eq!(names_in(folder.path()).len(), 2);
}

#[test]
fn a_pipe_in_the_place_of_a_report_is_written_through() {
    let folder = tempdir().unwrap();
    let pipe = named_pipe(folder.path());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    let target = format!("json={}", pipe.display());
    plumb(["check", "--report", &target].into_iter().chain(SHORT)).assert().success();
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(names_in(folder.path()), ["pipe"]);
    assert_eq!(report(&reader.join().unwrap()).exit_code, 0);
}

/// A named pipe in a folder.
fn named_pipe(folder: &Path) -> PathBuf {
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn an_interruption_ends_the_server_and_leaves_no_file_of_ours() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = tempdir().unwrap();
        let beside = tempdir().unwrap();
        let pipe = named_pipe(beside.path());
        let target = format!("json={}", folder.path().join("report.json").display());
        // Each process of the server holds the pipe open for as long as it lives.
        let script = "exec 3>\"$0\"; echo started >&3; trap '' TERM; exec cat >&2";
        let mut child = std::process::Command::new(PLUMB)
            .args(["check", "--private-dirs", "--report", &target, "--log"])
            .arg(folder.path().join("run.jsonl"))
            .env("TMPDIR", folder.path())
            .args(["--", "sh", "-c", script])
            .arg(&pipe)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut held = BufReader::new(fs::File::open(&pipe).unwrap());
        held.read_line(&mut String::new()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        held.read_to_string(&mut String::new()).unwrap();
        let status = child.wait_timeout(LONG).unwrap().unwrap();
        let run = child.wait_with_output().unwrap();
        assert_eq!((status.code(), run.stdout), (Some(130), Vec::new()));
        assert_eq!(String::from_utf8(run.stderr).unwrap(), "mcp-plumb: interrupted; nothing was written\n");
        assert_eq!(names_in(folder.path()), [""; 0]);
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_log_renders_again_to_the_same_report_and_exit_code() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let log = path.to_str().unwrap();
    let words = ["check", "--log", log, "--seed", "7"].into_iter().chain(SHORT);
    let first = on_a_broken_peer(words, BROKEN).assert().code(1).get_output().stdout.clone();
    let again = plumb(["report", log]).assert().code(1).get_output().stdout.clone();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(first).unwrap());
    let json = plumb(["report", "--report", "json", log]).assert().code(1).get_output().stdout.clone();
    assert_eq!((report(&json).exit_code, report(&json).seed), (1, 7));
}

#[test]
fn a_log_that_is_not_whole_is_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let log = path.to_str().unwrap();
    plumb(["check", "--log", log].into_iter().chain(SHORT)).assert().success();
    let whole = fs::read_to_string(&path).unwrap();
    let (events, _footer) = whole.trim_end().rsplit_once('\n').unwrap();
    fs::write(&path, format!("{events}\n")).unwrap();
    plumb(["report", log]).assert().code(2).stdout("").stderr(contains("no footer"));
    fs::write(&path, "no log\n").unwrap();
    plumb(["report", log]).assert().code(2).stdout("");
    plumb(["report", "no-such-log"]).assert().code(2).stdout("").stderr(contains("no-such-log"));
}

#[test]
fn the_seed_is_told() {
    let words = ["check", "--seed", "42"].into_iter().chain(SHORT);
    plumb(words).assert().success().stdout(contains("seed 42"));
}

#[test]
fn cases_requirements_and_revisions_are_listed() {
    plumb(["list", "cases"]).assert().success().stdout(contains("ping/ping#params\t"));
    plumb(["list", "requirements"]).assert().success().stdout(contains("ping.responds\t"));
    let revisions = plumb(["list", "revisions"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(revisions).unwrap().lines().count(), 5);
    let modern = ["list", "cases", "--revision", "2026-07-28"];
    plumb(modern).assert().success().stdout(contains("discover/discover\t").and(contains("ping/ping").not()));
    plumb(["list", "servers"]).assert().code(2);
}

#[test]
fn a_requirement_is_explained_and_an_unknown_one_gets_a_hint() {
    let parts = contains("accepted ").and(contains("fix ")).and(contains("source ")).and(contains("case "));
    plumb(["explain", "ping.responds"]).assert().success().stdout(parts);
    plumb(["explain", "responds"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("did you mean").and(contains("ping.responds")));
    plumb(["explain", "no.such-thing"]).assert().code(2).stderr(contains("mcp-plumb list requirements"));
}

#[test]
fn a_replay_shows_a_failure_again_or_that_there_is_none() {
    on_a_broken_peer(["replay", "ping/ping#params"], BROKEN).assert().code(1).stdout(contains("FAIL  ping.responds"));
    plumb(["replay", "ping/ping#params"]).assert().success();
    plumb(["replay"]).assert().code(2).stderr(contains("<CASE>"));
}

#[test]
fn a_replay_takes_a_case_file() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("unknown.toml");
    let case = "title = \"answers a method of the future\"\nrequirements = [\"ping.responds\"]\nrevisions = \"legacy\"\n\n\
                [[step]]\nrequest = { method = \"future/${nonce}\" }\n\n\
                [[step.outcome]]\nverdict = \"fail\"\non = \"reply\"\nlike = '{\"error\":{\"code\":-32601}}'\n";
    fs::write(&path, case).unwrap();
    plumb(["replay", path.to_str().unwrap()]).assert().code(1).stdout(contains("FAIL  ping.responds"));
    let odd = folder.path().join("odd[1].toml");
    fs::copy(&path, &odd).unwrap();
    plumb(["replay", odd.to_str().unwrap()]).assert().code(1).stdout(contains("FAIL  ping.responds"));
    fs::write(&path, "title = 1\n").unwrap();
    plumb(["replay", path.to_str().unwrap()]).assert().code(2).stderr(contains("unknown.toml:1:9").and(contains("^")));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = std::process::Command::new(PLUMB)
        .args(["list", "requirements"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_check_whose_stdout_is_closed_still_gives_its_exit_code() {
    let mut child = std::process::Command::new(PLUMB)
        .arg("check")
        .args(SHORT)
        .arg("--")
        .args(peer(&peers(), "bad.py", BROKEN))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn the_bundled_server_has_help_of_its_own() {
    plumb(["reference-server", "--help"]).assert().success().stdout(contains("--era").and(contains("MCP server")));
    plumb(["--help"]).assert().success().stdout(contains("Exit codes:").and(contains("reference-server")));
    plumb([]).assert().code(2);
}

#[test]
fn the_environment_and_the_folder_of_the_server_are_as_asked() {
    let folder = tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let script = "echo \"$PWD $COLOUR ${HOME-homeless}\" >&2; exit 1";
    let words = ["check", "--env", "COLOUR=blue", "--clear-env", "--cwd", path.to_str().unwrap(), "--"];
    let run = plumb(words.into_iter().chain(["/bin/sh", "-c", script])).assert().code(3);
    let wanted = format!("{} blue homeless", path.display());
    run.stdout(predicate::function(move |text: &str| unwrapped(text).contains(&wanted)));
}

#[test]
fn a_call_of_a_tool_that_is_not_listed_is_a_mistake() {
    let words = ["check", "--case", "ping/ping", "--call", "no_such_tool"];
    plumb(words).assert().code(2).stdout(contains("the server lists no such tool; it has append_insight"));
}

#[test]
fn a_command_without_a_program_is_a_mistake() {
    let empty = [
        vec!["check", "--"],
        vec!["session", "--"],
        vec!["check", "--", ""],
        vec!["check", "--", "", "server.js"],
        vec!["replay", "ping/ping", "--", ""],
    ];
    for words in empty {
        plumb(words).assert().code(2).stdout("").stderr(contains("name the server's"));
    }
}

#[test]
fn a_command_without_two_dashes_gets_a_tip() {
    plumb(["check", "node", "server.js"]).assert().code(2).stderr(contains("stands behind --"));
}
