//! Judges a server: survey, plan, play, judge, confirm. The result is a log; every report is computed from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::confirm::{self, Again};
use super::diagnose::Mute;
use super::plan::{Plan, RevisionChoice, Selection, plan};
use super::play::Stop;
use super::pool::{Context, Fate, Finished, Part, run};
use super::session::Setting;
use super::survey::{NotStarted, Survey, Surveyed, survey};
use super::times::Times;
use super::values::{self, Allowed};
use super::versions;
use crate::judge::{
    Account, Breach, CaseResult, Finding, JudgedCase, JudgedSession, Proof, Recording, Verdict, Weighed, ended,
    judge_session, opening_case, shape_of, weigh,
};
use crate::log::{Footer, Header, Log, SCHEMA, Server};
use crate::peer::Deadline;
use crate::script::{Script, embedded};
use crate::spec::{Era, Ledger, RequirementId, Revision};
use crate::wire::Class;

/// How a server is judged.
pub struct CheckOptions {
    /// How its peers are started.
    pub setting: Setting,
    /// The command as the user gave it.
    pub command: Vec<String>,
    /// What a reproduce command needs beside the case and the command.
    pub reproduce: Vec<String>,
    /// Which revisions are judged.
    pub revisions: RevisionChoice,
    /// The cases.
    pub scripts: Vec<Script>,
    /// Which of them are played.
    pub selection: Selection,
    /// Which calls may be made.
    pub allowed: Allowed,
    /// For the first answer of a process.
    pub startup: Duration,
    /// For the answer of a request.
    pub request: Duration,
    /// For the whole run.
    pub budget: Duration,
    /// Active sessions at a time.
    pub jobs: usize,
    /// One process for each case.
    pub isolate: bool,
    /// Whether warnings fail the run.
    pub strict: bool,
}

/// What a run is doing, for a person who waits.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// Judges a server.
pub fn check(options: &CheckOptions, progress: Progress<'_>) -> Log {
    let began = Instant::now();
    let times = Times::new(options.startup, options.request, Deadline::after(options.budget));
    // A setting that is used again keeps the end of its first run, which only makes later waits prove less.
    let _ = options.setting.budget.set(times.budget);
    progress("looking at the server");
    let mut run = Run::new(options, times);
    match survey(&options.setting, &times, &options.revisions.eras()) {
        Surveyed::NotStarted(trouble) => run.trouble = Some(describe(&trouble)),
        Surveyed::Mute(mute) => run.take_mute(&mute),
        Surveyed::Speaks(survey) => run.judge(&survey, progress),
    }
    run.finish(began)
}

/// Why nothing could be judged, in a few lines.
pub(super) fn describe(trouble: &NotStarted) -> String {
    match trouble {
        NotStarted::Exited { stderr, stdout, .. } => {
            let mut text = trouble.to_string();
            for (name, lines) in [("stdout", stdout), ("stderr", stderr)] {
                if !lines.is_empty() {
                    text += &format!("\nits {name} ended with:\n{}", crate::transcript::escape_lines(lines));
                }
            }
            text
        }
        NotStarted::Spawn(_) | NotStarted::Slow(_) | NotStarted::Budget => trouble.to_string(),
    }
}

/// A run and what it has found so far.
struct Run<'a> {
    options: &'a CheckOptions,
    times: Times,
    ledger: &'static Ledger,
    server: Server,
    findings: Vec<Finding>,
    cases: Vec<CaseResult>,
    trouble: Option<String>,
    /// Whether the trouble is with the words of the user.
    misused: bool,
}

/// A finding with the case that it came from, before it is confirmed.
struct Candidate<'a> {
    weighed: Weighed,
    /// The script to play again; `None` for what is about the session.
    script: Option<(&'a Script, Revision)>,
    shared: bool,
}

impl<'a> Run<'a> {
    fn new(options: &'a CheckOptions, times: Times) -> Self {
        let server = Server { command: options.command.clone(), ..Server::default() };
        let ledger = Ledger::embedded();
        Self { options, times, ledger, server, findings: Vec::new(), cases: Vec::new(), trouble: None, misused: false }
    }

