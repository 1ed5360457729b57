//! Builds a transcript: splits and classifies our own bytes, and links each message of the peer to the request it answers.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;

use super::standing::{self, Handshake};
use super::{
    Cap, Event, Kept, Link, Linked, Moment, Play, Purpose, Received, Request, RequestIndex, Sent, SentFrame, Standing,
    What,
};
use crate::script::CaseId;
use crate::spec::{Era, Revision};
use crate::wire::{
    Class, FrameEnd, FrameId, IdKey, IdKind, Message, MessageKind, Reader, Reading, Splitter, grammar, held,
};

/// How late the answer to a bad line of an earlier case may come.
const LATE: Duration = Duration::from_secs(1);

/// A message of ours that is whole but for its newline, and its first request.
#[derive(Debug)]
struct Early {
    line: Vec<u8>,
    request: RequestIndex,
}

/// One session with one peer.
#[derive(Debug)]
pub struct Transcript {
    /// The revision that the session asks for; judged by where the peer agreed to no other.
    pub asked: Revision,
    /// The capabilities that we declared.
    pub declared: Value,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Our requests, in order.
    pub requests: Vec<Request>,
    /// Where each case begins.
    pub plays: Vec<Play>,
    /// When the peer last told of progress, or answered something.
    pub progressed: Option<Moment>,
    /// What the peer said of itself: the result of `initialize` or `server/discover`.
    pub hello: Option<Value>,
    outgoing: Splitter,
    outgoing_reader: Reader,
    by_id: BTreeMap<IdKey, Vec<RequestIndex>>,
    open: Vec<RequestIndex>,
    plays_end: Option<usize>,
    early: Option<Early>,
    excuses: VecDeque<usize>,
    answered_without_id: bool,
    /// The first request behind the last notification.
    notified: Option<RequestIndex>,
    /// The ids that `notifications/cancelled` named, each with its event.
    cancellations: Vec<(FrameId, usize)>,
    handshake: Handshake,
}

impl Transcript {
    /// An empty transcript of a session that asks for this revision and declares these client capabilities.
    #[must_use]
    pub fn new(asked: Revision, declared: Value) -> Self {
        Self {
            asked,
            declared,
            events: Vec::new(),
            requests: Vec::new(),
            plays: Vec::new(),
            progressed: None,
            hello: None,
            outgoing: Splitter::new(usize::MAX),
            outgoing_reader: Reader::new(),
            by_id: BTreeMap::new(),
            open: Vec::new(),
            plays_end: None,
            early: None,
            excuses: VecDeque::new(),
            answered_without_id: false,
            notified: None,
            cancellations: Vec::new(),
            handshake: if asked.era() == Era::Legacy { Handshake::NotStarted } else { Handshake::Done },
        }
    }

    /// The revision in force: what the peer agreed to, if it named a known one.
    #[must_use]
    pub fn revision(&self) -> Revision {
        let agreed = self.agreed().and_then(|agreed| agreed.parse::<Revision>().ok());
        agreed.filter(|agreed| agreed.era() == self.asked.era()).unwrap_or(self.asked)
    }

    /// The version that the peer answered `initialize` with.
    #[must_use]
    pub fn agreed(&self) -> Option<&str> {
        self.hello.as_ref()?.get("protocolVersion")?.as_str()
    }

    /// The capabilities that the peer declared, if it did so in this session.
    #[must_use]
    pub fn capabilities(&self) -> Option<&Value> {
        self.hello.as_ref()?.get("capabilities")
    }

    /// Marks the beginning of a case.
    pub fn begin(&mut self, case: CaseId) {
        self.plays.push(Play { case, first: self.events.len(), first_request: self.requests.len() });
        // Until a later request is answered, a sloppy peer may still be about to answer the notification.
        let behind = self.notified.map_or(&[][..], |first| &self.requests[first..]);
        if behind.iter().any(|request| request.answer.is_some()) {
            self.notified = None;
        }
    }

    /// Marks the end of the last case: what follows is about the session.
    pub fn end_plays(&mut self) {
        self.plays_end = Some(self.events.len());
    }

    /// Whether a close or signal came from a case, not from the end of the session.
    #[must_use]
    pub fn closed_by_play(&self, event: usize) -> bool {
        !self.plays.is_empty() && self.plays_end.is_none_or(|end| event < end)
    }

