//! Ids that are not those of the request, and answers that are too many or too few.

use serde_json::Value;

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
];

/// Changes the id of a response.
fn change_id(told: &mut Told, change: impl FnOnce(&Value) -> Option<Value>) {
    if !told.is_response() {
        return;
    }
    if let Some(id) = told.message.get_mut("id") {
        if let Some(changed) = change(id) {
            *id = changed;
        }
    }
}
