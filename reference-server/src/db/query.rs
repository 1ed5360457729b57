//! Queries that somebody else wrote: one `SELECT` statement, which changes nothing and can be stopped.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Row, Statement};
use serde::Serialize;
use serde_json::{Value, json};

use super::store::StoreError;
use crate::clock::Cancel;

/// The most rows of an answer.
pub(crate) const MOST_ROWS: usize = 200;

/// About how large an answer may become, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// The most bytes of one value that a query works with: an answer has no room for a longer one, and some functions
/// of SQL take a time that grows with the square of it, in which SQLite can't be interrupted.
const LONGEST_VALUE: i32 = 256 << 10;

/// The most bytes of a pattern for `LIKE`, for the same reason.
const LONGEST_PATTERN: i32 = 1000;

/// How long a query that is to stop may go on before nobody waits for it any more.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often a query that is to stop is told so again. SQLite forgets what it is told before a query runs.
const REMINDER: Duration = Duration::from_millis(2);

/// What a query has found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with one value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Whether there are more rows than these.
    pub truncated: bool,
}

/// Runs one query on a connection that is open for reading only, and that nobody else uses.
pub(super) fn run(connection: Connection, sql: &str, cancel: &Cancel) -> Result<Rows, StoreError> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN)?;
    let sql = sql.to_owned();
    watched(connection, cancel, move |connection| select(connection, &sql))
}

fn select(connection: &Connection, sql: &str) -> Result<Rows, StoreError> {
    if !begins_a_query(sql) {
        return Err(StoreError::Forbidden("it must be a SELECT statement"));
    }
    if sql.contains('\0') {
        return Err(StoreError::Forbidden("it must not hold a NUL character"));
    }
    let mut statements = Batch::new(connection, sql);
    let first = statements.next().map_err(StoreError::of_query)?;
    let mut statement = first.ok_or(StoreError::Forbidden("it must be a SELECT statement"))?;
    if !matches!(statements.next(), Ok(None)) {
        return Err(StoreError::Forbidden("it must be one statement only"));
    }
    if !statement.readonly() || statement.is_explain() != 0 || statement.column_count() == 0 {
        return Err(StoreError::Forbidden("it must be a SELECT statement, which changes nothing"));
    }
    collect(&mut statement)
}

/// Whether a statement begins as queries do. What it does then is for SQLite to say: `WITH` may begin others too,
/// but `PRAGMA` and `ATTACH` count as harmless there, and are not.
fn begins_a_query(sql: &str) -> bool {
    let mut rest = sql.trim_start();
    loop {
        rest = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start()
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest).trim_start()
        } else {
            break;
        };
    }
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    ["select", "with", "values"].contains(&word.to_ascii_lowercase().as_str())
}

fn collect(statement: &mut Statement<'_>) -> Result<Rows, StoreError> {
    let columns: Vec<String> = statement.column_names().map(ToOwned::to_owned).collect();
    let mut found = Rows { columns, rows: Vec::new(), truncated: false };
    let mut size = 0;
    let mut rows = statement.query([]).map_err(StoreError::of_query)?;
    while let Some(row) = rows.next().map_err(StoreError::of_query)? {
        let values = read(row, found.columns.len(), MOST_BYTES - size)?;
        match values {
            Some((values, bytes)) if found.rows.len() < MOST_ROWS => {
                size += bytes;
                found.rows.push(values);
            }
            _ => {
                found.truncated = true;
                break;
            }
        }
    }
    Ok(found)
}

/// The values of a row, and about how many bytes they are. `None` where they are more than there is room for.
fn read(row: &Row<'_>, columns: usize, room: usize) -> Result<Option<(Vec<Value>, usize)>, StoreError> {
    let mut values = Vec::new();
    let mut bytes = 0_usize;
    for column in 0..columns {
        let value = row.get_ref(column).map_err(StoreError::of_query)?;
        bytes += match value {
            ValueRef::Text(text) => text.len(),
            ValueRef::Blob(blob) => 2 * blob.len(),
            _ => 8,
        };
        if bytes > room {
            return Ok(None);
        }
        values.push(to_json(value));
    }
    Ok(Some((values, bytes)))
}

/// A value as JSON. What JSON has no numbers or strings for becomes text that SQL would read.
fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) if number.is_finite() => json!(number),
        ValueRef::Real(number) => json!(if number > 0.0 { "9e999" } else { "-9e999" }),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Blob(blob) => {
            json!(format!("x'{}'", blob.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
        }
    }
}

