//! Prompts that people can start with.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::db::Status;
use crate::failure::{Excerpt, Failure};
use crate::json::{self, Kind};
use crate::resources::titled;
use crate::revision::Revision;

/// The prompt that has an argument, and the argument.
pub(crate) const ORDER_REPORT: &str = "order-report";
/// The argument of [`ORDER_REPORT`].
pub(crate) const STATUS: &str = "status";
/// The prompt that has none.
pub(crate) const WELCOME: &str = "welcome";

/// The entries of `prompts/list`.
pub(crate) fn entries(revision: Revision) -> Vec<Value> {
    let status = json!({ "name": STATUS, "description": "How far the orders have come.", "required": true });
    let report = json!({
        "name": ORDER_REPORT,
        "description": "Asks for a report on the orders that have a status.",
        "arguments": [titled(status, "Status", revision)],
    });
    let welcome = json!({ "name": WELCOME, "description": "Asks what can be done here." });
    vec![titled(report, "Order report", revision), titled(welcome, "Welcome", revision)]
}

/// The result of `prompts/get`.
pub(crate) fn get(params: Option<&RawValue>) -> Result<Value, Failure> {
    let members = params.and_then(|params| json::members(params, ["name", "arguments"]));
    let [name, arguments] = members.unwrap_or_default();
    let name =
        name.and_then(json::string).ok_or_else(|| Failure::invalid_params("prompts/get needs name, a string"))?;
    if arguments.is_some_and(|arguments| json::kind(arguments) != Kind::Object) {
        return Err(Failure::invalid_params("arguments must be an object"));
    }
    match name.as_str() {
        ORDER_REPORT => report(arguments),
        WELCOME => {
            Ok(message("Asks what can be done here", "What can you tell me about this shop, and what can you do here?"))
        }
        _ => Err(Failure::invalid_params(format_args!("unknown prompt \"{}\"", Excerpt(&name)))),
    }
}

fn report(arguments: Option<&RawValue>) -> Result<Value, Failure> {
    let status = arguments.and_then(|arguments| json::members(arguments, [STATUS])).and_then(|[status]| status);
    let status = status.ok_or_else(|| Failure::invalid_params("argument \"status\" is missing"))?;
    let status = json::string(status).ok_or_else(|| Failure::invalid_params("argument \"status\" must be a string"))?;
    let Some(status) = Status::named(&status) else {
        let known = Status::ALL.map(Status::name).join(", ");
        let what = format_args!("unknown status \"{}\"; use one of: {known}", Excerpt(&status));
        return Err(Failure::invalid_params(what));
    };
    let text = format!(
        "Write a short report on the shop's {0} orders. Count them with count_orders, status \"{0}\", and read \
         single ones as shop://orders/{{id}} where that helps.",
        status.name()
    );
    Ok(message(&format!("A report on {} orders", status.name()), &text))
}

fn message(description: &str, text: &str) -> Value {
    json!({
        "description": description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    })
}
