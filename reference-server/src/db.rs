//! The shop's data: customers and their orders, in SQLite.
//!
//! The database is opened when it is first needed. A server whose database is broken still starts, still answers
//! `tools/list`, and says what is wrong to whoever calls a tool; once the file is mended, so is the server.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use serde::Serialize;

/// How long another process may hold the database before a call gives up.
const BUSY: Duration = Duration::from_secs(2);

const SCHEMA: &str = "
    CREATE TABLE customers (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        email TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY,
        customer_id INTEGER NOT NULL REFERENCES customers (id),
        status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'delivered', 'cancelled')),
        total_cents INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE insights (
        id INTEGER PRIMARY KEY,
        text TEXT NOT NULL
    ) STRICT;
    INSERT INTO customers (id, name, email) VALUES
        (1, 'Ana Souza', 'ana@example.com'),
        (2, 'Omar Haddad', 'omar@example.com'),
        (3, 'Zoë Brandt', 'zoe@example.com'),
        (4, '山田 花子', 'hanako@example.com'),
        (5, 'Ingrid Åberg', 'ingrid@example.com');
    INSERT INTO orders (id, customer_id, status, total_cents) VALUES
        (1, 1, 'delivered', 4990),
        (2, 1, 'shipped', 1250),
        (3, 2, 'pending', 8900),
        (4, 3, 'shipped', 3300),
        (5, 3, 'delivered', 1590),
        (6, 4, 'shipped', 12000),
        (7, 4, 'cancelled', 700),
        (8, 5, 'pending', 2450);
";

/// Somebody who buys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Customer {
    /// The number in the books.
    pub id: i64,
    /// The full name.
    pub name: String,
    /// The address for letters.
    pub email: String,
}

/// Something that somebody bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    /// The number in the books.
    pub id: i64,
    /// The number of the customer.
    pub customer_id: i64,
    /// How far it has come, by the name of its status.
    pub status: String,
    /// The price of it all, in cents.
    pub total_cents: i64,
}

/// How far an order has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not sent yet.
    Pending,
    /// On its way.
    Shipped,
    /// Arrived.
    Delivered,
    /// Called off.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Shipped, Self::Delivered, Self::Cancelled];

    /// The word for it, in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status that a word stands for.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Why the data can't be had.
#[derive(Debug, thiserror::Error)]
#[error("the database can't be used: {0}")]
pub struct StoreError(#[from] rusqlite::Error);

/// Where the tools look things up.
pub trait Store: Send {
    /// Makes ready what the first call would otherwise have to wait for.
    fn open(&mut self) -> Result<(), StoreError>;

    /// All customers, by number.
    fn customers(&mut self) -> Result<Vec<Customer>, StoreError>;

    /// How many orders have a status.
    fn count_orders(&mut self, status: Status) -> Result<u32, StoreError>;

    /// The order of that number, if there is one.
    fn order(&mut self, id: i64) -> Result<Option<Order>, StoreError>;

    /// The numbers of all orders, the smallest first.
    fn order_ids(&mut self) -> Result<Vec<i64>, StoreError>;

    /// The statements that made the tables.
    fn schema(&mut self) -> Result<Vec<String>, StoreError>;

    /// All insights, the oldest first.
    fn insights(&mut self) -> Result<Vec<String>, StoreError>;

    /// Writes an insight down.
    fn append_insight(&mut self, text: &str) -> Result<(), StoreError>;
}

/// The data in a SQLite database.
#[derive(Debug)]
pub struct Sqlite {
    file: Option<PathBuf>,
    connection: Option<Connection>,
}

impl Sqlite {
    /// A database in a file, or in memory where none is named. It is filled with five customers and eight orders
    /// if it has no tables yet; one that has tables is never changed.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self { file, connection: None }
    }

    fn connection(&mut self) -> Result<&Connection, StoreError> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            empty => Ok(empty.insert(connect(self.file.as_ref())?)),
        }
    }
}

