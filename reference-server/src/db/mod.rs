//! The shop's data: customers and their orders, in SQLite.

mod model;
mod query;
mod seed;
mod sqlite;
mod store;

pub use model::{Column, Customer, Order, Status, Total};
pub(crate) use query::MOST_ROWS;
pub use query::Rows;
pub(crate) use seed::init;
pub use sqlite::Sqlite;
pub use store::{Store, StoreError};
