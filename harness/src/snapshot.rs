//! A session as text that is the same each time: who said what, without the ids and nonces that vary from play to play.
//!
//! The client's lines stand in the order in which they were sent, and each answer right behind its request, however the
//! two crossed on the wire. What answers nothing stands before the answer that the server sent next. Pure: no I/O.

use std::collections::BTreeMap;

use crate::transcript::escape;
use crate::wire::{FrameId, IdKey, Message, MessageKind};

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// We.
    Client,
    /// The peer.
    Server,
}

/// The bytes of a session, by speaker.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    client: Vec<u8>,
    server: Vec<u8>,
}

/// What a line of the client's is followed by.
struct Turn {
    line: String,
    replies: Vec<String>,
}

impl Conversation {
    /// Adds bytes in the order in which they were written; they may end anywhere in a line.
    pub fn push(&mut self, speaker: Speaker, bytes: &[u8]) {
        match speaker {
            Speaker::Client => self.client.extend_from_slice(bytes),
            Speaker::Server => self.server.extend_from_slice(bytes),
        }
    }

    /// The normalised text: `->` before what we said, `<-` before what the peer said. Ids are `<id-1>`, `<id-2>` … by
    /// their first use, nonces `<nonce>`, and this build's version `<version>`.
    #[must_use]
    pub fn normalise(&self) -> String {
        let mut ids = Ids::default();
        let (mut turns, mut asked) = (Vec::new(), BTreeMap::new());
        for line in lines(&self.client) {
            let message = read(line);
            if let Some(id) = message.as_ref().filter(|message| message.kind == MessageKind::Request).and_then(id_of) {
                ids.learn(id);
                asked.insert(id.key(), turns.len());
            }
            turns.push(Turn { line: format!("-> {}", ids.hide(line, message.as_ref())), replies: Vec::new() });
        }
        let mut others = Vec::new();
        for line in lines(&self.server) {
            let message = read(line);
            let text = format!("<- {}", ids.hide(line, message.as_ref()));
            let turn = message.as_ref().filter(|message| is_response(message)).and_then(id_of);
            others.push(text);
            if let Some(turn) = turn.and_then(|id| asked.get(&id.key())).and_then(|&turn| turns.get_mut(turn)) {
                turn.replies.append(&mut others);
            }
        }
        let said = turns.into_iter().flat_map(|turn| std::iter::once(turn.line).chain(turn.replies));
        said.chain(others).fold(String::new(), |text, line| text + &line + "\n")
    }
}

/// The lines of a stream, with the bytes behind the last newline as one more if there are any.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n')
}

fn read(line: &[u8]) -> Option<Message> {
    Message::read(std::str::from_utf8(line).ok()?.trim())
}

fn is_response(message: &Message) -> bool {
    matches!(message.kind, MessageKind::Result | MessageKind::Error)
}

fn id_of(message: &Message) -> Option<&FrameId> {
    message.id.as_ref().filter(|id| id.raw() != "null")
}

/// Ids by the order of their first use.
#[derive(Default)]
struct Ids(BTreeMap<IdKey, usize>);

impl Ids {
    fn learn(&mut self, id: &FrameId) {
        let next = self.0.len() + 1;
        self.0.entry(id.key()).or_insert(next);
    }

    /// A line without what varies.
    fn hide(&self, line: &[u8], message: Option<&Message>) -> String {
        let (line, tail) = match line.strip_suffix(b"\n") {
            Some(line) => (line, ""),
            None => (line, " (no newline)"),
        };
        let mut text = escape(line);
        if let Some((id, number)) = message.and_then(id_of).and_then(|id| Some((id, self.0.get(&id.key())?))) {
            let written = escape(id.raw().as_bytes());
            text = text.replacen(&format!("\"id\":{written}"), &format!("\"id\":<id-{number}>"), 1);
        }
        let version = concat!("\"version\":\"", env!("CARGO_PKG_VERSION"), "\"");
        hide_nonces(&text).replace(version, "\"version\":\"<version>\"") + tail
    }
}

/// A nonce is a word of eight lower-case letters and digits that has both.
fn hide_nonces(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        hidden += before;
        hidden += if is_nonce(word) { "<nonce>" } else { word };
        rest = after;
    }
    hidden + rest
}

fn is_nonce(word: &str) -> bool {
    let (mut letters, mut digits) = (0, 0);
    for byte in word.bytes() {
        letters += usize::from(byte.is_ascii_lowercase());
        digits += usize::from(byte.is_ascii_digit());
    }
    letters > 0 && digits > 0 && word.len() == 8 && letters + digits == 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(client: &str, server: &str) -> String {
        let mut conversation = Conversation::default();
        for byte in client.bytes() {
            conversation.push(Speaker::Client, &[byte]);
        }
        conversation.push(Speaker::Server, server.as_bytes());
        conversation.normalise()
    }

    const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":712,\"method\":\"ping\"}\n";
    const PONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":712,\"result\":{}}\n";

    #[test]
    fn answers_stand_behind_their_requests_whatever_their_order() {
        let other = PING.replace("712", "\"é-k3j2h1g0\"");
        let pong = PONG.replace("712", "\"\\u00e9-k3j2h1g0\"");
        let text = normalised(&format!("{PING}{other}"), &format!("{pong}{PONG}"));
        let wanted = concat!(
            "-> {\"jsonrpc\":\"2.0\",\"id\":<id-1>,\"method\":\"ping\"}\n",
            "<- {\"jsonrpc\":\"2.0\",\"id\":<id-1>,\"result\":{}}\n",
            "-> {\"jsonrpc\":\"2.0\",\"id\":<id-2>,\"method\":\"ping\"}\n",
            "<- {\"jsonrpc\":\"2.0\",\"id\":<id-2>,\"result\":{}}\n",
        );
        assert_eq!(text, wanted);
    }

    #[test]
    fn what_answers_nothing_stands_before_the_next_answer_or_at_the_end() {
        let error = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n";
        let text = normalised(&format!("{{\n{PING}"), &format!("{error}{PONG}bye"));
        let order: Vec<&str> = text.lines().map(|line| &line[..line.len().min(9)]).collect();
        assert_eq!(order, ["-> {", "-> {\"json", "<- {\"json", "<- {\"json", "<- bye (n"]);
        assert!(text.ends_with("<- bye (no newline)\n"));
    }

    #[test]
    fn nonces_and_the_version_are_hidden_and_dates_and_words_are_not() {
        let version = env!("CARGO_PKG_VERSION");
        let line =
            format!("{{\"version\":\"{version}\",\"a\":\"x-k3j2h1g0/9\",\"b\":\"20250618\",\"c\":\"elephant\"}}\n");
        let wanted = "-> {\"version\":\"<version>\",\"a\":\"x-<nonce>/9\",\"b\":\"20250618\",\"c\":\"elephant\"}\n";
        assert_eq!(normalised(&line, ""), wanted);
    }
}
