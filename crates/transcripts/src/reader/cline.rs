//! Cline: `tasks/<time>/api_conversation_history.json` of its extension, and `sessions/<id>/<id>.messages.json` of its command line.

use super::kit::*;

pub(super) const TASKS: Format = Format {
    agent: Agent::Cline,
    roots: task_roots,
    accepts: |path| path.ends_with("api_conversation_history.json") && names(path).len() == 2,
    storage: Storage::Document(read_task),
};
pub(super) const SESSIONS: Format = Format {
    agent: Agent::Cline,
    roots: session_roots,
    accepts: |path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.ends_with(".messages.json"))
    },
    storage: Storage::Document(read_session),
};

fn task_roots(places: &Places) -> Vec<PathBuf> {
    let mut roots = extension_tasks(places, "saoudrizwan.claude-dev");
    roots.push(places.or_home("CLINE_DIR", ".cline").join("data/tasks"));
    roots
}

/// Returns the task folders of an extension, one per editor.
pub(super) fn extension_tasks(places: &Places, extension: &str) -> Vec<PathBuf> {
    let below = |user: PathBuf| user.join("globalStorage").join(extension).join("tasks");
    places.editors().into_iter().map(below).collect()
}

fn session_roots(places: &Places) -> Vec<PathBuf> {
    let data = places.variables.get("CLINE_DATA_DIR").map(|data| data.join("sessions"));
    let plain = || places.or_home("CLINE_DIR", ".cline").join("data/sessions");
    let named = places.variables.get("CLINE_SESSION_DATA_DIR").cloned();
    vec![named.or(data).unwrap_or_else(plain)]
}

fn read_task(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let mut session = Session::new(Agent::Cline, source.folder());
    session.started_ms = source.folder().parse().ok();
    let index = source.root.parent().map(|base| base.join("state/taskHistory.json"));
    let known = index.and_then(|index| source.json_at(&index));
    let own = known.as_ref().and_then(Value::as_array).into_iter().flatten();
    let own = own.into_iter().find(|task| text(task, "id") == Some(source.folder()));
    session.cwd = own
        .and_then(|task| text(task, "cwdOnTaskInitialization"))
        .map(str::to_owned)
        .or_else(|| cwd_in(whole));
    session.title = own.and_then(|task| text(task, "task")).map(str::to_owned);
    out.session(&session);
    messages(&session, whole.as_array().map_or(&[], Vec::as_slice), out);
}

fn read_session(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let id = source.folder();
    let mut session = Session::new(Agent::Cline, id);
    if let Some(meta) = source.json_beside(&format!("{id}.json")) {
        session.cwd = text(&meta, "cwd")
            .or_else(|| text(&meta, "workspace_root"))
            .map(str::to_owned);
        session.started_ms = time(meta.get("started_at"));
    }
    out.session(&session);
    messages(&session, items(whole, "messages"), out);
}

pub(super) fn cwd_in(messages: &Value) -> Option<String> {
    let first = messages.as_array()?.first()?.get("content").map(content)?;
    let (_, behind) = first.split_once("Current Working Directory (")?;
    let folder = behind.split(')').next()?;
    folder.starts_with(['/', 'C', 'D']).then(|| folder.to_owned())
}

/// Emits messages in Cline's format, which its forks share.
pub(super) fn messages(session: &Session, all: &[Value], out: &mut Emitter<'_>) {
    for (at, message) in all.iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp::new(at as u64 + 1, time(message.get("ts")).or(session.started_ms), Some(&id));
        let parts = message.get("content").unwrap_or(&Value::Null);
        match text(message, "role") {
            Some("assistant") => blocks::assistant(stamp, parts, out),
            Some("user") => user(parts, stamp, out),
            _ => {}
        }
    }
}

fn user(parts: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let Some(blocks) = parts.as_array() else {
        return typed(parts.as_str().unwrap_or_default(), stamp, out);
    };
    for block in blocks {
        match text(block, "type") {
            Some("tool_result") => {
                let answer = block.get("content").map(content).unwrap_or_default();
                out.event(result(text(block, "tool_use_id"), &answer, stamp));
            }
            Some("text") => typed(text(block, "text").unwrap_or_default(), stamp, out),
            _ => {}
        }
    }
}

/// Emits text in the user role: a tool result, a refusal, or text that a person typed.
fn typed(written: &str, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    if written.starts_with('[') && written.contains("] Result:") {
        return out.event(result(None, written, stamp));
    }
    out.human(stamp.event(Kind::Prompt, written));
}

/// Converts a tool result; a refusal contains the words of the person who refused.
pub(super) fn result(call: Option<&str>, answer: &str, stamp: Stamp<'_>) -> Event {
    let told: Value = serde_json::from_str(answer).unwrap_or_default();
    let feedback = answer
        .split_once("<feedback>")
        .and_then(|(_, behind)| behind.split("</feedback>").next())
        .or_else(|| text(&told, "feedback"));
    let denied = ["The user denied", "User denied the tool execution"]
        .iter()
        .any(|lead| answer.contains(lead));
    if denied || text(&told, "status") == Some("denied") || feedback.is_some() {
        let reason = feedback.unwrap_or_default().trim();
        return stamp.rejection(call, reason);
    }
    let outcome = match shell::exit_in_header(answer) {
        Some(code) => shell::of_exit(code),
        None if text(&told, "status") == Some("error") => Outcome::Failed,
        None if answer.contains("Command executed") => Outcome::Ok,
        None => Outcome::Unknown,
    };
    stamp.result(call, outcome, answer)
}
