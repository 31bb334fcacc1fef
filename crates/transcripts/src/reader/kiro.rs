//! Kiro CLI: `sessions/cli/<session>.jsonl`, with `<session>.json` beside it.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Kiro,
    roots: |places| vec![places.home.join(".kiro/sessions/cli")],
    accepts: is_jsonl,
    storage: Storage::Lines(open),
};

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || {
        let mut session = Session::new(Agent::Kiro, source.stem());
        if let Some(meta) = source.json_beside(&format!("{}.json", source.stem())) {
            session.cwd = text(&meta, "cwd").map(str::to_owned);
            session.title = text(&meta, "title").map(str::to_owned);
            session.started_ms = time(meta.get("created_at"));
        }
        Kiro(SessionHeader::of(session))
    })
}

#[derive(Serialize, Deserialize)]
struct Kiro(SessionHeader);

impl RecordReader for Kiro {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        self.0.emit(out, |_| {});
        let stamp = Stamp::new(number, self.0.session.started_ms, deep(record, "/data/message_id"));
        let is_prompt = match text(record, "kind") {
            Some("Prompt") => true,
            Some("AssistantMessage" | "ToolResults") => false,
            kind => return out.unknown(kind.unwrap_or("record")),
        };
        for part in record
            .get("data")
            .map(|data| items(data, "content"))
            .unwrap_or_default()
        {
            let data = part.get("data").unwrap_or(&Value::Null);
            match text(part, "kind") {
                Some("text") if is_prompt => out.human(stamp.event(Kind::Prompt, content(data))),
                Some("text") => out.event(stamp.event(Kind::Text, content(data))),
                Some("toolUse") => {
                    let name = text(data, "name").unwrap_or_default();
                    let input = data.get("input").unwrap_or(&Value::Null);
                    out.event(stamp.call(text(data, "toolUseId"), name, input));
                }
                Some("toolResult") => {
                    let outcome = match text(data, "status") {
                        Some("success") => Outcome::Ok,
                        Some("error") => Outcome::Failed,
                        _ => Outcome::Unknown,
                    };
                    let shown = data.get("content").map(content).unwrap_or_default();
                    out.event(stamp.result(text(data, "toolUseId"), outcome, shown));
                }
                _ => {}
            }
        }
    }
}
