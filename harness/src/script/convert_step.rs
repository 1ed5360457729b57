//! Steps of a case file: their actions, how bytes are delivered, and outcomes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use super::convert::Context;
use super::excerpt::LoadError;
use super::file::{
    AnswerFile, ChannelWord, CutFile, NotificationFile, OnWord, OutcomeFile, RequestFile, SignalWord, StepFile,
    VerdictWord,
};
use super::json;
use super::template::{Piece, hex_pair, pieces, unescape};
use super::vars::placeholder;
use super::{Action, Bytes, Channel, Cut, Delivery, Like, On, Outcome, Pattern, Reply, Signal, Step};
use crate::judge::Verdict;
use crate::spec::RequirementId;

/// The step that this part of the file stands for.
pub(super) fn step(file: &StepFile, context: Context<'_>) -> Result<Step, LoadError> {
    let action = action(file, context)?;
    let outcomes = file.outcome.iter().map(|file| outcome(file, context)).collect::<Result<_, _>>()?;
    Ok(Step {
        delivery: delivery(file, action.as_ref(), context)?,
        action,
        within: file.within.as_ref().map(|written| duration(written, context)).transpose()?,
        outcomes,
        take: take(&file.take, context)?,
    })
}

/// Checks what one step cannot know: that bytes kept back have bytes to go out with.
pub(super) fn steps_fit(files: &[StepFile], steps: &[Step], context: Context<'_>) -> Result<(), LoadError> {
    for (index, (file, step)) in files.iter().zip(steps).enumerate() {
        let Some(hold) = file.hold.as_ref().filter(|hold| *hold.get_ref()) else { continue };
        let next = steps.get(index + 1).and_then(|next| next.action.as_ref());
        if !next.is_some_and(writes) {
            return Err(context.error(hold.span(), "`hold` needs a next step that writes"));
        }
        if !step.outcomes.is_empty() || !step.take.is_empty() {
            return Err(context.error(hold.span(), "bytes that are held have no outcome yet; judge in the next step"));
        }
    }
    Ok(())
}

/// Whether the action writes bytes of the script's own.
fn writes(action: &Action) -> bool {
    matches!(action, Action::Send(_) | Action::Raw(_) | Action::Request { .. } | Action::Notification { .. })
}

fn action(file: &StepFile, context: Context<'_>) -> Result<Option<Action>, LoadError> {
    one_action(file, context)?;
    Ok(if let Some(text) = &file.send {
        Some(send(text, context)?)
    } else if let Some(text) = &file.raw {
        Some(raw(text, context)?)
    } else if let Some(table) = &file.request {
        Some(request(table.get_ref(), context)?)
    } else if let Some(table) = &file.notification {
        let NotificationFile { method, params } = table.get_ref();
        Some(Action::Notification { method: method.clone(), params: text(params.as_ref(), context)? })
    } else if let Some(channel) = &file.close {
        let ChannelWord::Stdin = channel.get_ref();
        Some(Action::Close(Channel::Stdin))
    } else if let Some(word) = &file.signal {
        Some(Action::Signal(signal(*word.get_ref())))
    } else if let Some(pause) = &file.pause {
        Some(Action::Pause(duration(pause, context)?))
    } else if let Some(table) = &file.answer {
        Some(answer(table, context)?)
    } else {
        file.barrier.as_ref().filter(|barrier| *barrier.get_ref()).map(|_| Action::Barrier)
    })
}

/// Where the actions of a step stand, with their keys.
fn action_spans(file: &StepFile) -> impl Iterator<Item = (&'static str, Range<usize>)> {
    let spans = [
        ("send", file.send.as_ref().map(Spanned::span)),
        ("raw", file.raw.as_ref().map(Spanned::span)),
        ("request", file.request.as_ref().map(Spanned::span)),
        ("notification", file.notification.as_ref().map(Spanned::span)),
        ("barrier", file.barrier.as_ref().map(Spanned::span)),
        ("close", file.close.as_ref().map(Spanned::span)),
        ("signal", file.signal.as_ref().map(Spanned::span)),
        ("pause", file.pause.as_ref().map(Spanned::span)),
        ("answer", file.answer.as_ref().map(Spanned::span)),
    ];
    spans.into_iter().filter_map(|(key, span)| Some((key, span?)))
}

