//! Amp: `threads/T-*.json`, one document each. Since spring 2026 threads are stored on Amp's servers only.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Amp,
    roots: |places| vec![places.data().join("amp/threads")],
    accepts: is_json,
    storage: Storage::Document(read),
};

fn read(source: &Source<'_>, thread: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(Agent::Amp, text(thread, "id").unwrap_or(source.stem()));
    session.title = text(thread, "title").map(str::to_owned);
    session.started_ms = time(thread.get("created"));
    session.cwd = deep(thread, "/env/initial/trees/0/uri").map(|uri| uri.trim_start_matches("file://").to_owned());
    out.session(&session);
    for (at, message) in items(thread, "messages").iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp::new(
            at as u64 + 1,
            time(message.pointer("/usage/timestamp")).or(session.started_ms),
            Some(&id),
        );
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
        (_, Some(code)) => shell::of_exit(code),
        (Some("done"), _) => Outcome::Ok,
        (Some("error"), _) => Outcome::Failed,
        _ => Outcome::Unknown,
    };
    let shown = deep(run, "/error/message")
        .or_else(|| deep(run, "/result/output"))
        .or_else(|| text(run, "result"))
        .unwrap_or_default();
    stamp.result(text(part, "toolUseID"), outcome, shown)
}
