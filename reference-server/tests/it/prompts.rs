//! Prompts, and the completion of what they and the templates take.

use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, code, ready};

fn complete(client: &mut Client, revision: Revision, reference: Value, name: &str, value: &str) -> Value {
    let mut params = json!({ "argument": { "name": name, "value": value } });
    params["ref"] = reference;
    client.request(revision, "completion/complete", params)
}

#[test]
fn what_is_listed_can_be_had() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let listed = client.request(revision, "prompts/list", json!({}))["result"]["prompts"].take();
        let names: Vec<_> = listed.as_array().unwrap().iter().map(|prompt| prompt["name"].clone()).collect();
        assert_eq!(names, ["order-report", "welcome"]);
        assert_eq!(listed[0]["arguments"][0]["required"], true);
        let report = json!({ "name": "order-report", "arguments": { "status": "shipped" } });
        for params in [report, json!({ "name": "welcome" }), json!({ "name": "welcome", "arguments": {} })] {
            let got = client.request(revision, "prompts/get", params)["result"].take();
            assert_eq!(got["messages"][0]["role"], "user");
            assert_eq!(got["messages"][0]["content"]["type"], "text");
            assert!(got.get("ttlMs").is_none());
        }
    }
}

#[test]
fn a_prompt_that_is_not_there_and_arguments_that_do_not_fit_are_refused() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for params in [
            json!({ "name": "x-test-no-such-prompt" }),
            json!({ "name": 5 }),
            json!({}),
            json!({ "name": "order-report" }),
            json!({ "name": "order-report", "arguments": {} }),
            json!({ "name": "order-report", "arguments": { "status": 5 } }),
            json!({ "name": "order-report", "arguments": { "status": "banana" } }),
            json!({ "name": "welcome", "arguments": [] }),
        ] {
            assert_eq!(code(&client.request(revision, "prompts/get", params)), -32602);
        }
    }
}

#[test]
fn a_status_and_an_order_are_completed() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        let prompt = json!({ "type": "ref/prompt", "name": "order-report" });
        let found = complete(&mut client, revision, prompt.clone(), "status", "")["result"]["completion"].take();
        assert_eq!((&found["total"], &found["hasMore"]), (&json!(4), &json!(false)));
        for (typed, values) in [("s", json!(["shipped"])), ("p", json!(["pending", "paid"]))] {
            let found = complete(&mut client, revision, prompt.clone(), "status", typed);
            assert_eq!(found["result"]["completion"]["values"], values);
        }
        let template = json!({ "type": "ref/resource", "uri": "shop://orders/{id}" });
        let found = complete(&mut client, revision, template, "id", "7")["result"]["completion"].take();
        assert_eq!(found["values"], json!(["7"]));
    }
}

#[test]
fn what_can_not_be_completed_is_refused() {
    for revision in Revision::ALL {
        let mut client = ready(revision);
        for (reference, name) in [
            (json!({ "type": "ref/prompt", "name": "x-test" }), "status"),
            (json!({ "type": "ref/prompt", "name": "order-report" }), "x-test"),
            (json!({ "type": "ref/x-test" }), "status"),
            (json!("order-report"), "status"),
        ] {
            assert_eq!(code(&complete(&mut client, revision, reference, name, "")), -32602);
        }
        let reference = json!({ "type": "ref/prompt", "name": "order-report" });
        let params = json!({ "ref": reference });
        assert_eq!(code(&client.request(revision, "completion/complete", params)), -32602);
    }
}
