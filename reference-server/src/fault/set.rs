//! Faults made of data: a member of a message that is set, or left out.

use serde_json::Value;

/// Sets one member of all messages of a method, which is also that of a response's request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Set {
    method: String,
    path: Vec<String>,
    /// What it is set to. `None` leaves it out.
    value: Option<Value>,
}

impl Set {
    /// Reads `METHOD:/pointer=JSON` or `METHOD:/pointer`. The method `*` stands for all.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (method, rest) = text.split_once(":/").ok_or("it is set:METHOD:/pointer=JSON, or without =JSON")?;
        let (pointer, value) = match rest.split_once('=') {
            None => (rest, None),
            Some((pointer, value)) => {
                let value = serde_json::from_str(value).map_err(|error| format!("{value:?} is no JSON: {error}"))?;
                (pointer, Some(value))
            }
        };
        let path = pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        Ok(Self { method: method.into(), path, value })
    }

    /// Changes a message, if it is of the method and has a place for the member.
    pub(crate) fn apply(&self, method: &str, message: &mut Value) {
        let Some((last, parents)) = self.path.split_last() else {
            return;
        };
        if self.method != "*" && self.method != method {
            return;
        }
        let parent = parents.iter().try_fold(message, |value, step| match value {
            Value::Object(members) => members.get_mut(step),
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        });
        match (parent, &self.value) {
            (Some(Value::Object(members)), Some(value)) => drop(members.insert(last.clone(), value.clone())),
            (Some(Value::Object(members)), None) => drop(members.remove(last)),
            (Some(Value::Array(items)), value) => change(items, last, value.as_ref()),
            _ => {}
        }
    }
}

/// Changes an item of an array. The index `-` is the one behind the last.
fn change(items: &mut Vec<Value>, index: &str, value: Option<&Value>) {
    let index = if index == "-" { Some(items.len()) } else { index.parse().ok() };
    match (index, value) {
        (Some(index), Some(value)) if index == items.len() => items.push(value.clone()),
        (Some(index), Some(value)) => items.get_mut(index).into_iter().for_each(|item| *item = value.clone()),
        (Some(index), None) if index < items.len() => drop(items.remove(index)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn applied(text: &str, method: &str) -> Value {
        let mut message = json!({ "id": 1, "result": { "tools": [{ "name": "a" }], "a/b": 5 } });
        Set::parse(text).unwrap().apply(method, &mut message);
        message
    }

    #[test]
    fn a_member_is_set_added_or_left_out() {
        assert_eq!(applied("m:/id=\"1\"", "m")["id"], "1");
        assert_eq!(applied("m:/result/tools/0/name=null", "m")["result"]["tools"], json!([{ "name": null }]));
        assert_eq!(applied("m:/result/tools/-={\"x\":\"=\"}", "m")["result"]["tools"][1], json!({ "x": "=" }));
        assert_eq!(applied("m:/result/tools/0", "m")["result"]["tools"], json!([]));
        assert_eq!(applied("m:/result/a~1b", "m")["result"].get("a/b"), None);
    }

    #[test]
    fn messages_without_the_place_stay_as_they_are() {
        let same = applied("other:/id=2", "m");
        assert_eq!(same["id"], 1);
        assert_eq!(applied("m:/error/code=1", "m"), same);
        assert_eq!(applied("*:/id=2", "m")["id"], 2);
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for wrong in ["", "ping", "ping/id=1", "ping:/id={"] {
            assert!(Set::parse(wrong).is_err(), "{wrong}");
        }
    }
}
