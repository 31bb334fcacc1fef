//! Amp: `threads/T-*.json`, one document each. Since spring 2026 threads are stored on Amp's servers only.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::blocks::{self, Stamp};
use super::{Format, Source, Storage};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::{Event, Kind, Outcome, Session};
use crate::json::{content, deep, items, text, time};
use crate::places::Places;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Amp,
    roots,
    accepts,
    storage: Storage::Document(read),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    vec![places.data().join("amp/threads")]
}

fn accepts(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}

fn read(source: &Source<'_>, thread: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(Agent::Amp, text(thread, "id").unwrap_or(source.stem()));
    session.title = text(thread, "title").map(str::to_owned);
    session.started_ms = time(thread.get("created"));
    session.cwd = deep(thread, "/env/initial/trees/0/uri").map(|uri| uri.trim_start_matches("file://").to_owned());
    out.session(&session);
    for (at, message) in items(thread, "messages").iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp {
            line: at as u64 + 1,
            at_ms: time(message.pointer("/usage/timestamp")).or(session.started_ms),
            id: Some(&id),
        };
        let parts = message.get("content").unwrap_or(&Value::Null);
        match text(message, "role") {
            Some("assistant") => blocks::assistant(stamp, parts, out),
            Some("user") => {
                for part in parts.as_array().into_iter().flatten() {
                    if text(part, "type") == Some("tool_result") {
                        out.event(result(part, stamp));
                    }
                }
                out.human(stamp.event(Kind::Prompt, content(parts)));
            }
            _ => {}
        }
    }
}

fn result(part: &Value, stamp: Stamp<'_>) -> Event {
    let run = part.get("run").unwrap_or(&Value::Null);
    let code = run.pointer("/result/exitCode").and_then(Value::as_i64);
    let outcome = match (text(run, "status"), code) {
        (_, Some(code)) => crate::shell::of_exit(code),
        (Some("done"), _) => Outcome::Ok,
        (Some("error"), _) => Outcome::Failed,
        _ => Outcome::Unknown,
    };
    let shown = deep(run, "/error/message")
        .or_else(|| deep(run, "/result/output"))
        .or_else(|| text(run, "result"))
        .unwrap_or_default();
    Event::result(stamp.line, text(part, "toolUseID"), outcome, shown).at(stamp.at_ms, stamp.id)
}
