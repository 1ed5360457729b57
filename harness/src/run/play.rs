//! Plays one script in an open session. What happens lands in the transcript; what a step's outcomes make of it, here.

use std::time::Duration;

use super::dialect::Dialect;
use super::prelude::barrier;
use super::session::{Session, Waited, notification_line, request_line};
use super::times::Times;
use crate::judge::{Decision, Situation, Verdict, decide};
use crate::peer::Deadline;
use crate::script::{
    Action, Bindings, Bytes, Channel, Delivery, On, Outcome, Script, Step, TemplateError, expand, expand_bytes,
};
use crate::transcript::{Purpose, RequestIndex, Standing, What};
use crate::wire::{FrameId, held};

/// How much later than the end of stdout the news of an exit may come.
const NEWS_OF_EXIT: Duration = Duration::from_secs(2);

/// What came of a play.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// What the outcomes decided, in order.
    pub decisions: Vec<Decision>,
    /// Why the case stopped short of its end, if it did.
    pub stopped: Option<Stop>,
}

/// Why a case stopped short of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The peer was gone.
    PeerLost,
    /// The run's time was up.
    OutOfTime,
    /// An outcome other than a pass decided it: what follows would be judged on wrong grounds.
    Decided,
    /// A tool that we picked, and that nobody named to us, did not answer.
    ToolSilent(String),
    /// A value that the case wanted to go on with is not there: it has nothing more to judge.
    NothingToTake,
    /// The case itself is wrong.
    Broken(String),
}

/// What a play needs beside its session.
pub(super) struct Stage<'a> {
    /// How requests are written.
    pub dialect: &'a Dialect,
    /// The method of the cheap request.
    pub cheap: &'a str,
    /// How long things may take.
    pub times: &'a Times,
    /// Whether a tool that the script calls was picked by us: it may be slow or need the network.
    pub our_pick: bool,
}

/// Plays a script.
pub(super) fn play(session: &mut Session, script: &Script, bindings: Bindings, stage: &Stage<'_>) -> Played {
    session.begin(script.id.clone());
    let first = session.transcript().events.len();
    let mut player = Player {
        session,
        script,
        bindings,
        stage,
        held: Vec::new(),
        last: None,
        cancelled: Vec::new(),
        since: first,
        owes_barrier: false,
    };
    let mut played = Played::default();
    for step in &script.steps {
        if let Err(stop) = player.step(step, &mut played.decisions) {
            played.stopped = Some(stop);
            break;
        }
    }
    if matches!(played.stopped, None | Some(Stop::NothingToTake | Stop::Decided)) {
        let stopped = player.settle(first);
        played.stopped = played.stopped.or(stopped);
    }
    played
}

struct Player<'a, 'b> {
    session: &'a mut Session,
    script: &'a Script,
    bindings: Bindings,
    stage: &'a Stage<'b>,
    held: Vec<u8>,
    last: Option<RequestIndex>,
    /// Ids of requests that the case cancels.
    cancelled: Vec<FrameId>,
    /// The first event of the last action.
    since: usize,
    /// Something was sent that only a barrier can show the end of.
    owes_barrier: bool,
}

impl Player<'_, '_> {
    fn step(&mut self, step: &Step, decisions: &mut Vec<Decision>) -> Result<(), Stop> {
        if self.stage.times.budget.passed() {
            return Err(Stop::OutOfTime);
        }
        if self.session.is_over() && step.action.is_some() {
            return Err(Stop::PeerLost);
        }
        let first_request = self.session.transcript().requests.len();
        // A step that only judges looks at what came since the last thing that was done.
        if let Some(action) = &step.action {
            self.since = self.session.transcript().events.len();
            self.act(action, &step.delivery)?;
        }
        let since = self.since;
        if !step.outcomes.is_empty() {
            let own = self.last.filter(|&last| last >= first_request);
            let about_reply = step.outcomes.iter().any(|outcome| outcome.on == On::Reply && outcome.to.is_none());
            let target = own.or_else(|| self.last.filter(|_| about_reply));
            let decision = self.judge(step, since, target)?;
            let passed = decision.as_ref().is_none_or(|decision| decision.verdict == Some(Verdict::Pass));
            decisions.extend(decision);
            if !passed {
                return Err(Stop::Decided);
            }
        }
        self.take(step)
    }

