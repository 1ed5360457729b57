//! Why is it silent? A server that does not answer `initialize` is looked at from several sides, since a banner, a full
//! buffer, another framing and a crash all look like "no reply" to a client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::dialect::Dialect;
use super::prelude::{BARRIERS, barrier, initialize, initialized, newest};
use super::session::{Session, Setting, Waited, request_line};
use super::survey::{NotStarted, Probe, Surveyed};
use super::times::Times;
use crate::judge::Recording;
use crate::peer::{Deadline, Ended, Rung};
use crate::script::Cut;
use crate::spec::Era;
use crate::transcript::{Purpose, RequestIndex, Transcript, What, escape};
use crate::wire::held;

/// After this much silence other explanations are tried, while the first process is still waited for.
const SUSPICIOUS: Duration = Duration::from_secs(3);
/// How often a wait looks at what the other processes have shown.
const SLICE: Duration = Duration::from_millis(50);

/// Why a server that runs says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The answer came as soon as stdin was closed: stdout is buffered and not flushed.
    NoFlush,
    /// It answers when a message comes with `Content-Length` headers.
    WantsHeaders,
    /// A whole message lies on stdout without a newline.
    Unterminated,
    /// It ended on `initialize`; left alone it runs on.
    DiesOfInitialize(String),
    /// It answered `initialize` with an error.
    Rejected,
    /// It wrote lines, none of them an answer.
    OtherOutput,
    /// What it was sent still lies in the pipe.
    NeverReads,
    /// It wrote to stderr only.
    OnlyStderr,
    /// It wrote nothing at all.
    NoBytes,
    /// It answered `initialize`, and nothing after that.
    Deaf,
    /// It answered `initialize` and ended with the next request.
    DiesOfRequests(String),
}

impl Silence {
    /// The requirement that it breaks.
    #[must_use]
    pub(super) const fn requirement(&self) -> &'static str {
        match self {
            Self::NoFlush | Self::DiesOfInitialize(_) | Self::Deaf | Self::DiesOfRequests(_) => {
                "jsonrpc.response-required"
            }
            Self::Unterminated => "stdio.line-terminated",
            _ => "lifecycle.initialize-responds",
        }
    }

    /// Whether noise on stdout explains it too.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Deaf | Self::DiesOfRequests(_)) || self.requirement() == "lifecycle.initialize-responds"
    }

    /// What a finding says.
    #[must_use]
    pub(super) fn message(&self) -> String {
        match self {
            Self::NoFlush => {
                "answers initialize only when stdin closes: the answer sits in a stdout buffer that is not \
                              flushed"
                    .into()
            }
            Self::WantsHeaders => "does not answer a plain line, but answers when given Content-Length headers: it \
                                   expects LSP framing, MCP sends one message per line"
                .into(),
            Self::Unterminated => "writes its answer without a newline and waits".into(),
            Self::DiesOfInitialize(exit) => {
                format!("ends when it gets initialize ({exit}), though it keeps running when left alone")
            }
            Self::Rejected => "answers initialize with an error".into(),
            Self::OtherOutput => "writes to stdout, but never answers initialize".into(),
            Self::NeverReads => "never reads its stdin: initialize still lies unread in the pipe".into(),
            Self::OnlyStderr => "never answers initialize; it writes to stderr only".into(),
            Self::NoBytes => "never answers initialize; it writes nothing at all, to stdout or stderr".into(),
            Self::Deaf => "answers initialize, and nothing after notifications/initialized, though it runs".into(),
            Self::DiesOfRequests(exit) => {
                format!("answers initialize and ends ({exit}) at the next request, whichever that is")
            }
        }
    }
}

/// A server that runs and does not speak.
#[derive(Debug)]
pub(super) struct Mute {
    /// The session that showed it.
    pub recording: Recording,
    /// Why.
    pub silence: Silence,
}

impl Mute {
    /// The request that waited in vain.
    pub(super) fn request(&self) -> RequestIndex {
        match self.silence {
            Silence::Deaf | Silence::DiesOfRequests(_) => self.recording.transcript.requests.len().saturating_sub(1),
            _ => 0,
        }
    }
}

/// What the other processes have shown so far, and how long they are still of use.
#[derive(Default)]
struct Board {
    found: Mutex<Option<Silence>>,
    stop: AtomicBool,
}

impl Board {
    fn put(&self, silence: Silence) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(silence);
    }

    fn look(&self) -> Option<Silence> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Waits for the answer to `initialize`; gives up early where another process has shown why there is none.
pub(super) fn wait_or_hint(
    session: &mut Session,
    index: usize,
    setting: &Setting,
    times: &Times,
) -> (Waited, Option<Silence>) {
    let ceiling = times.within(times.startup);
    let first = Deadline::after(SUSPICIOUS.min(times.startup / 2)).earlier(ceiling);
    match answered(session, index, first) {
        Waited::Deadline => {}
        waited => return (waited, None),
    }
    let board = Board::default();
    thread::scope(|scope| {
        scope.spawn(|| answers_at_eof(setting, times, &board));
        scope.spawn(|| answers_headers(setting, times, &board));
        let waited = wait_for_either(session, index, ceiling, &board);
        board.stop.store(true, Ordering::Relaxed);
        waited
    })
}

