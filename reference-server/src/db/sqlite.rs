//! The data in a SQLite database.
//!
//! The database is opened when it is first needed. A server whose database is broken still starts, still answers
//! `tools/list`, and says what is wrong to whoever calls a tool; once the file is mended, so is the server.
//!
//! A slow call holds up nobody. In a file, each call has a connection of its own while it runs. In memory, calls take
//! turns at the only one, since they are quick, and somebody else's query, which may not be, gets a copy. Connections
//! that share memory would hold each other up: SQLite has one that writes shut all others out until the slowest has
//! read to its end, and those look only now and then whether it is their turn, until they give up.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row, TransactionBehavior};

use super::model::{Column, Customer, Order, Status, Total};
use super::query::{self, Rows};
use super::seed::SEED;
use super::store::{Store, StoreError};
use crate::clock::Cancel;

/// How long another process may hold the database before a call gives up.
const BUSY: Duration = Duration::from_secs(1);

/// The most connections that are kept for later.
const IDLE: usize = 4;

/// What a connection for somebody else's queries is told first. The bound on memory holds for the whole process.
const READING: &str = "
    PRAGMA query_only = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA hard_heap_limit = 268435456;
";

/// Where a database is.
#[derive(Debug)]
enum Place {
    /// In a file, with connections to it that are not in use.
    File(PathBuf, Mutex<Vec<Connection>>),
    /// In memory, as long as somebody is connected to it.
    Memory(Mutex<Option<Connection>>),
}

/// The data in a SQLite database.
#[derive(Debug)]
pub struct Sqlite(Place);

