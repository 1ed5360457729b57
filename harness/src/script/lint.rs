//! What a case can say wrongly although it loads: titles, ids of the ledger, revisions, variables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::template::{Piece, TemplateError, pieces};
use super::{Action, Bytes, CaseId, Need, On, Outcome, Prelude, Reply, Script, Step};
use crate::spec::{Ledger, RequirementId, Revision, RevisionSet};

/// Titles stay below this many characters, so that they fit beside an id.
const LONGEST_TITLE: usize = 90;
/// Words that a title has no need of: it says what the peer does.
const EMPTY_WORDS: [&str; 2] = ["should", "test that"];
/// Variables that every session has.
const EVERYWHERE: [&str; 10] =
    ["nonce", "revision", "id", "last_id", "cheap", "params", "meta", "client", "null", "dollar"];
/// What a tool of a kind offers beside its name.
const TOOLS: [(&str, &[&str]); 4] =
    [("safe", &["arguments"]), ("args", &["arguments", "missing", "wrong"]), ("free", &[]), ("any", &[])];

/// Something that is wrong with a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintError {
    /// The case.
    pub case: CaseId,
    /// How much it matters.
    pub weight: Weight,
    /// What is wrong.
    pub problem: Problem,
}

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It may be meant so.
    Warning,
    /// It has to be mended.
    Error,
}

/// What is wrong with a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Two cases have one title.
    #[error("has the title of {0}")]
    TitleTwice(CaseId),
    /// The title is too long.
    #[error("has a title of {0} characters; the limit is {max}", max = LONGEST_TITLE - 1)]
    LongTitle(usize),
    /// The title has a word that says nothing.
    #[error("has '{0}' in its title; say what the peer does")]
    EmptyWord(&'static str),
    /// There is nothing to blame.
    #[error("names no requirement")]
    NoRequirement,
    /// The ledger lacks a requirement.
    #[error("names {0}, which is not in the ledger")]
    UnknownRequirement(RequirementId),
    /// The case is played where its requirement does not hold.
    #[error("is played in {revision}, where {requirement} does not hold")]
    Revision {
        /// The first requirement of the case.
        requirement: RequirementId,
        /// The oldest such revision.
        revision: Revision,
    },
    /// A peer that is not as it was is said to be shared.
    #[error("shares its peer, but {0}")]
    Shares(&'static str),
    /// A reply is waited for where nothing was asked.
    #[error("waits in step {0} for a reply, but nothing was asked before")]
    NothingAsked(usize),
    /// An earlier outcome always decides.
    #[error("has an outcome in step {0} that an earlier one always comes before")]
    Unreachable(usize),
    /// A variable that nothing sets.
    #[error("uses the variable '{0}', which nothing sets")]
    UnknownVariable(String),
    /// A variable that some servers cannot fill.
    #[error("uses the variable '{variable}' without the need '{need}'")]
    Need {
        /// The variable.
        variable: String,
        /// The need that makes sure of it.
        need: String,
    },
    /// A text that cannot be expanded.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl fmt::Display for LintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.case, self.problem)
    }
}

/// What is wrong with these cases. A problem that several variants of a case share is named once.
#[must_use]
pub fn lint(scripts: &[Script], ledger: &Ledger) -> Vec<LintError> {
    let mut titles = BTreeMap::new();
    let mut errors: Vec<LintError> = Vec::new();
    for script in scripts {
        let mut problems = titled(script, &mut titles);
        problems.extend(grounded(script, ledger));
        problems.extend(shared(script));
        problems.extend(judged(script));
        problems.extend(filled(script));
        for problem in problems {
            let known = |error: &LintError| error.problem == problem && family(&error.case) == family(&script.id);
            if !errors.iter().any(known) {
                errors.push(LintError { case: script.id.clone(), weight: weight(script, &problem), problem });
            }
        }
    }
    errors
}

/// The path of a case without its variant.
fn family(id: &CaseId) -> &str {
    id.as_str().split('#').next().unwrap_or_default()
}

/// A variant may go where the requirement of its family does not hold: it may be the one that shows so.
fn weight(script: &Script, problem: &Problem) -> Weight {
    let variant = script.id.as_str().contains('#');
    if variant && matches!(problem, Problem::Revision { .. }) { Weight::Warning } else { Weight::Error }
}

fn titled<'s>(script: &'s Script, titles: &mut BTreeMap<&'s str, &'s CaseId>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let first = *titles.entry(&script.title).or_insert(&script.id);
    if family(first) != family(&script.id) {
        problems.push(Problem::TitleTwice(first.clone()));
    }
    let length = script.title.chars().count();
    if length >= LONGEST_TITLE {
        problems.push(Problem::LongTitle(length));
    }
    let lower = script.title.to_lowercase();
    problems.extend(EMPTY_WORDS.into_iter().filter(|word| lower.contains(word)).map(Problem::EmptyWord));
    problems
}

/// Whether the ledger knows what the case blames.
fn grounded(script: &Script, ledger: &Ledger) -> Vec<Problem> {
    let Some(first) = script.requirements.first() else { return vec![Problem::NoRequirement] };
    let blamed = script.steps.iter().flat_map(|step| &step.outcomes).filter_map(|outcome| outcome.requirement.as_ref());
    let unknown = script.requirements.iter().chain(blamed).filter(|id| ledger.find(id).is_none());
    let mut problems: Vec<_> = unknown.cloned().map(Problem::UnknownRequirement).collect();
    if let Some(row) = ledger.find(first) {
        let holds = row.revisions();
        let outside = script.revisions.iter().find(|&revision| !holds.contains(revision));
        problems.extend(outside.map(|revision| Problem::Revision { requirement: first.clone(), revision }));
    }
    problems
}

