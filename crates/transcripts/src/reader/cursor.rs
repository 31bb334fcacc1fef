//! Cursor CLI: `projects/<folder>/agent-transcripts/**/*.jsonl`. It records no times and no results, and the project only as an encoded
//! folder name.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocks::{self, Stamp};
use super::{Format, LineReader, RecordReader, SessionHeader, Source, Storage, is_jsonl, names, resumed};
use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::{Kind, Session};
use crate::json::{content, text};
use crate::places::Places;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Cursor,
    roots,
    accepts,
    storage: Storage::Lines(open),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    vec![places.or_home("CURSOR_CONFIG_DIR", ".cursor").join("projects")]
}

fn accepts(path: &Path) -> bool {
    is_jsonl(path) && names(path).contains(&"agent-transcripts")
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn LineReader> {
    resumed(saved, || {
        let below = names(source.path.strip_prefix(source.root).unwrap_or(source.path));
        Cursor(SessionHeader::of(Session {
            // The encoding cannot be reversed, so folders are compared in their encoded form.
            cwd: below.first().map(|name| format!("cursor:{name}")),
            started_ms: Some(source.modified_ms),
            is_subagent: below.contains(&"subagents"),
            ..Session::new(Agent::Cursor, source.stem())
        }))
    })
}

#[derive(Serialize, Deserialize)]
struct Cursor(SessionHeader);

impl RecordReader for Cursor {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        self.0.emit(out, |_| {});
        let session = &self.0.session;
        let id = format!("{}:{number}", session.id);
        let stamp = Stamp {
            line: number,
            at_ms: session.started_ms,
            id: Some(&id),
        };
        let message = record.pointer("/message/content").unwrap_or(&Value::Null);
        match text(record, "role") {
            Some("user") if session.has_human() => out.human(stamp.event(Kind::Prompt, content(message))),
            Some("assistant") => blocks::assistant(stamp, message, out),
            Some(_) => {}
            None => match text(record, "type") {
                Some("turn_ended") | None => {}
                Some(kind) => out.unknown(kind),
            },
        }
    }
}
