//! Continue: `sessions/<session>.json`, one document each.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::blocks::Stamp;
use super::{Format, Source, Storage};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::{Event, Kind, Outcome, Session};
use crate::json::{content, deep, items, text};
use crate::places::Places;
use crate::tool;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Continue,
    roots,
    accepts,
    storage: Storage::Document(read),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    vec![places.or_home("CONTINUE_GLOBAL_DIR", ".continue").join("sessions")]
}

fn accepts(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json") && !path.ends_with("sessions.json")
}

fn read(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(Agent::Continue, text(whole, "sessionId").unwrap_or(source.stem()));
    session.title = text(whole, "title").map(str::to_owned);
    session.cwd = text(whole, "workspaceDirectory").map(|folder| folder.trim_start_matches("file://").to_owned());
    session.started_ms = Some(source.modified_ms);
    out.session(&session);
    for (at, step) in items(whole, "history").iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp {
            line: at as u64 + 1,
            at_ms: session.started_ms,
            id: Some(&id),
        };
        let written = step.pointer("/message/content").map(content).unwrap_or_default();
        match deep(step, "/message/role") {
            Some("user") => out.human(stamp.event(Kind::Prompt, written)),
            Some("assistant") => {
                out.event(stamp.event(Kind::Text, written));
                for state in items(step, "toolCallStates") {
                    call(state, stamp, out);
                }
            }
            _ => {}
        }
    }
}

fn call(state: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let id = text(state, "toolCallId");
    let name = deep(state, "/toolCall/function/name").unwrap_or_default();
    let given = state.pointer("/toolCall/function/arguments").unwrap_or(&Value::Null);
    out.event(tool::call(stamp.line, id, name, state.get("parsedArgs").unwrap_or(given)).at(stamp.at_ms, stamp.id));
    let shown: Vec<&str> = items(state, "output")
        .iter()
        .filter_map(|item| text(item, "content"))
        .collect();
    let shown = shown.join("\n");
    let event = match text(state, "status") {
        Some("canceled") => Event {
            call: id.map(str::to_owned),
            outcome: Outcome::Rejected,
            ..stamp.event(Kind::Rejection, "")
        },
        Some("errored") => Event::result(stamp.line, id, Outcome::Failed, shown),
        Some("done") if shown.contains("Command failed with exit code") => {
            Event::result(stamp.line, id, Outcome::Failed, shown)
        }
        Some("done") => Event::result(stamp.line, id, Outcome::Ok, shown),
        _ => return,
    };
    out.event(event.at(stamp.at_ms, stamp.id));
}