/// Where the action of a step stands.
pub(super) fn action_span(file: &StepFile) -> Option<Range<usize>> {
    action_spans(file).next().map(|(_, span)| span)
}

/// Checks that a step has one action at most.
fn one_action(file: &StepFile, context: Context<'_>) -> Result<(), LoadError> {
    let mut found = action_spans(file);
    match (found.next(), found.next()) {
        (Some((first, _)), Some((second, span))) => {
            Err(context.error(span, format!("a step has one action, but this one has `{first}` and `{second}`")))
        }
        _ => Ok(()),
    }
}

fn send(written: &Spanned<String>, context: Context<'_>) -> Result<Action, LoadError> {
    let text = written.get_ref();
    if text.contains(['\n', '\r']) {
        return Err(context.error(written.span(), "a message has no line break; use `raw` to send one"));
    }
    json::check(text, context.known)
        .map_err(|error| context.error(written.span(), format!("{error}; use `raw` to send what is no message")))?;
    Ok(Action::Send(text.clone()))
}

fn raw(written: &Spanned<String>, context: Context<'_>) -> Result<Action, LoadError> {
    let fail = |message: String| context.error(written.span(), message);
    if let Some(text) = written.get_ref().strip_prefix("text:") {
        for piece in pieces(text) {
            match piece.map_err(|error| fail(error.to_string()))? {
                Piece::Text(text) | Piece::Repeat(text, _) => {
                    unescape(text).map_err(|error| fail(error.to_string()))?;
                }
                Piece::Variable(_) | Piece::Json(_) => {}
            }
        }
        return Ok(Action::Raw(Bytes::Text(text.to_owned())));
    }
    if let Some(digits) = written.get_ref().strip_prefix("hex:") {
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(|pair| hex_pair(Some(pair))).collect();
        let bytes = bytes.ok_or_else(|| fail("`hex:` is followed by pairs of hexadecimal digits".to_owned()))?;
        return Ok(Action::Raw(Bytes::Hex(bytes)));
    }
    Err(fail("`raw` begins with \"text:\" or \"hex:\"".to_owned()))
}

fn request(file: &RequestFile, context: Context<'_>) -> Result<Action, LoadError> {
    Ok(Action::Request {
        method: file.method.clone(),
        params: text(file.params.as_ref(), context)?,
        id: text(file.id.as_ref(), context)?,
        cancelled: file.cancelled,
    })
}

/// The JSON text of a TOML value.
fn text(value: Option<&Spanned<toml::Value>>, context: Context<'_>) -> Result<Option<String>, LoadError> {
    value.map(|value| json::text_of(value.get_ref()).map_err(|error| context.error(value.span(), error))).transpose()
}

fn answer(table: &Spanned<AnswerFile>, context: Context<'_>) -> Result<Action, LoadError> {
    let file = table.get_ref();
    let result = text(file.result.as_ref(), context)?;
    let error = text(file.error.as_ref(), context)?;
    let reply = match (result, error, file.never) {
        (Some(result), None, false) => Reply::Result(result),
        (None, Some(error), false) => Reply::Error(error),
        (None, None, true) => Reply::Never,
        _ => return Err(context.error(table.span(), "an answer has one of `result`, `error` and `never = true`")),
    };
    Ok(Action::Answer { method: file.method.clone(), reply })
}

fn signal(word: SignalWord) -> Signal {
    match word {
        SignalWord::Term => Signal::Term,
        SignalWord::Int => Signal::Int,
        SignalWord::Hup => Signal::Hup,
        SignalWord::Kill => Signal::Kill,
    }
}

fn duration(written: &Spanned<String>, context: Context<'_>) -> Result<Duration, LoadError> {
    humantime::parse_duration(written.get_ref())
        .map_err(|error| context.error(written.span(), format!("this is no duration such as \"200ms\": {error}")))
}