    fn act(&mut self, action: &Action, delivery: &Delivery) -> Result<(), Stop> {
        match action {
            Action::Send(_) | Action::Raw(_) | Action::Request { .. } | Action::Notification { .. } => {
                let mut bytes = Vec::new();
                for _ in 0..delivery.count {
                    bytes.extend(self.bytes_of(action)?);
                }
                self.deliver(bytes, delivery, matches!(action, Action::Send(_)))?;
            }
            Action::Barrier => self.barrier(),
            Action::Close(Channel::Stdin) => {
                // A client that leaves is owed nothing any more.
                for index in self.session.transcript().requests_since_begin() {
                    self.session.transcript_mut().waive(index);
                }
                self.session.close_stdin();
            }
            Action::Signal(signal) => self.session.signal(*signal),
            Action::Pause(time) => self.pause(*time)?,
            Action::Answer { method, reply } => self.session.answer(method.clone(), reply.clone()),
        }
        Ok(())
    }

    /// Lets time pass; less than asked for would show less than the case says.
    fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        let end = Deadline::after(time);
        let waited = self.session.wait(end.earlier(self.stage.times.budget), |_| false);
        if waited == Waited::Deadline && !end.passed() { Err(Stop::OutOfTime) } else { Ok(()) }
    }

    /// The bytes of one repetition of an action.
    fn bytes_of(&mut self, action: &Action) -> Result<Vec<u8>, Stop> {
        Ok(match action {
            Action::Send(text) => (self.text(text)? + "\n").into_bytes(),
            Action::Raw(bytes) => self.raw(bytes)?,
            Action::Request { method, params, id, cancelled } => {
                let method = self.text(method)?;
                let params = params.as_deref().map(|params| self.text(params)).transpose()?;
                let params = if method == "initialize" {
                    params.or_else(|| Some(self.stage.dialect.initialize()))
                } else {
                    self.stage.dialect.params(params.as_deref())
                };
                let id = match id {
                    Some(id) => self.text(id)?,
                    None => self.session.fresh_id().to_string(),
                };
                self.bindings.set_json("last_id", id.as_str());
                if *cancelled {
                    self.cancelled.push(FrameId::new(&id));
                }
                request_line(&id, &method, params.as_deref()).into_bytes()
            }
            Action::Notification { method, params } => {
                let method = self.text(method)?;
                let params = params.as_deref().map(|params| self.text(params)).transpose()?;
                notification_line(&method, params.as_deref()).into_bytes()
            }
            _ => Vec::new(),
        })
    }

    fn text(&mut self, template: &str) -> Result<String, Stop> {
        let session = &mut *self.session;
        let mut fresh = || session.fresh_id().to_string();
        let mut source = self.bindings.source(&mut fresh);
        expand(template, &mut source).map_err(|error| broken(&error))
    }

    fn raw(&mut self, bytes: &Bytes) -> Result<Vec<u8>, Stop> {
        let session = &mut *self.session;
        let mut fresh = || session.fresh_id().to_string();
        let mut source = self.bindings.source(&mut fresh);
        expand_bytes(bytes, &mut source).map_err(|error| broken(&error))
    }

    fn deliver(&mut self, bytes: Vec<u8>, delivery: &Delivery, is_send: bool) -> Result<(), Stop> {
        if delivery.hold {
            self.held.extend(bytes);
            return Ok(());
        }
        let bytes = if self.held.is_empty() { bytes } else { [std::mem::take(&mut self.held), bytes].concat() };
        let (event, request) = {
            let transcript = self.session.transcript();
            (transcript.events.len(), transcript.requests.len())
        };
        self.session.write(bytes, Purpose::Case, &delivery.cut);
        self.note_sent(event, request, is_send)
    }

    /// Looks at what was sent: is it what a client may send, and does it leave a request or something for a barrier?
    fn note_sent(&mut self, event: usize, request: usize, is_send: bool) -> Result<(), Stop> {
        let transcript = self.session.transcript();
        let frames = match transcript.events.get(event).map(|event| &event.what) {
            Some(What::Sent(sent)) => &sent.frames[..],
            _ => &[],
        };
        let unlawful = frames.iter().find_map(|frame| match frame.standing {
            Standing::Unlawful(why) => Some(why),
            _ => None,
        });
        self.owes_barrier |=
            frames.is_empty() || frames.iter().any(|frame| frame.request.is_none() || !frame.standing.is_lawful());
        if let (true, Some(why)) = (is_send, unlawful) {
            return Err(Stop::Broken(format!("a step sends what a client may not send: {why}; use raw")));
        }
        let requests = request..transcript.requests.len();
        if let Some(last) = requests.clone().next_back() {
            self.last = Some(last);
            let id = transcript.requests[last].id.raw().to_owned();
            self.bindings.set_json("last_id", id);
        }
        for index in requests {
            if self.cancelled.contains(&self.session.transcript().requests[index].id) {
                self.session.transcript_mut().waive(index);
            }
        }
        Ok(())
    }

    /// Waits for what the outcomes can be decided by, and decides.
    fn judge(&mut self, step: &Step, since: usize, target: Option<RequestIndex>) -> Result<Option<Decision>, Stop> {
        let outcomes = self.expanded(&step.outcomes)?;
        if let Some(index) = target
            && outcomes.iter().any(|outcome| matches!(outcome.on, On::Silence | On::Exit | On::Closed))
        {
            self.session.transcript_mut().waive(index);
        }
        self.wait_for(step, &outcomes, target, since);
        if let Some(index) = target {
            self.excuse_tool(index)?;
        }
        let requirement = self.script.requirements.first().cloned();
        let situation = Situation { transcript: self.session.transcript(), since, target };
        Ok(decide(&outcomes, &situation, requirement))
    }

    fn wait_for(&mut self, step: &Step, outcomes: &[Outcome], target: Option<RequestIndex>, since: usize) {
        let times = self.stage.times;
        let bound = times.within(self.with_start(step.within.unwrap_or(times.request)));
        let standing = target.map(|index| self.session.transcript().requests[index].standing);
        match (&step.action, target, standing) {
            (Some(Action::Close(_) | Action::Signal(_)), ..) => {
                // A process that has said nothing yet may have to start before it can end.
                let has_spoken = self.session.transcript().first_answer().is_some();
                let start = if has_spoken { Duration::ZERO } else { times.first_words() };
                self.session.wait_exit(times.within(start + step.within.unwrap_or(times.patience().eof)));
            }
            (_, Some(index), Some(Standing::Lawful)) if !may_be_silent(outcomes) => {
                self.session.wait_answer(index, bound);
            }
            // A barrier would itself be out of order.
            (_, Some(index), Some(Standing::OutOfOrder(_))) => self.wait_unowed(index, bound),
            (_, Some(index), _) if must_answer(outcomes) => {
                self.session.wait_answer(index, bound);
            }
            (_, Some(index), _) => {
                self.barrier();
                self.wait_unowed(index, bound);
            }
            _ if must_come(outcomes) => self.wait_message(outcomes, since, bound),
            _ => self.barrier(),
        }
        if self.session.is_over() && outcomes.iter().any(|outcome| outcome.on == On::Exit) {
            self.session.wait_exit(times.within(NEWS_OF_EXIT));
        }
    }

    /// A bound on an answer; a process that has said nothing yet may have to start first.
    fn with_start(&self, bound: Duration) -> Duration {
        let has_spoken = self.session.transcript().first_answer().is_some();
        if has_spoken { bound } else { bound.max(self.stage.times.startup) }
    }

    /// Waits a little for an answer that is not owed; a process that has said nothing yet may still be starting.
    fn wait_unowed(&mut self, index: RequestIndex, bound: Deadline) {
        let times = self.stage.times;
        let has_spoken = self.session.transcript().first_answer().is_some();
        let little = if has_spoken { times.stray() } else { times.first_words() };
        self.session
            .wait(bound.earlier(times.within(little)), |transcript| transcript.requests[index].answer.is_some());
    }

    /// The silence of a tool that was picked by us and not named by the user proves nothing.
    fn excuse_tool(&mut self, index: RequestIndex) -> Result<(), Stop> {
        let request = &self.session.transcript().requests[index];
        let silent = request.answer.is_none() && request.method == "tools/call" && request.owed;
        if !silent || !self.stage.our_pick || self.session.is_over() {
            return Ok(());
        }
        let waited = self.session.now().saturating_sub(request.sent_at).as_secs();
        self.session.transcript_mut().waive(index);
        Err(Stop::ToolSilent(format!("the tool that was picked did not answer in {waited} s; name one with --call")))
    }

    fn wait_message(&mut self, outcomes: &[Outcome], since: usize, deadline: Deadline) {
        while !self.session.is_over() && !deadline.passed() {
            let situation = Situation { transcript: self.session.transcript(), since, target: None };
            if decide(outcomes, &situation, None).is_some_and(|decision| decision.on == Some(On::Message)) {
                break;
            }
            self.session.pump(deadline);
        }
    }

    fn expanded(&mut self, outcomes: &[Outcome]) -> Result<Vec<Outcome>, Stop> {
        let revision = self.session.transcript().revision();
        let mut expanded = Vec::with_capacity(outcomes.len());
        for outcome in outcomes.iter().filter(|outcome| outcome.revisions.contains(revision)) {
            let mut outcome = outcome.clone();
            outcome.to = outcome.to.map(|to| self.text(&to)).transpose()?;
            if let Some(like) = &mut outcome.like {
                like.0 = self.text(&like.0)?;
            }
            expanded.push(outcome);
        }
        Ok(expanded)
    }

    fn take(&mut self, step: &Step) -> Result<(), Stop> {
        let Some(index) = self.last.filter(|_| !step.take.is_empty()) else { return Ok(()) };
        self.session.wait_answer(index, self.stage.times.within(self.stage.times.request));
        let answer = self.session.transcript().answer_text(index);
        let answer = answer.and_then(held);
        for (name, pointer) in &step.take {
            let value = answer.as_ref().and_then(|answer| answer.pointer(pointer)).ok_or(Stop::NothingToTake)?;
            self.bindings.take(name, value.to_string());
        }
        Ok(())
    }

    fn barrier(&mut self) {
        self.owes_barrier = false;
        if !self.session.stdin_open() || self.session.is_over() {
            return;
        }
        let times = self.stage.times;
        let transcript = self.session.transcript();
        if !transcript.is_open() {
            // A barrier would itself be out of order: what comes back of its own accord is all that can be seen.
            for index in transcript.requests_since_begin() {
                self.wait_unowed(index, times.within(self.with_start(times.request)));
            }
            return;
        }
        let first = transcript.plays.last().map_or(0, |play| play.first);
        let lawful = transcript.frames().all(|(event, frame)| event < first || frame.standing.is_lawful());
        // After input that a client must not send, silence is at most a warning and not worth the full wait.
        let bound = self.with_start(if lawful { times.request } else { times.liveness() });
        let waited = barrier(self.session, self.stage.dialect, self.stage.cheap, bound, times);
        if waited == Waited::Deadline && !lawful {
            // A reader that lags a line behind answers when the next one comes.
            barrier(self.session, self.stage.dialect, self.stage.cheap, bound, times);
        }
    }

    fn signalled(&self, first: usize) -> bool {
        self.session.transcript().events[first..].iter().any(|event| matches!(event.what, What::Signalled(_)))
    }

    /// The end of a case: every answer that is owed is waited for, then a barrier shows that nothing else comes.
    fn settle(&mut self, first: usize) -> Option<Stop> {
        let times = self.stage.times;
        if !self.session.stdin_open() || self.signalled(first) {
            return None;
        }
        let requests = self.session.transcript().requests_since_begin();
        for index in requests {
            let request = &self.session.transcript().requests[index];
            let waited = self.session.transcript().events[first..]
                .iter()
                .any(|event| matches!(event.what, What::Unanswered(unanswered) if unanswered == index));
            if !request.owed || request.answer.is_some() || request.purpose != Purpose::Case || waited {
                continue;
            }
            // A peer that does one thing after the other works on those before this one first.
            let since = self.session.transcript().progressed.unwrap_or_default().max(request.sent_at);
            let elapsed = self.session.now().saturating_sub(since);
            let deadline = times.within(self.with_start(times.request).saturating_sub(elapsed));
            if self.session.wait_answer(index, deadline) == Waited::Over {
                return Some(Stop::PeerLost);
            }
            if let Err(stop) = self.excuse_tool(index) {
                return Some(stop);
            }
        }
        if self.owes_barrier {
            self.barrier();
        }
        self.session.is_over().then_some(Stop::PeerLost)
    }
}

/// Whether a message is wanted and silence is not.
fn must_come(outcomes: &[Outcome]) -> bool {
    let has = |on: On| outcomes.iter().any(|outcome| outcome.on == on);
    has(On::Message) && !has(On::Silence)
}

/// Whether silence costs at most a warning: then a barrier is wait enough.
fn may_be_silent(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(|outcome| outcome.on == On::Silence && outcome.verdict < Verdict::Fail)
}

/// Whether silence would fail the server: then it is given all the time there is.
fn must_answer(outcomes: &[Outcome]) -> bool {
    outcomes.iter().any(|outcome| outcome.on == On::Silence && outcome.verdict == Verdict::Fail)
}

fn broken(error: &TemplateError) -> Stop {
    Stop::Broken(error.to_string())
}
