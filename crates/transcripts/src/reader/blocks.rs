//! Content blocks of the Anthropic Messages API (text, tool calls, tool results), which several agents store.

use serde_json::Value;

use crate::emitter::Emitter;
use crate::event::{Event, Kind, Outcome};
use crate::json::{content, is_true, text};
use crate::shell;
use crate::tool;

/// The position, time and id of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    pub line: u64,
    pub at_ms: Option<i64>,
    pub id: Option<&'a str>,
}

impl Stamp<'_> {
    pub(crate) fn event(&self, kind: Kind, text: impl Into<String>) -> Event {
        Event::new(self.line, kind, text).at(self.at_ms, self.id)
    }
}

/// Emits the texts and tool calls of an assistant message.
pub(crate) fn assistant(stamp: Stamp<'_>, message: &Value, out: &mut Emitter<'_>) {
    match message {
        Value::String(written) => out.event(stamp.event(Kind::Text, written.as_str())),
        Value::Array(blocks) => {
            for block in blocks {
                match text(block, "type") {
                    Some("text") => out.event(stamp.event(Kind::Text, text(block, "text").unwrap_or_default())),
                    Some("tool_use") => {
                        let name = text(block, "name").unwrap_or_default();
                        let input = block.get("input").unwrap_or(&Value::Null);
                        out.event(tool::call(stamp.line, text(block, "id"), name, input).at(stamp.at_ms, stamp.id));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Returns the id, the text and the outcome of a tool result.
pub(crate) fn result(block: &Value) -> (Option<&str>, String, Outcome) {
    let answer = block.get("content").map(content).unwrap_or_default();
    let outcome = match shell::exit_in_header(&answer) {
        Some(code) => shell::of_exit(code),
        None if is_true(block, "is_error") => Outcome::Failed,
        None => Outcome::Ok,
    };
    (text(block, "tool_use_id"), answer, outcome)
}

/// Emits a message in the user role: tool results, and text that a person typed.
pub(crate) fn user(stamp: Stamp<'_>, message: &Value, is_human: bool, out: &mut Emitter<'_>) {
    let mut typed = String::new();
    match message {
        Value::String(text) => typed.push_str(text),
        Value::Array(blocks) => {
            for block in blocks {
                match text(block, "type") {
                    Some("tool_result") => {
                        let (call, answer, outcome) = result(block);
                        out.event(Event::result(stamp.line, call, outcome, answer).at(stamp.at_ms, stamp.id));
                    }
                    Some("text") => {
                        typed.push_str(text(block, "text").unwrap_or_default());
                        typed.push('\n');
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    if is_human {
        out.human(stamp.event(Kind::Prompt, typed));
    }
}