    /// A server that runs and does not speak: one finding, and the rest is inconclusive.
    fn take_mute(&mut self, mute: &Mute) {
        let recording = &mute.recording;
        let opening = opening_case(recording);
        let judged = judge_session(recording, &[], self.ledger);
        let said = judged.own.iter().any(|weighed| {
            weighed.finding.verdict == Verdict::Fail && weighed.finding.requirement.as_str().starts_with("stdio.")
        });
        let silence = &mute.silence;
        let event = recording.transcript.events.len().saturating_sub(1);
        let breach = Breach::new(silence.requirement(), event, silence.message()).about(mute.request());
        let own = judged.own.into_iter().filter(|weighed| {
            let id = weighed.finding.requirement.as_str();
            let of_silence =
                matches!(id, "lifecycle.initialize-responds" | "jsonrpc.response-required" | "ping.responds");
            // An answer that came when stdin was closed was not slow: it was held back.
            !of_silence && id != "robust.slow-start" && id != silence.requirement()
        });
        let mut seen = BTreeSet::new();
        let is_new =
            |weighed: &Weighed| seen.insert((weighed.finding.requirement.clone(), shape_of(&weighed.finding.message)));
        let mut weighed: Vec<Weighed> = own.filter(is_new).collect();
        // Noise that explains the silence is the one root cause; so is another framing.
        let other_framing = recording.transcript.lines().any(|(_, line)| line.reading.class == Class::LspHeader);
        let is_plain = silence.is_plain();
        if !(other_framing || said && is_plain) {
            weighed.extend(weigh(&breach, recording, opening, self.ledger));
        }
        let revision = Revision::NEWEST_LEGACY;
        let verdict = weighed.iter().map(|weighed| weighed.finding.verdict).max().unwrap_or(Verdict::Inconclusive);
        self.findings.extend(weighed.into_iter().map(|weighed| weighed.finding));
        self.server.revisions = Vec::new();
        let scripts = self.options.scripts.iter().filter(|script| script.revisions.contains(revision));
        let reason = "the server does not answer initialize";
        for script in scripts.filter(|script| self.options.selection.selects(script)) {
            let is_opening = script.id.as_str() == opening;
            let verdict = if is_opening { verdict } else { Verdict::Inconclusive };
            let mut result = unplayed(script, revision, verdict, reason);
            result.ended = is_opening.then(|| ended(recording));
            self.cases.push(result);
        }
    }

    fn judge(&mut self, survey: &Survey, progress: Progress<'_>) {
        let options = self.options;
        let context = Context {
            setting: &options.setting,
            allowed: &options.allowed,
            survey,
            times: self.times,
            outlived: AtomicUsize::new(0),
            tool_silent: AtomicBool::new(false),
            in_doubt: AtomicBool::new(false),
        };
        let revisions = options.revisions.revisions(survey);
        self.describe_server(survey, &revisions);
        if let Some(misuse) = values::unknown_call(&options.allowed, survey) {
            self.trouble = Some(misuse);
            self.misused = true;
            return;
        }
        let mut tasks = Vec::new();
        for &revision in &revisions {
            let Plan { tasks: more, skipped } = plan(
                &options.scripts,
                revision,
                survey.facts(revision),
                &options.selection,
                &options.allowed,
                options.isolate,
            );
            tasks.extend(more);
            for (script, verdict, reason) in skipped {
                self.cases.push(unplayed(script, revision, verdict, &reason));
            }
        }
        // Shared sessions are the longest: they begin first.
        tasks.sort_by_key(|task| std::cmp::Reverse(task.scripts.len()));
        progress(&format!("playing {} cases", tasks.iter().map(|task| task.scripts.len()).sum::<usize>()));
        let jobs = if survey.solitary { 1 } else { options.jobs };
        let finished = run(tasks, &context, jobs);
        let mut candidates = self.note_probe_death(survey);
        candidates.extend(versions::across(&finished, self.ledger).into_iter().map(Candidate::of_session));
        for session in &finished {
            candidates.extend(self.take_session(session));
        }
        candidates.extend(self.ask_for_strays(&finished, &candidates, &context));
        self.settle(candidates, &context, progress);
    }