fn connect(file: Option<&PathBuf>) -> Result<Connection, StoreError> {
    let mut connection = match file {
        Some(file) => Connection::open(file)?,
        None => Connection::open_in_memory()?,
    };
    connection.busy_timeout(BUSY)?;
    if is_new(&connection)? {
        // Two servers may start on one new file: the second waits here, and then finds the tables.
        let seeding = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if is_new(&seeding)? {
            seeding.execute_batch(SCHEMA)?;
        }
        seeding.commit()?;
    }
    Ok(connection)
}

/// The first column of all rows of a query.
fn column<T: rusqlite::types::FromSql>(connection: &Connection, query: &str) -> Result<Vec<T>, StoreError> {
    let mut query = connection.prepare(query)?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn is_new(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

impl Store for Sqlite {
    fn open(&mut self) -> Result<(), StoreError> {
        self.connection().map(drop)
    }

    fn customers(&mut self) -> Result<Vec<Customer>, StoreError> {
        let mut query = self.connection()?.prepare("SELECT id, name, email FROM customers ORDER BY id")?;
        let rows =
            query.query_map([], |row| Ok(Customer { id: row.get(0)?, name: row.get(1)?, email: row.get(2)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn count_orders(&mut self, status: Status) -> Result<u32, StoreError> {
        let query = "SELECT count(*) FROM orders WHERE status = ?1";
        Ok(self.connection()?.query_row(query, [status.name()], |row| row.get(0))?)
    }

    fn order(&mut self, id: i64) -> Result<Option<Order>, StoreError> {
        let query = "SELECT id, customer_id, status, total_cents FROM orders WHERE id = ?1";
        let order = self.connection()?.query_row(query, [id], |row| {
            Ok(Order { id: row.get(0)?, customer_id: row.get(1)?, status: row.get(2)?, total_cents: row.get(3)? })
        });
        Ok(order.optional()?)
    }

    fn order_ids(&mut self) -> Result<Vec<i64>, StoreError> {
        column(self.connection()?, "SELECT id FROM orders ORDER BY id")
    }

    fn schema(&mut self) -> Result<Vec<String>, StoreError> {
        column(self.connection()?, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    }

    fn insights(&mut self) -> Result<Vec<String>, StoreError> {
        let connection = self.connection()?;
        // A database that is not of our making has no such table until somebody writes an insight down.
        if connection.table_exists(None, "insights")? {
            column(connection, "SELECT text FROM insights ORDER BY id")
        } else {
            Ok(Vec::new())
        }
    }

    fn append_insight(&mut self, text: &str) -> Result<(), StoreError> {
        let connection = self.connection()?;
        connection
            .execute_batch("CREATE TABLE IF NOT EXISTS insights (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")?;
        connection.execute("INSERT INTO insights (text) VALUES (?1)", [text])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_database_has_five_customers_and_eight_orders() {
        let mut store = Sqlite::new(None);
        assert_eq!(store.customers().unwrap().len(), 5);
        let counts = Status::ALL.map(|status| store.count_orders(status).unwrap());
        assert_eq!(counts, [2, 3, 2, 1]);
    }

    #[test]
    fn orders_are_found_by_number() {
        let mut store = Sqlite::new(None);
        assert_eq!(store.order_ids().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        let order = store.order(6).unwrap().unwrap();
        assert_eq!((order.customer_id, order.status.as_str(), order.total_cents), (4, "shipped", 12000));
        assert_eq!(store.order(9).unwrap(), None);
    }

    #[test]
    fn insights_are_kept_in_order() {
        let mut store = Sqlite::new(None);
        assert!(store.insights().unwrap().is_empty());
        store.append_insight("Zoë returns").unwrap();
        store.append_insight("so does Ana").unwrap();
        assert_eq!(store.insights().unwrap(), ["Zoë returns", "so does Ana"]);
        assert!(store.schema().unwrap().iter().any(|sql| sql.contains("CREATE TABLE insights")));
    }

    #[test]
    fn a_status_is_known_by_its_name() {
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
        }
        assert_eq!(Status::named("banana"), None);
    }
}
