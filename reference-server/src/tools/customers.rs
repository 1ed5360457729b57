//! `list_customers`: everybody in the books.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Work, World};

pub(crate) const LIST: Tool = Tool {
    name: "list_customers",
    title: "List customers",
    description: "Lists all customers with their number, name and email address.",
    input: || json!({ "type": "object", "additionalProperties": false }),
    output: Some(output),
    prepare,
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "customers": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer" },
                        "name": { "type": "string" },
                        "email": { "type": "string" },
                    },
                    "required": ["id", "name", "email"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["customers"],
        "additionalProperties": false,
    })
}

fn prepare(_: &Arguments<'_>) -> Result<Work, Refusal> {
    Ok(Box::new(|world: &World, _| {
        let customers = world.store().customers()?;
        Ok(json!({ "customers": customers }))
    }))
}