fn shared(script: &Script) -> Option<Problem> {
    let does = |test: fn(&Action) -> bool| script.steps.iter().filter_map(|step| step.action.as_ref()).any(test);
    let reason = if script.session != Prelude::Ready {
        "it begins before the session is open"
    } else if does(|action| matches!(action, Action::Close(_))) {
        "it closes a pipe"
    } else if does(|action| matches!(action, Action::Signal(_))) {
        "it sends a signal"
    } else {
        return None;
    };
    script.shares.then_some(Problem::Shares(reason))
}

/// Whether each outcome can decide.
fn judged(script: &Script) -> Vec<Problem> {
    let asks = |step: &Step| matches!(step.action, Some(Action::Send(_) | Action::Raw(_) | Action::Request { .. }));
    let mut problems = Vec::new();
    for (index, step) in script.steps.iter().enumerate() {
        let last = |outcome: &Outcome| outcome.on == On::Reply && outcome.to.is_none();
        if step.outcomes.iter().any(last) && !script.steps[..=index].iter().any(asks) {
            problems.push(Problem::NothingAsked(index + 1));
        }
        let hidden = |(at, outcome)| step.outcomes[..at].iter().any(|earlier| hides(earlier, outcome));
        if step.outcomes.iter().enumerate().any(hidden) {
            problems.push(Problem::Unreachable(index + 1));
        }
    }
    problems
}

/// Whether `earlier` decides wherever `later` could.
fn hides(earlier: &Outcome, later: &Outcome) -> bool {
    let all: RevisionSet = later.revisions.iter().filter(|&revision| earlier.revisions.contains(revision)).collect();
    earlier.on == later.on
        && earlier.to == later.to
        && (earlier.like.is_none() || earlier.like == later.like)
        && all == later.revisions
}

/// Whether each variable has a value when its text is played.
fn filled(script: &Script) -> Vec<Problem> {
    let mut known: BTreeSet<&str> = script.set.keys().map(String::as_str).collect();
    let mut problems = Vec::new();
    for step in &script.steps {
        for template in templates(step) {
            for piece in pieces(template) {
                match piece {
                    Ok(Piece::Variable(name) | Piece::Json(name)) if !known.contains(name) => {
                        problems.extend(missing(name, script));
                    }
                    Ok(_) => {}
                    Err(error) => problems.push(error.into()),
                }
            }
        }
        known.extend(step.take.keys().map(String::as_str));
    }
    problems
}

/// What is wrong with a variable that the script does not set.
pub(super) fn missing(name: &str, script: &Script) -> Option<Problem> {
    if EVERYWHERE.contains(&name) {
        return None;
    }
    let Some(need) = need_of(name) else { return Some(Problem::UnknownVariable(name.to_owned())) };
    if script.needs.contains(&need) {
        return None;
    }
    let need = match need {
        Need::Call(kind) => format!("call:{kind}"),
        Need::Tool(kind) => format!("tool:{kind}"),
        Need::Capability(path) | Need::Undeclared(path) | Need::Pages(path) => path,
    };
    Some(Problem::Need { variable: name.to_owned(), need })
}

/// The need that makes sure that a variable of this name has a value.
fn need_of(name: &str) -> Option<Need> {
    if let Some(call) = name.strip_prefix("call.") {
        return Some(Need::Call(call.strip_suffix(".arguments").unwrap_or(call).to_owned()));
    }
    let (kind, part) = match name.strip_prefix("tool.")?.split_once('.') {
        Some((kind, part)) => (kind, Some(part)),
        None => (name.strip_prefix("tool.")?, None),
    };
    let (_, parts) = TOOLS.into_iter().find(|(tool, _)| *tool == kind)?;
    part.is_none_or(|part| parts.contains(&part)).then(|| Need::Tool(kind.to_owned()))
}

/// The texts of a step in which variables are replaced.
fn templates(step: &Step) -> Vec<&str> {
    let mut texts = step.action.as_ref().map(templates_of).unwrap_or_default();
    for outcome in &step.outcomes {
        texts.extend(outcome.to.as_deref());
        texts.extend(outcome.like.as_ref().map(|like| like.0.as_str()));
    }
    texts
}

/// The texts of an action in which variables are replaced.
pub(super) fn templates_of(action: &Action) -> Vec<&str> {
    match action {
        Action::Send(text) | Action::Raw(Bytes::Text(text)) => vec![text],
        Action::Request { method, params, id, .. } => {
            [Some(method), params.as_ref(), id.as_ref()].into_iter().flatten().map(String::as_str).collect()
        }
        Action::Notification { method, params } => {
            [Some(method), params.as_ref()].into_iter().flatten().map(String::as_str).collect()
        }
        Action::Answer { method, reply: Reply::Result(text) | Reply::Error(text) } => vec![method, text],
        Action::Answer { method, reply: Reply::Never } => vec![method],
        Action::Raw(Bytes::Hex(_)) | Action::Barrier | Action::Close(_) | Action::Signal(_) | Action::Pause(_) => {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests;