/// Does work on a connection in a thread of its own, and interrupts that when it is called off. Work that does not
/// heed this is left alone: it ends when it comes to where SQLite looks again, and its connection with it.
fn watched<T: Send + 'static>(
    connection: Connection,
    cancel: &Cancel,
    work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    /// Says, at the latest when it is dropped, that the work is over.
    struct Over(Arc<AtomicBool>, Cancel);
    impl Drop for Over {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
            self.1.wake();
        }
    }
    let over = Arc::new(AtomicBool::new(false));
    let is_over = || over.load(Ordering::SeqCst);
    let handle = connection.get_interrupt_handle();
    let end = Over(Arc::clone(&over), cancel.clone());
    let task = move || {
        let _end = end;
        work(&connection)
    };
    let worker = thread::Builder::new().name("query".into()).spawn(task).map_err(StoreError::Unwatched)?;
    cancel.wait(is_over);
    let called_off = Instant::now();
    while !is_over() {
        if called_off.elapsed() > PATIENCE {
            return Err(StoreError::Stopped);
        }
        handle.interrupt();
        thread::park_timeout(REMINDER);
    }
    worker.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn run(sql: &str) -> Result<Rows, StoreError> {
        super::run(Connection::open_in_memory().unwrap(), sql, &Cancel::default())
    }

    #[test]
    fn one_select_is_run() {
        let found = run("-- all of it\n/* ; */ SELECT 1 AS one, 'é', NULL, 0.5, x'0aFF', -9e999; -- done").unwrap();
        assert_eq!(found.columns[0], "one");
        assert_eq!(found.rows, [[json!(1), json!("é"), json!(null), json!(0.5), json!("x'0aff'"), json!("-9e999")]]);
        assert!(!found.truncated);
        assert_eq!(run("with t(x) as (values (1), (2)) select sum(x) from t").unwrap().rows, [[json!(3)]]);
    }

    #[test]
    fn anything_else_is_refused() {
        for sql in [
            "",
            ";",
            "--",
            "/* SELECT 1",
            "DELETE FROM t",
            "CREATE TABLE t (x)",
            "PRAGMA query_only = OFF",
            "PRAGMA user_version",
            "ATTACH 'x.db' AS x",
            "EXPLAIN SELECT 1",
            "BEGIN",
            "VACUUM",
            "SELECT 1; SELECT 2",
            "SELECT 1; DELETE FROM t",
            "SELECT 1; nonsense",
            "SELECT 1\0",
            &"SELECT 1;".repeat(10_000),
        ] {
            assert!(matches!(run(sql), Err(StoreError::Forbidden(_))), "{sql}");
        }
    }

    #[test]
    fn a_statement_that_only_begins_as_a_query_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
        for sql in [
            "WITH a AS (SELECT 1) DELETE FROM t",
            "WITH a AS (SELECT 1) INSERT INTO t SELECT 2 RETURNING x",
            "WITH a AS (SELECT 1) UPDATE t SET x = 2 RETURNING x",
        ] {
            let refused = select(&connection, sql);
            assert!(matches!(refused, Err(StoreError::Forbidden(_))), "{sql}");
        }
        let left: Vec<Vec<Value>> = select(&connection, "SELECT x FROM t").unwrap().rows;
        assert_eq!(left, [[json!(1)]]);
    }

    #[test]
    fn a_wrong_query_is_told_in_few_words() {
        let told = run("SELECT x FROM nowhere").unwrap_err().to_string();
        assert_eq!(told, "the query failed: no such table: nowhere");
        assert!(run("SELECT FROM").unwrap_err().to_string().contains("syntax error"));
    }

    #[test]
    fn an_answer_has_an_end() {
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
        let found = run(endless).unwrap();
        assert!(found.truncated && found.rows.len() == MOST_ROWS);
        let found = run(&format!("{endless} LIMIT {MOST_ROWS}")).unwrap();
        assert!(!found.truncated && found.rows.len() == MOST_ROWS);
        let found = run("SELECT zeroblob(100000) UNION ALL SELECT zeroblob(100000)").unwrap();
        assert!(found.truncated && found.rows.len() == 1);
    }

    #[test]
    fn a_query_that_would_never_end_is_stopped() {
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
        let connection = || Connection::open_in_memory().unwrap();
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(matches!(super::run(connection(), endless, &cancel), Err(StoreError::Stopped)));
        let cancel = Cancel::limited(Duration::from_millis(20));
        cancel.begin();
        let began = Instant::now();
        assert!(matches!(super::run(connection(), endless, &cancel), Err(StoreError::Stopped)));
        assert!(began.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn nobody_waits_for_work_that_can_not_be_interrupted() {
        let (go_on, gate) = mpsc::channel::<()>();
        let cancel = Cancel::limited(Duration::from_millis(20));
        cancel.begin();
        let deaf = move |_: &Connection| gate.recv().map_err(|_| StoreError::Stopped);
        let left = watched(Connection::open_in_memory().unwrap(), &cancel, deaf);
        assert!(matches!(left, Err(StoreError::Stopped)));
        drop(go_on);
    }

    #[test]
    fn a_value_is_as_long_as_an_answer_may_be_at_most() {
        for sql in ["SELECT length(zeroblob(262145))", "SELECT 'x' LIKE printf('%.1001c', 'x')"] {
            assert!(matches!(run(sql), Err(StoreError::Wrong(_))), "{sql}");
        }
        assert_eq!(run("SELECT length(zeroblob(262144))").unwrap().rows, [[json!(262_144)]]);
    }
}
