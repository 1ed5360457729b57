//! Everything that the server says, against the protocol's own schemas.
//!
//! These are not part of this repository. Where `MCP_SCHEMA_DIR` names a directory that holds them, one file for
//! each revision (`2025-11-25.json`), the test compares; elsewhere it says that it did not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use mcp_reference_server::Revision;
use serde_json::{Value, json};

use crate::client::{Client, modern_meta, parse};

/// The schema of one revision.
struct Schema {
    whole: Value,
    definitions: &'static str,
    compiled: BTreeMap<String, Validator>,
}

impl Schema {
    fn read(directory: &Path, revision: Revision) -> Self {
        let file = directory.join(format!("{}.json", revision.date()));
        let whole: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let definitions = if whole.get("$defs").is_some() { "$defs" } else { "definitions" };
        Self { whole, definitions, compiled: BTreeMap::new() }
    }

    fn check(&mut self, definition: &str, value: &Value) {
        let validator = self.compiled.entry(definition.into()).or_insert_with(|| {
            assert!(self.whole[self.definitions].get(definition).is_some(), "there is no {definition}");
            let mut schema = self.whole.clone();
            schema["$ref"] = format!("#/{}/{definition}", self.definitions).into();
            jsonschema::validator_for(&schema).unwrap()
        });
        let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{definition}: {errors:?}\n{value}");
    }
}

/// A client that checks all that it hears.
struct Checker {
    client: Client,
    revision: Revision,
    schema: Schema,
    /// The methods of the requests that were sent, by their ids.
    asked: Vec<&'static str>,
    heard: usize,
}

fn capabilities() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {} })
}

impl Checker {
    /// Sends a request, and answers what the server itself asks.
    fn ask(&mut self, method: &'static str, mut params: Value) -> Value {
        if self.revision == Revision::V2026_07_28 {
            let mut meta = modern_meta();
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities();
            meta["io.modelcontextprotocol/logLevel"] = "debug".into();
            params["_meta"] = meta;
        }
        if method == "tools/call" {
            params["_meta"]["progressToken"] = "token".into();
        }
        let id = self.asked.len();
        self.asked.push(method);
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.client.say(&request.to_string());
        self.check().unwrap_or_default()
    }

    fn check(&mut self) -> Option<Value> {
        let mut last = None;
        while let Some(line) = self.client.heard.get(self.heard) {
            self.heard += 1;
            let message = parse(line);
            if message.get("method").is_none() {
                self.response(&message);
            } else if message.get("id").is_some() {
                self.request(&message);
            } else {
                self.notification(&message);
            }
            last = Some(message);
        }
        last
    }

    fn response(&mut self, message: &Value) {
        if message.get("error").is_some() {
            let error = match (message["error"]["code"].as_i64(), self.revision) {
                (Some(-32021), _) => "MissingRequiredClientCapabilityError",
                (_, Revision::V2025_11_25 | Revision::V2026_07_28) => "JSONRPCErrorResponse",
                _ => "JSONRPCError",
            };
            return self.schema.check(error, message);
        }
        let result = &message["result"];
        let method = self.asked[usize::try_from(message["id"].as_u64().unwrap()).unwrap()];
        let definition = match method {
            "tools/call" if result["resultType"] == "input_required" => "InputRequiredResult",
            "tools/call" if result.get("task").is_some() => "CreateTaskResult",
            "tools/call" | "tasks/result" => "CallToolResult",
            "initialize" => "InitializeResult",
            "server/discover" => "DiscoverResult",
            "tools/list" => "ListToolsResult",
            "resources/list" => "ListResourcesResult",
            "resources/templates/list" => "ListResourceTemplatesResult",
            "resources/read" => "ReadResourceResult",
            "prompts/list" => "ListPromptsResult",
            "prompts/get" => "GetPromptResult",
            "completion/complete" => "CompleteResult",
            "tasks/get" => "GetTaskResult",
            "tasks/list" => "ListTasksResult",
            "tasks/cancel" => "CancelTaskResult",
            "subscriptions/listen" => "SubscriptionsListenResult",
            _ => "Result",
        };
        self.schema.check(definition, result);
    }

