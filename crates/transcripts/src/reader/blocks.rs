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

impl<'a> Stamp<'a> {
    pub(crate) fn new(line: u64, at_ms: Option<i64>, id: Option<&'a str>) -> Self {
        Stamp { line, at_ms, id }
    }

    pub(crate) fn event(&self, kind: Kind, text: impl Into<String>) -> Event {
        Event::new(self.line, kind, text).at(self.at_ms, self.id)
    }

    /// A call of a tool, by its id, its name and its arguments.
    pub(crate) fn call(&self, id: Option<&str>, name: &str, input: &Value) -> Event {
        tool::call(self.line, id, name, input).at(self.at_ms, self.id)
    }

    pub(crate) fn result(&self, call: Option<&str>, outcome: Outcome, text: impl Into<String>) -> Event {
        Event::result(self.line, call, outcome, text).at(self.at_ms, self.id)
    }

    /// A call that the person refused, with the reason if one was typed.
    pub(crate) fn rejection(&self, call: Option<&str>, reason: &str) -> Event {
        Event {
            call: call.map(str::to_owned),
            outcome: Outcome::Rejected,
            ..self.event(Kind::Rejection, reason)
        }
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
                        out.event(stamp.call(text(block, "id"), name, input));
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
    let outcome = shell::outcome(shell::exit_in_header(&answer), is_true(block, "is_error"));
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
                        out.event(stamp.result(call, outcome, answer));
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