fn answered(session: &mut Session, index: usize, deadline: Deadline) -> Waited {
    session.wait(deadline, |transcript| transcript.requests[index].answer.is_some())
}

fn wait_for_either(session: &mut Session, index: usize, ceiling: Deadline, board: &Board) -> (Waited, Option<Silence>) {
    let mut margin: Option<Deadline> = None;
    loop {
        let slice = Deadline::after(SLICE).earlier(ceiling);
        match answered(session, index, slice) {
            Waited::Deadline => {}
            waited => return (waited, None),
        }
        if ceiling.passed() || margin.is_some_and(Deadline::passed) {
            return (Waited::Deadline, board.look());
        }
        // The first process may still prove it wrong: a server that is slow to start is slow in every process.
        if margin.is_none() && board.look().is_some() {
            margin = Some(Deadline::after(SUSPICIOUS / 2));
        }
    }
}

/// Sends `initialize`, closes stdin and sees whether the answer falls out.
fn answers_at_eof(setting: &Setting, times: &Times, board: &Board) {
    let dialect = Dialect::new(newest(Era::Legacy));
    let Ok(mut session) = Session::start(setting, dialect.revision, dialect.declared.clone(), "survey/eof") else {
        return;
    };
    let id = session.fresh_id().to_string();
    let index = session.request(&id, "initialize", Some(&dialect.initialize()), Purpose::Prelude);
    session.close_stdin();
    if watch(&mut session, times, board, |transcript| transcript.requests[index].answer.is_some()) {
        board.put(Silence::NoFlush);
    }
    session.finish(Duration::ZERO, times);
}

/// Sends `initialize` the way language servers frame it.
fn answers_headers(setting: &Setting, times: &Times, board: &Board) {
    let dialect = Dialect::new(newest(Era::Legacy));
    let Ok(mut session) = Session::start(setting, dialect.revision, dialect.declared.clone(), "survey/headers") else {
        return;
    };
    let id = session.fresh_id().to_string();
    let line = request_line(&id, "initialize", Some(&dialect.initialize()));
    let body = line.trim_end();
    let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    session.write(framed.into_bytes(), Purpose::Prelude, &Cut::Nowhere);
    let deadline = times.within(times.startup);
    while !session.is_over() && !deadline.passed() && !board.stop.load(Ordering::Relaxed) {
        session.pump(Deadline::after(SLICE));
        let (unfinished, _) = session.unfinished();
        let whole = [unfinished]
            .into_iter()
            .chain(session.transcript().events.iter().filter_map(|event| match &event.what {
                What::Received(line) => Some(line.bytes.head()),
                _ => None,
            }))
            .any(|bytes| bytes.starts_with(b"Content-Length:") || is_answer(bytes, &id));
        if whole {
            board.put(Silence::WantsHeaders);
            break;
        }
    }
    session.finish(Duration::ZERO, times);
}

/// Whether these bytes hold a result for this id.
fn is_answer(bytes: &[u8], id: &str) -> bool {
    let message = std::str::from_utf8(bytes).ok().and_then(held);
    message.is_some_and(|message| message.get("result").is_some() && message["id"] == id)
}

fn watch(session: &mut Session, times: &Times, board: &Board, done: impl Fn(&Transcript) -> bool) -> bool {
    let deadline = times.within(times.startup);
    while !deadline.passed() && !board.stop.load(Ordering::Relaxed) {
        match session.wait(Deadline::after(SLICE), &done) {
            Waited::Deadline => {}
            waited => return waited == Waited::Done,
        }
    }
    false
}

/// Says why a server that runs does not speak, or that nothing can be judged.
pub(super) fn mute(probe: Probe, setting: &Setting, times: &Times) -> Surveyed {
    let Probe { session, waited, hint, .. } = probe;
    if waited == Waited::Done {
        return finish(session, times, Silence::Rejected);
    }
    if session.transcript().overflow().is_some() {
        return finish(session, times, Silence::OtherOutput);
    }
    if session.transcript().exit().is_some() || session.is_over() {
        return ended_early(session, setting, times);
    }
    if let Some(silence) = hint {
        // At the end of stdin the same bytes count as an answer. Here they lay all the while.
        let silence = if lies_unterminated(&session) { Silence::Unterminated } else { silence };
        return finish(session, times, silence);
    }
    if times.budget.passed() {
        session.finish(Duration::ZERO, times);
        return Surveyed::NotStarted(NotStarted::Budget);
    }
    let silence = look_at(&session);
    if matches!(silence, Silence::NoBytes | Silence::OnlyStderr | Silence::NeverReads) {
        session.finish(Duration::ZERO, times);
        return ask_again(setting, times);
    }
    finish(session, times, silence)
}

