//! Ids that are not those of the request, and answers that are too many or too few.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "id-stringified",
        "echoes a number id as a string",
        &[Tell(|_, told| change_id(told, |id| id.is_number().then(|| id.to_string().into())))],
    ),
    Fault::messages(
        "ids-as-numbers",
        "echoes a string id of digits as a number",
        &[Tell(|_, told| change_id(told, |id| id.as_str()?.parse::<u64>().ok().map(Value::from)))],
    ),
    Fault::messages(
        "ids-cut",
        "cuts string ids to 64 characters",
        &[Tell(|_, told| change_id(told, |id| Some(id.as_str()?.chars().take(64).collect::<String>().into())))],
    ),
    Fault::messages(
        "ids-ascii-only",
        "writes a question mark for each character of an id that is not ASCII",
        &[Tell(|_, told| change_id(told, |id| Some(id.as_str()?.replace(|char: char| !char.is_ascii(), "?").into())))],
    ),
    Fault::messages(
        "id-floated",
        "echoes an integer id n as n.0",
        &[Tell(|_, told| change_id(told, |id| small(id).map(|id| f64::from(id).into())))],
    ),
    Fault::messages(
        "int-id-precision-loss",
        "rounds ids above 2^53 as a double does",
        &[Tell(|_, told| change_id(told, |id| Some(rounded(id.as_i64()?, 53).into())))],
    ),
    Fault::messages(
        "id-precision-below-2-53",
        "rounds ids from 2^52 to 2^53, which a double holds, to even numbers",
        &[Tell(|_, told| {
            change_id(told, |id| {
                let id = id.as_i64().filter(|id| id.unsigned_abs() <= 1 << 53)?;
                Some(rounded(id, 52).into())
            });
        })],
    ),
    Fault::messages(
        "id-32-bit",
        "wraps ids at 2^31",
        &[Tell(|_, told| change_id(told, |id| Some(wrapped(id.as_i64()?).into())))],
    ),
    Fault::messages(
        "null-id-error",
        "sends each error with id null though the request could be read",
        &[Tell(|_, told| {
            if told.error().is_some() {
                change_id(told, |_| Some(Value::Null));
            }
        })],
    ),
    Fault::messages(
        "id-zero-dropped",
        "takes a request with the id 0 or \"\" for a notification",
        &[Hear(|_, heard| {
            if heard.request().is_some_and(|asked| asked.id == 0 || asked.id == "") {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "duplicate-response",
        "answers each request twice",
        &[Tell(|_, told| {
            if told.is_response() {
                told.after(told.message.clone());
            }
        })],
    ),
    Fault::messages(
        "late-duplicate-response",
        "repeats its first answer to tools/list after the answer to a later request",
        &[Tell(|scene, told| {
            if told.result("tools/list").is_some() && scene.tally("late-duplicate-response") == 1 {
                scene.keep("late-duplicate-response", told.message.clone());
            } else if told.is_response() && !scene.kept("late-duplicate-response").is_null() {
                told.after(scene.kept("late-duplicate-response"));
                scene.keep("late-duplicate-response", Value::Null);
            }
        })],
    ),
    Fault::messages(
        "unknown-response-id",
        "sends an answer that nobody asked for after each answer to tools/list",
        &[Tell(|_, told| {
            if let Some(result) = told.result("tools/list").cloned() {
                told.after(json!({ "jsonrpc": "2.0", "id": 987_654_321, "result": result }));
            }
        })],
    ),
    Fault::messages(
        "crossed-answers",
        "gives two requests that are open together the answers of each other",
        &[Tell(|scene, told| {
            if !told.is_response() {
                return;
            }
            let crossed = scene.kept("crossed-answers");
            let own = told.message["id"].clone();
            if crossed["from"] == own && !own.is_null() {
                told.message["id"] = crossed["to"].clone();
                scene.keep("crossed-answers", Value::Null);
            } else if let (true, Some(other)) = (crossed.is_null(), scene.any_open()) {
                told.message["id"] = other.clone();
                scene.keep("crossed-answers", json!({ "from": other, "to": own }));
            }
        })],
    ),
    Fault::messages(
        "duplicate-id-in-flight",
        "answers one of two requests that are open with the same id",
        &[Hear(|scene, heard| {
            if heard.request().is_some_and(|asked| scene.is_open(&asked.id)) {
                heard.swallow();
            }
        })],
    ),
    Fault::messages(
        "id-reuse-refused",
        "refuses an id that was used before, though its request was answered",
        &[Hear(|scene, heard| {
            let Some(asked) = heard.request() else { return };
            let mut used = scene.kept("id-reuse-refused");
            let id = asked.id.to_string();
            if used.get(&id).is_some() {
                heard.refuse(-32600, "this id was used before");
            }
            used[&id] = true.into();
            scene.keep("id-reuse-refused", used);
        })],
    ),
];

/// Changes the id of a response.
fn change_id(told: &mut Told, change: impl FnOnce(&Value) -> Option<Value>) {
    if !told.is_response() {
        return;
    }
    if let Some(id) = told.message.get_mut("id")
        && let Some(changed) = change(id)
    {
        *id = changed;
    }
}

/// An id that is a small number.
fn small(id: &Value) -> Option<i32> {
    i32::try_from(id.as_i64()?).ok()
}

/// A number that lost its last bit where it is 2 to some power or more.
fn rounded(id: i64, power: u32) -> i64 {
    if id.unsigned_abs() > 1 << power { id & !1 } else { id }
}

/// The lowest 32 bits of a number.
fn wrapped(id: i64) -> i32 {
    let [a, b, c, d, ..] = id.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_bits() {
        assert_eq!(rounded((1 << 53) + 1, 53), 1 << 53);
        assert_eq!(rounded((1 << 53) - 1, 53), (1 << 53) - 1);
        assert_eq!(rounded((1 << 53) - 1, 52), (1 << 53) - 2);
        assert_eq!(wrapped(1 << 31), i32::MIN);
        assert_eq!(wrapped(7), 7);
    }
}
