//! pi: `agent/sessions/<folder>/<time>_<id>.jsonl`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocks::Stamp;
use super::{Format, LineReader, RecordReader, Source, Storage, is_jsonl, resumed};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::{Event, Kind, Outcome, Session};
use crate::json::{content, is_true, text, time};
use crate::places::Places;
use crate::shell;
use crate::tool;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Pi,
    roots,
    accepts: is_jsonl,
    storage: Storage::Lines(open),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    vec![places.home.join(".pi/agent/sessions")]
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn LineReader> {
    resumed(saved, || Pi(Session::new(Agent::Pi, source.stem())))
}

#[derive(Serialize, Deserialize)]
struct Pi(Session);

impl RecordReader for Pi {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        match text(record, "type") {
            Some("session") => {
                self.0.id = text(record, "id").unwrap_or(&self.0.id).to_owned();
                self.0.cwd = text(record, "cwd").map(str::to_owned);
                self.0.started_ms = time(record.get("timestamp"));
                out.session(&self.0);
            }
            Some("message") => {
                let stamp = Stamp {
                    line: number,
                    at_ms: time(record.get("timestamp")),
                    id: text(record, "id"),
                };
                message(record.get("message").unwrap_or(&Value::Null), stamp, out);
            }
            Some("model_change" | "thinking_level_change" | "compaction" | "branch_summary") | None => {}
            Some(kind) => out.unknown(kind),
        }
    }
}

fn message(message: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let parts = message.get("content").unwrap_or(&Value::Null);
    match text(message, "role") {
        Some("user") => out.human(stamp.event(Kind::Prompt, content(parts))),
        Some("assistant") => {
            out.event(stamp.event(Kind::Text, content(parts)));
            let calls = parts.as_array().into_iter().flatten();
            for made in calls.filter(|part| text(part, "type") == Some("toolCall")) {
                let (name, input) = (
                    text(made, "name").unwrap_or_default(),
                    made.get("arguments").unwrap_or(&Value::Null),
                );
                out.event(tool::call(stamp.line, text(made, "id"), name, input).at(stamp.at_ms, stamp.id));
            }
        }
        Some("toolResult") => {
            let shown = content(parts);
            let outcome = match shell::exit_in_header(&shown) {
                Some(code) => shell::of_exit(code),
                None if is_true(message, "isError") => Outcome::Failed,
                None => Outcome::Ok,
            };
            out.event(Event::result(stamp.line, text(message, "toolCallId"), outcome, shown).at(stamp.at_ms, stamp.id));
        }
        _ => {}
    }
}
