//! One session with one peer: bytes go out, events come in, and all of it lands in the transcript.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use super::inbox::Inbox;
use super::times::Times;
use crate::peer::{Deadline, Ended, Launch, Limits, Patience, Peer, PeerEvent, SpawnError, Tap};
use crate::script::{CaseId, Cut, Reply, Signal};
use crate::spec::{Era, Revision};
use crate::transcript::{Cap, Purpose, RequestIndex, Transcript, What, fnv1a};
use crate::wire::MessageKind;

/// Makes the live trace of a peer, given its label.
pub type Trace = Arc<dyn Fn(&str) -> Arc<dyn Tap> + Send + Sync>;

/// What every session of a run has in common.
#[derive(Clone)]
pub struct Setting {
    /// How the peer is started.
    pub launch: Launch,
    /// The cap on the length of a line.
    pub max_line: usize,
    /// Where ids and nonces come from.
    pub seed: u32,
    /// The live trace, if it is wanted.
    pub trace: Option<Trace>,
    /// Processes started so far.
    pub starts: Arc<AtomicUsize>,
    /// The end of the run, once it is known: a wait that it cuts short proves nothing.
    pub budget: Arc<OnceLock<Deadline>>,
    /// Whether a line has broken the cap: later sessions then keep less of one.
    pub flooded: Arc<AtomicBool>,
}

/// How long the real answer of a request is waited for when one with another id has come.
const PRESUMED: Duration = Duration::from_millis(300);
/// How many times its bound a wait may become by progress.
const EXTENDED: u32 = 4;
/// How much of a line is kept once one has broken the cap: a flood costs memory only once.
const FLOODED_LINE: usize = 1 << 20;
/// How long the stdout of a process that has ended may stay open before it counts as held by another.
const DRAIN: Duration = Duration::from_secs(1);

/// A running session.
pub(super) struct Session {
    peer: Peer,
    inbox: Inbox,
    next_id: u32,
    answers: Vec<(String, Reply)>,
    /// Answers to the peer that wait until our own line is out.
    waiting: Vec<u8>,
    /// Whether a line of ours is going out in pieces.
    cutting: bool,
    /// What was taken for an answer was not followed by another one.
    presumed_rightly: bool,
    drain: Option<Deadline>,
    stdin_open: bool,
    flooded: Arc<AtomicBool>,
    budget: Option<Deadline>,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// What was waited for is there.
    Done,
    /// The deadline passed.
    Deadline,
    /// The peer can say nothing more.
    Over,
}

impl Session {
    /// Starts a peer.
    ///
    /// # Errors
    /// The command cannot be started.
    pub(super) fn start(setting: &Setting, asked: Revision, declared: Value, label: &str) -> Result<Self, SpawnError> {
        let tap = setting.trace.as_ref().map(|trace| trace(label));
        let peer = Peer::spawn(&setting.launch, &Limits::default(), tap)?;
        setting.starts.fetch_add(1, Ordering::Relaxed);
        let started = peer.started();
        // Above the small ids that cases write themselves, also as texts.
        let base = fastrand::Rng::with_seed(u64::from(setting.seed) ^ hash_of(label)).u32(20..900);
        let max_line =
            if setting.flooded.load(Ordering::Relaxed) { setting.max_line.min(FLOODED_LINE) } else { setting.max_line };
        let inbox = Inbox::new(Transcript::new(asked, declared), started, max_line);
        Ok(Self {
            peer,
            inbox,
            next_id: base,
            answers: Vec::new(),
            waiting: Vec::new(),
            cutting: false,
            presumed_rightly: false,
            drain: None,
            stdin_open: true,
            flooded: Arc::clone(&setting.flooded),
            budget: setting.budget.get().copied(),
        })
    }

    /// What happened so far.
    pub(super) fn transcript(&self) -> &Transcript {
        &self.inbox.transcript
    }

    /// What happened so far, to add to it.
    pub(super) fn transcript_mut(&mut self) -> &mut Transcript {
        &mut self.inbox.transcript
    }

    /// Time since the peer was started.
    pub(super) fn now(&self) -> Duration {
        self.inbox.now()
    }

    /// A fresh id.
    pub(super) fn fresh_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Begins a case: server requests get their usual answers again.
    pub(super) fn begin(&mut self, case: CaseId) {
        self.answers.clear();
        self.inbox.transcript.begin(case);
    }

    /// From here on answers this server request so.
    pub(super) fn answer(&mut self, method: String, reply: Reply) {
        self.answers.retain(|(known, _)| *known != method);
        self.answers.push((method, reply));
    }

    /// Whether the peer can say nothing more.
    pub(super) fn is_over(&self) -> bool {
        !self.inbox.stdout_open || self.drain.is_some_and(Deadline::passed)
    }

    /// Whether our end of the peer's stdin is open.
    pub(super) fn stdin_open(&self) -> bool {
        self.stdin_open
    }

