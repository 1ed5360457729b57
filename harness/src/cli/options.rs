//! `check` and `replay`: from the words of the command line to a run.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::args::{CheckArgs, ReplayArgs, Shared, Start};
use super::{CliError, output, trace};
use crate::exit::ExitCode;
use crate::peer::Launch;
use crate::run::{Allowed, Call, CheckOptions, RevisionChoice, Selection, Setting, check as run_check};
use crate::script::{Script, embedded, load_dir, load_file};

/// Judges a server and writes the reports.
pub(super) fn check(args: &CheckArgs) -> Result<ExitCode, CliError> {
    let mut scripts = all_scripts(&args.shared)?;
    let mut selection = Selection::default();
    for glob in &args.case {
        selection.only(glob).map_err(|error| CliError::Usage(format!("--case '{glob}' is no glob: {error}")))?;
    }
    scripts.sort_by(|a, b| a.id.cmp(&b.id));
    let options = options(&args.shared, &args.command, scripts, selection, args.isolate)?;
    judge(&args.shared, &options)
}

/// Plays cases alone and shows what they did.
pub(super) fn replay(args: &ReplayArgs) -> Result<ExitCode, CliError> {
    let mut scripts = all_scripts(&args.shared)?;
    let mut selection = Selection::default();
    for case in &args.case {
        let path = Path::new(case);
        let name = if path.extension() == Some(OsStr::new("toml")) {
            let loaded = load_file(path).map_err(|error| CliError::Usage(error.to_string()))?;
            let name = loaded.first().map(|script| script.id.as_str().split('#').next().unwrap_or_default().to_owned());
            scripts.extend(loaded);
            globset::escape(&name.unwrap_or_default())
        } else {
            case.clone()
        };
        selection.only(&name).map_err(|error| CliError::Usage(format!("'{case}' is no glob: {error}")))?;
    }
    let options = options(&args.shared, &args.command, scripts, selection, true)?;
    judge(&args.shared, &options)
}

fn judge(shared: &Shared, options: &CheckOptions) -> Result<ExitCode, CliError> {
    if !options.scripts.iter().any(|script| options.selection.selects(script)) {
        return Err(CliError::NothingToJudge("no case matches; `mcp-plumb list cases` shows all".to_owned()));
    }
    let reports = output::open(&shared.report, shared.log.as_deref())?;
    let log = run_check(options, &output::progress(shared.quiet));
    output::end_progress(shared.quiet);
    reports.write(&log, shared.verbose)?;
    Ok(log.exit_code())
}

fn all_scripts(shared: &Shared) -> Result<Vec<Script>, CliError> {
    let mut scripts = embedded().to_vec();
    for dir in &shared.cases {
        let more = load_dir(dir).map_err(|error| CliError::Usage(error.to_string()))?;
        if more.is_empty() {
            return Err(CliError::Usage(format!("--cases {}: no case files (*.toml) are in it", dir.display())));
        }
        scripts.extend(more);
    }
    Ok(scripts)
}

fn options(
    shared: &Shared,
    command: &[OsString],
    scripts: Vec<Script>,
    mut selection: Selection,
    isolate: bool,
) -> Result<CheckOptions, CliError> {
    for glob in &shared.skip {
        selection
            .skip(glob, "skipped by --skip")
            .map_err(|error| CliError::Usage(format!("--skip '{glob}' is no glob: {error}")))?;
    }
    let bundled = command.is_empty();
    let mut allowed = Allowed { calls: shared.call.clone(), none_by_default: shared.no_calls };
    if bundled {
        let wait = Call { tool: "wait".to_owned(), arguments: Some(json!({"ms": 250})), is: vec!["slow".to_owned()] };
        allowed.calls.push(wait);
    }
    Ok(CheckOptions {
        setting: setting(&shared.start, command)?,
        command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        reproduce: reproduce(shared),
        revisions: shared.revision.unwrap_or(RevisionChoice::Auto),
        scripts,
        selection,
        allowed,
        startup: shared.start.startup(),
        request: shared.start.request(),
        budget: shared.start.whole(),
        jobs: usize::from(shared.jobs),
        isolate,
        strict: shared.strict,
    })
}

impl Start {
    /// For the first answer of a process.
    pub(super) fn startup(&self) -> Duration {
        self.startup_timeout.unwrap_or(Duration::from_secs(30))
    }

    /// For the answer of a request.
    pub(super) fn request(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(10))
    }

    /// For the whole run.
    pub(super) fn whole(&self) -> Duration {
        self.budget.unwrap_or(Duration::from_secs(120))
    }
}

/// How the peers of a run are started; without a command, they are the bundled server.
pub(super) fn setting(start: &Start, command: &[OsString]) -> Result<Setting, CliError> {
    Ok(Setting {
        launch: launch(start, command)?,
        max_line: start.max_line,
        seed: start.seed.unwrap_or_else(|| fastrand::u32(..)),
        trace: start.trace.then(trace::trace),
        starts: Arc::default(),
        flooded: Arc::default(),
        budget: Arc::default(),
    })
}

fn launch(start: &Start, command: &[OsString]) -> Result<Launch, CliError> {
    if command.first().is_some_and(|program| program.is_empty()) {
        let problem =
            "the word behind -- is empty; name the server's program there, as in: mcp-plumb check -- node server.js";
        return Err(CliError::Usage(problem.to_owned()));
    }
    let command = if command.is_empty() {
        let own = std::env::current_exe()
            .map_err(|error| CliError::Usage(format!("the bundled server cannot be found: {error}")))?;
        vec![own.into_os_string(), OsString::from("reference-server")]
    } else {
        command.to_vec()
    };
    let env = start.env.iter().map(|pair| split_pair(pair)).collect::<Result<_, _>>()?;
    Ok(Launch { command, env, clear_env: start.clear_env, cwd: start.cwd.clone(), private_dirs: start.private_dirs })
}

fn split_pair(pair: &OsStr) -> Result<(OsString, OsString), CliError> {
    let text = pair.to_string_lossy();
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err(CliError::Usage(format!("--env '{text}' has no name and value; write NAME=VALUE"))),
    }
}

/// The options that change what a case does, as words for a reproduce command.
fn reproduce(shared: &Shared) -> Vec<String> {
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    for pair in &shared.start.env {
        option("--env", pair.to_string_lossy().into_owned());
    }
    if let Some(cwd) = &shared.start.cwd {
        option("--cwd", cwd.display().to_string());
    }
    for call in &shared.call {
        let arguments = call.arguments.as_ref().map(|arguments| format!("={arguments}")).unwrap_or_default();
        option("--call", format!("{}{arguments}", call.tool));
    }
    for dir in &shared.cases {
        option("--cases", dir.display().to_string());
    }
    if let Some(timeout) = shared.start.timeout {
        option("--timeout", humantime::format_duration(timeout).to_string());
    }
    if let Some(startup) = shared.start.startup_timeout {
        option("--startup-timeout", humantime::format_duration(startup).to_string());
    }
    let flags = [
        (shared.start.clear_env, "--clear-env"),
        (shared.start.private_dirs, "--private-dirs"),
        (shared.no_calls, "--no-calls"),
    ];
    words.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag.to_owned()));
    words
}
