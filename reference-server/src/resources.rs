//! What the server gives to read: the database's schema, a memo of insights, and each order.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::job::{Stop, Work, World, Yield};
use crate::json;
use crate::revision::Revision;

/// The URI of the memo.
pub(crate) const INSIGHTS: &str = "memo://insights";
/// The template of the orders' URIs.
pub(crate) const ORDER_TEMPLATE: &str = "shop://orders/{id}";
const SCHEMA: &str = "shop://schema";
const ORDER_PREFIX: &str = "shop://orders/";

/// Something that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The statements that made the tables.
    Schema,
    /// All insights.
    Insights,
    /// An order, by its number. There may be no such order.
    Order(i64),
}

/// What stands at a URI. `None` where nothing can.
pub(crate) fn locate(uri: &str) -> Option<Place> {
    match uri {
        SCHEMA => Some(Place::Schema),
        INSIGHTS => Some(Place::Insights),
        _ => {
            let id = uri.strip_prefix(ORDER_PREFIX)?.parse().ok()?;
            // One order has one URI: no sign, no zeros in front.
            (order_uri(id) == uri && id > 0).then_some(Place::Order(id))
        }
    }
}

/// The URI of an order.
pub(crate) fn order_uri(id: i64) -> String {
    format!("{ORDER_PREFIX}{id}")
}

/// The entries of `resources/list`.
pub(crate) fn entries(revision: Revision) -> Vec<Value> {
    let entry = |uri: &str, name: &str, title: &str, description: &str, mime: &str| {
        let entry = json!({ "uri": uri, "name": name, "description": description, "mimeType": mime });
        titled(entry, title, revision)
    };
    vec![
        entry(SCHEMA, "schema", "Schema", "The SQL statements that made the shop's tables.", "application/sql"),
        entry(INSIGHTS, "insights", "Insights", "What was learnt so far; grows by append_insight.", "text/plain"),
    ]
}

/// The entries of `resources/templates/list`.
pub(crate) fn templates(revision: Revision) -> Vec<Value> {
    let entry = json!({
        "uriTemplate": ORDER_TEMPLATE,
        "name": "order",
        "description": "One order, by its number.",
        "mimeType": "application/json",
    });
    vec![titled(entry, "Order", revision)]
}

/// Adds a title where the revision has any.
pub(crate) fn titled(mut entry: Value, title: &str, revision: Revision) -> Value {
    if revision.has_titles() {
        entry["title"] = title.into();
    }
    entry
}

/// The `uri` of a request.
pub(crate) fn uri(params: Option<&RawValue>) -> Result<String, Failure> {
    let uri = params.and_then(|params| json::members(params, ["uri"])).and_then(|[uri]| uri);
    uri.and_then(json::string).ok_or_else(|| Failure::invalid_params("uri must be a string"))
}

/// Prepares a `resources/read`.
pub(crate) fn read(params: Option<&RawValue>, revision: Revision) -> Result<Work, Failure> {
    let uri = uri(params)?;
    let place = locate(&uri).ok_or_else(|| Failure::resource_not_found(&uri, revision))?;
    Ok(Box::new(move |world: &World, _| match place {
        Place::Schema => Ok(contents(&uri, "application/sql", &schema(world)?)),
        Place::Insights => Ok(contents(&uri, "text/plain", &insights(world)?)),
        Place::Order(id) => order(world, id, &uri, revision),
    }))
}

fn contents(uri: &str, mime: &str, text: &str) -> Value {
    json!({ "contents": [{ "uri": uri, "mimeType": mime, "text": text }] })
}

fn schema(world: &World) -> Result<String, Stop> {
    Ok(world.store().schema()?.iter().map(|statement| format!("{statement};\n")).collect())
}

fn insights(world: &World) -> Result<String, Stop> {
    let insights = world.store().insights()?;
    if insights.is_empty() {
        return Ok("No insights yet.\n".into());
    }
    Ok(insights.iter().map(|insight| format!("- {insight}\n")).collect())
}

fn order(world: &World, id: i64, uri: &str, revision: Revision) -> Yield {
    match world.store().order(id)? {
        Some(order) => Ok(contents(uri, "application/json", &json!(order).to_string())),
        None => Err(Stop::Refused(Failure::resource_not_found(uri, revision))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_leads_to_one_place_and_a_place_has_one_uri() {
        assert_eq!(locate("shop://schema"), Some(Place::Schema));
        assert_eq!(locate("memo://insights"), Some(Place::Insights));
        assert_eq!(locate("shop://orders/12"), Some(Place::Order(12)));
        for uri in [
            "",
            "shop://orders/",
            "shop://orders/012",
            "shop://orders/+1",
            "shop://orders/-1",
            "shop://orders/0",
            "shop://orders/1/",
            "shop://orders/../schema",
            "SHOP://schema",
            "shop://orders/99999999999999999999",
        ] {
            assert_eq!(locate(uri), None, "{uri}");
        }
    }
}
