//! `slow_report`: what all orders come to, for those who have time.

use serde_json::json;

use super::steps::pass;
use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::job::{Caller, Work, World};

pub(crate) const REPORT: Tool = Tool {
    name: "slow_report",
    title: "Slow report",
    description: "Works for a number of seconds on a report of how many orders there are, and what they come to, by \
         status. Reports progress, and can be cancelled.",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "seconds": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 60,
                    "description": "How long to work. The server may allow less.",
                },
            },
            "required": ["seconds"],
            "additionalProperties": false,
        })
    },
    output: Some(|| {
        json!({
            "type": "object",
            "properties": {
                "seconds": { "type": "integer", "minimum": 0 },
                "report": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "status": { "type": "string" },
                            "orders": { "type": "integer", "minimum": 0 },
                            "total_cents": { "type": "integer" },
                        },
                        "required": ["status", "orders", "total_cents"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["seconds", "report"],
            "additionalProperties": false,
        })
    }),
    prepare,
    manner: Manner::Looks,
    tasks: Tasks::Optional,
};

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let seconds = arguments.integer("seconds")?;
    Ok(Box::new(move |world: &World, caller: &mut Caller<'_>| {
        pass(seconds * 1000, world, caller)?;
        Ok(json!({ "seconds": seconds, "report": world.store().totals()? }))
    }))
}
