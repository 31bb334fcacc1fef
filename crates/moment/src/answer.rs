//! The output that a host expects.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::Call;
use crate::fields::parse_object;
use crate::hosts::{Event, Host};

/// The output for a call, with a line for the person where the host shows one.
pub(crate) fn answer_with(call: &Call, context: Option<&str>, receipt: Option<&str>) -> String {
    let answer = answer_for(call, context);
    let Some(receipt) = receipt else { return answer };
    let mut fields = parse_object(&answer).unwrap_or_default();
    fields.insert("systemMessage".to_owned(), receipt.into());
    Value::Object(fields).to_string()
}

/// The output for a call; empty without context.
pub(crate) fn answer_for(call: &Call, context: Option<&str>) -> String {
    if call.host == Host::Cursor && call.event == Event::Prompt {
        return json!({ "continue": true }).to_string();
    }
    let Some(context) = context else {
        // Codex reports anything but JSON at the end of a turn to its user as an error.
        if call.host == Host::Codex && matches!(call.event, Event::Stop | Event::SubagentStop) {
            return "{}".to_owned();
        }
        return String::new();
    };
    // Claude Code would show a decision as an error of the hook.
    if call.event == Event::Stop && call.host != Host::Claude {
        return json!({ "decision": "block", "reason": context }).to_string();
    }
    let answer = match call.host {
        Host::Cursor => json!({ "additional_context": context }),
        Host::Cline => json!({ "cancel": false, "contextModification": context }),
        Host::Junie | Host::Opencode | Host::Kilo | Host::Amp => json!({ "additionalContext": context }),
        host => {
            // Without a decision, because adding context must neither allow nor deny the tool call.
            let event = call.called_event.as_deref().unwrap_or(&call.native_event);
            let nested = json!({ "hookEventName": event, "additionalContext": context });
            // Copilot reads one field, and Visual Studio Code, with the same hooks, the other.
            let mut answer = serde_json::Map::new();
            if host == Host::Copilot {
                answer.insert("additionalContext".to_owned(), context.into());
            }
            answer.insert("hookSpecificOutput".to_owned(), nested);
            Value::Object(answer)
        }
    };
    answer.to_string()
}

/// The output and actions of a process that its deadline ends.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    /// For standard output.
    pub output: String,
    /// For standard error.
    pub warning: String,
    /// A file, and the line that is added to it.
    pub log: Option<(PathBuf, String)>,
    /// A file that is removed.
    pub claim: Option<PathBuf>,
    /// A file, and a command line that is started by the process that makes the file.
    pub next: Option<(PathBuf, Vec<OsString>)>,
}
