//! The live wire: what goes to a peer and what comes from it, on stderr while it happens.

use std::io::Write as _;
use std::sync::Arc;

use crate::peer::Tap;
use crate::run::Trace;
use crate::transcript::escape;

/// Shows each line with an arrow and the case that it belongs to.
pub(super) fn trace() -> Trace {
    Arc::new(|label| Arc::new(Wire { label: label.to_owned() }))
}

struct Wire {
    label: String,
}

/// How much of a line is shown.
const SHOWN: usize = 2000;

impl Wire {
    fn show(&self, arrow: &str, bytes: &[u8]) {
        let mut text = String::new();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let whole = line.strip_suffix(b"\n");
            let line = whole.unwrap_or(line);
            let more = if line.len() > SHOWN { format!("…[{} bytes]", line.len() - SHOWN) } else { String::new() };
            let part = if whole.is_some() { "" } else { " (no newline yet)" };
            text += &format!("{} {arrow} {}{more}{part}\n", self.label, escape(&line[..line.len().min(SHOWN)]));
        }
        // A closed stderr is no reason to stop a run.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

impl Tap for Wire {
    fn sent(&self, bytes: &[u8]) {
        self.show("->", bytes);
    }

    fn received(&self, bytes: &[u8]) {
        self.show("<-", bytes);
    }

    fn stderr(&self, bytes: &[u8]) {
        self.show("stderr", bytes);
    }
}
