//! Which scripts are played in which revision, and which of them share a peer.

use globset::{GlobBuilder, GlobMatcher};

use super::survey::{EraFacts, Survey};
use super::values::{self, Allowed};
use crate::judge::Verdict;
use crate::script::{Need, Prelude, Script};
use crate::spec::{Era, Revision};

/// Which revisions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionChoice {
    /// The newest revision of each era that the server speaks.
    Auto,
    /// Every revision of each era that the server speaks.
    All,
    /// This one.
    One(Revision),
}

impl std::str::FromStr for RevisionChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            date => date
                .parse()
                .map(Self::One)
                .map_err(|error: crate::spec::UnknownRevision| format!("{error}; or write auto or all")),
        }
    }
}

impl RevisionChoice {
    /// The eras that it asks for.
    #[must_use]
    pub fn eras(self) -> Vec<Era> {
        match self {
            Self::Auto | Self::All => Era::ALL.to_vec(),
            Self::One(revision) => vec![revision.era()],
        }
    }

    /// The revisions to judge, given what the server speaks.
    #[must_use]
    pub fn revisions(self, survey: &Survey) -> Vec<Revision> {
        let spoken = |era: Era| survey.era(era).map(|facts| facts.revision);
        match self {
            Self::Auto => Era::ALL.into_iter().filter_map(spoken).collect(),
            Self::All => Revision::ALL.into_iter().filter(|revision| survey.era(revision.era()).is_some()).collect(),
            Self::One(revision) => survey.era(revision.era()).map(|_| revision).into_iter().collect(),
        }
    }
}

/// Which cases are played.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    only: Vec<GlobMatcher>,
    skip: Vec<(GlobMatcher, String)>,
}

impl Selection {
    /// Plays only cases that match one of the globs so added. A case's id without its variant matches all of its variants.
    ///
    /// # Errors
    /// The text is no glob.
    pub fn only(&mut self, glob: &str) -> Result<(), globset::Error> {
        self.only.push(matcher(glob)?);
        Ok(())
    }

    /// Skips cases that match, and says why.
    ///
    /// # Errors
    /// The text is no glob.
    pub fn skip(&mut self, glob: &str, reason: &str) -> Result<(), globset::Error> {
        self.skip.push((matcher(glob)?, reason.to_owned()));
        Ok(())
    }

    /// Whether a case is selected at all.
    #[must_use]
    pub fn selects(&self, script: &Script) -> bool {
        self.only.is_empty() || self.only.iter().any(|glob| matches(glob, script))
    }

    fn skipped(&self, script: &Script) -> Option<String> {
        self.skip.iter().find(|(glob, _)| matches(glob, script)).map(|(_, reason)| reason.clone())
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, globset::Error> {
    Ok(GlobBuilder::new(glob).literal_separator(true).build()?.compile_matcher())
}

fn matches(glob: &GlobMatcher, script: &Script) -> bool {
    let id = script.id.as_str();
    glob.is_match(id) || id.split_once('#').is_some_and(|(case, _)| glob.is_match(case))
}

/// Scripts that are played on one process, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Task<'a> {
    /// The revision.
    pub revision: Revision,
    /// How far the session is when the first script begins.
    pub prelude: Prelude,
    /// What is played.
    pub scripts: Vec<&'a Script>,
}

/// What is played, and what is not and why.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    /// What is played, the longest first.
    pub tasks: Vec<Task<'a>>,
    /// Scripts that do not apply.
    pub skipped: Vec<(&'a Script, Verdict, String)>,
}

/// Plans the play of these scripts in one revision.
pub(super) fn plan<'a>(
    scripts: &'a [Script],
    revision: Revision,
    facts: &EraFacts,
    selection: &Selection,
    allowed: &Allowed,
    isolate: bool,
) -> Plan<'a> {
    let mut plan = Plan::default();
    let mut shared = Vec::new();
    for script in scripts.iter().filter(|script| script.revisions.contains(revision) && selection.selects(script)) {
        if let Some(reason) = selection.skipped(script).or_else(|| values::unmet(script, facts, allowed)) {
            plan.skipped.push((script, Verdict::Skip, reason));
        } else if facts.tools_unserved && rests_on_tools(script) {
            let reason = "tools are declared, and tools/list does not list them".to_owned();
            plan.skipped.push((script, Verdict::Inconclusive, reason));
        } else if script.shares && script.session == Prelude::Ready && !isolate {
            shared.push(script);
        } else {
            plan.tasks.push(Task { revision, prelude: script.session, scripts: vec![script] });
        }
    }
    // Input that a client must not send may wound a peer: what is valid is played first.
    shared.sort_by_key(|script| is_hostile(script));
    if !shared.is_empty() {
        plan.tasks.insert(0, Task { revision, prelude: Prelude::Ready, scripts: shared });
    }
    plan
}

/// Whether a case needs the list of tools, and is not about that list itself.
fn rests_on_tools(script: &Script) -> bool {
    let needs_tools =
        script.needs.iter().any(|need| matches!(need, Need::Tool(_)) || *need == Need::Capability("tools".into()));
    needs_tools && script.requirements.iter().all(|id| id.as_str() != "capability.tools-served")
}

fn is_hostile(script: &Script) -> bool {
    script.steps.iter().any(|step| matches!(step.action, Some(crate::script::Action::Raw(_))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{CaseId, load};

    fn script(id: &str) -> Script {
        let text = "title = \"t\"\nrequirements = [\"ping.responds\"]\n[[step]]\nrequest = { method = \"ping\" }\n";
        let mut scripts = load(text, &CaseId::new(id), "test").unwrap();
        scripts.remove(0)
    }

    #[test]
    fn a_case_glob_takes_in_its_variants() {
        let mut selection = Selection::default();
        selection.only("jsonrpc/id").unwrap();
        selection.only("tools/*").unwrap();
        assert!(selection.selects(&script("jsonrpc/id#zero")));
        assert!(selection.selects(&script("tools/list")));
        assert!(!selection.selects(&script("jsonrpc/ids")));
    }

    #[test]
    fn one_star_stays_within_a_folder_and_two_go_below_it() {
        let selects = |glob: &str, id: &str| {
            let mut selection = Selection::default();
            selection.only(glob).unwrap();
            selection.selects(&script(id))
        };
        for (glob, id) in [("tools/*", "tools/list"), ("tools/**", "tools/deep/er"), ("**/er", "tools/deep/er")] {
            assert!(selects(glob, id), "{glob}");
        }
        for (glob, id) in [("*", "tools/list"), ("tools/*", "tools/deep/er"), ("tools?list", "tools/list")] {
            assert!(!selects(glob, id), "{glob}");
        }
    }

    #[test]
    fn revisions_are_chosen_by_date_or_word() {
        assert_eq!("auto".parse(), Ok(RevisionChoice::Auto));
        assert_eq!("2025-06-18".parse(), Ok(RevisionChoice::One(Revision::V2025_06_18)));
        assert!("newest".parse::<RevisionChoice>().unwrap_err().contains("auto or all"));
    }
}
