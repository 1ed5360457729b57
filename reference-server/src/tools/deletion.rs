//! `delete_order`: takes an order out of the books, a few times and no more.

use serde_json::{Value, json};

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::ability::Ability;
use crate::db::Order;
use crate::job::{Caller, Change, Stop, Work, World, Yield};
use crate::question::Question;
use crate::resources::order_uri;

/// The most orders that can be deleted while the server runs, which over stdio is a session.
pub(crate) const MOST: u32 = 3;

/// The greatest number that every JSON reader keeps exactly.
const GREATEST: u64 = (1 << 53) - 1;

pub(crate) const DELETE: Tool = Tool {
    name: "delete_order",
    title: "Delete an order",
    description: "Deletes the order of the given number for good. At most 3 orders can be deleted in a session. \
         Where the client can ask its user, the user has to agree.",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "id": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": GREATEST,
                    "description": "The number of the order.",
                },
            },
            "required": ["id"],
            "additionalProperties": false,
        })
    },
    output: Some(|| {
        json!({
            "type": "object",
            "properties": {
                "deleted": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer" },
                        "customer_id": { "type": "integer" },
                        "status": { "type": "string" },
                        "total_cents": { "type": "integer" },
                    },
                    "required": ["id", "customer_id", "status", "total_cents"],
                    "additionalProperties": false,
                },
                "deletions_left": { "type": "integer", "minimum": 0, "maximum": MOST },
            },
            "required": ["deleted", "deletions_left"],
            "additionalProperties": false,
        })
    }),
    prepare,
    manner: Manner::Destroys,
    tasks: Tasks::Forbidden,
};

fn prepare(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let id = i64::try_from(arguments.integer("id")?).map_err(|_| Refusal::Unusable("there is no such order".into()))?;
    Ok(Box::new(move |world: &World, caller: &mut Caller<'_>| delete(id, world, caller)))
}

fn delete(id: i64, world: &World, caller: &mut Caller<'_>) -> Yield {
    // Nobody is asked about what will not be done anyway.
    if world.deletions.is_spent() {
        return Err(spent());
    }
    let order = world.store().order(id)?.ok_or_else(|| missing(id))?;
    confirm(&order, caller)?;
    if caller.cancel().is_cancelled() {
        return Err("stopped before anything was deleted".into());
    }
    let share = world.deletions.take().ok_or_else(spent)?;
    if !world.store().delete_order(id)? {
        return Err(missing(id));
    }
    let left = share.spend();
    caller.changed(Change::Resource(order_uri(id)));
    Ok(json!({ "deleted": order, "deletions_left": left }))
}

/// Has the client's user agree, where the client can ask. Where it can't, the client has said by calling that it
/// wants this done.
fn confirm(order: &Order, caller: &mut Caller<'_>) -> Result<(), Stop> {
    if !caller.can(Ability::Elicitation) {
        return Ok(());
    }
    let Order { id, status, total_cents, .. } = order;
    let said = caller.ask(Question::Confirm(format!(
        "Delete order {id} ({status}, {total_cents} cents) for good? It can't be brought back."
    )))?;
    if said["action"] == "accept" && said["content"]["confirm"] == Value::Bool(true) {
        Ok(())
    } else {
        Err("the user did not agree, so nothing was deleted; don't try again unless the user wants it".into())
    }
}

fn missing(id: i64) -> Stop {
    format!("there is no order {id}; read_query can find the numbers: SELECT id FROM orders").into()
}

fn spent() -> Stop {
    format!("nothing was deleted: this session has deleted {MOST} orders, and that is the most it may").into()
}
