//! Who wants to hear of changes.
//!
//! In the legacy era the session as a whole does, of each resource that it subscribed to. In the modern era each
//! open `subscriptions/listen` does, of what its filter names, and what it hears carries its id.

use std::collections::BTreeSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::identity::implementation;
use crate::failure::Failure;
use crate::job::Change;
use crate::json::{self, Kind};
use crate::message::Id;
use crate::reply;
use crate::resources;
use crate::revision::Revision;

/// The most subscriptions of each kind, and the most resources that one filter may name.
const MOST: usize = 256;

/// What one subscription wants to hear of, of all that can happen here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    tools: bool,
    resources: Vec<String>,
}

impl Filter {
    /// Reads the filter of a `subscriptions/listen`. What can't change here is left out.
    pub(crate) fn read(params: Option<&RawValue>) -> Result<Self, Failure> {
        let filter = params.and_then(|params| json::members(params, ["notifications"])).and_then(|[filter]| filter);
        let names = ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"];
        let [tools, prompts, lists, uris] = filter
            .and_then(|filter| json::members(filter, names))
            .ok_or_else(|| Failure::invalid_params("notifications must be an object"))?;
        let tools = flag(tools)?;
        flag(prompts)?;
        flag(lists)?;
        let uris = uris.map_or(Some(Vec::new()), |uris| json::elements(uris, MOST));
        let uris: Option<Vec<String>> = uris.and_then(|uris| uris.into_iter().map(json::string).collect());
        let mut resources = uris.ok_or_else(|| {
            Failure::invalid_params(format_args!("resourceSubscriptions must be an array of at most {MOST} URIs"))
        })?;
        resources.retain(|uri| resources::locate(uri).is_some());
        Ok(Self { tools, resources })
    }

    /// The filter as the client is told of it: only what it asked for and can get.
    fn describe(&self) -> Value {
        let mut filter = Map::new();
        if self.tools {
            filter.insert("toolsListChanged".into(), true.into());
        }
        if !self.resources.is_empty() {
            filter.insert("resourceSubscriptions".into(), json!(self.resources));
        }
        Value::Object(filter)
    }

    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Resource(uri) => self.resources.contains(uri),
        }
    }
}

fn flag(value: Option<&RawValue>) -> Result<bool, Failure> {
    match value.map(|value| (json::kind(value), value.get())) {
        None => Ok(false),
        Some((Kind::Bool, text)) => Ok(text == "true"),
        Some(_) => Err(Failure::invalid_params("what to notify of must be true or false")),
    }
}

/// All subscriptions.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    legacy: BTreeSet<String>,
    listening: Vec<(Id, Filter)>,
}

impl Subscriptions {
    /// Subscribes the legacy session to a resource.
    pub(crate) fn subscribe(&mut self, uri: String) -> Result<(), Failure> {
        if self.legacy.len() >= MOST && !self.legacy.contains(&uri) {
            return Err(Failure::internal(format_args!("{MOST} resources are subscribed to, and no more can be")));
        }
        self.legacy.insert(uri);
        Ok(())
    }

    /// Ends such a subscription. One that is not there has ended already.
    pub(crate) fn unsubscribe(&mut self, uri: &str) {
        self.legacy.remove(uri);
    }

    /// Forgets all subscriptions of the legacy session, since another one begins.
    pub(crate) fn restart(&mut self) {
        self.legacy.clear();
    }

    /// Opens a subscription of the modern era, and returns the line that acknowledges it.
    pub(crate) fn listen(&mut self, id: &Id, filter: Filter) -> Result<Vec<u8>, Failure> {
        if self.listening.len() == MOST {
            return Err(Failure::internal(format_args!("{MOST} subscriptions are open, and no more can be")));
        }
        if self.listening.iter().any(|(open, _)| open.is(id.token())) {
            return Err(Failure::invalid_request("this id is that of an open subscription"));
        }
        let told = json!({ "notifications": filter.describe() });
        self.listening.push((id.clone(), filter));
        Ok(reply::tagged(id, "notifications/subscriptions/acknowledged", &told))
    }

    /// Ends the subscription of that id, of which nothing more will be heard.
    pub(crate) fn cancel(&mut self, id: &RawValue) {
        self.listening.retain(|(open, _)| !open.is(id));
    }

    /// The lines that tell of a change to those who want to hear of it. `session` is the revision of the legacy
    /// session, if there is one.
    pub(crate) fn tell(&self, change: &Change, session: Option<Revision>) -> Vec<Vec<u8>> {
        let (method, params) = match change {
            Change::Tools => ("notifications/tools/list_changed", json!({})),
            Change::Resource(uri) => ("notifications/resources/updated", json!({ "uri": uri })),
        };
        let wanted = match change {
            Change::Tools => session.is_some(),
            Change::Resource(uri) => self.legacy.contains(uri),
        };
        let tagged = self.listening.iter().filter(|(_, filter)| filter.wants(change));
        let tagged = tagged.map(|(id, _)| reply::tagged(id, method, &params));
        wanted.then(|| reply::notification(method, &params)).into_iter().chain(tagged).collect()
    }

    /// Ends all subscriptions of the modern era, and returns the lines that say so.
    pub(crate) fn close(&mut self) -> Vec<Vec<u8>> {
        let server = implementation(Revision::V2026_07_28);
        self.listening.drain(..).map(|(id, _)| reply::closing(&id, server.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(text: &str) -> Result<Filter, Failure> {
        Filter::read(json::parse(format!(r#"{{"notifications":{text}}}"#).as_bytes()))
    }

    #[test]
    fn a_filter_keeps_what_can_happen() {
        let all = filter(
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,
                "resourceSubscriptions":["memo://insights","x://y","shop://orders/3"],"x":1}"#,
        )
        .unwrap();
        let told = json!({
            "toolsListChanged": true,
            "resourceSubscriptions": ["memo://insights", "shop://orders/3"],
        });
        assert_eq!(all.describe(), told);
        assert_eq!(filter(r#"{"toolsListChanged":false}"#).unwrap(), Filter::default());
        assert_eq!(filter("{}").unwrap().describe(), json!({}));
    }

    #[test]
    fn a_filter_of_another_shape_is_refused() {
        for text in [
            "5",
            "[]",
            r#"{"toolsListChanged":1}"#,
            r#"{"promptsListChanged":null}"#,
            r#"{"resourceSubscriptions":"x"}"#,
            r#"{"resourceSubscriptions":[5]}"#,
        ] {
            assert_eq!(filter(text).unwrap_err().code(), -32602, "{text}");
        }
        assert!(Filter::read(json::parse(b"{}")).is_err());
    }

    #[test]
    fn subscriptions_are_bounded() {
        let mut subscriptions = Subscriptions::default();
        for number in 0..MOST {
            subscriptions.subscribe(format!("shop://orders/{number}")).unwrap();
            subscriptions.listen(&Id::ours(&number.to_string()), Filter::default()).unwrap();
        }
        assert!(subscriptions.subscribe("shop://schema".into()).is_err());
        assert!(subscriptions.subscribe("shop://orders/1".into()).is_ok());
        assert!(subscriptions.listen(&Id::ours("x"), Filter::default()).is_err());
        assert_eq!(subscriptions.close().len(), MOST);
    }
}
