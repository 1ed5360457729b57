//! From the keys of a case file to scripts: what the values mean, and what they must not say.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;

use super::convert_step::{step, steps_fit};
use super::excerpt::{Excerpt, LoadError};
use super::file::{CaseFile, SessionWord, VariantFile};
use super::{CaseId, Need, Prelude, Script};
use crate::spec::{RequirementId, RevisionSet};

/// The capabilities that a server can declare, in any revision.
const CAPABILITIES: [&str; 8] =
    ["tools", "resources", "prompts", "logging", "completions", "tasks", "experimental", "extensions"];
const TOOLS: [&str; 4] = ["safe", "args", "free", "any"];
const CALLS: [&str; 10] = [
    "slow",
    "fails",
    "logs",
    "elicits",
    "samples",
    "roots",
    "task",
    "changes:tools",
    "changes:resources",
    "changes:prompts",
];
const PAGES: [&str; 4] = ["tools", "resources", "resources/templates", "prompts"];

/// The text being read, for errors that show their place, and what is known of its variables.
#[derive(Clone, Copy)]
pub(super) struct Context<'t> {
    pub(super) text: &'t str,
    pub(super) origin: &'t str,
    pub(super) known: &'t BTreeMap<String, String>,
    pub(super) variant: Option<&'t str>,
}

impl Context<'_> {
    /// An error at this place.
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> LoadError {
        let mut message = message.into();
        if let Some(variant) = self.variant {
            message.push_str(&format!(" (in variant '{variant}')"));
        }
        LoadError::Case(Box::new(Excerpt::new(self.text, self.origin, span, message)))
    }

    /// The set of revisions that is written here; all where nothing is.
    pub(super) fn revisions(&self, written: Option<&Spanned<String>>) -> Result<RevisionSet, LoadError> {
        let Some(written) = written else { return Ok(RevisionSet::ALL) };
        let set =
            RevisionSet::parse(written.get_ref()).map_err(|error| self.error(written.span(), error.to_string()))?;
        if set.is_empty() {
            return Err(self.error(written.span(), format!("'{}' holds no revision", written.get_ref())));
        }
        Ok(set)
    }
}

/// The scripts of a case file: one, or one for each variant.
pub(super) fn scripts(file: &CaseFile, id: &CaseId, text: &str, origin: &str) -> Result<Vec<Script>, LoadError> {
    let nothing = BTreeMap::new();
    let context = Context { text, origin, known: &nothing, variant: None };
    if let Some(version) = file.version.as_ref().filter(|version| *version.get_ref() != 1) {
        return Err(context.error(version.span(), "this harness reads version 1 of the case format"));
    }
    if file.variant.is_empty() {
        return Ok(vec![script(file, None, id, context)?]);
    }
    let mut names = BTreeSet::new();
    for variant in &file.variant {
        check_name(variant, context)?;
        if !names.insert(variant.name.get_ref()) {
            let message = format!("the variant '{}' stands twice", variant.name.get_ref());
            return Err(context.error(variant.name.span(), message));
        }
    }
    let variants = file.variant.iter();
    variants
        .map(|variant| {
            let context = Context { known: &variant.set, variant: Some(variant.name.get_ref()), ..context };
            script(file, Some(variant), id, context)
        })
        .collect()
}

fn check_name(variant: &VariantFile, context: Context<'_>) -> Result<(), LoadError> {
    let name = variant.name.get_ref();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
        return Err(context.error(variant.name.span(), "the name of a variant is made of letters, digits, -, _ and ."));
    }
    Ok(())
}

fn script(
    file: &CaseFile,
    variant: Option<&VariantFile>,
    id: &CaseId,
    context: Context<'_>,
) -> Result<Script, LoadError> {
    let steps = file.step.iter().map(|file| step(file, context)).collect::<Result<Vec<_>, _>>()?;
    steps_fit(&file.step, &steps, context)?;
    if file.requirements.get_ref().is_empty() && steps.iter().any(|step| !step.outcomes.is_empty()) {
        return Err(context.error(file.requirements.span(), "a case with outcomes names a requirement"));
    }
    let session = match file.session {
        SessionWord::Cold => Prelude::Cold,
        SessionWord::Opening => Prelude::Opening,
        SessionWord::Ready => Prelude::Ready,
    };
    Ok(Script {
        id: variant.map_or_else(|| id.clone(), |variant| CaseId::new(format!("{id}#{}", variant.name.get_ref()))),
        title: variant.and_then(|variant| variant.title.clone()).unwrap_or_else(|| file.title.clone()),
        requirements: file.requirements.get_ref().iter().map(RequirementId::new).collect(),
        revisions: revisions(file, variant, context)?,
        needs: file.needs.iter().map(|written| need(written, context)).collect::<Result<_, _>>()?,
        session,
        shares: file.shares.unwrap_or(session == Prelude::Ready),
        set: variant.map(|variant| variant.set.clone()).unwrap_or_default(),
        steps,
    })
}

/// The revisions of the case, narrowed by the variant.
fn revisions(file: &CaseFile, variant: Option<&VariantFile>, context: Context<'_>) -> Result<RevisionSet, LoadError> {
    let all = context.revisions(file.revisions.as_ref())?;
    let Some(written) = variant.and_then(|variant| variant.revisions.as_ref()) else { return Ok(all) };
    let narrow = context.revisions(Some(written))?;
    let both: RevisionSet = all.iter().filter(|&revision| narrow.contains(revision)).collect();
    if both.is_empty() {
        return Err(context.error(written.span(), "the variant is left with none of the case's revisions"));
    }
    Ok(both)
}

fn need(written: &Spanned<String>, context: Context<'_>) -> Result<Need, LoadError> {
    let text = written.get_ref().as_str();
    let capability =
        |path: &str| CAPABILITIES.contains(&path.split('.').next().unwrap_or(path)) && !path.ends_with('.');
    let need = match text.split_once(':') {
        Some(("tool", kind)) if TOOLS.contains(&kind) => Some(Need::Tool(kind.to_owned())),
        Some(("call", kind)) if CALLS.contains(&kind) => Some(Need::Call(kind.to_owned())),
        Some(("pages", list)) if PAGES.contains(&list) => Some(Need::Pages(list.to_owned())),
        Some(("undeclared", path)) if capability(path) => Some(Need::Undeclared(path.to_owned())),
        None if capability(text) => Some(Need::Capability(text.to_owned())),
        _ => None,
    };
    need.ok_or_else(|| {
        let known = format!(
            "a capability ({}), undeclared:CAPABILITY, tool:{}, call:{} or pages:{}",
            CAPABILITIES.join(", "),
            TOOLS.join("|"),
            CALLS.join("|"),
            PAGES.join("|")
        );
        context.error(written.span(), format!("'{text}' is no need; write {known}"))
    })
}