    fn request(&mut self, message: &Value) {
        let (definition, said) = match message["method"].as_str().unwrap() {
            "roots/list" => ("ListRootsRequest", json!({ "roots": [] })),
            "elicitation/create" => ("ElicitRequest", json!({ "action": "accept", "content": { "confirm": true } })),
            _ => {
                let content = json!({ "type": "text", "text": "hello" });
                ("CreateMessageRequest", json!({ "role": "assistant", "model": "m", "content": content }))
            }
        };
        self.schema.check(definition, message);
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": said });
        self.client.say(&answer.to_string());
    }

    fn notification(&mut self, message: &Value) {
        let definition = match message["method"].as_str().unwrap() {
            "notifications/message" => "LoggingMessageNotification",
            "notifications/progress" => "ProgressNotification",
            "notifications/tools/list_changed" => "ToolListChangedNotification",
            "notifications/resources/updated" => "ResourceUpdatedNotification",
            "notifications/tasks/status" => "TaskStatusNotification",
            "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
            other => panic!("nobody wanted {other}"),
        };
        self.schema.check(definition, message);
    }

    /// Opens the session, where there is one, and asks for all that both eras have.
    fn run(&mut self) {
        if self.revision == Revision::V2026_07_28 {
            self.ask("server/discover", json!({}));
            let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["memo://insights"] });
            self.ask("subscriptions/listen", json!({ "notifications": filter }));
        } else {
            let client = json!({ "name": "test", "version": "0" });
            let offer = json!({
                "protocolVersion": self.revision.date(), "capabilities": capabilities(), "clientInfo": client,
            });
            self.ask("initialize", offer);
            self.ask("resources/subscribe", json!({ "uri": "memo://insights" }));
            self.ask("logging/setLevel", json!({ "level": "debug" }));
        }
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "x-test/none"] {
            self.ask(method, json!({}));
        }
        for uri in ["shop://schema", "memo://insights", "shop://orders/3", "x-test://none"] {
            self.ask("resources/read", json!({ "uri": uri }));
        }
        self.ask("prompts/get", json!({ "name": "welcome" }));
        self.ask("prompts/get", json!({ "name": "order-report", "arguments": { "status": "pending" } }));
        let reference = json!({ "type": "ref/resource", "uri": "shop://orders/{id}" });
        let argument = json!({ "name": "id", "value": "" });
        self.ask("completion/complete", json!({ "ref": reference, "argument": argument }));
    }

    /// Calls each tool.
    fn calls(&mut self) {
        for (name, arguments) in [
            ("list_customers", json!({})),
            ("count_orders", json!({ "status": "pending" })),
            ("count_orders", json!({ "status": "banana" })),
            ("wait", json!({ "ms": 5 })),
            ("show_roots", json!({})),
            ("ask_model", json!({ "prompt": "Say hello." })),
            ("append_insight", json!({ "text": "Ana pays late." })),
            ("delete_order", json!({ "id": 3 })),
            ("read_query", json!({ "sql": "SELECT * FROM orders" })),
            ("list_tables", json!({})),
            ("describe_table", json!({ "name": "orders" })),
            ("slow_report", json!({ "seconds": 1 })),
            ("publish", json!({ "name": "greet" })),
            ("greet", json!({})),
        ] {
            self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        }
    }

    fn tasks(&mut self) {
        let call = json!({ "name": "wait", "arguments": { "ms": 5 }, "task": {} });
        self.ask("tools/call", call);
        let listed = self.ask("tasks/list", json!({}));
        let id = &listed["result"]["tasks"][0]["taskId"];
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            self.ask(method, json!({ "taskId": id }));
        }
    }
}

#[test]
fn all_that_is_said_keeps_to_the_schemas() {
    let Some(directory) = std::env::var_os("MCP_SCHEMA_DIR").map(PathBuf::from) else {
        println!("not compared: MCP_SCHEMA_DIR names no directory with the protocol's schemas");
        return;
    };
    for revision in Revision::ALL {
        let schema = Schema::read(&directory, revision);
        let mut checker = Checker { client: Client::new(), revision, schema, asked: Vec::new(), heard: 0 };
        checker.run();
        checker.calls();
        if revision == Revision::V2025_11_25 {
            checker.tasks();
        }
        checker.client.end();
        checker.check();
        assert!(checker.heard >= checker.asked.len(), "{} messages", checker.heard);
    }
}
