//! The Rust SDK's client: asks the server what it speaks, and takes the newest revision.

use std::error::Error;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, GetPromptRequestParams, GetPromptResult, Implementation, JsonObject,
    ListToolsResult, ProtocolVersion, ReadResourceRequestParams, ReadResourceResult,
};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args_os().nth(1).ok_or("usage: rust-client SERVER")?;
    let newest = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let client = ().serve_with_lifecycle(TokioChildProcess::new(Command::new(server))?, newest).await?;

    check_tools(&client.list_tools(None).await?);
    let text = CallToolRequestParams::new("count_orders").with_arguments(argument("status", "paid"));
    check_text(&client.call_tool(text).await?);
    let sql = "SELECT count(*) AS n FROM orders";
    let structure = CallToolRequestParams::new("read_query").with_arguments(argument("sql", sql));
    check_structure(&client.call_tool(structure).await?);
    check_resource(&client.read_resource(ReadResourceRequestParams::new("shop://schema")).await?);
    let prompt = GetPromptRequestParams::new("order-report").with_arguments(argument("status", "shipped"));
    check_prompt(&client.get_prompt(prompt).await?);

    let revision = client.peer_info().ok_or("the server has not said who it is")?.protocol_version.clone();
    client.cancel().await?;
    // The SDK would call itself so in a handshake; its crate tells its version nowhere else.
    println!("rust {} ({revision})", Implementation::from_build_env().version);
    Ok(())
}

fn argument(name: &str, value: &str) -> JsonObject {
    JsonObject::from_iter([(name.into(), json!(value))])
}

fn check_tools(result: &ListToolsResult) {
    let names: Vec<_> = result.tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert!(names.contains(&"read_query") && names.contains(&"count_orders"), "{names:?}");
}

fn check_text(result: &CallToolResult) {
    let shown = json!(result);
    assert_ne!(shown["isError"], true, "{shown}");
    assert_eq!(shown["content"], json!([{ "type": "text", "text": "4" }]));
    assert_eq!(shown.get("structuredContent"), None);
}

fn check_structure(result: &CallToolResult) {
    let shown = json!(result);
    assert_ne!(shown["isError"], true, "{shown}");
    assert_eq!(shown["structuredContent"], json!({ "columns": ["n"], "rows": [[8]], "truncated": false }));
    let text: Value = serde_json::from_str(shown["content"][0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(text, shown["structuredContent"]);
}

fn check_resource(result: &ReadResourceResult) {
    let shown = json!(result);
    assert_eq!(shown["contents"][0]["uri"], "shop://schema");
    assert_eq!(shown["contents"][0]["mimeType"], "application/sql");
    assert!(shown["contents"][0]["text"].as_str().expect("a text").starts_with("CREATE TABLE customers "), "{shown}");
}

fn check_prompt(result: &GetPromptResult) {
    let shown = json!(result);
    assert_eq!(shown["description"], "A report on shipped orders");
    assert_eq!(shown["messages"][0]["role"], "user");
    assert!(shown["messages"][0]["content"]["text"].as_str().expect("a text").contains("shipped orders"), "{shown}");
}
