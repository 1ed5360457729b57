//! What can be read.

use std::num::NonZeroUsize;

use mcp_reference_server::{Config, Revision};
use serde_json::{Value, json};

use crate::client::{Client, code, initialize, ready};

const MODERN: Revision = Revision::V2026_07_28;

fn read(client: &mut Client, revision: Revision, uri: &str) -> Value {
    client.request(revision, "resources/read", json!({ "uri": uri }))
}

#[test]
fn what_is_listed_can_be_read() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let listed = client.request(revision, "resources/list", json!({}))["result"].take();
        assert_eq!(listed.get("ttlMs").is_some(), revision == MODERN);
        let uris: Vec<_> = listed["resources"].as_array().unwrap().iter().map(|entry| entry["uri"].clone()).collect();
        assert_eq!(uris, ["shop://schema", "memo://insights"]);
        for (entry, uri) in listed["resources"].as_array().unwrap().iter().zip(&uris) {
            assert_eq!(entry.get("title").is_some(), revision >= Revision::V2025_06_18);
            let result = read(&mut client, revision, uri.as_str().unwrap())["result"].take();
            assert_eq!(result["contents"][0]["uri"], *uri);
            assert_eq!(result["contents"][0]["mimeType"], entry["mimeType"]);
            assert!(!result["contents"][0]["text"].as_str().unwrap().is_empty());
            assert_eq!(result.get("cacheScope").is_some(), revision == MODERN);
        }
    }
}

#[test]
fn the_schema_is_that_of_the_tables() {
    let answer = read(&mut ready(MODERN), MODERN, "shop://schema");
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("CREATE TABLE customers") && text.contains("CREATE TABLE orders"), "{text}");
}

#[test]
fn an_order_is_read_by_its_number() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let listed = client.request(revision, "resources/templates/list", json!({}))["result"].take();
        assert_eq!(listed["resourceTemplates"][0]["uriTemplate"], "shop://orders/{id}");
        let answer = read(&mut client, revision, "shop://orders/6");
        let order: Value = serde_json::from_str(answer["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((&order["id"], &order["customer_id"]), (&json!(6), &json!(4)));
    }
}

#[test]
fn what_is_not_there_has_the_code_of_its_era() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for uri in ["x-test://no-such-resource", "shop://orders/99", "shop://orders/x", "not a uri", ""] {
            let answer = read(&mut client, revision, uri);
            assert_eq!(code(&answer), if revision == MODERN { -32602 } else { -32002 }, "{uri}");
            assert_eq!(answer["error"]["data"]["uri"], uri);
        }
        for params in [json!({}), json!({ "uri": 5 })] {
            assert_eq!(code(&client.request(revision, "resources/read", params)), -32602);
        }
    }
}

#[test]
fn all_lists_come_in_pages() {
    for revision in Revision::ALL {
        let mut client = Client::of(Config::default().paged(NonZeroUsize::MIN));
        if revision != MODERN {
            client.ask(&initialize(revision.date()));
        }
        for (method, list, total) in [
            ("resources/list", "resources", 2),
            ("resources/templates/list", "resourceTemplates", 1),
            ("prompts/list", "prompts", 2),
        ] {
            let (mut params, mut pages) = (json!({}), 0);
            loop {
                let page = client.request(revision, method, params)["result"].take();
                assert_eq!(page[list].as_array().unwrap().len(), 1);
                pages += 1;
                match page.get("nextCursor") {
                    Some(cursor) => params = json!({ "cursor": cursor }),
                    None => break,
                }
            }
            assert_eq!(pages, total, "{method}");
            for cursor in ["x-test", "tools-0001"] {
                assert_eq!(code(&client.request(revision, method, json!({ "cursor": cursor }))), -32602);
            }
        }
    }
}
