//! Finds out what a server speaks before anything is judged: its eras, revisions, capabilities and tools.
//!
//! The eras are found in two processes at once: one is asked `server/discover`, the other `initialize`, since the first
//! request pins some servers and ends others.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::diagnose::{self, Mute, Silence};
use super::dialect::Dialect;
use super::prelude::{barrier, initialized, newest};
use super::session::{Session, Setting, Waited};
use super::times::Times;
use crate::judge::Recording;
use crate::peer::{Deadline, Ended, SpawnError};
use crate::spec::{Era, Revision};
use crate::transcript::{Purpose, RequestIndex, Transcript};
use crate::wire::held;

/// What is known of a server in one era.
#[derive(Clone, Debug)]
pub struct EraFacts {
    /// The newest revision of the era that it speaks.
    pub revision: Revision,
    /// What it declared.
    pub capabilities: Value,
    /// Whether that is a guess: it said nothing of it.
    pub guessed: bool,
    /// Its name, where it gave one.
    pub name: Option<String>,
    /// Its version, where it gave one.
    pub version: Option<String>,
    /// The method of the cheap request that it answers.
    pub cheap: String,
    /// Its tools, as far as the first page goes.
    pub tools: Vec<Tool>,
    /// Whether it declares tools and does not list them.
    pub tools_unserved: bool,
    /// Whether its tools came in pages.
    pub paged: bool,
    /// From the start of the process to its first answer.
    pub startup: Duration,
    /// The round trip of its cheap request.
    pub round_trip: Duration,
    /// Whether the process ended behind its first answer.
    pub short_lived: bool,
}

/// A tool that a server lists.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What its arguments must be.
    pub input_schema: Value,
    /// Whether its annotations say that it only reads.
    pub read_only: bool,
    /// Whether it reaches out to the world: it may be slow or need the network.
    pub open_world: bool,
}

/// What a server turned out to be.
#[derive(Debug)]
pub struct Survey {
    /// The legacy era, if it has one.
    pub legacy: Option<EraFacts>,
    /// The modern era, if it has one.
    pub modern: Option<EraFacts>,
    /// What the era probe did to a legacy server: its session, if it died of it.
    pub died_of_probe: Option<Recording>,
    /// Revisions that it named without being asked for them.
    pub listed: Vec<String>,
    /// Whether its processes end where another one of them lives.
    pub solitary: bool,
}

impl Survey {
    /// What is known of the era of a revision.
    ///
    /// # Panics
    /// Where the server speaks no era at all; such a survey is never made.
    #[must_use]
    pub fn facts(&self, revision: Revision) -> &EraFacts {
        let known = self.era(revision.era()).or(self.legacy.as_ref()).or(self.modern.as_ref());
        known.expect("a survey has at least one era")
    }

    /// What is known of one era.
    #[must_use]
    pub fn era(&self, era: Era) -> Option<&EraFacts> {
        match era {
            Era::Legacy => self.legacy.as_ref(),
            Era::Modern => self.modern.as_ref(),
        }
    }
}

/// Why nothing can be judged.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// The command cannot be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The process ended by itself, whether or not it was spoken to.
    #[error("the command ended before it answered anything: {exit}")]
    Exited {
        /// How it ended.
        exit: String,
        /// The last lines of its stderr.
        stderr: String,
        /// What it had written to stdout.
        stdout: String,
    },
    /// It speaks, but too late to be judged.
    #[error("the server {0}; raise --startup-timeout")]
    Slow(&'static str),
    /// The run's budget ended first.
    #[error("the budget of the run ended before the server answered")]
    Budget,
}

/// How the survey ended.
pub(super) enum Surveyed {
    /// The server speaks.
    Speaks(Box<Survey>),
    /// It can be judged for not speaking.
    Mute(Box<Mute>),
    /// Nothing can be judged.
    NotStarted(NotStarted),
}

/// What one probe of an era saw.
pub(super) struct Probe {
    /// Its session, still running.
    pub session: Session,
    /// How the wait for the answer ended.
    pub waited: Waited,
    /// The request.
    pub index: usize,
    /// How long it took.
    pub took: Duration,
    /// What another process has shown about its silence.
    pub hint: Option<Silence>,
}

impl Probe {
    /// Whether the process ended, or closed its stdout, before it answered.
    fn has_ended(&self) -> bool {
        self.waited == Waited::Over
    }
}

