//! `count_orders`: how many orders have a status.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::db::Status;
use crate::job::{Work, World};

pub(crate) const COUNT: Tool = Tool {
    name: "count_orders",
    title: "Count orders",
    description: "Counts the orders that have a given status.",
    input,
    output,
    prepare,
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": {
                "type": "string",
                "enum": Status::ALL.map(Status::name),
                "description": "How far the order has come.",
            },
        },
        "required": ["status"],
    })
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "string", "enum": Status::ALL.map(Status::name) },
            "count": { "type": "integer", "minimum": 0 },
        },
        "required": ["status", "count"],
        "additionalProperties": false,
    })
}

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let name = arguments.string("status")?;
    let status = Status::named(&name).ok_or_else(|| Refusal::Unusable("unknown status".into()))?;
    Ok(Box::new(move |world: &World, _| {
        let count = world.store().count_orders(status)?;
        Ok(json!({ "status": status.name(), "count": count }))
    }))
}
