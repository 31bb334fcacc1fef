//! Factory droid: `sessions/**/<session>.jsonl`.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Droid,
    roots: |places| vec![places.home.join(".factory/sessions")],
    accepts: is_jsonl,
    storage: Storage::Lines(|source, saved| resumed(saved, || Droid(Session::new(Agent::Droid, source.stem())))),
};

#[derive(Serialize, Deserialize)]
struct Droid(Session);

impl RecordReader for Droid {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "id"));
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