    /// A process that was left behind by one of two peers that lived at once is nobody's yet: one that lives alone
    /// shows whose it was.
    fn ask_for_strays(
        &self,
        finished: &[Finished<'a>],
        told: &[Candidate<'a>],
        context: &Context<'_>,
    ) -> Vec<Candidate<'a>> {
        const LEAKED: &str = "robust.leaked-process";
        let is_leak = |weighed: &Weighed| weighed.finding.requirement.as_str() == LEAKED;
        let left_some = |session: &&Finished<'_>| session.recording.as_ref().is_some_and(|own| own.ended.strays > 0);
        if told.iter().any(|candidate| is_leak(&candidate.weighed)) {
            return Vec::new();
        }
        let Some(session) = finished.iter().find(left_some) else { return Vec::new() };
        let Some(script) = session.parts.first().map(|part| part.script) else { return Vec::new() };
        let alone = confirm::play_alone(script, session.revision, context);
        let judged = alone.iter().filter_map(|session| judge_finished(session, self.ledger).0);
        let found = judged.flat_map(|judged| judged.own).filter(is_leak);
        found.map(Candidate::of_session).collect()
    }

    fn describe_server(&mut self, survey: &Survey, revisions: &[Revision]) {
        let facts = survey.legacy.as_ref().or(survey.modern.as_ref());
        self.server.name = facts.and_then(|facts| facts.name.clone());
        self.server.version = facts.and_then(|facts| facts.version.clone());
        let eras = Era::ALL.into_iter().filter(|&era| survey.era(era).is_some());
        self.server.eras = eras.map(|era| era.to_string()).collect();
        self.server.revisions = revisions.iter().map(ToString::to_string).collect();
        if revisions.is_empty() {
            self.trouble = Some("the server does not speak the revision asked for".to_owned());
        }
    }

    fn note_probe_death(&self, survey: &Survey) -> Vec<Candidate<'a>> {
        let Some(recording) = &survey.died_of_probe else { return Vec::new() };
        let exit = recording.transcript.exit().map(ToString::to_string).unwrap_or_default();
        let event = recording.transcript.events.len().saturating_sub(1);
        let message = format!("ends ({exit}) when it is asked server/discover, which a client sends to find its era");
        let breach = Breach::new("robust.survives-discover", event, message);
        weigh(&breach, recording, "discover/discover", self.ledger).map(Candidate::of_session).into_iter().collect()
    }

