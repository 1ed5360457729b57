//! Helpers of tests: the JSON schemas that the project keeps for editors and other tools.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde_json::{Map, Value};

fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The schema of a type, which the file at this path must hold; `UPDATE_SCHEMAS=1` writes it anew.
pub(crate) fn assert_schema<T: JsonSchema>(path: &str) -> Value {
    let schema = schemars::schema_for!(T);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let file = in_project(path);
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "{path} is stale; run the tests with UPDATE_SCHEMAS=1");
    schema.to_value()
}

/// Fails with the first places where a value breaks a schema.
pub(crate) fn assert_valid(schema: &Value, value: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// A TOML text as the value that an editor checks against a schema.
pub(crate) fn json_of_toml(text: &str) -> Value {
    table(toml::from_str(text).unwrap())
}

fn table(table: toml::Table) -> Value {
    Value::Object(table.into_iter().map(|(key, value)| (key, json(value))).collect::<Map<_, _>>())
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::Table(members) => table(members),
        toml::Value::Array(values) => Value::Array(values.into_iter().map(json).collect()),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        plain => serde_json::to_value(plain).unwrap(),
    }
}