impl Sqlite {
    /// A database in a file, or in memory where none is named. It is filled with five customers and eight orders
    /// if it has no tables yet; one that has tables is left as it is.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self(match file {
            Some(file) => Place::File(file, Mutex::default()),
            None => Place::Memory(Mutex::default()),
        })
    }

    /// Does something with a connection that nobody else uses meanwhile.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match &self.0 {
            Place::File(file, idle) => {
                let kept = lock(idle).pop();
                let connection = match kept {
                    Some(connection) => connection,
                    None => seeded(connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?)?,
                };
                let done = work(&connection);
                let mut idle = lock(idle);
                if idle.len() < IDLE {
                    idle.push(connection);
                }
                done
            }
            Place::Memory(only) => {
                let mut only = lock(only);
                let connection = match only.take() {
                    Some(connection) => connection,
                    None => seeded(Connection::open_in_memory()?)?,
                };
                work(only.insert(connection))
            }
        }
    }

    /// A connection for somebody else's query.
    fn reading(&self) -> Result<Connection, StoreError> {
        let connection = self.with(|connection| match &self.0 {
            // What is opened for reading only is not made, but by now it is there.
            Place::File(file, _) => Ok(connect(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?),
            Place::Memory(_) => {
                let mut copy = Connection::open_in_memory()?;
                Backup::new(connection, &mut copy)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
                Ok(copy)
            }
        })?;
        connection.execute_batch(READING)?;
        Ok(connection)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Fills a database that has no tables.
fn seeded(mut connection: Connection) -> Result<Connection, StoreError> {
    if is_new(&connection)? {
        // Two servers may start on one new file: the second waits here, and then finds the tables.
        let seeding = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if is_new(&seeding)? {
            seeding.execute_batch(SEED)?;
        }
        seeding.commit()?;
    }
    Ok(connection)
}

fn is_new(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// All rows of a query.
fn rows<T>(
    connection: &Connection,
    query: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut query = connection.prepare(query)?;
    let rows = query.query_map(params, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The first column of all rows of a query.
fn column<T: FromSql>(connection: &Connection, query: &str) -> Result<Vec<T>, StoreError> {
    rows(connection, query, [], |row| row.get(0))
}

impl Store for Sqlite {
    fn open(&self) -> Result<(), StoreError> {
        self.with(|_| Ok(()))
    }

    fn customers(&self) -> Result<Vec<Customer>, StoreError> {
        let query = "SELECT id, name, email FROM customers ORDER BY id";
        self.with(|connection| {
            rows(connection, query, [], |row| Ok(Customer { id: row.get(0)?, name: row.get(1)?, email: row.get(2)? }))
        })
    }

    fn count_orders(&self, status: Status) -> Result<u32, StoreError> {
        let query = "SELECT count(*) FROM orders WHERE status = ?1";
        self.with(|connection| Ok(connection.query_row(query, [status.name()], |row| row.get(0))?))
    }

    fn totals(&self) -> Result<Vec<Total>, StoreError> {
        let query = "SELECT status, count(*), sum(total_cents) FROM orders GROUP BY status ORDER BY status";
        self.with(|connection| {
            rows(connection, query, [], |row| {
                Ok(Total { status: row.get(0)?, orders: row.get(1)?, total_cents: row.get(2)? })
            })
        })
    }

    fn order(&self, id: i64) -> Result<Option<Order>, StoreError> {
        let query = "SELECT id, customer_id, status, total_cents FROM orders WHERE id = ?1";
        self.with(|connection| {
            let order = connection.query_row(query, [id], |row| {
                Ok(Order { id: row.get(0)?, customer_id: row.get(1)?, status: row.get(2)?, total_cents: row.get(3)? })
            });
            Ok(order.optional()?)
        })
    }

    fn order_ids(&self) -> Result<Vec<i64>, StoreError> {
        self.with(|connection| column(connection, "SELECT id FROM orders ORDER BY id"))
    }

    fn delete_order(&self, id: i64) -> Result<bool, StoreError> {
        self.with(|connection| Ok(connection.execute("DELETE FROM orders WHERE id = ?1", [id])? > 0))
    }

    fn schema(&self) -> Result<Vec<String>, StoreError> {
        let query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
        self.with(|connection| column(connection, query))
    }

    fn tables(&self) -> Result<Vec<String>, StoreError> {
        let query = "SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            ORDER BY name";
        self.with(|connection| column(connection, query))
    }

    fn columns(&self, table: &str) -> Result<Vec<Column>, StoreError> {
        let query = "SELECT name, type, \"notnull\" OR pk, pk FROM pragma_table_info(?1) ORDER BY cid";
        self.with(|connection| {
            rows(connection, query, [table], |row| {
                let key = row.get::<_, u32>(3)? > 0;
                Ok(Column { name: row.get(0)?, kind: row.get(1)?, required: row.get(2)?, key })
            })
        })
    }

    fn query(&self, sql: &str, cancel: &Cancel) -> Result<Rows, StoreError> {
        query::run(self.reading()?, sql, cancel)
    }

    fn insights(&self) -> Result<Vec<String>, StoreError> {
        self.with(|connection| {
            // A database that is not of our making has no such table until somebody writes an insight down.
            if connection.table_exists(None, "insights")? {
                column(connection, "SELECT text FROM insights ORDER BY id")
            } else {
                Ok(Vec::new())
            }
        })
    }

    fn append_insight(&self, text: &str) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute_batch(
                "CREATE TABLE IF NOT EXISTS insights (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
            )?;
            connection.execute("INSERT INTO insights (text) VALUES (?1)", [text])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_database_has_five_customers_and_eight_orders() {
        let store = Sqlite::new(None);
        assert_eq!(store.customers().unwrap().len(), 5);
        let counts = Status::ALL.map(|status| store.count_orders(status).unwrap());
        assert_eq!(counts, [1, 4, 2, 1]);
    }

    #[test]
    fn orders_are_found_by_number() {
        let store = Sqlite::new(None);
        assert_eq!(store.order_ids().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        let order = store.order(6).unwrap().unwrap();
        assert_eq!((order.customer_id, order.status.as_str(), order.total_cents), (4, "shipped", 12000));
        assert_eq!(store.order(9).unwrap(), None);
    }

    #[test]
    fn insights_are_kept_in_order() {
        let store = Sqlite::new(None);
        assert!(store.insights().unwrap().is_empty());
        store.append_insight("Zoë returns").unwrap();
        store.append_insight("so does Ana").unwrap();
        assert_eq!(store.insights().unwrap(), ["Zoë returns", "so does Ana"]);
        assert!(store.schema().unwrap().iter().any(|sql| sql.contains("CREATE TABLE insights")));
    }

    #[test]
    fn an_order_is_deleted_once() {
        let store = Sqlite::new(None);
        assert!(store.delete_order(6).unwrap());
        assert!(!store.delete_order(6).unwrap());
        assert_eq!(store.order_ids().unwrap(), [1, 2, 3, 4, 5, 7, 8]);
        let shipped = store.totals().unwrap().pop().unwrap();
        assert_eq!(shipped, Total { status: "shipped".into(), orders: 1, total_cents: 1250 });
    }

    #[test]
    fn tables_and_their_columns_are_told() {
        let store = Sqlite::new(None);
        assert_eq!(store.tables().unwrap(), ["customers", "insights", "orders"]);
        let columns = store.columns("orders").unwrap();
        let id = Column { name: "id".into(), kind: "INTEGER".into(), required: true, key: true };
        assert_eq!((columns.len(), &columns[0]), (4, &id));
        assert!(store.columns("nothing").unwrap().is_empty());
    }

    #[test]
    fn a_query_sees_what_was_written_and_can_write_nothing() {
        let store = Sqlite::new(None);
        store.append_insight("new").unwrap();
        let found = store.query("SELECT text FROM insights", &Cancel::default()).unwrap();
        assert_eq!(found.rows, [["new"]]);
        assert!(store.reading().unwrap().execute_batch("DELETE FROM orders").is_err());
        assert_eq!(store.order_ids().unwrap().len(), 8);
    }

    #[test]
    fn a_query_can_not_have_all_the_memory() {
        let store = Sqlite::new(None);
        for sql in [
            "SELECT length(hex(randomblob(900000000)))",
            "SELECT zeroblob(900000000)",
            "SELECT * FROM (SELECT zeroblob(900000000) UNION ALL SELECT 1)",
            "SELECT max(x), 1 FROM (SELECT zeroblob(900000000) AS x)",
        ] {
            let told = store.query(sql, &Cancel::default()).unwrap_err().to_string();
            assert!(told.contains("too long"), "{told}");
        }
        let many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 9000)
            SELECT x FROM n ORDER BY randomblob(200000)";
        let told = store.query(many, &Cancel::default()).unwrap_err().to_string();
        assert!(told.contains("memory"), "{told}");
        assert_eq!(store.customers().unwrap().len(), 5);
    }

    #[test]
    fn a_query_in_memory_that_has_not_ended_holds_up_nobody() {
        let store = Sqlite::new(None);
        let reading = store.reading().unwrap();
        let mut query = reading.prepare("SELECT id FROM orders").unwrap();
        let mut found = query.query([]).unwrap();
        assert!(found.next().unwrap().is_some());
        store.append_insight("meanwhile").unwrap();
        assert_eq!(store.insights().unwrap(), ["meanwhile"]);
        assert!(found.next().unwrap().is_some());
    }

    #[test]
    fn many_readers_and_writers_share_a_database_in_memory() {
        let store = Sqlite::new(None);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    store.append_insight(&number.to_string()).unwrap();
                    store.query("SELECT * FROM orders, customers", &Cancel::default()).unwrap();
                });
            }
        });
        assert_eq!(store.insights().unwrap().len(), 8);
    }
}