    /// Judges a session. Its cases are noted; its findings are candidates.
    fn take_session(&mut self, session: &Finished<'a>) -> Vec<Candidate<'a>> {
        let (judged, plays) = judge_finished(session, self.ledger);
        for part in &session.parts {
            if let Some(result) = not_played(part, session.revision) {
                self.cases.push(result);
            }
        }
        let Some(judged) = judged else { return Vec::new() };
        let mut candidates: Vec<Candidate<'a>> = judged.own.into_iter().map(Candidate::of_session).collect();
        for (case, script) in judged.cases.into_iter().zip(plays) {
            self.cases.push(case.result);
            candidates.extend(case.findings.into_iter().map(|weighed| Candidate {
                weighed,
                script: Some((script, session.revision)),
                shared: session.shared,
            }));
        }
        candidates
    }

    /// Keeps one finding for each root cause, confirms it, and corrects the verdicts of the cases.
    fn settle(&mut self, mut candidates: Vec<Candidate<'a>>, context: &Context<'_>, progress: Progress<'_>) {
        // The heaviest stands for its like, and among those the case that is about it.
        candidates.sort_by_key(|Candidate { weighed: Weighed { finding, .. }, script, .. }| {
            let is_about = script.is_some_and(|(script, _)| script.requirements.contains(&finding.requirement));
            let newest = std::cmp::Reverse(finding.revision.clone());
            (
                std::cmp::Reverse(finding.verdict),
                script.is_none(),
                is_narrow(&finding.requirement),
                !is_about,
                newest,
                finding.case.clone(),
            )
        });
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        let mut absorbed = Vec::new();
        let mut again: BTreeMap<(String, Revision), Option<Again>> = BTreeMap::new();
        let mut kept: Vec<Finding> = Vec::new();
        for candidate in candidates {
            let finding = &candidate.weighed.finding;
            let key = (family_of(&finding.requirement), self.scope_of(finding), shape_of(&finding.message));
            if let Some(&kept) = seen.get(&key) {
                if self.absorb(finding) {
                    absorbed.push((kept, candidate.weighed.finding));
                }
                continue;
            }
            seen.insert(key, kept.len());
            let mut weighed = self.confirm(candidate, context, &mut again, progress);
            if weighed.proof == Proof::Absence
                && weighed.finding.verdict >= Verdict::Warn
                && is_unconfirmed(&again, &weighed.finding)
            {
                self.leave_open(&mut weighed.finding);
            }
            kept.push(weighed.finding);
        }
        // What a case is about fails it, whichever case stands for it; but no more than it was confirmed.
        for (at, finding) in &mut absorbed {
            finding.verdict = finding.verdict.min(kept[*at].verdict);
        }
        self.findings.extend(kept);
        let absorbed: Vec<Finding> = absorbed.into_iter().map(|(_, finding)| finding).collect();
        self.draw_verdicts(&absorbed);
    }

    /// Where a root cause is told once: in each revision that was asked for, or else in each era.
    fn scope_of(&self, finding: &Finding) -> String {
        let revision: Option<Revision> = finding.revision.parse().ok();
        match (self.options.revisions, revision) {
            (RevisionChoice::All, _) | (_, None) => finding.revision.clone(),
            (_, Some(revision)) => revision.era().to_string(),
        }
    }

    /// What was not done once, and could not be tried again, is no finding yet.
    fn leave_open(&mut self, finding: &mut Finding) {
        finding.verdict = Verdict::Info;
        finding.message += " (once; the budget of the run ended before it could be played again)";
        let case = self.cases.iter_mut().find(|case| is_in(finding, case));
        if let Some(case) = case {
            case.verdict = Verdict::Inconclusive;
            case.reason = Some("the budget of the run was used up; raise --budget".to_owned());
        }
    }

    /// A finding that was told already does not fail another case, unless that case is about it: says whether it is.
    fn absorb(&mut self, finding: &Finding) -> bool {
        let Some(case) = self.cases.iter_mut().find(|case| is_in(finding, case)) else { return false };
        let is_about = case.requirements.contains(&finding.requirement);
        if !is_about {
            case.reason.get_or_insert_with(|| format!("shows {} too, told elsewhere", finding.requirement));
        }
        is_about
    }

    fn confirm(
        &self,
        candidate: Candidate<'a>,
        context: &Context<'_>,
        again: &mut BTreeMap<(String, Revision), Option<Again>>,
        progress: Progress<'_>,
    ) -> Weighed {
        let Candidate { weighed, script, shared } = candidate;
        let script = script.or_else(|| self.script_of_session(&weighed));
        let Some((script, revision)) = script.filter(|_| weighed.finding.verdict >= Verdict::Warn) else {
            return weighed;
        };
        let key = (script.id.to_string(), revision);
        let shown = again.entry(key).or_insert_with(|| {
            if self.times.budget.passed() {
                return None;
            }
            progress(&format!("confirming {}", script.id));
            let finished = confirm::play_alone(script, revision, context);
            let judged = finished.iter().filter_map(|session| judge_finished(session, self.ledger).0);
            let of_cases = |cases: Vec<JudgedCase>| cases.into_iter().flat_map(|case| case.findings);
            let findings = judged.flat_map(|JudgedSession { own, cases }| own.into_iter().chain(of_cases(cases)));
            Some(findings.collect())
        });
        match shown {
            Some(again) => confirm::weigh_again(weighed, shared, again),
            None => weighed,
        }
    }

    /// What may show again something that a session did not do: the case that opens one.
    fn script_of_session(&self, weighed: &Weighed) -> Option<(&'a Script, Revision)> {
        let of_absence = weighed.proof == Proof::Absence;
        let revision = weighed.finding.revision.parse().ok().filter(|_| of_absence)?;
        let opening = self.options.scripts.iter().find(|script| script.id.as_str() == weighed.finding.case);
        Some((opening?, revision))
    }

    /// A case is worth its heaviest finding; what others have told is not counted again, unless it is about that.
    fn draw_verdicts(&mut self, absorbed: &[Finding]) {
        for case in &mut self.cases {
            if matches!(case.verdict, Verdict::Skip | Verdict::Inconclusive | Verdict::Error) {
                continue;
            }
            let own = self.findings.iter().chain(absorbed).filter(|finding| is_in(finding, case));
            let about = self.findings.iter().filter(|finding| {
                finding.revision == case.revision && case.requirements.contains(&finding.requirement)
            });
            let told = own.chain(about.filter(|_| case.verdict >= Verdict::Warn)).map(|finding| finding.verdict).max();
            case.verdict = told.unwrap_or(Verdict::Pass);
        }
    }

    fn finish(mut self, began: Instant) -> Log {
        let order = |verdict: Verdict| std::cmp::Reverse(verdict);
        self.findings.sort_by(|a, b| {
            (order(a.verdict), &a.requirement, &a.revision, &a.case).cmp(&(
                order(b.verdict),
                &b.requirement,
                &b.revision,
                &b.case,
            ))
        });
        self.cases.sort_by(|a, b| (&a.id, &a.revision).cmp(&(&b.id, &b.revision)));
        for finding in &mut self.findings {
            finding.reproduce = self.options.reproduce_command(&finding.case, &finding.revision);
        }
        let exit_code = self.exit_code();
        Log {
            header: Header {
                schema: SCHEMA.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                seed: self.options.setting.seed,
                server: self.server,
                strict: self.options.strict,
            },
            findings: self.findings,
            cases: self.cases,
            footer: Footer {
                exit_code,
                trouble: self.trouble,
                starts: self.options.setting.starts.load(Ordering::Relaxed),
                wall_ms: began.elapsed().as_secs_f64() * 1000.0,
            },
        }
    }

    fn exit_code(&self) -> u8 {
        let any_finding = |verdict| self.findings.iter().any(|finding| finding.verdict == verdict);
        let any_case = |verdict| self.cases.iter().any(|case| case.verdict == verdict);
        if self.misused {
            2
        } else if any_finding(Verdict::Fail) || self.options.strict && any_finding(Verdict::Warn) {
            1
        } else if any_case(Verdict::Error) {
            if self.errs_in_own_case() { 2 } else { 70 }
        } else if self.trouble.is_some() || any_case(Verdict::Inconclusive) || !self.judged_anything() {
            3
        } else {
            0
        }
    }

    /// Whether every case that is wrong itself is one of the user's.
    fn errs_in_own_case(&self) -> bool {
        let is_built_in = |case: &CaseResult| embedded().iter().any(|script| script.id.as_str() == case.id);
        !self.cases.iter().any(|case| case.verdict == Verdict::Error && is_built_in(case))
    }

    /// A run in which nothing passed is never a success.
    fn judged_anything(&self) -> bool {
        self.cases.iter().any(|case| matches!(case.verdict, Verdict::Pass | Verdict::Info | Verdict::Warn))
    }
}

impl Candidate<'_> {
    fn of_session(weighed: Weighed) -> Self {
        Self { weighed, script: None, shared: false }
    }
}

