//! Qwen Code: `projects/<folder>/chats/<session>.jsonl`.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Qwen,
    roots: |places| vec![places.home.join(".qwen/projects")],
    accepts: |path| is_jsonl(path) && names(path).contains(&"chats"),
    storage: Storage::Lines(|source, saved| {
        resumed(saved, || {
            Qwen(SessionHeader::of(Session::new(Agent::Qwen, source.stem())))
        })
    }),
};

#[derive(Serialize, Deserialize)]
struct Qwen(SessionHeader);

impl RecordReader for Qwen {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "uuid"));
        self.0.emit(out, |session| {
            session.id = text(record, "sessionId").unwrap_or(&session.id).to_owned();
            session.cwd = text(record, "cwd").map(str::to_owned);
            session.branch = text(record, "gitBranch").map(str::to_owned);
            session.started_ms = stamp.at_ms;
        });
        let parts = record.pointer("/message/parts").unwrap_or(&Value::Null);
        match (text(record, "type"), text(record, "subtype")) {
            (Some("user"), _) => out.human(stamp.event(Kind::Prompt, content(parts))),
            (Some("system"), Some("mid_turn_user_message")) => {
                let typed = deep(record, "/systemPayload/message").map_or_else(|| content(parts), str::to_owned);
                out.human(stamp.event(Kind::Steer, typed));
            }
            (Some("system"), _) | (None, _) => {}
            (Some("assistant"), _) => assistant(parts, stamp, out),
            (Some("tool_result"), _) => result(record, parts, stamp, out),
            (Some(kind), _) => out.unknown(kind),
        }
    }
}

fn assistant(parts: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    out.event(stamp.event(Kind::Text, content(parts)));
    for made in parts
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("functionCall"))
    {
        let name = text(made, "name").unwrap_or_default();
        let input = made.get("args").unwrap_or(&Value::Null);
        if name == "save_memory" {
            out.event(stamp.event(Kind::Remember, text(input, "fact").unwrap_or_default()));
        } else {
            out.event(stamp.call(text(made, "id"), name, input));
        }
    }
}

fn result(record: &Value, parts: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let told = record.get("toolCallResult").unwrap_or(&Value::Null);
    let part = parts.as_array().and_then(|parts| parts.first()).unwrap_or(&Value::Null);
    let call = text(told, "callId").or_else(|| deep(part, "/functionResponse/id"));
    let answered =
        deep(part, "/functionResponse/response/output").or_else(|| deep(part, "/functionResponse/response/error"));
    let shown = answered.or_else(|| text(told, "resultDisplay")).unwrap_or_default();
    let has_code = shown
        .lines()
        .any(|line| line.starts_with("Exit Code: ") && line != "Exit Code: 0");
    let event = match text(told, "status") {
        Some("cancelled") => stamp.rejection(call, ""),
        Some("error") => stamp.result(call, Outcome::Failed, shown),
        _ if has_code => stamp.result(call, Outcome::Failed, shown),
        _ => stamp.result(call, Outcome::Ok, shown),
    };
    out.event(event);
}
