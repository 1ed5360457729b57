//! Says what each frame of one stream is. It remembers lines that may be parts of one message printed over several.

use std::ops::Range;

use super::envelope::Envelope;
use super::grammar::{self, GrammarError, Shape};
use super::growing::{Growing, Growth};
use super::walker::Want;
use super::{EnvelopeFault, FrameEnd, Message};

/// What a frame is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing, or white space only.
    Blank,
    /// A `Content-Length:` or `Content-Type:` line, as language servers write them.
    LspHeader,
    /// One message.
    Message(Box<Message>),
    /// An array: its elements, at most the first 10 000.
    Batch(Vec<BatchElement>),
    /// The last of several lines that are one message when joined; the others were given as not JSON.
    Joined {
        /// How many lines, this one included.
        frames: usize,
        /// The message.
        message: Box<Message>,
    },
    /// Text before or behind a message on one line.
    Glued {
        /// The text before it.
        before: Range<usize>,
        /// The text behind it.
        after: Range<usize>,
        /// The message.
        message: Box<Message>,
    },
    /// Several messages on one line, at most the first 10 000.
    Concatenated(Vec<(Message, Range<usize>)>),
    /// A line that is not UTF-8, and the message in it, if it is read all the same.
    NotUtf8 {
        /// The first byte that is not UTF-8.
        offset: usize,
        /// The message.
        message: Option<Box<Message>>,
    },
    /// A line that is not JSON.
    NotJson {
        /// Where it leaves the grammar.
        offset: usize,
        /// What the grammar wants there.
        expected: &'static str,
    },
    /// JSON, but no object.
    NotObject(Shape),
    /// An object that is no JSON-RPC message.
    NotMessage,
}

/// An element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchElement {
    /// A message, and where it stands.
    Message(Box<Message>, Range<usize>),
    /// Anything else.
    Other,
}

/// Something worth knowing about the bytes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A CR before the LF.
    CarriageReturn,
    /// A UTF-8 byte order mark at its start.
    Bom,
    /// A raw ESC byte.
    EscapeSequence(usize),
    /// An escape such as `\ud83d` without its other half.
    LoneSurrogateEscape,
    /// A raw NUL byte.
    Nul(usize),
    /// NaN or Infinity where a value was expected.
    NotANumber(usize),
    /// U+2028 or U+2029 unescaped.
    U2028,
}

/// A frame and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is.
    pub class: Class,
    /// What else was noticed.
    pub notes: Vec<Note>,
    /// Where the text that was read stands in the frame: without byte order mark and CR.
    pub span: Range<usize>,
}

