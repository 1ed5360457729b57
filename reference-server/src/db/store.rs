//! What tools can do with the data, whatever it is kept in.

use std::io;

use rusqlite::ErrorCode;

use super::model::{Column, Customer, Order, Status, Total};
use super::query::Rows;
use crate::clock::Cancel;

/// Why the data can't be had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is missing, broken, or held by somebody else.
    #[error("the database can't be used: {0}")]
    Unusable(#[from] rusqlite::Error),
    /// Somebody's own query is none that is allowed.
    #[error("the query is refused: {0}")]
    Forbidden(&'static str),
    /// Somebody's own query makes no sense to the database.
    #[error("the query failed: {0}")]
    Wrong(String),
    /// The query was called off.
    #[error("the query was stopped")]
    Stopped,
    /// There is no thread to watch the query.
    #[error("the query was not run, since nothing could stop it: {0}")]
    Unwatched(io::Error),
}

impl StoreError {
    /// What became of somebody's own query.
    pub(super) fn of_query(error: rusqlite::Error) -> Self {
        // The whole query would stand in the text otherwise; whoever wrote it knows it.
        if let rusqlite::Error::SqlInputError { msg, .. } = error {
            return Self::Wrong(msg);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::Stopped,
            Some(ErrorCode::OutOfMemory) => Self::Wrong("it needs too much memory".into()),
            Some(ErrorCode::TooBig) => Self::Wrong("a value in it is too long".into()),
            Some(ErrorCode::ReadOnly | ErrorCode::AuthorizationForStatementDenied) => {
                Self::Forbidden("it must not change anything")
            }
            Some(ErrorCode::Unknown) => Self::Wrong(error.to_string()),
            _ => Self::Unusable(error),
        }
    }
}

/// Where the tools look things up. Many may do so at a time.
pub trait Store: Send + Sync {
    /// Makes ready what the first call would otherwise have to wait for.
    fn open(&self) -> Result<(), StoreError>;

    /// All customers, by number.
    fn customers(&self) -> Result<Vec<Customer>, StoreError>;

    /// How many orders have a status.
    fn count_orders(&self, status: Status) -> Result<u32, StoreError>;

    /// What the orders come to, by status.
    fn totals(&self) -> Result<Vec<Total>, StoreError>;

    /// The order of that number, if there is one.
    fn order(&self, id: i64) -> Result<Option<Order>, StoreError>;

    /// The numbers of all orders, the smallest first.
    fn order_ids(&self) -> Result<Vec<i64>, StoreError>;

    /// Deletes the order of that number, and says whether there was one.
    fn delete_order(&self, id: i64) -> Result<bool, StoreError>;

    /// The statements that made the tables.
    fn schema(&self) -> Result<Vec<String>, StoreError>;

    /// The names of all tables, in order.
    fn tables(&self) -> Result<Vec<String>, StoreError>;

    /// The columns of a table; none where there is no such table.
    fn columns(&self, table: &str) -> Result<Vec<Column>, StoreError>;

    /// What a query of somebody's own finds. It must be one `SELECT` statement, and can't change anything; it is
    /// stopped when `cancel` says so.
    fn query(&self, sql: &str, cancel: &Cancel) -> Result<Rows, StoreError>;

    /// All insights, the oldest first.
    fn insights(&self) -> Result<Vec<String>, StoreError>;

    /// Writes an insight down.
    fn append_insight(&self, text: &str) -> Result<(), StoreError>;
}
