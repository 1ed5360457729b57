//! `count_orders`: how many orders have a status, which is one number and wants no structure.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::db::Status;
use crate::job::{Work, World};

pub(crate) const COUNT: Tool = Tool {
    name: "count_orders",
    title: "Count orders",
    description: "Counts the orders that have a given status. Answers with the number and nothing else.",
    input,
    output: None,
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

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let name = arguments.string("status")?;
    let status = Status::named(&name).ok_or_else(|| Refusal::Unusable("unknown status".into()))?;
    Ok(Box::new(move |world: &World, _| Ok(json!(world.store().count_orders(status)?))))
}
