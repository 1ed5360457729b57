//! What a case of a user must not leave open: it would pass without a step, or break while it is played.
//!
//! The cases that are built in are linted by a test; those of a user are refused at the place that is wrong.

use std::collections::BTreeSet;
use std::ops::Range;

use super::convert::Context;
use super::convert_step::action_span;
use super::excerpt::LoadError;
use super::file::{CaseFile, StepFile};
use super::lint::{missing, templates_of};
use super::template::{Piece, TemplateError, pieces};
use super::vars::{LONGEST, least_length};
use super::{Action, Script, sendable};

/// Checks a script against the file that it comes from.
pub(super) fn check(file: &CaseFile, script: &Script, context: Context<'_>) -> Result<(), LoadError> {
    if script.steps.iter().all(|step| step.action.is_none() && step.outcomes.is_empty()) {
        return Err(context.error(0..0, "the case does nothing and judges nothing; give it a [[step]]"));
    }
    let mut known: BTreeSet<&str> = script.set.keys().map(String::as_str).collect();
    let mut asked = false;
    for (file, step) in file.step.iter().zip(&script.steps) {
        let span = action_span(file).unwrap_or_default();
        if !asked
            && !known.contains("last_id")
            && let Some(problem) = early(step.action.as_ref())
        {
            return Err(context.error(place("last_id", &span, context.text), problem));
        }
        asked |= step.action.as_ref().is_some_and(asks);
        let mut length = 0_usize;
        for template in step.action.as_ref().map(templates_of).unwrap_or_default() {
            variables(template, &span, &known, script, context)?;
            length += least_length(template).map_err(|error| context.error(span.clone(), error.to_string()))?;
        }
        if let Some(Action::Send(text)) = &step.action
            && let Some(why) = sendable::refusal(text, script)
        {
            return Err(context.error(span, why));
        }
        let times = usize::try_from(step.delivery.count).unwrap_or(usize::MAX);
        if length.saturating_mul(times) > LONGEST {
            let span = file.count.as_ref().map_or(span, toml::Spanned::span);
            return Err(context.error(span, TemplateError::TooLong.to_string()));
        }
        for (template, span) in judging(file) {
            variables(template, &span, &known, script, context)?;
            least_length(template).map_err(|error| context.error(span, error.to_string()))?;
        }
        known.extend(step.take.keys().map(String::as_str));
    }
    Ok(())
}

/// What is wrong with an action that names the id of the last request before there is one.
fn early(action: Option<&Action>) -> Option<&'static str> {
    let is_last =
        |piece: Result<Piece<'_>, _>| matches!(piece, Ok(Piece::Variable("last_id") | Piece::Json("last_id")));
    let names = action.map(templates_of).unwrap_or_default().into_iter().any(|text| pieces(text).any(is_last));
    names.then_some("the case uses the variable 'last_id', but nothing was asked before")
}

/// Whether an action may write a request.
fn asks(action: &Action) -> bool {
    matches!(action, Action::Send(_) | Action::Raw(_) | Action::Request { .. })
}

/// The templates of a step's outcomes, and where they stand.
fn judging(file: &StepFile) -> impl Iterator<Item = (&str, Range<usize>)> {
    let texts = file.outcome.iter().flat_map(|outcome| [&outcome.to, &outcome.like]);
    texts.flatten().map(|text| (text.get_ref().as_str(), text.span()))
}

/// Checks that each variable of a template has a value when it is played.
fn variables(
    template: &str,
    span: &Range<usize>,
    known: &BTreeSet<&str>,
    script: &Script,
    context: Context<'_>,
) -> Result<(), LoadError> {
    for piece in pieces(template) {
        match piece {
            Ok(Piece::Variable(name) | Piece::Json(name)) if !known.contains(name) => {
                if let Some(problem) = missing(name, script) {
                    return Err(context.error(place(name, span, context.text), format!("the case {problem}")));
                }
            }
            Ok(_) => {}
            Err(error) => return Err(context.error(span.clone(), error.to_string())),
        }
    }
    Ok(())
}

/// Where a variable stands within a span; the span itself where it is written another way.
fn place(name: &str, span: &Range<usize>, text: &str) -> Range<usize> {
    let found = text.get(span.clone()).and_then(|part| part.find(&format!("{name}}}")));
    found.map_or_else(|| span.clone(), |at| span.start + at..span.start + at + name.len())
}

#[cfg(test)]
mod tests {
    use crate::script::{CaseId, Excerpt, LoadError, load_own};

    const HEAD: &str = "title = 'answers'\nrequirements = ['ping.responds']\n";

    /// The excerpt of the error that a text gives behind the head of two lines.
    fn refused(text: &str) -> Excerpt {
        match load_own(&format!("{HEAD}{text}"), &CaseId::new("area/name"), "case.toml").unwrap_err() {
            LoadError::Case(excerpt) => *excerpt,
            LoadError::Read { .. } => unreachable!("nothing is read from disk"),
        }
    }

    #[test]
    fn what_would_break_while_it_is_played_is_refused_where_it_stands() {
        for (text, line, column, message) in [
            ("", 1, 1, "does nothing"),
            ("[[step]]\nwithin = '2s'", 1, 1, "does nothing"),
            ("[[step]]\nsend = '{\"x\":${nope}}'", 4, 16, "the variable 'nope', which nothing sets"),
            ("[[step]]\nraw = 'text:${nope}'", 4, 15, "the variable 'nope'"),
            ("[[step]]\nrequest = { method = 'a', params = { x = '${json:nope}' } }", 4, 50, "'nope'"),
            ("[[step]]\nraw = 'text:${repeat:A:99999999999}'", 4, 7, "beyond 64 MiB"),
            ("[[step]]\nraw = 'text:${repeat:A:50000000}${repeat:B:50000000}'", 4, 7, "beyond 64 MiB"),
            ("[[step]]\nraw = 'text:12345678'\ncount = 4000000000", 5, 9, "beyond 64 MiB"),
            ("[[step]]\nrequest = { method = '${tool.safe}' }", 4, 25, "without the need 'tool:safe'"),
            (
                "[[step]]\nsend = '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}'",
                4,
                8,
                "a malformed JSON-RPC envelope); use `raw`",
            ),
            ("[[step]]\nsend = '[1]'", 4, 8, "in 2024-11-05 a client may not send this (not one JSON-RPC message)"),
            ("[[step]]\nsend = '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'", 4, 8, "in 2026-07-28"),
            ("[[step]]\nrequest = { method = 'a', id = '${last_id}' }", 4, 35, "nothing was asked before"),
            ("[[step]]\nrequest = { method = '${a' }", 4, 11, "is not closed"),
            ("[[step]]\n[[step.outcome]]\nverdict='pass'\non='reply'\nlike = '\"${nope}\"'", 7, 12, "'nope'"),
        ] {
            let excerpt = refused(text);
            assert_eq!((excerpt.line, excerpt.column), (line, column), "{text}\n{excerpt}");
            assert!(excerpt.message.contains(message), "{text}\n{excerpt}");
        }
    }

    #[test]
    fn variables_that_a_variant_or_an_earlier_step_sets_are_known() {
        let text = "[[step]]\nrequest = { method = '${x}' }\ntake = { y = '/result' }\n\
             [[step]]\nrequest = { method = '${y}${id}${nonce}' }\n[[variant]]\nname = 'a'\n";
        assert!(refused(text).message.ends_with("(in variant 'a')"));
        let text = format!("{HEAD}{text}set = {{ x = '1' }}");
        assert_eq!(load_own(&text, &CaseId::new("a/b"), "case.toml").unwrap().len(), 1);
    }
}
