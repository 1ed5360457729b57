//! What the server can do for a model.
//!
//! A tool is a row of a table: what is said of it, and a function that turns arguments into work. The work itself
//! runs later, on a worker.

mod arguments;
mod asking;
mod customers;
mod deletion;
mod insights;
mod orders;
mod publish;
mod published;
mod query;
mod report;
mod schema;
mod steps;
mod tool;
mod wait;

use serde_json::Value;

use crate::job::Work;
use crate::revision::Revision;

pub(crate) use arguments::{Arguments, Refusal};
pub(crate) use deletion::MOST as MOST_DELETIONS;
pub(crate) use published::Published;
pub(crate) use tool::{Manner, Tasks, Tool, complaint, failed};
pub(crate) use wait::WAIT;

/// Every tool, in the order in which they are listed.
pub(crate) static TOOLS: [Tool; 12] = [
    customers::LIST,
    orders::COUNT,
    WAIT,
    report::REPORT,
    query::READ,
    query::TABLES,
    query::DESCRIBE,
    insights::APPEND,
    deletion::DELETE,
    asking::MODEL,
    asking::ROOTS,
    publish::PUBLISH,
];

/// The tool of that name, if it is one of those that were there from the beginning.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The entries of `tools/list`: ours, and then those that were added.
pub(crate) fn entries(published: &Published, revision: Revision) -> Vec<Value> {
    let added = published.names();
    let added = added.iter().map(|name| publish::describe(name, revision));
    TOOLS.iter().map(|tool| tool.describe(revision)).chain(added).collect()
}

/// Reads a call's arguments, and says what is to be done. `None` where there is no such tool.
pub(crate) fn prepare(name: &str, arguments: &Arguments<'_>, published: &Published) -> Option<Result<Work, Refusal>> {
    match named(name) {
        Some(tool) => Some(tool.work(arguments)),
        None => published.has(name).then(|| publish::call(name.into(), arguments)),
    }
}

/// The result of a call that went well, of a tool that is there.
pub(crate) fn succeeded(name: &str, content: Value, revision: Revision) -> Value {
    named(name).unwrap_or(&publish::MODEL).succeeded(content, revision)
}

/// Whether a call of the tool may be a task.
pub(crate) fn may_be_task(name: &str) -> bool {
    named(name).is_some_and(|tool| tool.tasks == Tasks::Optional)
}
