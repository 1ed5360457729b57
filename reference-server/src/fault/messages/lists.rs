//! Lists in pages.

use serde_json::{Value, json};

use super::Messages::{Hear, Tell};
use super::heard::Heard;
use super::told::Told;
use crate::fault::table::Fault;

pub(super) static FAULTS: &[Fault] = &[
    Fault::messages(
        "null-next-cursor",
        "has \"nextCursor\":null on its only page of tools",
        &[Tell(|_, told| next(told, Value::Null))],
    ),
    Fault::messages(
        "cursor-number",
        "has a number as nextCursor, and serves that cursor alone",
        &[
            Tell(|_, told| {
                if told.asked_param("/cursor").is_null() {
                    next(told, 2.into());
                }
            }),
            Hear(|_, heard| {
                if is_page(heard, &2.into()) {
                    empty_page(heard);
                }
            }),
        ],
    ),
    Fault::messages(
        "cursor-loop",
        "gives the same cursor out with each page of tools",
        &[
            Hear(|_, heard| {
                if is_page(heard, &"again".into()) {
                    first_page(heard);
                }
            }),
            Tell(|_, told| next(told, "again".into())),
        ],
    ),
    Fault::messages(
        "cursor-endless",
        "gives a new cursor out with each page of tools, for ever",
        &[
            Hear(|_, heard| {
                if heard.asks("tools/list") && heard.param("/cursor").as_str().is_some_and(|at| at.starts_with("p-")) {
                    first_page(heard);
                }
            }),
            Tell(|scene, told| {
                let page = format!("p-{}", scene.tally("cursor-endless"));
                next(told, page.into());
            }),
        ],
    ),
    Fault::messages(
        "cursor-empty-string",
        "lists a second page of tools under the cursor \"\", a control",
        &[
            Tell(|_, told| {
                if told.asked_param("/cursor").is_null() {
                    next(told, "".into());
                }
            }),
            Hear(|_, heard| {
                if is_page(heard, &"".into()) {
                    empty_page(heard);
                }
            }),
        ],
    ),
    Fault::messages(
        "empty-pages",
        "has an empty page behind its tools, a control",
        &[
            Tell(|_, told| {
                if told.asked_param("/cursor").is_null() {
                    next(told, "behind".into());
                }
            }),
            Hear(|_, heard| {
                if is_page(heard, &"behind".into()) {
                    empty_page(heard);
                }
            }),
        ],
    ),
    Fault::messages(
        "cursor-refused",
        "refuses the cursor that it gave out",
        &[Tell(|_, told| next(told, "page-2".into()))],
    ),
    Fault::messages(
        "cursor-unchecked",
        "takes any cursor for the first page",
        &[Hear(|_, heard| {
            if heard.method().ends_with("/list") && !heard.param("/cursor").is_null() {
                first_page(heard);
            }
        })],
    ),
    Fault::messages(
        "cursor-invalid-32603",
        "answers a cursor that it did not give out with -32603",
        &[Tell(|_, told| {
            if told.method().ends_with("/list") && told.code() == -32602 && !told.asked_param("/cursor").is_null() {
                told.fail(-32603, "internal error");
            }
        })],
    ),
    Fault::messages(
        "cache-scope-mixed",
        "has another cacheScope on the second page of tools than on the first",
        &[
            Tell(|_, told| {
                if told.asked_param("/cursor").is_null() {
                    next(told, "page-2".into());
                }
            }),
            Hear(|_, heard| {
                if is_page(heard, &"page-2".into()) {
                    heard.answer(json!({ "tools": [], "ttlMs": 0, "cacheScope": "public" }));
                }
            }),
        ],
    )
    .modern(),
    Fault::messages(
        "empty-lists",
        "has no tools, no resources and no prompts, a control",
        &[Tell(|_, told| {
            for (method, list) in [
                ("tools/list", "tools"),
                ("resources/list", "resources"),
                ("resources/templates/list", "resourceTemplates"),
                ("prompts/list", "prompts"),
            ] {
                if let Some(result) = told.result(method) {
                    result.insert(list.into(), json!([]));
                }
            }
        })],
    ),
];

/// Gives a cursor out with a list of tools.
fn next(told: &mut Told, cursor: Value) {
    if let Some(result) = told.result("tools/list") {
        result.insert("nextCursor".into(), cursor);
    }
}

/// Whether it asks for the page of tools that a cursor names.
fn is_page(heard: &Heard, cursor: &Value) -> bool {
    heard.asks("tools/list") && heard.param("/cursor") == cursor
}

/// Answers it with a page that is the last and empty.
fn empty_page(heard: &mut Heard) {
    let modern = heard.request().is_some_and(|asked| asked.is_modern());
    heard.answer(if modern {
        json!({ "tools": [], "ttlMs": 0, "cacheScope": "private" })
    } else {
        json!({ "tools": [] })
    });
}

/// Takes it for a request for the first page.
fn first_page(heard: &mut Heard) {
    heard.change(|request| {
        if let Some(params) = request.get_mut("params").and_then(Value::as_object_mut) {
            params.remove("cursor");
        }
    });
}