    /// The play that an event belongs to; `None` for the prelude.
    #[must_use]
    pub fn play_of(&self, event: usize) -> Option<usize> {
        self.plays.partition_point(|play| play.first <= event).checked_sub(1)
    }

    /// The events of a play, up to the next one.
    #[must_use]
    pub fn events_of(&self, play: usize) -> Range<usize> {
        let first = self.plays.get(play).map_or(self.events.len(), |play| play.first);
        let end = self.plays.get(play + 1).map_or(self.events.len(), |play| play.first);
        first..end
    }

    /// The requests that were sent since the last case began, or in the prelude.
    pub fn requests_since_begin(&self) -> Range<RequestIndex> {
        self.plays.last().map_or(0, |play| play.first_request)..self.requests.len()
    }

    /// The requests without an answer, oldest first.
    #[must_use]
    pub fn open_requests(&self) -> &[RequestIndex] {
        &self.open
    }

    /// Appends an event.
    pub fn push(&mut self, at: Moment, what: What) {
        self.events.push(Event { at, what });
    }

    /// Records bytes that are about to be written.
    pub fn sent(&mut self, at: Moment, bytes: &[u8], purpose: Purpose) {
        let mut lines = Vec::new();
        let mut outgoing = std::mem::replace(&mut self.outgoing, Splitter::new(usize::MAX));
        // Without a cap there is no line that is too long.
        let _ = outgoing.push(bytes, &mut |frame| lines.push(frame.bytes.to_vec()));
        self.outgoing = outgoing;
        let unfinished = self.outgoing.pending().to_vec();
        let frames = lines.iter().map(|line| self.sent_frame(at, line, purpose)).collect();
        self.note_early(at, &unfinished, purpose);
        self.push(at, What::Sent(Sent { bytes: Kept::new(bytes), frames }));
    }

    /// Whether we have begun a line and not ended it.
    #[must_use]
    pub fn is_mid_line(&self) -> bool {
        !self.outgoing.pending().is_empty()
    }

    /// A message that is whole but for its newline may be answered before that comes.
    fn note_early(&mut self, at: Moment, unfinished: &[u8], purpose: Purpose) {
        let line = unfinished.trim_ascii_end();
        if line.last() != Some(&b'}') || self.early.as_ref().is_some_and(|early| early.line == line) {
            return;
        }
        let reading = Reader::new().read(line, 0, FrameEnd::Newline);
        let Class::Message(message) = &reading.class else { return };
        let standing = standing::of_frame(line, &reading, self.asked);
        let request = self.requests.len();
        for id in readable_ids(&reading, line, purpose) {
            self.add_request(id, message.method.clone().unwrap_or_default(), at, purpose, standing);
        }
        self.early = Some(Early { line: line.to_vec(), request });
    }

    /// Records that our end is closed: what we left unfinished is a line that is no message.
    pub fn close_stdin(&mut self, at: Moment) {
        let mut tail = Vec::new();
        self.outgoing.finish(&mut |frame| tail = frame.bytes.to_vec());
        if !tail.is_empty() {
            let frame = SentFrame {
                standing: Standing::Unlawful("an unfinished line"),
                ..self.sent_frame(at, &tail, Purpose::Case)
            };
            self.excuse(1);
            self.push(at, What::Sent(Sent { bytes: Kept::new(b""), frames: vec![frame] }));
        }
        self.push(at, What::StdinClosed);
    }