impl Reading {
    /// The messages in the frame, each with its place.
    pub fn messages(&self) -> Vec<(&Message, Range<usize>)> {
        let span = self.span.clone();
        match &self.class {
            Class::Message(message) | Class::NotUtf8 { message: Some(message), .. } => vec![(message, span)],
            Class::Joined { message, .. } => vec![(message, 0..0)],
            Class::Glued { before, after, message } => vec![(message, before.end..after.start)],
            Class::Concatenated(messages) => messages.iter().map(|(message, range)| (message, range.clone())).collect(),
            Class::Batch(elements) => elements
                .iter()
                .filter_map(|element| match element {
                    BatchElement::Message(message, range) => Some((&**message, range.clone())),
                    BatchElement::Other => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// How much text is kept to be joined.
const JOIN_BYTES: usize = 1 << 20;
/// How many lines are kept to be joined.
const JOIN_LINES: usize = 10_000;
/// How many messages or elements of one line are kept: a megabyte of `1,1,1,…` must not become a hundred.
const PARTS: usize = 10_000;
/// How many places are tried for a message within a line.
const TRIES: usize = 1000;
/// How often, on average, a byte may be looked at in these tries.
const EFFORT: usize = 4;

/// The classifier of one stream.
#[derive(Debug, Default)]
pub struct Reader {
    /// Lines so far that may be the beginning of one message.
    joined: Option<Joined>,
}

/// The beginning of a message over several lines.
#[derive(Debug)]
struct Joined {
    text: String,
    lines: usize,
    growing: Growing,
}

impl Reader {
    /// A reader at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what a frame is.
    pub fn read(&mut self, frame: &[u8], _offset: u64, end: FrameEnd) -> Reading {
        let mut notes = Vec::new();
        let span = trim(frame, end, &mut notes);
        let bytes = &frame[span.clone()];
        let class = match std::str::from_utf8(bytes) {
            Ok(text) => self.of_text(text, span.start, &mut notes),
            Err(error) => {
                self.joined = None;
                note_controls(bytes, span.start, &mut notes);
                note_separators(bytes, &mut notes);
                let message = of_object(&String::from_utf8_lossy(bytes));
                Class::NotUtf8 { offset: span.start + error.valid_up_to(), message }
            }
        };
        Reading { class, notes, span }
    }

    fn of_text(&mut self, text: &str, start: usize, notes: &mut Vec<Note>) -> Class {
        match Envelope::check(text) {
            Ok((shape, envelope)) => {
                note_separators(text.as_bytes(), notes);
                notes.extend(envelope.lone_surrogate.then_some(Note::LoneSurrogateEscape));
                let message = Message::of(shape, envelope).map(Box::new);
                // While a printed message goes on, a line such as `{}` or `1` is part of it.
                if message.is_none()
                    && let Some(class) = self.go_on(text, start + text.len(), "a message on one line")
                {
                    return class;
                }
                self.joined = None;
                match (shape, message) {
                    (_, Some(message)) => Class::Message(message),
                    (Shape::Object, None) => Class::NotMessage,
                    (Shape::Array, None) => Class::Batch(elements(text, start)),
                    (shape, None) => Class::NotObject(shape),
                }
            }
            Err(_) if text.trim_matches([' ', '\t', '\r']).is_empty() => Class::Blank,
            Err(error) => {
                note_controls(text.as_bytes(), start, notes);
                note_separators(text.as_bytes(), notes);
                self.not_json(text, start, error, notes)
            }
        }
    }

    fn not_json(&mut self, text: &str, start: usize, error: GrammarError, notes: &mut Vec<Note>) -> Class {
        let lower = text.as_bytes().get(..15).unwrap_or(text.as_bytes()).to_ascii_lowercase();
        if lower.starts_with(b"content-length:") || lower.starts_with(b"content-type:") {
            self.joined = None;
            return Class::LspHeader;
        }
        // Of `-Infinity` the minus is in the grammar.
        let wants_number = [Want::Value.words(), Want::Digit.words()].contains(&error.expected);
        if wants_number && ["NaN", "Infinity"].iter().any(|word| text[error.offset..].starts_with(word)) {
            notes.push(Note::NotANumber(start + error.offset));
        }
        if let Some(class) = several(text, start).or_else(|| glued(text, start)) {
            self.joined = None;
            return class;
        }
        let offset = start + error.offset;
        if let Some(class) = self.go_on(text, offset, error.expected) {
            return class;
        }
        self.joined = Joined::begin(text);
        Class::NotJson { offset, expected: error.expected }
    }

    /// Adds a line to those before it and looks whether the message is whole now. `None` where it does not go on.
    fn go_on(&mut self, text: &str, offset: usize, expected: &'static str) -> Option<Class> {
        let mut joined = self.joined.take()?;
        match joined.add(text)? {
            Growth::Open => {
                self.joined = Some(joined);
                Some(Class::NotJson { offset, expected })
            }
            Growth::Whole => {
                let message = of_object(&joined.text);
                Some(message.map_or(Class::NotJson { offset, expected }, |message| Class::Joined {
                    frames: joined.lines,
                    message,
                }))
            }
            Growth::Broken => None,
        }
    }
}

impl Joined {
    /// A line that may be the beginning of a message.
    fn begin(text: &str) -> Option<Self> {
        if !text.trim_start_matches([' ', '\t', '\r']).starts_with(['{', '[']) {
            return None;
        }
        let mut joined = Self { text: String::new(), lines: 0, growing: Growing::new() };
        (joined.add(text) == Some(Growth::Open)).then_some(joined)
    }

    /// One more line. `None` where it would be too much.
    fn add(&mut self, line: &str) -> Option<Growth> {
        if self.text.len() + line.len() >= JOIN_BYTES || self.lines >= JOIN_LINES {
            return None;
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
        Some(self.growing.line(line.as_bytes()))
    }
}

/// Leaves off a byte order mark at the start of the stream or line, and a CR at the end.
fn trim(frame: &[u8], end: FrameEnd, notes: &mut Vec<Note>) -> Range<usize> {
    let mut span = 0..frame.len();
    if frame.starts_with(b"\xef\xbb\xbf") {
        notes.push(Note::Bom);
        span.start = 3;
    }
    if end == FrameEnd::Newline && frame[span.clone()].ends_with(b"\r") {
        notes.push(Note::CarriageReturn);
        span.end -= 1;
    }
    span
}

/// Raw controls, which no JSON text has.
fn note_controls(bytes: &[u8], start: usize, notes: &mut Vec<Note>) {
    let find = |byte| memchr::memchr(byte, bytes).map(|at| start + at);
    notes.extend(find(0x1b).map(Note::EscapeSequence));
    notes.extend(find(0).map(Note::Nul));
}

fn note_separators(bytes: &[u8], notes: &mut Vec<Note>) {
    let is_separator = |at: usize| matches!(bytes[at..], [_, 0x80, 0xa8 | 0xa9, ..]);
    if !bytes.is_ascii() && memchr::memchr_iter(0xe2, bytes).any(is_separator) {
        notes.push(Note::U2028);
    }
}

fn of_object(text: &str) -> Option<Box<Message>> {
    Message::read(text).map(Box::new)
}

fn elements(array: &str, start: usize) -> Vec<BatchElement> {
    let element = |place: Range<usize>| match array.get(place.clone()).and_then(Message::read) {
        Some(message) => BatchElement::Message(Box::new(message), start + place.start..start + place.end),
        None => BatchElement::Other,
    };
    grammar::elements(array).take(PARTS).map(element).collect()
}

/// Two or more messages and nothing else.
fn several(text: &str, start: usize) -> Option<Class> {
    let mut messages = Vec::new();
    let mut at = 0;
    while messages.len() < PARTS {
        let rest = text[at..].trim_start();
        if rest.is_empty() {
            break;
        }
        at = text.len() - rest.len();
        let (shape, length, envelope) = Envelope::prefix(rest).ok()?;
        messages.push((Message::of(shape, envelope)?, start + at..start + at + length));
        at += length;
    }
    (messages.len() > 1).then_some(Class::Concatenated(messages))
}

/// Noise and then a message, or a message and then noise.
fn glued(text: &str, start: usize) -> Option<Class> {
    let mut effort = EFFORT * text.len();
    for begin in memchr::memchr_iter(b'{', text.as_bytes()).take(TRIES) {
        let (message, length) = match Envelope::prefix(&text[begin..]) {
            Ok((shape, length, envelope)) => (Message::of(shape, envelope), length),
            Err(error) => (None, error.offset),
        };
        // Noise holds objects too: only one that says it is JSON-RPC is a message.
        if let Some(message) = message.filter(|message| !message.faults.contains(&EnvelopeFault::JsonrpcMissing)) {
            let (before, after) = (start..start + begin, start + begin + length..start + text.len());
            return Some(Class::Glued { before, after, message: Box::new(message) });
        }
        effort = effort.checked_sub(length)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    fn read(frame: &[u8]) -> Reading {
        Reader::new().read(frame, 0, FrameEnd::Newline)
    }

    #[test]
    fn plain_classes() {
        assert!(matches!(read(PONG.as_bytes()).class, Class::Message(_)));
        assert_eq!(read(b"").class, Class::Blank);
        assert_eq!(read(b" \t").class, Class::Blank);
        assert_eq!(read(b"Content-Length: 12").class, Class::LspHeader);
        assert_eq!(read(b"42").class, Class::NotObject(Shape::Number));
        assert_eq!(read(br#"{"level":"info"}"#).class, Class::NotMessage);
        assert_eq!(read(b"[]").class, Class::Batch(Vec::new()));
        assert!(matches!(read(b"Server started").class, Class::NotJson { offset: 0, .. }));
    }

    #[test]
    fn a_byte_order_mark_and_a_carriage_return_are_noted_and_left_off() {
        let reading = read(format!("\u{feff}{PONG}\r").as_bytes());
        assert_eq!(reading.notes, [Note::Bom, Note::CarriageReturn]);
        assert_eq!(reading.span, 3..3 + PONG.len());
        assert!(matches!(reading.class, Class::Message(_)));
    }

    #[test]
    fn noise_on_the_line_of_a_message_is_told_apart() {
        let Class::Glued { before, after, .. } = read(format!("> {PONG} done").as_bytes()).class else { panic!() };
        assert_eq!((before, after), (0..2, 2 + PONG.len()..7 + PONG.len()));
        let reading = read(format!("{PONG}{PONG}").as_bytes());
        assert_eq!(reading.messages().len(), 2);
        assert!(matches!(reading.class, Class::Concatenated(_)));
    }

    #[test]
    fn an_object_in_a_log_line_is_no_message() {
        for line in [r#"ERROR {"error":"boom"}"#, r#"x {"method":"GET","path":"/"} 200"#] {
            assert!(matches!(read(line.as_bytes()).class, Class::NotJson { .. }), "{line}");
        }
    }

    #[test]
    fn a_printed_message_is_one_message() {
        let mut reader = Reader::new();
        let value: serde_json::Value = serde_json::from_str(PONG).unwrap();
        let lines: Vec<String> = serde_json::to_string_pretty(&value).unwrap().lines().map(str::to_owned).collect();
        let classes: Vec<Class> =
            lines.iter().map(|line| reader.read(line.as_bytes(), 0, FrameEnd::Newline).class).collect();
        let (last, before) = classes.split_last().unwrap();
        assert!(before.iter().all(|class| matches!(class, Class::NotJson { .. })));
        assert!(matches!(last, Class::Joined { frames, .. } if *frames == lines.len()));
    }

    #[test]
    fn noise_that_begins_like_json_does_not_swallow_the_next_message() {
        let mut reader = Reader::new();
        for line in ["[info] starting", "{broken", "[1,"] {
            assert!(matches!(reader.read(line.as_bytes(), 0, FrameEnd::Newline).class, Class::NotJson { .. }));
            assert!(matches!(reader.read(PONG.as_bytes(), 0, FrameEnd::Newline).class, Class::Message(_)));
        }
    }

    #[test]
    fn a_line_that_is_not_utf8_still_gives_its_message() {
        let reading = read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xe9\"}}");
        assert!(matches!(reading.class, Class::NotUtf8 { offset: 39, message: Some(_) }), "{reading:?}");
    }

    #[test]
    fn surrogates_count_only_alone() {
        let notes =
            |text: &str| read(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{text}"}}}}"#).as_bytes()).notes;
        assert_eq!(notes(r"\ud83d\ude00"), []);
        assert_eq!(notes(r"\\ud83d"), []);
        assert_eq!(notes(r"\ud83d"), [Note::LoneSurrogateEscape]);
        assert_eq!(notes(r"\ude00\ud83d"), [Note::LoneSurrogateEscape]);
    }
}