fn delivery(file: &StepFile, action: Option<&Action>, context: Context<'_>) -> Result<Delivery, LoadError> {
    let writing = action.is_some_and(writes);
    if let Some(count) = file.count.as_ref().filter(|count| action.is_none() || *count.get_ref() == 0) {
        return Err(context.error(count.span(), "`count` repeats an action, at least once"));
    }
    if let Some(hold) = file.hold.as_ref().filter(|_| !writing) {
        return Err(context.error(hold.span(), "`hold` needs an action that writes"));
    }
    let cut = match file.cut.as_ref() {
        None => Cut::Nowhere,
        Some(cut) if !writing => return Err(context.error(cut.span(), "`cut` needs an action that writes")),
        Some(cut) => match cut.get_ref() {
            CutFile::At(offsets) if !offsets.is_sorted_by(|left, right| left < right) => {
                return Err(context.error(cut.span(), "the offsets of `cut` ascend"));
            }
            CutFile::At(offsets) => Cut::At(offsets.clone()),
            CutFile::Word(_) => Cut::Every,
        },
    };
    let count = file.count.as_ref().map_or(1, |count| *count.get_ref());
    Ok(Delivery { count, cut, hold: file.hold.as_ref().is_some_and(|hold| *hold.get_ref()) })
}

fn take(
    written: &BTreeMap<String, Spanned<String>>,
    context: Context<'_>,
) -> Result<BTreeMap<String, String>, LoadError> {
    let pointer = |(name, pointer): (&String, &Spanned<String>)| {
        let text = pointer.get_ref();
        if text.is_empty() || text.starts_with('/') {
            Ok((name.clone(), text.clone()))
        } else {
            Err(context.error(pointer.span(), "a JSON pointer begins with '/', such as \"/result/nextCursor\""))
        }
    };
    written.iter().map(pointer).collect()
}

fn outcome(file: &OutcomeFile, context: Context<'_>) -> Result<Outcome, LoadError> {
    let on = on(file.on);
    if let Some(to) = &file.to {
        if !matches!(on, On::Reply | On::Silence) {
            return Err(context.error(to.span(), "`to` belongs to `on = \"reply\"` and `on = \"silence\"`"));
        }
        json::check(to.get_ref(), context.known).map_err(|error| context.error(to.span(), error))?;
    }
    if let Some(like) = &file.like {
        if matches!(on, On::Silence | On::Closed) {
            return Err(context.error(like.span(), "there is nothing here that `like` could compare"));
        }
        check_like(like, context)?;
    }
    Ok(Outcome {
        verdict: verdict(file.verdict),
        on,
        to: file.to.as_ref().map(|to| to.get_ref().clone()),
        like: file.like.as_ref().map(|like| Like(like.get_ref().clone())),
        requirement: file.requirement.as_deref().map(RequirementId::new),
        revisions: context.revisions(file.revisions.as_ref())?,
        says: file.says.clone(),
    })
}

/// Checks that a pattern is JSON, and its operators too where no value is open.
fn check_like(like: &Spanned<String>, context: Context<'_>) -> Result<(), LoadError> {
    let template = like.get_ref();
    json::check(template, context.known).map_err(|error| context.error(like.span(), error))?;
    let open = pieces(template).any(|piece| match piece {
        Ok(Piece::Variable(name) | Piece::Json(name)) => !context.known.contains_key(name),
        _ => false,
    });
    if !open {
        let text =
            placeholder(template, context.known).map_err(|error| context.error(like.span(), error.to_string()))?;
        Pattern::parse(&text).map_err(|error| context.error(like.span(), error.to_string()))?;
    }
    Ok(())
}

fn verdict(word: VerdictWord) -> Verdict {
    match word {
        VerdictWord::Pass => Verdict::Pass,
        VerdictWord::Fail => Verdict::Fail,
        VerdictWord::Warn => Verdict::Warn,
        VerdictWord::Info => Verdict::Info,
        VerdictWord::Skip => Verdict::Skip,
    }
}

fn on(word: OnWord) -> On {
    match word {
        OnWord::Reply => On::Reply,
        OnWord::Message => On::Message,
        OnWord::Silence => On::Silence,
        OnWord::Exit => On::Exit,
        OnWord::Closed => On::Closed,
    }
}