    /// Writes bytes; the transcript has them before the peer can see them.
    pub(super) fn write(&mut self, bytes: Vec<u8>, purpose: Purpose, cut: &Cut) {
        self.inbox.transcript.sent(self.now(), &bytes, purpose);
        self.cutting = true;
        match cut {
            Cut::Nowhere => self.peer.write(bytes),
            Cut::At(offsets) => self.write_pieces(&bytes, offsets.iter().copied()),
            Cut::Every => self.write_pieces(&bytes, 1..bytes.len()),
        }
        self.cutting = false;
        self.write_waiting();
    }

    /// Writes the answers that are due, unless a line of ours is not out yet.
    fn write_waiting(&mut self) {
        if !self.cutting && !self.waiting.is_empty() && self.stdin_open && !self.inbox.transcript.is_mid_line() {
            let due = std::mem::take(&mut self.waiting);
            self.write(due, Purpose::Prelude, &Cut::Nowhere);
        }
    }

    /// Each piece is handed to the kernel before the next is queued, so that a reader can see them apart.
    fn write_pieces(&mut self, bytes: &[u8], offsets: impl Iterator<Item = usize>) {
        let mut from = 0;
        for offset in offsets.chain([bytes.len()]) {
            if let Some(piece) = bytes.get(from..offset).filter(|piece| !piece.is_empty()) {
                self.peer.write(piece.to_vec());
                from = offset;
                let deadline = Deadline::after(Duration::from_secs(2));
                while self.peer.queued() > 0 && !self.is_over() {
                    if !self.pump(deadline) {
                        break;
                    }
                }
            }
        }
    }

    /// Sends a request with this id text, method and params text.
    pub(super) fn request(&mut self, id: &str, method: &str, params: Option<&str>, purpose: Purpose) -> RequestIndex {
        let index = self.inbox.transcript.requests.len();
        self.write(request_line(id, method, params).into_bytes(), purpose, &Cut::Nowhere);
        index
    }

    /// Closes the peer's stdin, behind what is queued.
    pub(super) fn close_stdin(&mut self) {
        self.stdin_open = false;
        self.peer.close_stdin();
        let now = self.now();
        self.inbox.transcript.close_stdin(now);
    }

    /// Sends a signal to the process.
    pub(super) fn signal(&mut self, signal: Signal) {
        let (signal, name) = match signal {
            Signal::Term => (crate::peer::Signal::Term, "SIGTERM"),
            Signal::Int => (crate::peer::Signal::Int, "SIGINT"),
            Signal::Hup => (crate::peer::Signal::Hup, "SIGHUP"),
            Signal::Kill => (crate::peer::Signal::Kill, "SIGKILL"),
        };
        self.inbox.transcript.push(self.now(), What::Signalled(name));
        self.peer.signal(signal);
    }

    /// Takes one event if one comes in time. Says whether one came.
    pub(super) fn pump(&mut self, deadline: Deadline) -> bool {
        let deadline = self.drain.map_or(deadline, |drain| deadline.earlier(drain));
        match self.peer.next(deadline) {
            Some(event) => {
                self.take(event);
                true
            }
            None => false,
        }
    }

    /// Reads on until this holds.
    pub(super) fn wait(&mut self, deadline: Deadline, done: impl Fn(&Transcript) -> bool) -> Waited {
        loop {
            if done(&self.inbox.transcript) {
                return Waited::Done;
            }
            if self.is_over() {
                return Waited::Over;
            }
            if !self.pump(deadline) && deadline.passed() {
                return Waited::Deadline;
            }
        }
    }

    /// Reads on until this holds; each word of progress extends the deadline, up to four times the wait.
    fn wait_extended(&mut self, mut deadline: Deadline, done: impl Fn(&Transcript) -> bool) -> Waited {
        let bound = deadline.remaining();
        let budget = self.budget.unwrap_or_else(|| Deadline::after(Duration::MAX));
        let end = Deadline::after(bound * EXTENDED).earlier(budget);
        loop {
            let waited = self.wait(deadline, &done);
            let progressed = self.inbox.transcript.progressed;
            let later = progressed.map(|at| Deadline::since(self.peer.started(), at + bound).earlier(end));
            match later.filter(|later| waited == Waited::Deadline && !later.passed()) {
                Some(later) => deadline = later,
                None => return waited,
            }
        }
    }

    /// Reads on until a request is answered. A passed deadline is recorded.
    pub(super) fn wait_answer(&mut self, index: RequestIndex, deadline: Deadline) -> Waited {
        let mut waited = self.wait_extended(deadline, |transcript| transcript.requests[index].answer.is_some());
        if self.inbox.transcript.requests[index].presumed {
            // Something else was taken for the answer: the real one may still be on its way. A peer that once sent
            // none after it will hardly do so the next time.
            let wait = if self.presumed_rightly { PRESUMED / 10 } else { PRESUMED };
            let late =
                self.wait(Deadline::after(wait).earlier(deadline), |transcript| !transcript.requests[index].presumed);
            self.presumed_rightly = late == Waited::Deadline;
            waited = Waited::Done;
        }
        if waited == Waited::Deadline && !self.budget.is_some_and(Deadline::passed) {
            self.inbox.transcript.push(self.now(), What::Unanswered(index));
        }
        waited
    }

