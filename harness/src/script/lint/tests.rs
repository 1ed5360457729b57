//! The embedded cases are free of problems, and each problem is found.

use super::*;
use crate::script::{embedded, load};

fn errors(texts: &[&str]) -> Vec<String> {
    let scripts: Vec<_> = texts
        .iter()
        .zip(["a/one", "a/two"])
        .flat_map(|(text, id)| load(text, &CaseId::new(id), "case.toml").unwrap())
        .collect();
    lint(&scripts, Ledger::embedded()).iter().map(ToString::to_string).collect()
}

fn ping(rest: &str) -> String {
    format!("title = 'answers'\nrequirements = ['ping.responds']\nrevisions = 'legacy'\n{rest}")
}

fn needs_the_ledger(problem: &Problem) -> bool {
    matches!(problem, Problem::UnknownRequirement(_) | Problem::Revision { .. })
}

fn listed<'e>(errors: impl Iterator<Item = &'e LintError>) -> String {
    errors.map(|error| format!("{error}\n")).collect()
}

#[test]
fn the_embedded_cases_are_well_written() {
    let errors = lint(embedded(), Ledger::embedded());
    let found = errors.iter().filter(|error| error.weight == Weight::Error && !needs_the_ledger(&error.problem));
    assert_eq!(listed(found), "");
}

#[test]
fn the_embedded_cases_rest_on_the_ledger() {
    /// With fewer rows than this the ledger is a sample, and says nothing about the cases.
    const WHOLE: usize = 50;
    let ledger = Ledger::embedded();
    if ledger.rows().count() >= WHOLE {
        let errors = lint(embedded(), ledger);
        let found = errors.iter().filter(|error| error.weight == Weight::Error && needs_the_ledger(&error.problem));
        assert_eq!(listed(found), "");
    }
}

#[test]
fn titles_are_unique_short_and_say_what_the_peer_does() {
    assert_eq!(errors(&[&ping(""), &ping("")]), ["a/two has the title of a/one"]);
    let text = ping("[[variant]]\nname = 'x'\n[[variant]]\nname = 'y'");
    assert_eq!(errors(&[&text]), [] as [&str; 0], "variants share a title");
    let long = ping("").replace("answers", &"é".repeat(90));
    assert_eq!(errors(&[&long]), ["a/one has a title of 90 characters; the limit is 89"]);
    let empty = ping("").replace("answers", "Test that it should answer");
    assert_eq!(
        errors(&[&empty]),
        [
            "a/one has 'should' in its title; say what the peer does",
            "a/one has 'test that' in its title; say what the peer does"
        ]
    );
}

#[test]
fn requirements_are_in_the_ledger_and_hold_where_the_case_is_played() {
    let unknown = ping("[[step]]\n[[step.outcome]]\nverdict = 'fail'\non = 'exit'\nrequirement = 'x.y'");
    assert_eq!(errors(&[&unknown]), ["a/one names x.y, which is not in the ledger"]);
    let none = ping("").replace("'ping.responds'", "");
    assert_eq!(errors(&[&none]), ["a/one names no requirement"]);
    let modern = ping("").replace("legacy", "all");
    assert_eq!(errors(&[&modern]), ["a/one is played in 2026-07-28, where ping.responds does not hold"]);
    let variant = load(&format!("{modern}[[variant]]\nname = 'x'"), &CaseId::new("a/b"), "case.toml").unwrap();
    assert_eq!(lint(&variant, Ledger::embedded())[0].weight, Weight::Warning);
}

#[test]
fn a_peer_that_was_closed_or_signalled_is_not_shared() {
    let problem = |rest: &str| errors(&[&ping(rest)]);
    assert_eq!(problem("[[step]]\nclose = 'stdin'"), ["a/one shares its peer, but it closes a pipe"]);
    assert_eq!(problem("[[step]]\nsignal = 'TERM'"), ["a/one shares its peer, but it sends a signal"]);
    let early = "a/one shares its peer, but it begins before the session is open";
    assert_eq!(problem("session = 'cold'\nshares = true"), [early]);
    assert_eq!(problem("shares = false\n[[step]]\nclose = 'stdin'"), [] as [&str; 0]);
}

#[test]
fn every_outcome_can_decide() {
    let outcome = |rest: &str| format!("[[step.outcome]]\nverdict = 'pass'\n{rest}\n");
    let asked = format!("[[step]]\n{}", outcome("on = 'reply'"));
    assert_eq!(errors(&[&ping(&asked)]), ["a/one waits in step 1 for a reply, but nothing was asked before"]);
    let request = "[[step]]\nrequest = { method = 'ping' }\n";
    let hidden = format!("{request}{}{}", outcome("on = 'reply'"), outcome("on = 'reply'\nlike = '{}'"));
    assert_eq!(errors(&[&ping(&hidden)]), ["a/one has an outcome in step 1 that an earlier one always comes before"]);
    let narrow = format!("{request}{}{}", outcome("on = 'reply'\nrevisions = '2025-11-25'"), outcome("on = 'reply'"));
    assert_eq!(errors(&[&ping(&narrow)]), [] as [&str; 0]);
    assert_eq!(errors(&[&ping(&format!("[[step]]\n{}", outcome("on = 'exit'")))]), [] as [&str; 0]);
}

#[test]
fn every_variable_has_a_value() {
    let sends = |text: &str, rest: &str| errors(&[&ping(&format!("{rest}\n[[step]]\nsend = '{{\"x\":\"{text}\"}}'"))]);
    assert_eq!(sends("${id} ${nonce} ${client}", ""), [] as [&str; 0]);
    assert_eq!(sends("${nonsense}", ""), ["a/one uses the variable 'nonsense', which nothing sets"]);
    assert_eq!(sends("${tool.free.arguments}", "").len(), 1);
    let need = "a/one uses the variable 'tool.args.wrong' without the need 'tool:args'";
    assert_eq!(sends("${json:tool.args.wrong}", ""), [need]);
    assert_eq!(sends("${json:tool.args.wrong}", "needs = ['tool:args']"), [] as [&str; 0]);
    assert_eq!(sends("${call.slow}${json:call.slow.arguments}", "needs = ['call:slow']"), [] as [&str; 0]);
    let method = ping("[[step]]\nrequest = { method = '${x' }");
    assert_eq!(errors(&[&method]).len(), 1);
}

#[test]
fn a_value_is_taken_before_it_is_used() {
    let take = "[[step]]\nrequest = { method = 'tools/list' }\ntake = { cursor = '/result/nextCursor' }\n";
    let uses = "[[step]]\nrequest = { method = 'tools/list', params = { cursor = '${cursor}' } }\n";
    assert_eq!(errors(&[&ping(&format!("{take}{uses}"))]), [] as [&str; 0]);
    assert_eq!(errors(&[&ping(&format!("{uses}{take}"))]), ["a/one uses the variable 'cursor', which nothing sets"]);
}