/// Looks at a server: both eras at once, then its capabilities and tools in each.
pub(super) fn survey(setting: &Setting, times: &Times, eras: &[Era]) -> Surveyed {
    let Probes { mut legacy, mut modern } = match probe_both(setting, times, eras) {
        Ok(probes) => probes,
        Err(error) => return Surveyed::NotStarted(error.into()),
    };
    let mut survey = Survey { legacy: None, modern: None, died_of_probe: None, listed: Vec::new(), solitary: false };
    if let Some(beside) = modern.take_if(|modern| modern.has_ended() != legacy.has_ended()) {
        beside.session.finish(Duration::ZERO, times);
        legacy = match survey.probe_in_turn(legacy, setting, times) {
            Ok(probe) => probe,
            Err(error) => return Surveyed::NotStarted(error.into()),
        };
    }
    if let Some(probe) = modern {
        survey.take_modern(probe, setting, times);
    }
    let legacy_answer = legacy.session.transcript().hello.is_some();
    if legacy_answer && eras.contains(&Era::Legacy) {
        let (facts, unheard) = legacy_facts(legacy, times);
        // Where the other era is spoken, the cases show what this one lacks.
        let unheard = unheard.filter(|_| survey.modern.as_ref().is_none_or(|facts| facts.short_lived));
        if let Some(mute) = unheard.and_then(|recording| diagnose::deaf(recording, setting, times)) {
            return Surveyed::Mute(Box::new(mute));
        }
        survey.legacy = Some(facts);
        return Surveyed::Speaks(Box::new(survey));
    }
    if survey.modern.is_none() && legacy.waited == Waited::Done && eras.contains(&Era::Modern) {
        // It refuses initialize: perhaps it is modern and does not know server/discover.
        let revision = newest(Era::Modern);
        survey.modern = modern_facts(setting, times, revision, &Value::Null, legacy.took, true);
    }
    if survey.modern.is_some() {
        legacy.session.finish(Duration::ZERO, times);
        return Surveyed::Speaks(Box::new(survey));
    }
    diagnose::mute(legacy, setting, times)
}

/// What the probes of both eras saw.
pub(super) struct Probes {
    /// The process that was sent `initialize`.
    pub legacy: Probe,
    /// The process that was asked `server/discover`, where that era is of interest.
    pub modern: Option<Probe>,
}

/// Probes the eras in two processes at once; the legacy one always, since it tells why a server says nothing.
pub(super) fn probe_both(setting: &Setting, times: &Times, eras: &[Era]) -> Result<Probes, SpawnError> {
    let answered_by = Mutex::new(None);
    thread::scope(|scope| {
        let modern = eras.contains(&Era::Modern).then(|| scope.spawn(|| probe_modern(setting, times, &answered_by)));
        let legacy = probe_legacy(setting, times, newest(Era::Legacy));
        let bound = legacy.as_ref().map_or(Duration::ZERO, |probe| probe.took);
        *answered_by.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(bound);
        let modern = modern.map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        Ok(Probes { legacy: legacy?, modern: modern.and_then(Result::ok) })
    })
}

/// Sends `initialize` and waits for its answer, in a revision that has it.
pub(super) fn probe_legacy(setting: &Setting, times: &Times, revision: Revision) -> Result<Probe, SpawnError> {
    let dialect = Dialect::new(revision);
    let mut session = Session::start(setting, dialect.revision, dialect.declared.clone(), "survey/initialize")?;
    let id = session.fresh_id().to_string();
    let index = session.request(&id, "initialize", Some(&dialect.initialize()), Purpose::Prelude);
    let (waited, hint) = diagnose::wait_or_hint(&mut session, index, setting, times);
    let took = session.now();
    Ok(Probe { session, waited, index, took, hint })
}

/// Sends `server/discover`; waits not much longer than the other process took to answer `initialize`.
pub(super) fn probe_modern(
    setting: &Setting,
    times: &Times,
    other: &Mutex<Option<Duration>>,
) -> Result<Probe, SpawnError> {
    let dialect = Dialect::new(newest(Era::Modern));
    let mut session = Session::start(setting, dialect.revision, dialect.declared.clone(), "survey/discover")?;
    let id = session.fresh_id().to_string();
    let index = session.request(&id, "server/discover", dialect.params(None).as_deref(), Purpose::Prelude);
    let ceiling = times.within(times.startup);
    let waited = loop {
        let known = *other.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let bound = known.map(|took| (took * 3).max(Duration::from_secs(2)));
        if bound.is_some_and(|bound| session.now() >= bound) {
            break Waited::Deadline;
        }
        let slice = Deadline::after(Duration::from_millis(50)).earlier(ceiling);
        match session.wait(slice, |transcript| transcript.requests[index].answer.is_some()) {
            Waited::Deadline if !ceiling.passed() => {}
            waited => break waited,
        }
    };
    if waited == Waited::Over {
        // Its stdout may end a moment before the process does.
        session.wait_exit(times.within(Duration::from_secs(2)));
    }
    let took = session.now();
    Ok(Probe { session, waited, index, took, hint: None })
}

