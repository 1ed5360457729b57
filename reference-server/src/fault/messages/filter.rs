//! Takes messages through the faults, both ways.

use serde_json::Value;

use super::Messages;
use super::heard::Heard;
use super::scene::Scene;
use super::told::Told;
use crate::fault::set::Set;

/// The faults of a process, and what they know.
pub(crate) struct Filter {
    changes: Vec<&'static Messages>,
    sets: Vec<Set>,
    scene: Scene,
}

impl Filter {
    /// A filter of these changes.
    pub(crate) fn new(changes: Vec<&'static Messages>, sets: Vec<Set>) -> Self {
        Self { changes, sets, scene: Scene::default() }
    }

    /// The session so far.
    pub(crate) fn scene(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// Takes a line that came. Returns the line to pass on, if there is one, and lines to send.
    pub(crate) fn hear(&mut self, line: Vec<u8>) -> (Option<Vec<u8>>, Vec<String>) {
        let mut heard = Heard::new(line);
        for change in &self.changes {
            if let Messages::Hear(hear) = change {
                hear(&mut self.scene, &mut heard);
            }
        }
        if heard.is_kept() {
            if let Some(asked) = heard.request() {
                self.scene.open(asked);
            }
            if heard.method() == "notifications/cancelled" {
                self.scene.forget(heard.param("/requestId"));
            }
        }
        heard.finish()
    }

    /// Takes a line that is about to leave, and returns those that leave.
    pub(crate) fn tell(&mut self, line: Vec<u8>) -> Vec<Vec<u8>> {
        let Ok(original @ Value::Object(_)) = serde_json::from_slice::<Value>(&line) else {
            return vec![line];
        };
        let is_response = original.get("method").is_none();
        let asked = original.get("id").filter(|_| is_response).and_then(|id| self.scene.settle(id));
        let mut told = Told::new(original.clone(), asked);
        for change in &self.changes {
            if let Messages::Tell(tell) = change {
                tell(&mut self.scene, &mut told);
            }
        }
        let method = told.method().to_owned();
        for set in &self.sets {
            set.apply(&method, &mut told.message);
        }
        told.finish(&original, line)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PING: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    const PONG: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    #[test]
    fn without_changes_lines_stay_byte_by_byte() {
        let mut filter = Filter::new(Vec::new(), Vec::new());
        for line in [PING, b"junk", b"[]", b" {\"id\" : 1}"] {
            assert_eq!(filter.hear(line.to_vec()), (Some(line.to_vec()), Vec::new()));
            assert_eq!(filter.tell(line.to_vec()), [line]);
        }
    }

    #[test]
    fn a_response_is_known_by_its_request() {
        static MARK: Messages = Messages::Tell(|_, told| {
            let method = told.method().to_owned();
            told.message["of"] = method.into();
        });
        let mut filter = Filter::new(vec![&MARK], Vec::new());
        filter.hear(PING.to_vec());
        assert!(!filter.scene().is_idle());
        let told = |line: &[Vec<u8>]| serde_json::from_slice::<Value>(&line[0]).unwrap();
        assert_eq!(told(&filter.tell(PONG.to_vec()))["of"], "ping");
        assert!(filter.scene().is_idle());
        assert_eq!(told(&filter.tell(PONG.to_vec()))["of"], "", "it is answered already");
    }

    #[test]
    fn a_fault_may_answer_for_the_server() {
        static ANSWER: Messages = Messages::Hear(|_, heard| heard.answer(json!({ "x": 1 })));
        let mut filter = Filter::new(vec![&ANSWER], Vec::new());
        let (passed, said) = filter.hear(PING.to_vec());
        assert_eq!(passed, None);
        assert_eq!(said, [r#"{"id":1,"jsonrpc":"2.0","result":{"x":1}}"#]);
        assert!(filter.scene().is_idle());
    }

    #[test]
    fn members_are_set_by_the_method_of_the_request() {
        let mut filter = Filter::new(Vec::new(), vec![Set::parse("ping:/result/x=5").unwrap()]);
        filter.hear(PING.to_vec());
        assert_eq!(filter.tell(PONG.to_vec()), [br#"{"id":1,"jsonrpc":"2.0","result":{"x":5}}"#]);
        assert_eq!(filter.tell(PONG.to_vec()), [PONG]);
    }
}
