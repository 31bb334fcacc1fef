//! What a host hands to a hook: whatever it is, a host gets nothing or one JSON document of one line, and no panic.

use forge_memory_moment::{answer_to, event_names};
use serde_json::Value;

const HOSTS: [Option<&str>; 8] = [
    None,
    Some("claude"),
    Some("codex"),
    Some("copilot"),
    Some("cursor"),
    Some("cline"),
    Some("gemini"),
    Some("no such host"),
];
const NOTE: &str = "What \"this\" says\nof line two.";

pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let names = event_names();
    // The event and the host of the command line, chosen by the input; the first of each is none.
    let at = input.len() % (names.len() + 1);
    let event = at.checked_sub(1).map(|at| names[at]);
    let host = HOSTS[input.first().map_or(0, |byte| usize::from(*byte) % HOSTS.len())];
    for note in [None, Some(NOTE)] {
        let Some(answer) = answer_to(event, &text, host, note) else {
            return;
        };
        assert!(!answer.contains('\n'), "the answer has several lines: {answer}");
        if !answer.is_empty() {
            let told: Value = serde_json::from_str(&answer).expect("an answer is JSON");
            assert!(told.is_object(), "{answer}");
        }
        assert!(
            note.is_some() || !answer.contains("dditional"),
            "a note that nobody wrote"
        );
    }
}