impl CheckOptions {
    fn reproduce_command(&self, case: &str, revision: &str) -> String {
        let mut words = vec!["mcp-plumb".to_owned(), "replay".to_owned(), "--revision".to_owned(), revision.to_owned()];
        words.extend(self.reproduce.iter().cloned());
        words.push(case.to_owned());
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().cloned());
        }
        shell_words::join(words)
    }
}

/// Whether it was found in this case.
fn is_in(finding: &Finding, case: &CaseResult) -> bool {
    (&finding.case, &finding.revision) == (&case.id, &case.revision)
}

/// What is asked under several ids is one thing to tell: an older revision has a wider id for what a line has to be, and
/// for some notifications there is one of their own.
fn family_of(requirement: &RequirementId) -> String {
    match requirement.as_str() {
        id if id.starts_with("stdio.") => "stdio".to_owned(),
        _ if is_narrow(requirement) => "jsonrpc.no-response-to-notification".to_owned(),
        id => id.to_owned(),
    }
}

/// Whether it asks of one notification what `jsonrpc.no-response-to-notification` asks of all.
fn is_narrow(requirement: &RequirementId) -> bool {
    matches!(requirement.as_str(), "lifecycle.initialized-silent" | "cancel.malformed" | "cancel.unknown-id")
}

fn unplayed(script: &Script, revision: Revision, verdict: Verdict, reason: &str) -> CaseResult {
    CaseResult {
        id: script.id.to_string(),
        revision: revision.to_string(),
        verdict,
        ended: None,
        duration_ms: 0.0,
        reason: Some(reason.to_owned()),
        requirements: script.requirements.clone(),
    }
}

