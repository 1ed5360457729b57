//! The kill matrix: what `check` has to say of each fault of the reference server, and what it says.
//!
//! `kill.toml` is the model: for each fault the requirements that are owed, with their verdicts, and nothing else.
//! `snapshots/kill-matrix.md` is what the whole suite made of it when it was played last. Playing it all takes long, so
//! it is played on demand, and writes the table:
//!
//! ```console
//! $ cargo test --release -p mcp-plumb --test check -- --ignored --nocapture kill::the_whole_matrix
//! ```
//!
//! Each run of the tests plays what the table names, which is quick.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use mcp_plumb::run::{RevisionChoice, check};
use mcp_plumb::script::{Script, embedded};
use mcp_plumb::spec::{Ledger, RequirementId};
use serde::Deserialize;

use super::support::{Judged, PLUMB, check_words, complaints, complaints_of, on_the_bundled_server};

/// What is owed to one fault.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Owed {
    /// Each a verdict and a requirement. None for a control.
    #[serde(default)]
    owes: BTreeSet<String>,
    /// What is owed too, and what the suite does not find yet.
    #[serde(default)]
    missed: BTreeSet<String>,
    /// Hints that may come along, by chance of timing.
    #[serde(default)]
    may: BTreeSet<String>,
    /// Whether anything else may come along: how the bytes of a session fall into reads is chance.
    #[serde(default)]
    by_chance: bool,
}

type Model = BTreeMap<String, Owed>;

/// What a run told: each verdict with its requirement, and the cases that show it.
type Told = BTreeMap<String, BTreeSet<String>>;

fn model() -> Model {
    toml::from_str(include_str!("kill.toml")).unwrap()
}

fn table_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/kill-matrix.md")
}

/// A fault of the reference server, and the era that it is about, or `both`.
struct Fault {
    name: String,
    era: String,
}

/// The faults that the reference server lists, in its order.
fn faults() -> Vec<Fault> {
    let run = Command::new(PLUMB).args(["reference-server", "--list-faults"]).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let fault = |line: &str| {
        let mut columns = line.split('\t').map(str::to_owned);
        Fault { name: columns.next().unwrap(), era: columns.next().unwrap() }
    };
    text.lines().map(fault).collect()
}

/// Judges the reference server with a fault, in the eras that it is about.
fn told(fault: &Fault, scripts: Vec<Script>) -> Told {
    let words = ["reference-server", "--era", &fault.era, "--fault", &fault.name];
    let findings = if fault.leaves_a_process() {
        // The binary alone adopts what its servers leave behind.
        let cases: Vec<_> = scripts.iter().map(|script| script.id.as_str()).collect();
        let command = [PLUMB].iter().chain(&words).map(|&word| word.to_owned()).collect();
        Judged::by(&check_words(&[], &cases, command)).unwrap().report.findings
    } else {
        let mut options = on_the_bundled_server(scripts, RevisionChoice::Auto);
        options.setting.launch.command = [PLUMB].iter().chain(&words).map(Into::into).collect();
        options.startup = Duration::from_secs(20);
        options.request = Duration::from_secs(5);
        options.budget = Duration::from_secs(150);
        check(&options, &|_| {}).findings
    };
    let mut told = Told::new();
    for finding in findings {
        // How fast a process starts is this machine's affair, but for the faults that are about it.
        let about_start = fault.name.contains("slow") || fault.name.contains("init");
        if finding.requirement.as_str() != "robust.slow-start" || about_start {
            let key = format!("{} {}", finding.verdict, finding.requirement);
            told.entry(key).or_default().insert(finding.case);
        }
    }
    told
}

/// What differs from the model.
fn differs(fault: &str, owed: &Owed, told: &Told) -> Option<String> {
    let told: BTreeSet<&String> = told.keys().collect();
    let silent: Vec<_> = owed.owes.iter().filter(|owed| !told.contains(owed)).collect();
    let known = |key: &&&String| owed.by_chance || owed.owes.contains(**key) || owed.may.contains(**key);
    let extra: Vec<_> = told.iter().filter(|key| !known(key)).collect();
    (!silent.is_empty() || !extra.is_empty()).then(|| format!("{fault}: not told {silent:?}, told beside {extra:?}"))
}

/// The table as text.
fn table(faults: &[Fault], model: &Model, all: &BTreeMap<String, Told>) -> String {
    let owed: usize = model.values().map(|owed| owed.owes.len() + owed.missed.len()).sum();
    let missed: usize = model.values().map(|owed| owed.missed.len()).sum();
    let controls = model.values().filter(|owed| owed.owes.is_empty() && owed.missed.is_empty()).count();
    let whole = model.values().filter(|owed| !owed.owes.is_empty()).count();
    let mut text = format!(
        "# The kill matrix\n\n\
         What `mcp-plumb check` says of each fault of the reference server (`mcp-plumb reference-server --list-faults`\n\
         says what they do). `harness/tests/check/kill.toml` is what it owes; `harness/tests/check/kill.rs` plays it,\n\
         says how, and writes this table.\n\n\
         {} faults: {whole} are caught, {} are not yet, {controls} are controls, of which nothing may be told.\n\
         {} verdicts are owed, of which {} are told.\n\n\
         | fault | owed | caught by |\n| --- | --- | --- |\n",
        faults.len(),
        faults.len() - whole - controls,
        owed,
        owed - missed,
    );
    for Fault { name: fault, .. } in faults {
        let Some(owed) = model.get(fault) else { continue };
        let told = all.get(fault);
        let rows = owed.owes.iter().map(|key| {
            let cases = told.and_then(|told| told.get(key)).into_iter().flatten();
            (key, cases.map(String::as_str).collect::<Vec<_>>().join(", "))
        });
        let missed = owed.missed.iter().map(|key| (key, "not yet".to_owned()));
        let rows: Vec<_> = rows.chain(missed).collect();
        if rows.is_empty() {
            let _ = writeln!(text, "| {fault} | nothing | |");
        }
        for (at, (key, cases)) in rows.iter().enumerate() {
            let _ = writeln!(text, "| {} | {key} | {cases} |", if at == 0 { fault } else { "" });
        }
    }
    text
}

