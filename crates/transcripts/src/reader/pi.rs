//! pi: `agent/sessions/<folder>/<time>_<id>.jsonl`.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Pi,
    roots: |places| vec![places.home.join(".pi/agent/sessions")],
    accepts: is_jsonl,
    storage: Storage::Lines(|source, saved| resumed(saved, || Pi(Session::new(Agent::Pi, source.stem())))),
};

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
                let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "id"));
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
                let name = text(made, "name").unwrap_or_default();
                let input = made.get("arguments").unwrap_or(&Value::Null);
                out.event(stamp.call(text(made, "id"), name, input));
            }
        }
        Some("toolResult") => {
            let shown = content(parts);
            let outcome = shell::outcome(shell::exit_in_header(&shown), is_true(message, "isError"));
            out.event(stamp.result(text(message, "toolCallId"), outcome, shown));
        }
        _ => {}
    }
}
