//! Cursor CLI: `projects/<folder>/agent-transcripts/**/*.jsonl`. It records no times and no results, and the project only as an encoded
//! folder name.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Cursor,
    roots: |places| vec![places.or_home("CURSOR_CONFIG_DIR", ".cursor").join("projects")],
    accepts: |path| is_jsonl(path) && names(path).contains(&"agent-transcripts"),
    storage: Storage::Lines(open),
};

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
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
        let stamp = Stamp::new(number, session.started_ms, Some(&id));
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