/// The cases that the table names for each fault.
fn cases_of_table() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(table_path()).unwrap();
    let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut fault = String::new();
    for row in text.lines().filter(|line| line.starts_with("| ")).skip(2) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, _, caught, _] = columns[..] else { panic!("{row}") };
        if !name.is_empty() {
            fault = name.to_owned();
        }
        let caught = caught.split(", ").filter(|case| !case.is_empty() && *case != "not yet").map(str::to_owned);
        cases.entry(fault.clone()).or_default().extend(caught);
    }
    cases
}

impl Fault {
    /// Whether it leaves a process behind: whose it is shows only while no other server runs.
    fn leaves_a_process(&self) -> bool {
        self.name.starts_with("grandchild") || self.name.starts_with("daemon")
    }
}

#[test]
fn the_model_and_the_table_know_every_fault_and_each_requirement() {
    let (model, ledger, table) = (model(), Ledger::embedded(), cases_of_table());
    let faults: BTreeSet<String> = faults().into_iter().map(|fault| fault.name).collect();
    assert_eq!(model.keys().cloned().collect::<BTreeSet<_>>(), faults);
    assert_eq!(table.keys().cloned().collect::<BTreeSet<_>>(), faults);
    assert!(faults.len() >= 110, "{}", faults.len());
    for (fault, owed) in &model {
        for key in owed.owes.iter().chain(&owed.missed).chain(&owed.may) {
            let (verdict, id) = key.split_once(' ').unwrap();
            assert!(["fail", "warn", "info"].contains(&verdict), "{fault}: {key}");
            assert!(ledger.find(&RequirementId::new(id)).is_some(), "{fault}: {key}");
        }
        assert_eq!(table[fault].is_empty(), owed.owes.is_empty(), "{fault}");
    }
}

/// Some of the matrix: the first fault that fails a requirement or is warned of by it, and every eighth control.
#[test]
fn what_the_table_names_shows_the_faults() {
    let (model, table) = (model(), cases_of_table());
    let mut seen = BTreeSet::new();
    let mut controls = 0;
    let faults = faults();
    let some: Vec<_> = faults
        .iter()
        .map(|fault| (fault, &model[&fault.name]))
        .filter(|(_, owed)| {
            if owed.owes.is_empty() {
                controls += 1;
                return controls % 8 == 0;
            }
            // What shows in silence takes long; `broken` has peers for that.
            const SILENCE: [&str; 4] = ["respon", "line-terminated", "eof-exit", "initialize-rejected"];
            let silent = owed.owes.iter().any(|key| SILENCE.iter().any(|word| key.contains(word)));
            let heavy = owed.owes.iter().filter(|key| !key.starts_with("info") && !owed.by_chance && !silent);
            heavy.filter(|key| seen.insert(*key)).count() > 0
        })
        .collect();
    let (alone, beside): (Vec<_>, Vec<_>) = some.into_iter().partition(|(fault, _)| fault.leaves_a_process());
    let wrong = |(fault, owed): &(&Fault, &Owed)| {
        let named = |script: &&Script| table[&fault.name].contains(script.id.as_str());
        // What a whole session shows needs one in which something is done.
        let session = |script: &&Script| {
            let id = script.id.as_str();
            ["lifecycle/initialize", "discover/discover", "tools/list", "tools/call"].contains(&id)
                || id.starts_with("lifecycle/version#")
        };
        let scripts = embedded().iter().filter(|script| named(script) || session(script)).cloned().collect();
        let mut told = told(fault, scripts);
        // On a loaded machine a hint may come along.
        told.retain(|key, _| !key.starts_with("info") || owed.owes.contains(key));
        differs(&fault.name, owed, &told)
    };
    let wrong = [complaints_of(1, &alone, wrong), complaints(&beside, wrong)].concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "takes half an hour: the whole suite on each of more than 300 faults; writes the table"]
fn the_whole_matrix() {
    let (model, faults) = (model(), faults());
    let all: Mutex<BTreeMap<String, Told>> = Mutex::default();
    let wrong = |fault: &&Fault| {
        let told = told(fault, embedded().to_vec());
        let name = &fault.name;
        println!("{name}: {told:?}");
        let wrong = model.get(name).map_or(Some(format!("{name}: no model")), |owed| differs(name, owed, &told));
        all.lock().unwrap().insert(name.clone(), told);
        wrong
    };
    let (alone, beside): (Vec<_>, Vec<_>) = faults.iter().partition(|fault| fault.leaves_a_process());
    let wrong = [complaints_of(1, &alone, wrong), complaints_of(6, &beside, wrong)].concat();
    std::fs::write(table_path(), table(&faults, &model, &all.into_inner().unwrap())).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
