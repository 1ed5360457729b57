//! Whether what a `send` writes is what a client may send: what is not stands in a `raw`, so that it is meant so.

use super::{Bindings, Need, Script, expand};
use crate::spec::Revision;
use crate::transcript::Standing;

/// Why a client may not send this text in one of the script's revisions. Nothing is said of a text that takes values
/// from replies.
pub(super) fn refusal(template: &str, script: &Script) -> Option<String> {
    script.revisions.iter().find_map(|revision| {
        let text = expand(template, &mut sample(script, revision).source(&mut || "1".to_owned())).ok()?;
        match Standing::of_line(text.as_bytes(), revision) {
            Standing::Unlawful(why) => {
                Some(format!("in {revision} a client may not send this ({why}); use `raw` to send what is no message"))
            }
            Standing::Lawful | Standing::OutOfOrder(_) => None,
        }
    })
}

/// Values as a session offers them.
fn sample(script: &Script, revision: Revision) -> Bindings {
    let meta = format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{revision}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#
    );
    let mut bindings = Bindings::of(script);
    for (name, value) in [("nonce", "nonce"), ("revision", revision.as_str()), ("cheap", "ping"), ("last_id", "1")] {
        bindings.set(name, value);
    }
    bindings.set_json("client", r#"{"name":"client","version":"1"}"#);
    bindings.set_json("params", format!(r#"{{"_meta":{meta}}}"#));
    bindings.set_json("meta", meta);
    for need in &script.needs {
        let name = match need {
            Need::Tool(kind) => format!("tool.{kind}"),
            Need::Call(kind) => format!("call.{kind}"),
            Need::Capability(_) | Need::Undeclared(_) | Need::Pages(_) => continue,
        };
        for part in ["arguments", "missing", "wrong"] {
            bindings.set_json(format!("{name}.{part}"), "{}");
        }
        bindings.set_json(name, r#""name""#);
    }
    bindings
}
