//! What is printed is read back as it was, and is pleasant to read.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::judge::Verdict;
use crate::script::{CaseId, Like, Pattern, literal, load};

fn revision_set() -> impl Strategy<Value = RevisionSet> {
    proptest::sample::subsequence(Revision::ALL.to_vec(), 1..=5).prop_map(|revisions| revisions.into_iter().collect())
}

/// JSON text: what TOML can hold, what it cannot, and some with variables.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::btree_map("[a-z_ é\"]{0,5}", inner, 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    });
    const ODD: &[&str] = &[
        "1e400",
        "18446744073709551616",
        "1.0",
        r#"{"b":1, "a":"\ud800"}"#,
        r#"{"id":${id},"n":"${nonce}","p":"${json:params}"}"#,
        r#"{"a":${repeat:[:9}${repeat:]:9}}"#,
        r#""${json:null}""#,
        r#"{"$json":"{}"}"#,
    ];
    prop_oneof![4 => value.prop_map(|value| literal(&value.to_string())), 1 => select(ODD).prop_map(str::to_owned)]
}

fn raw_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[^$\\\\]{0,8}",
        select(&[r"\n", r"\xff", r"\\", "${nonce}", "${repeat:\\x00:4}", "$"][..]).prop_map(str::to_owned),
    ];
    let joined = proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    joined.prop_filter("a template", |text| crate::script::template::pieces(text).all(|piece| piece.is_ok()))
}

fn action() -> impl Strategy<Value = Action> {
    let bytes = prop_oneof![raw_text().prop_map(Bytes::Text), any::<Vec<u8>>().prop_map(Bytes::Hex)];
    let reply =
        prop_oneof![json_text().prop_map(Reply::Result), json_text().prop_map(Reply::Error), Just(Reply::Never)];
    prop_oneof![
        json_text().prop_map(Action::Send),
        bytes.prop_map(Action::Raw),
        (any::<String>(), of(json_text()), of(json_text()), any::<bool>())
            .prop_map(|(method, params, id, cancelled)| Action::Request { method, params, id, cancelled }),
        (any::<String>(), of(json_text())).prop_map(|(method, params)| Action::Notification { method, params }),
        Just(Action::Barrier),
        Just(Action::Close(Channel::Stdin)),
        select(&[Signal::Term, Signal::Int, Signal::Hup, Signal::Kill][..]).prop_map(Action::Signal),
        duration_value().prop_map(Action::Pause),
        (any::<String>(), reply).prop_map(|(method, reply)| Action::Answer { method, reply }),
    ]
}