    /// Whether the session is open: a request now is in order.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.handshake, Handshake::Answered | Handshake::Done)
    }

    fn sent_frame(&mut self, at: Moment, line: &[u8], purpose: Purpose) -> SentFrame {
        let reading = self.outgoing_reader.read(line, 0, FrameEnd::Newline);
        let mut standing = standing::of_frame(line, &reading, self.asked);
        let message = match &reading.class {
            Class::Message(message) => Some(&**message),
            _ => None,
        };
        if let Some(message) = message.filter(|_| standing.is_lawful()) {
            standing = standing::in_order(message, self.handshake);
            self.follow_handshake(message);
            self.note_declared(message, line);
            if message.method.as_deref() == Some("notifications/cancelled") {
                self.cancel(line);
            }
        }
        let method = message.and_then(|message| message.method.clone());
        let name = method.clone().unwrap_or_default();
        let ids = readable_ids(&reading, line, purpose);
        let early = self.early.take().filter(|early| early.line == line.trim_ascii_end());
        let request = early.as_ref().map_or(self.requests.len(), |early| early.request);
        if early.is_none() {
            for id in &ids {
                self.add_request(id.clone(), name.clone(), at, purpose, standing);
            }
        }
        if !standing.is_lawful() {
            self.excuse(excuses(&reading));
        }
        if ids.is_empty() {
            self.notified = Some(self.requests.len());
        }
        SentFrame { standing, method, request: (!ids.is_empty()).then_some(request) }
    }

    /// A bad line may draw answers without an id.
    fn excuse(&mut self, answers: usize) {
        let event = self.events.len();
        self.excuses.extend(std::iter::repeat_n(event, answers));
    }

    fn add_request(
        &mut self,
        id: FrameId,
        method: String,
        at: Moment,
        purpose: Purpose,
        standing: Standing,
    ) -> RequestIndex {
        let index = self.requests.len();
        self.by_id.entry(id.key()).or_default().push(index);
        self.open.push(index);
        self.requests.push(Request {
            id,
            method,
            event: self.events.len(),
            sent_at: at,
            purpose,
            standing,
            answer: None,
            presumed: false,
            owed: standing.is_lawful(),
            cancelled: false,
        });
        index
    }

    /// What a client may be asked is what it declared in its own words.
    fn note_declared(&mut self, message: &Message, line: &[u8]) {
        if message.method.as_deref() == Some("initialize")
            && let Ok(text) = serde_json::from_slice::<Value>(line)
            && let Some(declared) = text.pointer("/params/capabilities")
        {
            self.declared = declared.clone();
        }
    }

    fn follow_handshake(&mut self, message: &Message) {
        self.handshake = match (self.handshake, message.method.as_deref()) {
            (Handshake::NotStarted, Some("initialize")) => Handshake::Asked,
            (Handshake::Asked | Handshake::Answered, Some("notifications/initialized")) => Handshake::Done,
            (handshake, _) => handshake,
        };
    }

    fn cancel(&mut self, line: &[u8]) {
        let id = serde_json::from_slice::<Value>(line)
            .ok()
            .and_then(|message| message.pointer("/params/requestId").map(ToString::to_string));
        let Some(id) = id else { return };
        self.cancellations.push((FrameId::new(&id), self.events.len()));
        for &index in self.by_id.get(&FrameId::new(&id).key()).into_iter().flatten() {
            if self.requests[index].answer.is_none() {
                self.requests[index].cancelled = true;
                self.requests[index].owed = false;
            }
        }
    }

    /// Records a line of the peer and links its messages. Gives the requests of the peer that wait for an answer.
    pub fn received(&mut self, at: Moment, line: &[u8], offset: u64, end: FrameEnd, reading: Reading) {
        let event = self.events.len();
        let found = messages_of(&reading);
        if found.iter().any(|(message, _)| message.method.as_deref() == Some("notifications/progress")) {
            self.progressed = Some(at);
        }
        let messages: Vec<Linked> = found
            .into_iter()
            .map(|(message, range)| {
                let link = self.link(&message, event, at);
                self.learn(&message, link, line.get(range.clone()).unwrap_or_default());
                Linked { message, range, link }
            })
            .collect();
        if messages.is_empty() {
            self.presume_unreadable(&reading, line, event, at);
        }
        let terminated = matches!(end, FrameEnd::Newline);
        let purpose = messages.iter().find_map(|linked| match linked.link {
            Link::Answer(index, _) => Some(self.requests[index].purpose),
            _ => None,
        });
        let bytes = match purpose {
            // The answer of a barrier says only that it came.
            Some(Purpose::Barrier) => Kept::brief(line),
            Some(Purpose::Client) => Kept::entire(line),
            Some(Purpose::Prelude | Purpose::Case) | None => Kept::new(line),
        };
        let received = Received { bytes, offset, terminated, reading, messages };
        self.push(at, What::Received(Box::new(received)));
    }

    fn link(&mut self, message: &Message, event: usize, at: Moment) -> Link {
        let is_response = match message.kind {
            MessageKind::Result | MessageKind::Error => true,
            MessageKind::Malformed => message.method.is_none(),
            MessageKind::Request | MessageKind::Notification => false,
        };
        if !is_response {
            return Link::NoResponse;
        }
        let Some(id) = message.id.as_ref().filter(|id| id.kind() != IdKind::Null) else {
            return self.link_without_id(message.kind, event, at);
        };
        if let Some(indices) = self.by_id.get(&id.key()) {
            // An id that is used again after its answer means the newest request.
            let open = indices
                .iter()
                .copied()
                .find(|&index| self.requests[index].answer.is_none() || self.requests[index].presumed);
            return match (open, indices.last()) {
                (Some(index), _) => {
                    self.unpresume(index);
                    let matched = self.requests[index].id.compare(id);
                    self.close(index, event, at);
                    Link::Answer(index, matched)
                }
                (None, Some(&index)) => {
                    let answered = self.requests[index].answer.map_or(event, |(answered, _)| answered);
                    self.cancellation(id, answered).map_or(Link::Again(index), Link::Cancellation)
                }
                (None, None) => Link::Unknown,
            };
        }
        if let Some(sent) = self.cancellation(id, 0) {
            return Link::Cancellation(sent);
        }
        let presumed = self.requests.iter().position(|request| request.presumed && request.id.loosely(id));
        if let Some(index) = presumed {
            self.unpresume(index);
            self.open.push(index);
        }
        let loose = self.open.iter().copied().find(|&index| self.requests[index].id.loosely(id));
        let only = self.only_open_like(id).filter(|_| self.excuses.is_empty());
        let Some(index) = loose.or(only) else { return Link::Unknown };
        self.close(index, event, at);
        self.requests[index].presumed = loose.is_none();
        Link::Loose(index)
    }

    /// A line that is no message may be an answer all the same, whose request then waits for no other.
    fn presume_unreadable(&mut self, reading: &Reading, line: &[u8], event: usize, at: Moment) {
        if matches!(reading.class, Class::NotMessage) {
            // A result without anything around it; a record of a log is told apart by the answer that follows.
            let lawful = self.open.iter().copied().find(|&index| self.requests[index].standing.is_lawful());
            self.presume(lawful.or(self.open.first().copied()), event, at);
            return;
        }
        let is_unreadable = matches!(reading.class, Class::NotJson { .. } | Class::NotUtf8 { .. });
        let has = |member: &[u8]| memchr::memmem::find(line, member).is_some();
        if !is_unreadable || !(has(b"\"result\"") || has(b"\"error\"")) {
            return;
        }
        let Some(id) = guessable_id(line) else { return };
        let indices = self.by_id.get(&id.key()).map(Vec::as_slice).unwrap_or_default();
        let open = indices.iter().copied().find(|&index| self.requests[index].answer.is_none());
        self.presume(open, event, at);
    }

    fn presume(&mut self, open: Option<RequestIndex>, event: usize, at: Moment) {
        if let Some(index) = open {
            self.close(index, event, at);
            self.requests[index].presumed = true;
        }
    }

    /// The cancellation that named this id after an event.
    fn cancellation(&self, id: &FrameId, after: usize) -> Option<usize> {
        let named = |(named, sent): &&(FrameId, usize)| *sent > after && named.key() == id.key();
        self.cancellations.iter().find(named).map(|&(_, sent)| sent)
    }

    /// A bad line explains an answer without an id, the oldest of its case first; one of an earlier case only while its
    /// answer may still be on its way. Else an error means the one request that is open, where no notification can be meant.
    fn link_without_id(&mut self, kind: MessageKind, event: usize, at: Moment) -> Link {
        let first = !std::mem::replace(&mut self.answered_without_id, true);
        let begin = self.plays.last().map_or(0, |play| play.first);
        let events = &self.events;
        self.excuses
            .retain(|&sent| sent >= begin || events.get(sent).is_some_and(|event| at.saturating_sub(event.at) < LATE));
        // Its own case first: what an earlier one has drawn was mostly seen before its barrier.
        let own = self.excuses.iter().position(|&sent| sent >= begin);
        let excuse = self.excuses.remove(own.unwrap_or(0));
        match (excuse, self.only_open()) {
            (None, Some(index)) if first && self.notified.is_none() && kind == MessageKind::Error => {
                self.close(index, event, at);
                Link::Loose(index)
            }
            (excuse, _) => Link::WithoutId(excuse),
        }
    }

    /// The one lawful request that is open, if there is just one; or else the one whose id is of the same kind.
    fn only_open_like(&self, id: &FrameId) -> Option<RequestIndex> {
        let is_alike = |index: &RequestIndex| {
            let request = &self.requests[*index];
            request.standing.is_lawful() && request.id.kind() == id.kind()
        };
        let mut alike = self.open.iter().copied().filter(is_alike);
        self.only_open().or_else(|| alike.next().filter(|_| alike.next().is_none()))
    }

    /// The one lawful request that is open, if there is just one.
    fn only_open(&self) -> Option<RequestIndex> {
        let mut lawful = self.open.iter().copied().filter(|&index| self.requests[index].standing.is_lawful());
        lawful.next().filter(|_| lawful.next().is_none())
    }

    /// The real answer has come after all: what was taken for it answers nothing that was sent.
    fn unpresume(&mut self, index: RequestIndex) {
        if !std::mem::take(&mut self.requests[index].presumed) {
            return;
        }
        let presumed = self.requests[index].answer.take().map(|(event, _)| event);
        if let Some(What::Received(line)) = presumed.and_then(|event| self.events.get_mut(event)).map(|e| &mut e.what) {
            for linked in line.messages.iter_mut().filter(|linked| linked.link == Link::Loose(index)) {
                linked.link = Link::Unknown;
            }
        }
    }

    fn close(&mut self, index: RequestIndex, event: usize, at: Moment) {
        self.requests[index].answer = Some((event, at));
        self.progressed = Some(at);
        self.open.retain(|&open| open != index);
    }

    /// Learns the peer's own words from the answer to `initialize` or `server/discover`.
    fn learn(&mut self, message: &Message, link: Link, text: &[u8]) {
        let (Link::Answer(index, _) | Link::Loose(index)) = link else { return };
        let method = self.requests[index].method.as_str();
        if message.kind != MessageKind::Result || !matches!(method, "initialize" | "server/discover") {
            return;
        }
        if method == "initialize" && self.handshake == Handshake::Asked {
            self.handshake = Handshake::Answered;
        }
        if self.hello.is_none() {
            let result = message.places.result.clone().and_then(|place| text.get(place));
            self.hello = result.and_then(|result| std::str::from_utf8(result).ok()).and_then(held);
        }
    }

    /// Says that silence is an accepted answer to a request.
    pub fn waive(&mut self, index: RequestIndex) {
        if let Some(request) = self.requests.get_mut(index) {
            request.owed = false;
        }
    }

    /// The time from the first byte sent to the first answer.
    #[must_use]
    pub fn first_answer(&self) -> Option<Duration> {
        self.requests.iter().filter_map(|request| request.answer).map(|(_, at)| at).min()
    }

    /// The lines of the peer, each with its event.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (usize, &Received)> {
        self.events.iter().enumerate().filter_map(|(index, event)| match &event.what {
            What::Received(line) => Some((index, &**line)),
            _ => None,
        })
    }

    /// The messages of the peer, each with its event and line.
    pub fn messages(&self) -> impl Iterator<Item = (usize, &Received, &Linked)> {
        self.lines().flat_map(|(event, line)| line.messages.iter().map(move |linked| (event, line, linked)))
    }

    /// The frames that we sent, each with its event.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = (usize, &SentFrame)> {
        self.events.iter().enumerate().flat_map(|(index, event)| {
            let frames = match &event.what {
                What::Sent(sent) => &sent.frames[..],
                _ => &[],
            };
            frames.iter().map(move |frame| (index, frame))
        })
    }

    /// The received line of an event.
    #[must_use]
    pub fn line(&self, event: usize) -> Option<&Received> {
        match &self.events.get(event)?.what {
            What::Received(received) => Some(received),
            _ => None,
        }
    }

    /// The message that answers a request, and its line.
    #[must_use]
    pub fn answer(&self, index: RequestIndex) -> Option<(&Received, &Linked)> {
        let (event, _) = self.requests.get(index)?.answer?;
        let line = self.line(event)?;
        let linked = line.messages.iter().find(
            |linked| matches!(linked.link, Link::Answer(answered, _) | Link::Loose(answered) if answered == index),
        )?;
        Some((line, linked))
    }

    /// The text of the message that answers a request, where it is kept whole and UTF-8.
    #[must_use]
    pub fn answer_text(&self, index: RequestIndex) -> Option<&str> {
        let (line, linked) = self.answer(index)?;
        line.bytes.text()?.get(linked.range.clone())
    }

    /// Whether the last event is the first answer to a request of ours.
    #[must_use]
    pub fn last_is_answer(&self) -> bool {
        let last = self.events.len().checked_sub(1).and_then(|last| self.line(last));
        last.is_some_and(|line| line.messages.iter().any(|linked| matches!(linked.link, Link::Answer(..))))
    }

    /// Whether we sent a signal before this event.
    #[must_use]
    pub fn signalled_before(&self, event: usize) -> bool {
        self.events[..event].iter().any(|event| matches!(event.what, What::Signalled(_)))
    }

    /// Whether a request was answered with an error.
    #[must_use]
    pub fn is_error(&self, index: RequestIndex) -> bool {
        self.messages().any(|(_, _, linked)| {
            linked.message.kind == MessageKind::Error
                && matches!(linked.link, Link::Answer(answered, _) | Link::Loose(answered) if answered == index)
        })
    }

    /// The text that an event sent, where it is kept whole and UTF-8.
    #[must_use]
    pub fn sent_text(&self, event: usize) -> Option<&str> {
        match &self.events.get(event)?.what {
            What::Sent(sent) => sent.bytes.text(),
            _ => None,
        }
    }

    /// How the peer ended, if it did.
    #[must_use]
    pub fn exit(&self) -> Option<&crate::peer::Exit> {
        self.events.iter().rev().find_map(|event| match &event.what {
            What::Exited(exit) => Some(exit),
            _ => None,
        })
    }

    /// Whether reading ended at a line that is longer than the cap.
    #[must_use]
    pub fn has_long_line(&self) -> bool {
        matches!(self.overflow(), Some(Cap::Long(_)))
    }

    /// The cap that the peer's output broke, if it did.
    #[must_use]
    pub fn overflow(&self) -> Option<Cap> {
        self.events.iter().rev().find_map(|event| match event.what {
            What::Overflow { cap, .. } => Some(cap),
            _ => None,
        })
    }
}

