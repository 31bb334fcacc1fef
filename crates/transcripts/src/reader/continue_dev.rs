//! Continue: `sessions/<session>.json`, one document each.

use super::kit::*;

pub(super) const FORMAT: Format = Format {
    agent: Agent::Continue,
    roots: |places| vec![places.or_home("CONTINUE_GLOBAL_DIR", ".continue").join("sessions")],
    accepts: |path| is_json(path) && !path.ends_with("sessions.json"),
    storage: Storage::Document(read),
};

fn read(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(Agent::Continue, text(whole, "sessionId").unwrap_or(source.stem()));
    session.title = text(whole, "title").map(str::to_owned);
    session.cwd = text(whole, "workspaceDirectory").map(|folder| folder.trim_start_matches("file://").to_owned());
    session.started_ms = Some(source.modified_ms);
    out.session(&session);
    for (at, step) in items(whole, "history").iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp::new(at as u64 + 1, session.started_ms, Some(&id));
        let written = step.pointer("/message/content").map(content).unwrap_or_default();
        match deep(step, "/message/role") {
            Some("user") => out.human(stamp.event(Kind::Prompt, written)),
            Some("assistant") => {
                out.event(stamp.event(Kind::Text, written));
                for state in items(step, "toolCallStates") {
                    call(state, stamp, out);
                }
            }
            _ => {}
        }
    }
}

fn call(state: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let id = text(state, "toolCallId");
    let name = deep(state, "/toolCall/function/name").unwrap_or_default();
    let given = state.pointer("/toolCall/function/arguments").unwrap_or(&Value::Null);
    out.event(stamp.call(id, name, state.get("parsedArgs").unwrap_or(given)));
    let shown: Vec<&str> = items(state, "output")
        .iter()
        .filter_map(|item| text(item, "content"))
        .collect();
    let shown = shown.join("\n");
    let event = match text(state, "status") {
        Some("canceled") => stamp.rejection(id, ""),
        Some("errored") => stamp.result(id, Outcome::Failed, shown),
        Some("done") if shown.contains("Command failed with exit code") => stamp.result(id, Outcome::Failed, shown),
        Some("done") => stamp.result(id, Outcome::Ok, shown),
        _ => return,
    };
    out.event(event);
}