fn duration_value() -> impl Strategy<Value = Duration> {
    prop_oneof![(0..100_000_u64).prop_map(Duration::from_millis), (0..1_u64 << 40).prop_map(Duration::from_nanos)]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let verdict = select(&[Verdict::Pass, Verdict::Fail, Verdict::Warn, Verdict::Info, Verdict::Skip][..]);
    let on = select(&[On::Reply, On::Message, On::Silence, On::Exit, On::Closed][..]);
    let like = prop_oneof![
        json_text().prop_filter("a pattern", |text| text.contains("${") || Pattern::parse(text).is_ok()).boxed(),
        Just(r#"{"a":{"$any":[{"$type":"string"},{"$absent":true}]}}"#.to_owned()).boxed(),
    ];
    let requirement = of("[a-z]{1,5}\\.[a-z]{1,5}".prop_map(RequirementId::new));
    (verdict, on, of(json_text()), of(like), requirement, revision_set(), of(any::<String>())).prop_map(
        |(verdict, on, to, like, requirement, revisions, says)| Outcome {
            verdict,
            on,
            to: to.filter(|_| matches!(on, On::Reply | On::Silence)),
            like: like.filter(|_| !matches!(on, On::Silence | On::Closed)).map(Like),
            requirement,
            revisions,
            says,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let cut = prop_oneof![
        Just(Cut::Nowhere),
        proptest::collection::btree_set(0..500_usize, 0..4).prop_map(|set| Cut::At(set.into_iter().collect())),
        Just(Cut::Every),
    ];
    let delivery = (1..5_u32, cut, any::<bool>()).prop_map(|(count, cut, hold)| Delivery { count, cut, hold });
    let take = proptest::collection::btree_map("[a-z]{1,5}", "(/[a-z é~]{0,5}){0,3}", 0..2);
    (of(action()), delivery, of(duration_value()), proptest::collection::vec(outcome(), 0..3), take)
        .prop_map(|(action, delivery, within, outcomes, take)| Step { action, delivery, within, outcomes, take })
}

fn writes(step: &Step) -> bool {
    matches!(step.action, Some(Action::Send(_) | Action::Raw(_) | Action::Request { .. } | Action::Notification { .. }))
}

/// Takes away what the loader refuses: bytes that are cut or held where there are none.
fn sensible(mut steps: Vec<Step>) -> Vec<Step> {
    let next_writes: Vec<_> = steps.iter().skip(1).map(writes).chain([false]).collect();
    for (step, next_writes) in steps.iter_mut().zip(next_writes) {
        if step.action.is_none() {
            step.delivery.count = 1;
        }
        if !writes(step) {
            step.delivery.cut = Cut::Nowhere;
        }
        step.delivery.hold &= writes(step) && next_writes && step.outcomes.is_empty() && step.take.is_empty();
    }
    steps
}

fn script() -> impl Strategy<Value = Script> {
    let needs = [
        Need::Capability("resources.subscribe".to_owned()),
        Need::Undeclared("tools".to_owned()),
        Need::Tool("safe".to_owned()),
        Need::Call("changes:tools".to_owned()),
        Need::Pages("tools".to_owned()),
    ];
    let head = (
        "[a-z]{1,5}/[a-z-]{1,5}",
        any::<String>(),
        proptest::collection::vec("[a-z]{1,5}\\.[a-z]{1,5}".prop_map(RequirementId::new), 1..3),
        revision_set(),
        proptest::sample::subsequence(needs.to_vec(), 0..=5),
        select(&[Prelude::Cold, Prelude::Opening, Prelude::Ready][..]),
        any::<bool>(),
    );
    let variant = of(("[a-zA-Z0-9_.-]{1,5}", proptest::collection::btree_map("v[0-9.]", any::<String>(), 0..3)));
    (head, variant, proptest::collection::vec(step(), 0..4)).prop_map(|(head, variant, steps)| {
        let (id, title, requirements, revisions, needs, session, shares) = head;
        let (id, set) = match variant {
            Some((name, set)) => (format!("{id}#{name}"), set),
            None => (id, BTreeMap::new()),
        };
        let steps = sensible(steps);
        Script { id: CaseId::new(id), title, requirements, revisions, needs, session, shares, set, steps }
    })
}

proptest! {
    #[test]
    fn a_printed_script_loads_as_it_was(script in script()) {
        let printed = print(&script);
        let id = CaseId::new(script.id.as_str().split('#').next().unwrap_or_default());
        match load(&printed, &id, "printed") {
            Ok(loaded) => prop_assert_eq!(loaded, [script], "{}", printed),
            Err(error) => prop_assert!(false, "{}\n{}", error, printed),
        }
    }
}

#[test]
fn a_printed_script_is_pleasant_to_read() {
    let text = r#"title = "answers ping with an empty result"
requirements = ["ping.responds"]
revisions = "legacy"
needs = ["tools"]
session = "cold"

[[step]]
send = '{"jsonrpc":"2.0","id":"é-${nonce}","method":"ping"}'
cut = [24]

[[step]]
request = { method = "ping", params = { cursor = "${json:null}", n = 1 }, id = { "$json" = "1e3" } }
within = "2s"
take = { cursor = "/result/nextCursor" }

[[step.outcome]]
verdict = "pass"
on = "reply"
to = '"é-${nonce}"'
like = '{"result":{}}'
revisions = ">=2025-03-26,<=2025-11-25"

[[step]]
raw = 'text:\xff'

[[variant]]
name = "zero"
set = { id = "0" }
"#;
    let script = load(text, &CaseId::new("jsonrpc/ping"), "text").unwrap().remove(0);
    assert_eq!(print(&script), text);
}

#[test]
fn values_without_a_variant_become_one() {
    let mut script = load("title = 'a'\nrequirements = ['a.b']", &CaseId::new("a/b"), "text").unwrap().remove(0);
    script.set.insert("x".to_owned(), "1".to_owned());
    let again = load(&print(&script), &script.id, "text").unwrap().remove(0);
    assert_eq!((again.id.as_str(), &again.set), ("a/b#1", &script.set));
}