/// Whether the budget left no time to play the case of a finding again.
fn is_unconfirmed(again: &BTreeMap<(String, Revision), Option<Again>>, finding: &Finding) -> bool {
    let revision = finding.revision.parse().ok();
    revision.is_some_and(|revision| again.get(&(finding.case.clone(), revision)).is_some_and(Option::is_none))
}

/// What became of a script that was not played at all.
fn not_played(part: &Part<'_>, revision: Revision) -> Option<CaseResult> {
    match &part.fate {
        Fate::Played(_) => None,
        Fate::OtherRevision(agreed) => {
            let reason = format!("the server answers {agreed} when asked for {revision}");
            Some(unplayed(part.script, revision, Verdict::Skip, &reason))
        }
        Fate::Skipped(reason) => Some(unplayed(part.script, revision, Verdict::Skip, reason)),
        Fate::NotOpened(why) => Some(unplayed(part.script, revision, Verdict::Inconclusive, why)),
        Fate::OutOfTime => Some(unplayed(
            part.script,
            revision,
            Verdict::Inconclusive,
            "the budget of the run was used up; raise --budget",
        )),
    }
}

/// Judges a finished session, with the scripts that were played in it.
fn judge_finished<'a>(session: &Finished<'a>, ledger: &Ledger) -> (Option<JudgedSession>, Vec<&'a Script>) {
    let mut plays: Vec<(&'a Script, Account)> = Vec::new();
    for part in &session.parts {
        if let Fate::Played(played) = &part.fate {
            let cut_short = played.stopped.as_ref().and_then(reason_of);
            let is_long = || session.recording.as_ref().is_some_and(|own| own.transcript.has_long_line());
            let cut_short = cut_short.map(|(verdict, reason)| match is_long() {
                true => (verdict, "it wrote a line that is longer than --max-line; raise that".to_owned()),
                false => (verdict, reason),
            });
            let account = Account {
                decisions: played.decisions.clone(),
                cut_short,
                duration_ms: part.took.as_secs_f64() * 1000.0,
            };
            plays.push((part.script, account));
        }
    }
    let judged = session.recording.as_ref().map(|recording: &Recording| judge_session(recording, &plays, ledger));
    (judged, plays.into_iter().map(|(script, _)| script).collect())
}

fn reason_of(stop: &Stop) -> Option<(Verdict, String)> {
    match stop {
        Stop::Decided | Stop::NothingToTake => None,
        Stop::ToolSilent(why) => Some((Verdict::Skip, why.clone())),
        Stop::PeerLost => Some((Verdict::Inconclusive, "the peer was gone before the case was over".to_owned())),
        Stop::OutOfTime => {
            Some((Verdict::Inconclusive, "the budget of the run was used up; raise --budget".to_owned()))
        }
        Stop::Broken(why) => Some((Verdict::Error, format!("the case itself is wrong: {why}"))),
    }
}
