//! Factory droid: `sessions/**/<session>.jsonl`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocks::{self, Stamp};
use super::{Format, LineReader, RecordReader, Source, Storage, is_jsonl, resumed};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::Session;
use crate::json::{deep, text, time};
use crate::places::Places;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Droid,
    roots,
    accepts: is_jsonl,
    storage: Storage::Lines(open),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    vec![places.home.join(".factory/sessions")]
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn LineReader> {
    resumed(saved, || Droid(Session::new(Agent::Droid, source.stem())))
}

#[derive(Serialize, Deserialize)]
struct Droid(Session);

impl RecordReader for Droid {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let stamp = Stamp {
            line: number,
            at_ms: time(record.get("timestamp")),
            id: text(record, "id"),
        };
        match text(record, "type") {
            Some("session_start") => {
                self.0.id = text(record, "id").unwrap_or(&self.0.id).to_owned();
                self.0.cwd = text(record, "cwd").map(str::to_owned);
                self.0.title = text(record, "title").map(str::to_owned);
                self.0.is_subagent =
                    text(record, "title").is_some_and(|title| title.starts_with("# Task Tool Invocation"));
                out.session(&self.0);
            }
            Some("message") => {
                let message = record.pointer("/message/content").unwrap_or(&Value::Null);
                match deep(record, "/message/role") {
                    Some("user") => blocks::user(stamp, message, self.0.has_human(), out),
                    Some("assistant") => blocks::assistant(stamp, message, out),
                    _ => {}
                }
            }
            Some("todo_state") | None => {}
            Some(kind) => out.unknown(kind),
        }
    }
}