fn look_at(session: &Session) -> Silence {
    if lies_unterminated(session) {
        Silence::Unterminated
    } else if session.bytes_read() > 0 {
        Silence::OtherOutput
    } else if session.leaves_input_unread() {
        Silence::NeverReads
    } else if session.stderr().total > 0 {
        Silence::OnlyStderr
    } else {
        Silence::NoBytes
    }
}

/// Whether a whole message lies on stdout, and no newline behind it.
fn lies_unterminated(session: &Session) -> bool {
    let (unfinished, _) = session.unfinished();
    let mut values = serde_json::Deserializer::from_slice(unfinished).into_iter::<Value>();
    values.next().is_some_and(|value| value.is_ok_and(|message| message.get("jsonrpc").is_some()))
}

fn finish(session: Session, times: &Times, silence: Silence) -> Surveyed {
    let (transcript, ended) = session.finish(Duration::ZERO, times);
    Surveyed::Mute(Box::new(Mute { recording: Recording { transcript, ended, patient: true }, silence }))
}

/// A missing answer counts only when a second process, given twice the time, stays silent too.
fn ask_again(setting: &Setting, times: &Times) -> Surveyed {
    let dialect = Dialect::new(newest(Era::Legacy));
    let patient = times.doubled();
    match Session::start(setting, dialect.revision, dialect.declared.clone(), "survey/again") {
        Err(error) => Surveyed::NotStarted(error.into()),
        Ok(mut session) => {
            if initialize(&mut session, &dialect, &patient) {
                let message = "answered initialize in a second process only, after more than --startup-timeout";
                session.finish(Duration::ZERO, times);
                return Surveyed::NotStarted(NotStarted::Slow(message));
            }
            if session.transcript().exit().is_some() {
                return ended_early(session, setting, times);
            }
            let silence = look_at(&session);
            finish(session, times, silence)
        }
    }
}

/// The process ended before it answered. Only where one that gets no input lives on was it `initialize` that ended it.
fn ended_early(mut session: Session, setting: &Setting, times: &Times) -> Surveyed {
    session.wait_exit(times.within(Duration::from_secs(2)));
    let lived = session.now();
    let exit = session.transcript().exit().map_or_else(|| "its stdout was closed".to_owned(), ToString::to_string);
    if session.transcript().exit().is_some() && !left_alone_it_ends(lived, setting, times) {
        return finish(session, times, Silence::DiesOfInitialize(exit));
    }
    let (transcript, ended) = session.finish(Duration::ZERO, times);
    Surveyed::NotStarted(exited(exit, &transcript, &ended))
}

/// A process that ended before it answered anything, and its last words.
pub(super) fn exited(exit: String, transcript: &Transcript, ended: &Ended) -> NotStarted {
    let stdout: Vec<String> = transcript.lines().map(|(_, line)| escape(line.bytes.head())).take(5).collect();
    NotStarted::Exited { exit, stderr: ended.stderr.last_lines(10).join("\n"), stdout: stdout.join("\n") }
}

fn left_alone_it_ends(lived: Duration, setting: &Setting, times: &Times) -> bool {
    let dialect = Dialect::new(newest(Era::Legacy));
    let Ok(mut control) = Session::start(setting, dialect.revision, dialect.declared, "survey/control") else {
        return true;
    };
    let ended = control.wait_exit(times.within(lived * 2 + Duration::from_secs(1)));
    control.finish(Duration::ZERO, times);
    ended
}

/// A server that answered `initialize` and nothing else in this session: whether that is so in other processes too, with
/// each method that could serve as a barrier.
pub(super) fn deaf(first: Recording, setting: &Setting, times: &Times) -> Option<Mute> {
    let dialect = Dialect::new(newest(Era::Legacy));
    let patient = times.doubled();
    let by_itself = first.ended.rung == Rung::AlreadyExited;
    let mut end = first.transcript.exit().filter(|_| by_itself).map(ToString::to_string);
    for method in BARRIERS {
        let mut session =
            Session::start(setting, dialect.revision, dialect.declared.clone(), &format!("survey/{method}")).ok()?;
        let opened = initialize(&mut session, &dialect, &patient);
        if opened {
            initialized(&mut session);
        }
        let waited = opened.then(|| barrier(&mut session, &dialect, method, patient.request, &patient));
        if waited == Some(Waited::Over) {
            session.wait_exit(times.within(Duration::from_secs(2)));
        }
        let exit = session.transcript().exit().map(ToString::to_string);
        session.finish(Duration::ZERO, times);
        match waited {
            // It can be spoken to after all, or cannot be judged.
            None | Some(Waited::Done) => return None,
            Some(Waited::Deadline) if times.budget.passed() => return None,
            Some(Waited::Deadline) => end = None,
            Some(Waited::Over) => end = exit.or(end),
        }
    }
    let silence = end.map_or(Silence::Deaf, Silence::DiesOfRequests);
    Some(Mute { recording: first, silence })
}
