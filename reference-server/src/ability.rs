//! What a client said it can do for a server.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::json::{self, Kind};
use crate::revision::Revision;

/// Something that a server may ask of a client that can do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Has its user fill in a form.
    Elicitation,
    /// Has its model write something.
    Sampling,
    /// Tells which directories it works in.
    Roots,
}

impl Ability {
    /// The capability's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// The capability as a client would have to declare it.
    pub(crate) fn declaration(self) -> Value {
        match self {
            Self::Elicitation => json!({ "elicitation": { "form": {} } }),
            Self::Sampling => json!({ "sampling": {} }),
            Self::Roots => json!({ "roots": {} }),
        }
    }
}

/// All that a client said it can do, of what we know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Abilities {
    elicitation: bool,
    sampling: bool,
    roots: bool,
}

impl Abilities {
    /// Those of a client that has said nothing.
    pub(crate) const NONE: Self = Self { elicitation: false, sampling: false, roots: false };

    /// Reads a client's `capabilities`. What a revision does not have yet, its clients can't declare.
    pub(crate) fn read(capabilities: &RawValue, revision: Revision) -> Self {
        let [elicitation, sampling, roots] =
            json::members(capabilities, ["elicitation", "sampling", "roots"]).unwrap_or_default();
        let declared = |member: Option<&RawValue>| member.is_some_and(|member| json::kind(member) == Kind::Object);
        Self {
            elicitation: revision.has_elicitation() && elicitation.is_some_and(has_forms),
            sampling: declared(sampling),
            roots: declared(roots),
        }
    }

    /// Whether the client can do something.
    pub(crate) fn has(self, ability: Ability) -> bool {
        match ability {
            Ability::Elicitation => self.elicitation,
            Ability::Sampling => self.sampling,
            Ability::Roots => self.roots,
        }
    }
}

/// Whether an `elicitation` capability includes forms: it names them, or it names no other mode.
fn has_forms(elicitation: &RawValue) -> bool {
    match json::members(elicitation, ["form", "url"]) {
        Some([Some(form), _]) => json::kind(form) == Kind::Object,
        Some([None, url]) => url.is_none(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, revision: Revision) -> Abilities {
        Abilities::read(json::parse(text.as_bytes()).unwrap(), revision)
    }

    #[test]
    fn a_client_can_do_what_it_declares() {
        let all = read(r#"{"elicitation":{},"sampling":{},"roots":{"listChanged":true}}"#, Revision::V2025_11_25);
        for ability in [Ability::Elicitation, Ability::Sampling, Ability::Roots] {
            assert!(all.has(ability));
        }
        for text in ["{}", r#"{"sampling":null,"roots":true,"elicitation":[]}"#] {
            assert_eq!(read(text, Revision::V2025_11_25), Abilities::default(), "{text}");
        }
    }

    #[test]
    fn a_client_that_has_only_the_other_mode_has_no_forms() {
        for (text, forms) in [
            (r#"{"elicitation":{}}"#, true),
            (r#"{"elicitation":{"form":{}}}"#, true),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, true),
            (r#"{"elicitation":{"url":{}}}"#, false),
        ] {
            assert_eq!(read(text, Revision::V2026_07_28).has(Ability::Elicitation), forms, "{text}");
        }
        assert!(!read(r#"{"elicitation":{}}"#, Revision::V2025_03_26).has(Ability::Elicitation));
    }
}