impl Survey {
    /// One of two processes ended: perhaps it bears no other beside it. Probes the eras again, one after the other, and
    /// gives the new legacy probe.
    fn probe_in_turn(&mut self, legacy: Probe, setting: &Setting, times: &Times) -> Result<Probe, SpawnError> {
        legacy.session.finish(Duration::ZERO, times);
        let modern = probe_modern(setting, times, &Mutex::new(Some(legacy.took)))?;
        let modern_ended = modern.has_ended();
        self.take_modern(modern, setting, times);
        let legacy = probe_legacy(setting, times, newest(Era::Legacy))?;
        self.solitary = !modern_ended && !legacy.has_ended();
        Ok(legacy)
    }

    /// Reads the answer to `server/discover`.
    fn take_modern(&mut self, probe: Probe, setting: &Setting, times: &Times) {
        let Probe { session, index, .. } = probe;
        let text = session.transcript().answer_text(index).map(str::to_owned);
        let (transcript, ended) = session.finish(Duration::ZERO, times);
        let answer = text.and_then(|text| held(&text)).unwrap_or(Value::Null);
        let Some(Discovered { versions, revision, doubtful }) = discovered(&answer) else {
            self.note_death(transcript, ended);
            return;
        };
        self.listed = versions;
        let Some(revision) = revision else { return };
        let hello = answer.get("result").cloned().unwrap_or(Value::Null);
        let startup = transcript.first_answer().unwrap_or_default();
        self.modern = modern_facts(setting, times, revision, &hello, startup, doubtful);
    }

    /// The death of a server that speaks the legacy era only is judged by that era's rows.
    fn note_death(&mut self, mut transcript: Transcript, ended: Ended) {
        transcript.asked = newest(Era::Legacy);
        let by_itself = matches!(ended.rung, crate::peer::Rung::AlreadyExited);
        if by_itself && transcript.requests.iter().all(|request| request.answer.is_none()) {
            self.died_of_probe = Some(Recording { transcript, ended, patient: true });
        }
    }
}

/// What an answer to `server/discover` says of the modern era.
pub(super) struct Discovered {
    /// The versions that it names.
    versions: Vec<String>,
    /// The newest modern revision among them, or the one that must be meant.
    pub revision: Option<Revision>,
    /// Whether an answer of the kind that any server may give has to be tried again.
    pub doubtful: bool,
}