/// How many answers without an id a bad line may draw.
fn excuses(reading: &Reading) -> usize {
    match &reading.class {
        Class::Batch(elements) => elements.len() + 1,
        Class::Concatenated(messages) => messages.len() + 1,
        _ => 1,
    }
}

/// The ids in a line of ours that a peer may answer, however bad the line is.
fn readable_ids(reading: &Reading, line: &[u8], purpose: Purpose) -> Vec<FrameId> {
    // A response of a case answers nothing that was asked: a peer may well send its id back in an error.
    let is_asked = |message: &&Message| {
        purpose == Purpose::Case || !matches!(message.kind, MessageKind::Result | MessageKind::Error)
    };
    let mut ids: Vec<FrameId> = reading
        .messages()
        .into_iter()
        .map(|(message, _)| message)
        .filter(is_asked)
        .filter_map(|m| m.id.clone())
        .collect();
    let text = line.get(reading.span.clone()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let is_object = matches!(reading.class, Class::Message(_) | Class::NotMessage);
    let is_response = matches!(&reading.class, Class::Message(message) if !is_asked(&&**message));
    if is_object && !is_response {
        // Either of two equal keys may be taken for the id.
        let members = grammar::members(text).filter(|member| member.key == "\"id\"");
        ids.extend(members.map(|member| FrameId::new(member.value)).filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    if matches!(reading.class, Class::NotJson { .. } | Class::NotUtf8 { message: None, .. }) {
        ids.extend(guessable_id(line));
    }
    ids.retain(|id| id.kind() != IdKind::Null);
    ids
}

/// What a lenient reader would take for the id of a line that is not JSON.
fn guessable_id(line: &[u8]) -> Option<FrameId> {
    let behind = memchr::memmem::find(line, b"\"id\"")? + 4;
    let rest = line.get(behind..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let (_, length) = grammar::prefix(rest).ok()?;
    Some(FrameId::new(std::str::from_utf8(rest.get(..length)?).ok()?))
}

/// The messages in a line of the peer, each with its place in the line.
fn messages_of(reading: &Reading) -> Vec<(Message, Range<usize>)> {
    reading.messages().into_iter().map(|(message, range)| (message.clone(), range)).collect()
}
