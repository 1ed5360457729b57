//! Makes a database: what `init-db` does.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

/// What a database is filled with where nothing else is wanted.
pub(super) const SEED: &str = include_str!("../../seed.sql");

/// Queries that must make sense in a database that the tools can work with.
const NEEDED: [(&str, &str); 2] = [
    ("customers", "SELECT id, name, email FROM customers"),
    ("orders", "SELECT id, customer_id, status, total_cents FROM orders"),
];

/// Why no database was made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unseeded {
    /// There is something already.
    #[error("{} exists already, and was left as it is; remove it first", .0.display())]
    Exists(PathBuf),
    /// The seed can't be read.
    #[error("the seed {} can't be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// The seed is no SQL script, or fails.
    #[error("the seed fails: {0}")]
    Fails(rusqlite::Error),
    /// The seed makes a database that the tools can't work with.
    #[error("the seed makes no usable table {0}: {1}")]
    Lacks(&'static str, rusqlite::Error),
    /// The seed takes into its own hands what makes a failure harmless.
    #[error("the seed must not begin or end transactions")]
    Commits,
    /// The file can't be written.
    #[error("{} can't be made: {}", .0.display(), .1)]
    Unwritable(PathBuf, Box<dyn std::error::Error>),
}

/// Makes a database from a seed, or from ours where none is named. A file is there in the end only if all went well.
pub(crate) fn init(file: &Path, seed: Option<&Path>) -> Result<(), Unseeded> {
    let script = match seed {
        Some(seed) => fs::read_to_string(seed).map_err(|error| Unseeded::Unreadable(seed.into(), error))?,
        None => SEED.into(),
    };
    if fs::metadata(file).is_ok_and(|found| found.len() > 0 || found.is_dir()) {
        return Err(Unseeded::Exists(file.into()));
    }
    let mut draft = file.to_owned().into_os_string();
    draft.push(format!(".new-{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let made =
        fill(&draft, &script, file).and_then(|()| fs::rename(&draft, file).map_err(|error| unwritable(file, error)));
    if made.is_err() {
        // What can't be removed either is only a leftover.
        let _ = fs::remove_file(&draft);
    }
    made
}

fn fill(draft: &Path, script: &str, file: &Path) -> Result<(), Unseeded> {
    let mut connection = Connection::open(draft).map_err(|error| unwritable(file, error))?;
    let seeding = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| unwritable(file, error))?;
    seeding.execute_batch(script).map_err(Unseeded::Fails)?;
    if seeding.is_autocommit() {
        return Err(Unseeded::Commits);
    }
    for (table, query) in NEEDED {
        seeding.prepare(query).map_err(|error| Unseeded::Lacks(table, error))?;
    }
    seeding.commit().map_err(|error| unwritable(file, error))?;
    connection.close().map_err(|(_, error)| unwritable(file, error))
}

fn unwritable(file: &Path, error: impl std::error::Error + 'static) -> Unseeded {
    Unseeded::Unwritable(file.into(), Box::new(error))
}
