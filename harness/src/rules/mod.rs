//! The always-on judges. Each reads a whole recording and names what is broken in it; none knows the case that was played.

mod answered;
mod ending;
mod envelope;
mod errors;
mod framing;
mod ids;
mod purity;
mod server_messages;
mod silence;
mod startup;
mod text;

use crate::judge::{Breach, Recording};

/// A rule: its name and its judge.
pub struct Rule {
    /// The name, which is that of its file.
    pub name: &'static str,
    judge: fn(&Recording, &mut Vec<Breach>),
}

impl Rule {
    /// Reads a recording with this rule.
    pub fn judge(&self, recording: &Recording, breaches: &mut Vec<Breach>) {
        (self.judge)(recording, breaches);
    }
}

/// All rules, in the order in which a reader wants to hear of breaches.
pub const ALL: &[Rule] = &[
    Rule { name: "purity", judge: purity::judge },
    Rule { name: "framing", judge: framing::judge },
    Rule { name: "text", judge: text::judge },
    Rule { name: "envelope", judge: envelope::judge },
    Rule { name: "ids", judge: ids::judge },
    Rule { name: "silence", judge: silence::judge },
    Rule { name: "errors", judge: errors::judge },
    Rule { name: "server_messages", judge: server_messages::judge },
    Rule { name: "answered", judge: answered::judge },
    Rule { name: "startup", judge: startup::judge },
    Rule { name: "ending", judge: ending::judge },
];

/// Reads a recording with every rule.
#[must_use]
pub fn judge(recording: &Recording) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for rule in ALL {
        rule.judge(recording, &mut breaches);
    }
    breaches
}
