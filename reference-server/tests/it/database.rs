//! Databases in files: new, known, and broken ones.

use std::fs;

use mcp_reference_server::{Config, Revision, Sqlite, Status, Store, World};
use serde_json::json;

use crate::client::{Client, NoTime};
use crate::directory::Directory;

#[test]
fn a_missing_file_is_made_once() {
    let directory = Directory::new("missing");
    let file = directory.file("shop.db");
    assert_eq!(Sqlite::new(Some(file.clone())).customers().unwrap().len(), 5);
    assert!(file.exists());
    let again = Sqlite::new(Some(file));
    assert_eq!(again.customers().unwrap().len(), 5);
    assert_eq!(again.count_orders(Status::Paid).unwrap(), 4);
}

#[test]
fn a_file_that_has_tables_is_left_alone() {
    let directory = Directory::new("foreign");
    let file = directory.file("other.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("CREATE TABLE customers (id INTEGER, name TEXT, email TEXT)").unwrap();
    let store = Sqlite::new(Some(file));
    assert!(store.customers().unwrap().is_empty());
    assert!(store.count_orders(Status::Shipped).unwrap_err().to_string().contains("orders"));
    let tables: u32 = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn a_broken_file_is_told_by_calls_until_it_is_mended() {
    let directory = Directory::new("broken");
    let file = directory.file("broken.db");
    fs::write(&file, "this is no database at all, not even a little one".repeat(99)).unwrap();
    for revision in Revision::ALL {
        let world = World::new(Sqlite::new(Some(file.clone())), NoTime);
        let mut client = Client::with(Config::default(), world);
        if revision != Revision::V2026_07_28 {
            client.ask(&crate::client::initialize(revision.date()));
        }
        let answer = client.call(revision, "list_customers", json!({}));
        assert_eq!(answer["result"]["isError"], json!(true));
        assert!(answer["result"].get("structuredContent").is_none());
        assert!(client.request(revision, "tools/list", json!({})).get("result").is_some());
    }
    let store = Sqlite::new(Some(file.clone()));
    assert!(store.customers().is_err());
    fs::remove_file(&file).unwrap();
    assert_eq!(store.customers().unwrap().len(), 5);
}

#[test]
fn a_directory_that_does_not_exist_is_told_by_calls() {
    let directory = Directory::new("nowhere");
    assert!(Sqlite::new(Some(directory.file("no/such/shop.db"))).open().is_err());
}
