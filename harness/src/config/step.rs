//! The steps of a rubric: what a submission is made to do, and what must come of it.
//!
//! In commands, paths and texts, `{dir}` stands for the submission's copy, `{db}` for its database, and `{seed.NAME}`
//! for a value that was drawn for this submission.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::value::{Expression, Like, NotEmpty, at_least_one, command, json, json_object, only_true};

/// One step; its key says which.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A command is run.
    Run(Run),
    /// A query is made on a database file.
    Sqlite(Sqlite),
    /// A JSON text has a shape.
    Json(JsonStep),
    /// A session is held with the server: request after request.
    Session(
        #[serde(deserialize_with = "at_least_one")]
        #[cfg_attr(test, schemars(length(min = 1)))]
        Vec<Exchange>,
    ),
    /// The server's stderr has a line for each request.
    Stderr(Stderr),
    /// The server's stdout carries messages and nothing else, in every step.
    #[serde(deserialize_with = "only_true")]
    #[cfg_attr(test, schemars(with = "bool"))]
    StdoutPure,
    /// A file of the submission says what a parser makes of fragments.
    Answers(Answers),
}

/// A command, and how it must end.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The program and its arguments.
    #[serde(deserialize_with = "command")]
    pub command: Vec<String>,
    /// Variables of its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its working folder; left out: the submission's copy.
    #[serde(default)]
    pub cwd: Option<NotEmpty>,
    /// What it reads.
    #[serde(default)]
    pub stdin: Option<String>,
    /// The exit code; left out: 0.
    #[serde(default)]
    pub exit: u8,
    /// Lines that stand on its stdout, in this order.
    #[serde(default)]
    pub stdout: Vec<String>,
    /// Files that are there when it has ended.
    #[serde(default)]
    pub files: Vec<NotEmpty>,
    /// A file of the submission's copy in whose place our server stands while the command runs.
    #[serde(default)]
    pub stand_in: Option<NotEmpty>,
}

/// A query, and its result.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sqlite {
    /// The database file; left out: `{db}`.
    #[serde(default)]
    pub file: Option<NotEmpty>,
    /// The query.
    pub query: NotEmpty,
    /// What it gives: one value, or the values of one column.
    #[serde(deserialize_with = "cells")]
    #[cfg_attr(test, schemars(with = "Cells"))]
    pub is: Vec<serde_json::Value>,
}

/// How the result of a query is written.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is wanted")]
enum Cells {
    Text(String),
    Number(f64),
    Column(Vec<serde_json::Value>),
}

fn cells<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<serde_json::Value>, D::Error> {
    let cells = match json(from)? {
        Some(serde_json::Value::Array(cells)) => cells,
        cell => cell.into_iter().collect(),
    };
    if cells.iter().all(|cell| cell.is_string() || cell.is_number() || cell.is_null()) {
        Ok(cells)
    } else {
        Err(D::Error::custom("a database holds texts and numbers"))
    }
}

/// A JSON text, and its shape.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JsonStep {
    /// The file; left out: what the last command wrote to stdout.
    #[serde(default)]
    pub file: Option<NotEmpty>,
    /// What it has at least, as in a case.
    #[serde(default)]
    pub like: Option<Like>,
    /// A file with a JSON schema, relative to the rubric.
    #[serde(default)]
    pub schema: Option<NotEmpty>,
}

/// A request, and its answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The method.
    pub method: NotEmpty,
    /// Its parameters; the `_meta` that the era asks for is added.
    #[serde(default, deserialize_with = "json_object")]
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    pub params: Option<serde_json::Value>,
    /// What the answer has at least, as in a case.
    pub like: Like,
}

/// What stderr says of each request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stderr {
    /// What a line looks like; `(?<method>…)` must be the method of the request.
    #[serde(rename = "match", deserialize_with = "with_method")]
    pub matches: Expression,
}

fn with_method<'de, D: Deserializer<'de>>(from: D) -> Result<Expression, D::Error> {
    let expression = Expression::deserialize(from)?;
    if expression.has_group("method") {
        Ok(expression)
    } else {
        Err(D::Error::custom("the method of the request is not asked for; write (?<method>…)"))
    }
}

/// A table that a student filled in: for each fragment, the buffer behind it and the frames that it completes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// The file.
    pub file: NotEmpty,
    /// The fragments, in order.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub fragments: Vec<NotEmpty>,
}