    /// Waits for the end of the process, reading on.
    pub(super) fn wait_exit(&mut self, deadline: Deadline) -> bool {
        while self.inbox.transcript.exit().is_none() && !deadline.passed() {
            if let Some(event) = self.peer.next(deadline) {
                self.take(event);
            }
        }
        // What it wrote last may arrive behind the news of its end.
        while self.transcript().exit().is_some() && !self.is_over() {
            self.pump(Deadline::after(DRAIN));
        }
        self.inbox.transcript.exit().is_some()
    }

    /// The unfinished line that the peer has written, and its offset.
    pub(super) fn unfinished(&self) -> (&[u8], u64) {
        self.inbox.unfinished()
    }

    /// Whether bytes that we sent are still unread in the pipe or before it; `false` where the system does not tell.
    pub(super) fn leaves_input_unread(&self) -> bool {
        self.peer.queued() > 0 || self.peer.unread().is_some_and(|bytes| bytes > 0)
    }

    /// Bytes that the peer wrote to stdout.
    pub(super) fn bytes_read(&self) -> u64 {
        self.inbox.read
    }

    /// What the peer wrote to stderr so far.
    pub(super) fn stderr(&self) -> crate::peer::Stderr {
        self.peer.stderr()
    }

    fn take(&mut self, event: PeerEvent) {
        if matches!(event, PeerEvent::Exited(_)) {
            self.drain = Some(Deadline::after(DRAIN));
        }
        let first = self.inbox.transcript.events.len();
        self.inbox.take(event);
        if !self.inbox.stdout_open && matches!(self.inbox.transcript.overflow(), Some(Cap::Line(_))) {
            self.flooded.store(true, Ordering::Relaxed);
        }
        for event in first..self.inbox.transcript.events.len() {
            self.answer_server(event);
        }
    }

    /// Answers the requests of the peer in the line just received; in the modern era a client never does.
    fn answer_server(&mut self, event: usize) {
        if self.inbox.transcript.asked.era() == Era::Modern || !self.stdin_open {
            return;
        }
        let Some(line) = self.inbox.transcript.line(event) else { return };
        let asked: Vec<(String, String)> = line
            .messages
            .iter()
            .filter(|linked| linked.message.kind == MessageKind::Request)
            .filter_map(|linked| Some((linked.message.id.as_ref()?.raw().to_owned(), linked.message.method.clone()?)))
            .collect();
        for (id, method) in asked {
            let known = self.answers.iter().find(|(known, _)| *known == method).map(|(_, reply)| reply.clone());
            let body = match known {
                Some(Reply::Never) => continue,
                Some(Reply::Result(result)) => format!(r#""result":{result}"#),
                Some(Reply::Error(error)) => format!(r#""error":{error}"#),
                None if method == "ping" => r#""result":{}"#.to_owned(),
                None => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
            };
            self.waiting.extend(format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#).into_bytes());
            self.waiting.push(b'\n');
        }
        self.write_waiting();
    }

    /// Watches for strays, then takes the peer down the ending ladder. What still arrives is in the transcript.
    pub(super) fn finish(mut self, grace: Duration, times: &Times) -> (Transcript, Ended) {
        let strays = times.within(grace);
        while !self.is_over() && self.inbox.transcript.exit().is_none() && !strays.passed() {
            self.pump(strays);
        }
        let patience = self.patience(times);
        if self.stdin_open && self.inbox.transcript.exit().is_none() {
            let now = self.now();
            self.inbox.transcript.close_stdin(now);
        }
        let Self { peer, mut inbox, .. } = self;
        let ended = peer.end(&patience, &mut |event| inbox.take(event));
        inbox.close_stdout();
        (inbox.transcript, ended)
    }

    /// A peer that broke a cap is not waited for.
    fn patience(&self, times: &Times) -> Patience {
        if self.inbox.transcript.overflow().is_some() {
            let short = Duration::from_millis(200);
            Patience { eof: Duration::ZERO, term: short, drain: short, follow: short }
        } else {
            times.patience()
        }
    }
}

/// A request as one line, newline included.
pub(super) fn request_line(id: &str, method: &str, params: Option<&str>) -> String {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}{params}}}"#, Value::from(method)) + "\n"
}

/// A notification as one line, newline included.
pub(super) fn notification_line(method: &str, params: Option<&str>) -> String {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":{}{params}}}"#, Value::from(method)) + "\n"
}

/// A label as a number, so that each session draws other ids from one seed.
pub(super) fn hash_of(label: &str) -> u64 {
    fnv1a(label.as_bytes())
}
