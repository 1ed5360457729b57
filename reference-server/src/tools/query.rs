//! `read_query`, `list_tables` and `describe_table`: the database itself, for whoever speaks SQL.

use serde_json::json;

use super::{Arguments, Manner, Refusal, Tasks, Tool};
use crate::db::MOST_ROWS;
use crate::failure::Excerpt;
use crate::job::{Caller, Work, World};

pub(crate) const READ: Tool = Tool {
    name: "read_query",
    title: "Read by query",
    description: "Runs one SQL SELECT statement of SQLite's dialect, which can change nothing, and returns up to \
         200 rows.",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "sql": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 10_000,
                    "description": "The statement.",
                },
            },
            "required": ["sql"],
            "additionalProperties": false,
        })
    },
    output: Some(|| {
        // Some clients take one type for each schema, and no list of them.
        let values = ["number", "string", "null"].map(|name| json!({ "type": name }));
        json!({
            "type": "object",
            "properties": {
                "columns": { "type": "array", "items": { "type": "string" } },
                "rows": {
                    "type": "array",
                    "items": { "type": "array", "items": { "anyOf": values } },
                    "maxItems": MOST_ROWS,
                },
                "truncated": { "type": "boolean", "description": "Whether there are more rows than these." },
            },
            "required": ["columns", "rows", "truncated"],
            "additionalProperties": false,
        })
    }),
    prepare: |arguments| {
        let sql = arguments.string("sql")?;
        Ok(Box::new(move |world: &World, caller: &mut Caller<'_>| {
            Ok(json!(world.store().query(&sql, caller.cancel())?))
        }))
    },
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

pub(crate) const TABLES: Tool = Tool {
    name: "list_tables",
    title: "List tables",
    description: "Lists the names of all tables of the database.",
    input: || json!({ "type": "object", "additionalProperties": false }),
    output: Some(|| {
        json!({
            "type": "object",
            "properties": { "tables": { "type": "array", "items": { "type": "string" } } },
            "required": ["tables"],
            "additionalProperties": false,
        })
    }),
    prepare: |_| Ok(Box::new(|world: &World, _| Ok(json!({ "tables": world.store().tables()? })))),
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

pub(crate) const DESCRIBE: Tool = Tool {
    name: "describe_table",
    title: "Describe a table",
    description: "Lists the columns of a table: name, type, and whether a column is required or a key.",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1, "maxLength": 200, "description": "The table's name." },
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    },
    output: Some(|| {
        json!({
            "type": "object",
            "properties": {
                "table": { "type": "string" },
                "columns": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": { "type": "string" },
                            "type": { "type": "string" },
                            "required": { "type": "boolean" },
                            "key": { "type": "boolean" },
                        },
                        "required": ["name", "type", "required", "key"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["table", "columns"],
            "additionalProperties": false,
        })
    }),
    prepare: describe,
    manner: Manner::Looks,
    tasks: Tasks::Forbidden,
};

fn describe(arguments: &Arguments<'_>) -> Result<Work, Refusal> {
    let name = arguments.string("name")?;
    Ok(Box::new(move |world: &World, _| {
        let columns = world.store().columns(&name)?;
        if columns.is_empty() {
            let known = world.store().tables()?.join(", ");
            return Err(format!("there is no table \"{}\"; there are: {known}", Excerpt(&name)).into());
        }
        Ok(json!({ "table": name, "columns": columns }))
    }))
}
