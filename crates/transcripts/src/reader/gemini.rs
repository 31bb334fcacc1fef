//! Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, a log of operations; before version 0.39 one JSON document.

use super::kit::*;

pub(super) const LINES: Format = Format {
    agent: Agent::Gemini,
    roots,
    accepts: |path| is_chat(path, "jsonl"),
    storage: Storage::Lines(open),
};
pub(super) const DOCUMENT: Format = Format {
    agent: Agent::Gemini,
    roots,
    accepts: |path| is_chat(path, "json"),
    storage: Storage::Document(document),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    let home = places
        .variables
        .get("GEMINI_CLI_HOME")
        .cloned()
        .unwrap_or_else(|| places.home.clone());
    vec![home.join(".gemini/tmp")]
}

fn is_chat(path: &Path, ending: &str) -> bool {
    names(path).contains(&"chats") && path.extension().is_some_and(|end| end == ending)
}

/// Returns the folder of the project, for which the store has a short name.
fn project_of(source: &Source<'_>) -> Option<String> {
    let below = source.path.strip_prefix(source.root).ok()?;
    let short = below.iter().next()?.to_str()?;
    let noted = source.root.join(short).join(".project_root");
    if source.disk.lstat(&noted).ok().flatten().is_some() {
        let bytes = forge_memory_journal::read_bounded(source.disk, &noted, 4096).ok()?;
        return String::from_utf8(bytes).ok().map(|path| path.trim().to_owned());
    }
    let known = source.json_at(&source.root.parent()?.join("projects.json"))?;
    let projects = known.get("projects")?.as_object()?;
    projects
        .iter()
        .find(|(_, name)| name.as_str() == Some(short))
        .map(|(path, _)| path.clone())
}

fn session_of(source: &Source<'_>) -> Session {
    Session {
        cwd: project_of(source),
        ..Session::new(Agent::Gemini, source.stem())
    }
}

fn open(source: &Source<'_>, saved: Option<Value>) -> Box<dyn super::LineReader> {
    resumed(saved, || Gemini {
        session: session_of(source),
        last: None,
    })
}

#[derive(Serialize, Deserialize)]
struct Gemini {
    session: Session,
    /// The latest message. It is written again when it is completed and the last version counts, so it is held back until the next one.
    last: Option<(u64, Value)>,
}

impl RecordReader for Gemini {
    fn holds_text(&self) -> bool {
        self.last.is_some()
    }

    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        if record.get("sessionId").is_some() {
            meta(&mut self.session, record, out);
        } else if text(record, "type").is_some() {
            let is_update = self
                .last
                .as_ref()
                .is_some_and(|(_, last)| last.get("id") == record.get("id"));
            if is_update && text(record, "type") == Some("gemini") {
                // The texts were emitted before; only calls that have finished since are new.
                calls(record, number, out);
            } else {
                message(&self.session, record, number, out);
            }
            self.last = Some((number, serde_json::json!({ "id": record.get("id") })));
        } else if record.get("$set").is_none() && record.get("$rewindTo").is_none() {
            out.unknown("record");
        }
    }
}

fn meta(session: &mut Session, record: &Value, out: &mut Emitter<'_>) {
    session.id = text(record, "sessionId").unwrap_or(&session.id).to_owned();
    session.started_ms = time(record.get("startTime"));
    session.is_subagent = text(record, "kind") == Some("subagent");
    if session.cwd.is_none() {
        session.cwd = items(record, "directories")
            .first()
            .and_then(Value::as_str)
            .map(str::to_owned);
    }
    out.session(session);
}

fn document(source: &Source<'_>, whole: &Value, out: &mut Emitter<'_>) {
    let mut session = session_of(source);
    meta(&mut session, whole, out);
    for (at, record) in items(whole, "messages").iter().enumerate() {
        message(&session, record, at as u64 + 1, out);
    }
}

fn message(session: &Session, record: &Value, number: u64, out: &mut Emitter<'_>) {
    let stamp = Stamp::new(number, time(record.get("timestamp")), text(record, "id"));
    let written = record.get("content").map(content).unwrap_or_default();
    match text(record, "type") {
        Some("user") if session.has_human() && !written.starts_with(['/', '?']) => {
            out.human(stamp.event(Kind::Prompt, written));
        }
        Some("gemini") => {
            out.event(stamp.event(Kind::Text, written));
            calls(record, number, out);
        }
        Some("user" | "info" | "error" | "warning") | None => {}
        Some(kind) => out.unknown(kind),
    }
}

fn calls(record: &Value, number: u64, out: &mut Emitter<'_>) {
    for made in items(record, "toolCalls") {
        let (name, id) = (text(made, "name").unwrap_or_default(), text(made, "id"));
        let stamp = Stamp::new(number, time(made.get("timestamp")), id);
        let status = text(made, "status");
        if !matches!(status, Some("success" | "error" | "cancelled")) {
            continue;
        }
        let input = made.get("args").unwrap_or(&Value::Null);
        if name == "save_memory" {
            let fact = text(input, "fact").unwrap_or_default();
            out.event(stamp.event(Kind::Remember, fact));
            continue;
        }
        out.event(stamp.call(id, name, input));
        out.event(answer(made, status, stamp));
    }
}

fn answer(made: &Value, status: Option<&str>, stamp: Stamp<'_>) -> Event {
    let mut shown = String::new();
    for part in items(made, "result") {
        for field in ["output", "error"] {
            shown.push_str(deep(part, &format!("/functionResponse/response/{field}")).unwrap_or_default());
        }
    }
    if status == Some("cancelled") {
        return stamp.rejection(stamp.id, "");
    }
    // The exit code is written only when it is not zero, on a line that the tool adds.
    let failed = shown.lines().any(|line| line.starts_with("Exit Code: ")) || status == Some("error");
    stamp.result(stamp.id, shell::outcome(None, failed), shown)
}
