//! Zed: an SQLite database of threads, each a JSON document, compressed by newer versions.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::kit::*;
use crate::compressed::unpack_bytes;
use crate::database::{has_columns, lossy};

pub(super) const FORMAT: Format = Format {
    agent: Agent::Zed,
    roots,
    accepts: |path| path == Path::new("threads.db"),
    storage: Storage::Database(read),
};

/// The largest thread, decompressed, in bytes.
const THREAD_MAX: u64 = 24 << 20;

fn roots(places: &Places) -> Vec<PathBuf> {
    let mut roots = vec![
        places.data().join("zed/threads"),
        places.home.join("Library/Application Support/Zed/threads"),
    ];
    let moved = [
        ("FLATPAK_XDG_DATA_HOME", "zed/threads"),
        ("LOCALAPPDATA", "Zed/threads"),
    ];
    for (variable, below) in moved {
        roots.extend(places.variables.get(variable).map(|folder| folder.join(below)));
    }
    roots
}

fn read(_source: &Source<'_>, store: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    if !has_columns(store, "threads", &["id", "updated_at", "data_type", "data"])? {
        out.unknown("database");
        return Ok(());
    }
    let optional = |column: &'static str| -> rusqlite::Result<&'static str> {
        Ok(if has_columns(store, "threads", &[column])? {
            column
        } else {
            "NULL"
        })
    };
    // All names are constants of this file.
    let sql = format!(
        "SELECT rowid, id, {}, updated_at, data_type, data, {}, {}, {} FROM threads ORDER BY id",
        optional("summary")?,
        optional("parent_id")?,
        optional("folder_paths")?,
        optional("created_at")?,
    );
    let mut threads = store.prepare(&sql)?;
    let mut rows = threads.query([])?;
    while let Some(row) = rows.next()? {
        let mut session = Session::new(Agent::Zed, lossy(row, 1)?.unwrap_or_default());
        session.title = lossy(row, 2)?;
        session.ended_ms = lossy(row, 3)?.and_then(|at| time(Some(&Value::String(at))));
        session.parent = lossy(row, 6)?.filter(|parent| !parent.is_empty());
        session.is_subagent = session.parent.is_some();
        let folders = lossy(row, 7)?.unwrap_or_default();
        session.cwd = folders.lines().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let created = lossy(row, 8)?.and_then(|at| time(Some(&Value::String(at))));
        session.started_ms = created.or(session.ended_ms);
        out.session(&session);
        if !out.is_wanted() {
            continue;
        }
        match document(lossy(row, 4)?.as_deref(), row.get_ref(5)?) {
            Document::Whole(thread) => messages(&session, &thread, out),
            Document::Invalid => out.skipped.invalid += 1,
            Document::Unknown(kind) => out.unknown(&kind),
        }
    }
    Ok(())
}

enum Document {
    Whole(Value),
    Invalid,
    Unknown(String),
}

fn document(kind: Option<&str>, data: ValueRef<'_>) -> Document {
    let (ValueRef::Blob(bytes) | ValueRef::Text(bytes)) = data else {
        return Document::Invalid;
    };
    let unpacked = match kind {
        Some("zstd") => unpack_bytes(bytes, THREAD_MAX),
        Some("json") | None => (bytes.len() as u64 <= THREAD_MAX).then(|| bytes.to_vec()),
        Some(kind) => return Document::Unknown(kind.to_owned()),
    };
    match unpacked.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        Some(thread) => Document::Whole(thread),
        None => Document::Invalid,
    }
}

fn messages(session: &Session, thread: &Value, out: &mut Emitter<'_>) {
    for (at, message) in items(thread, "messages").iter().enumerate() {
        let id = format!("{}:{at}", session.id);
        let stamp = Stamp::new(at as u64 + 1, session.started_ms, Some(&id));
        if let Some(user) = message.get("User") {
            if session.has_human() {
                out.human(stamp.event(Kind::Prompt, tagged_text(items(user, "content"))));
            }
        } else if let Some(agent) = message.get("Agent") {
            agent_message(agent, stamp, out);
        } else if text(message, "role").is_some() {
            older_message(session, message, stamp, out);
        } else if message.as_str() != Some("Resume") {
            out.unknown("message");
        }
    }
}

/// Joins the texts of content in the form `{"Text": "..."}`.
fn tagged_text(parts: &[Value]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| text(part, "Text")).collect();
    texts.join("\n")
}

fn agent_message(message: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    out.event(stamp.event(Kind::Text, tagged_text(items(message, "content"))));
    for call in items(message, "content").iter().filter_map(|part| part.get("ToolUse")) {
        emit_call(call, stamp, out);
        let result = text(call, "id").and_then(|id| message.get("tool_results")?.get(id));
        if let Some(result) = result {
            emit_result(text(call, "id"), result, stamp, out);
        }
    }
}

/// A message in version 0.2.0 of the document.
fn older_message(session: &Session, message: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let texts: Vec<&str> = items(message, "segments")
        .iter()
        .filter(|segment| text(segment, "type") == Some("text"))
        .filter_map(|segment| text(segment, "text"))
        .collect();
    match text(message, "role") {
        Some("user") if session.has_human() => out.human(stamp.event(Kind::Prompt, texts.join("\n"))),
        Some("assistant") => out.event(stamp.event(Kind::Text, texts.join("\n"))),
        _ => {}
    }
    for call in items(message, "tool_uses") {
        emit_call(call, stamp, out);
    }
    for result in items(message, "tool_results") {
        emit_result(text(result, "tool_use_id"), result, stamp, out);
    }
}

fn emit_call(call: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let input = call.get("input").filter(|input| input.is_object());
    let input = input.or_else(|| call.get("raw_input")).unwrap_or(&Value::Null);
    let name = text(call, "name").unwrap_or_default();
    out.event(stamp.call(text(call, "id"), name, input));
}

fn emit_result(id: Option<&str>, result: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let given = result.get("content").unwrap_or(&Value::Null);
    let shown = match text(given, "Text") {
        Some(shown) => shown.to_owned(),
        None => content(given),
    };
    let outcome = shell::outcome(shell::exit_in_header(&shown), is_true(result, "is_error"));
    out.event(stamp.result(id, outcome, shown));
}