/// Reads an answer to `server/discover`; `None` where it is not one of the modern era.
pub(super) fn discovered(answer: &Value) -> Option<Discovered> {
    let code = answer.pointer("/error/code").and_then(Value::as_i64);
    let versions = match (answer.get("result"), code) {
        (Some(result), _) => strings(result.get("supportedVersions")),
        (None, Some(-32022)) => strings(answer.pointer("/error/data/supported")),
        (None, Some(-32021)) => vec![newest(Era::Modern).as_str().to_owned()],
        (None, Some(-32602)) => Vec::new(),
        _ => return None,
    };
    // A version list without a modern date is a server that knows the probe but has no such revision.
    let revision = Revision::of(Era::Modern).rev().find(|revision| versions.iter().any(|v| v == revision.as_str()));
    // A server that answers whatever it does not know with an empty result does not know this probe either.
    let shows = |member: &&str| answer["result"].get(member).is_some();
    let has_result = ["resultType", "supportedVersions", "capabilities"].iter().any(shows);
    let doubtful = code == Some(-32602);
    let assumed = (doubtful || has_result && versions.is_empty()).then_some(newest(Era::Modern));
    Some(Discovered { revision: revision.or(assumed), versions, doubtful })
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Goes on in the process that answered `initialize`; gives its recording too if it answered nothing more.
fn legacy_facts(probe: Probe, times: &Times) -> (EraFacts, Option<Recording>) {
    let mut session = probe.session;
    let hello = session.transcript().hello.clone().unwrap_or(Value::Null);
    let startup = session.transcript().first_answer().unwrap_or_default();
    let asked = newest(Era::Legacy);
    let revision = session.transcript().revision();
    let dialect = Dialect::new(asked);
    initialized(&mut session);
    let mut facts = facts_of(revision, &hello, hello.get("serverInfo"), startup, &dialect);
    let heard = look_around(&mut session, &dialect, &mut facts, times);
    if !heard && session.is_over() {
        session.wait_exit(times.within(Duration::from_secs(2)));
    }
    let (transcript, ended) = session.finish(Duration::ZERO, times);
    (facts, (!heard).then_some(Recording { transcript, ended, patient: true }))
}

/// Opens a process of its own with a list, as a modern client does. `None` where a doubtful server does not serve it.
fn modern_facts(
    setting: &Setting,
    times: &Times,
    revision: Revision,
    hello: &Value,
    startup: Duration,
    doubtful: bool,
) -> Option<EraFacts> {
    let dialect = Dialect::new(revision);
    let info = hello.pointer("/_meta/io.modelcontextprotocol~1serverInfo").or_else(|| hello.get("serverInfo"));
    let mut facts = facts_of(revision, hello, info, startup, &dialect);
    let mut session = Session::start(setting, revision, json!({}), "survey/modern").ok()?;
    if doubtful {
        facts.cheap = "tools/list".to_owned();
        facts.capabilities = json!({"tools": {}});
        facts.guessed = true;
    }
    look_around(&mut session, &dialect, &mut facts, times);
    let served = session
        .transcript()
        .requests
        .first()
        .is_some_and(|_| session.transcript().answer_text(0).is_some_and(|text| text.contains("\"resultType\"")));
    session.finish(Duration::ZERO, times);
    (served || !doubtful).then_some(facts)
}

fn facts_of(revision: Revision, hello: &Value, info: Option<&Value>, startup: Duration, dialect: &Dialect) -> EraFacts {
    let capabilities = hello.get("capabilities").cloned().unwrap_or_default();
    let guessed = !capabilities.is_object();
    let text = |name: &str| info.and_then(|info| info.get(name)).and_then(Value::as_str).map(str::to_owned);
    EraFacts {
        revision,
        name: text("name"),
        version: text("version"),
        cheap: dialect.cheap(&capabilities).to_owned(),
        capabilities,
        guessed,
        tools: Vec::new(),
        tools_unserved: false,
        paged: false,
        startup,
        round_trip: Duration::from_millis(20),
        short_lived: false,
    }
}

/// Finds the cheap request that the server answers, how long it takes, and its tools. Says whether there is one.
fn look_around(session: &mut Session, dialect: &Dialect, facts: &mut EraFacts, times: &Times) -> bool {
    let mut heard = false;
    let candidates = [facts.cheap.clone(), "tools/list".into(), "server/discover".into(), "x-test/barrier".into()];
    let legacy = dialect.revision.era() == Era::Legacy;
    for method in candidates.into_iter().filter(|method| !(legacy && method == "server/discover")) {
        let before = session.now();
        let index = session.transcript().requests.len();
        let bound = if index == 0 { times.startup.max(times.request) } else { times.request };
        match barrier(session, dialect, &method, bound, times) {
            Waited::Done => {
                let served = !session.transcript().is_error(index);
                if !served && heard {
                    continue;
                }
                // The first answer of a process takes its start-up with it: what follows tells the round trip.
                let again = session.now();
                let second = barrier(session, dialect, &method, times.request, times);
                let took = session.now().saturating_sub(if second == Waited::Done { again } else { before });
                facts.round_trip = took;
                facts.cheap = method;
                facts.short_lived = second == Waited::Over;
                heard = true;
                // What is refused answers too, but says nothing of what cases ask of a request that is served.
                if served {
                    break;
                }
            }
            Waited::Over => return false,
            Waited::Deadline => {}
        }
    }
    if facts.capabilities.get("tools").is_none() {
        return heard;
    }
    let Some(index) = list_tools(session, dialect, times) else { return heard };
    let answer = session.transcript().answer_text(index).and_then(held);
    let result = answer.as_ref().and_then(|answer| answer.get("result"));
    facts.tools_unserved = session.transcript().is_error(index);
    facts.paged = result.and_then(|result| result.get("nextCursor")).is_some_and(Value::is_string);
    let tools = result.and_then(|result| result.get("tools")).and_then(Value::as_array);
    facts.tools = tools.map(Vec::as_slice).unwrap_or_default().iter().filter_map(read_tool).collect();
    heard
}

/// Asks for the tools, without params or, where that is refused, with empty ones. `None` where no answer comes.
fn list_tools(session: &mut Session, dialect: &Dialect, times: &Times) -> Option<RequestIndex> {
    let mut last = None;
    for params in [None, Some("{}")] {
        let id = session.fresh_id().to_string();
        let index = session.request(&id, "tools/list", dialect.params(params).as_deref(), Purpose::Prelude);
        if session.wait_answer(index, times.within(times.request)) != Waited::Done {
            return last;
        }
        last = Some(index);
        if !session.transcript().is_error(index) {
            break;
        }
    }
    last
}

fn read_tool(tool: &Value) -> Option<Tool> {
    let hint = |name: &str| tool.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
    Some(Tool {
        // A name with half a surrogate pair cannot be said again.
        name: tool.get("name")?.as_str().filter(|name| !name.contains('\u{fffd}'))?.to_owned(),
        input_schema: tool.get("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"})),
        read_only: hint("readOnlyHint").unwrap_or(false),
        open_world: hint("openWorldHint").unwrap_or(true),
    })
}
