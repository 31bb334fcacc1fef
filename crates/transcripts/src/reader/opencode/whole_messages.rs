//! The tables of opencode 2: `session_v2`, and `session_message` with a whole message in each row, as its published `SessionMessage` describes it.

use std::collections::HashSet;

use rusqlite::Connection;

use super::super::kit::*;
use super::failure::failure;
use crate::database::{has_columns, lossy};

/// Reads all sessions, and adds their ids to `known`. A session without a message here is left to the older tables.
pub(super) fn read(
    agent: Agent,
    store: &Connection,
    known: &mut HashSet<String>,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let has_names = has_columns(store, "session_v2", &["parent_id", "title"])?;
    let names = if has_names { "parent_id, title" } else { "NULL, NULL" };
    let mut sessions = store.prepare(&format!(
        "SELECT id, {names}, directory, time_created FROM session_v2 ORDER BY id"
    ))?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        let mut session = Session::new(agent, lossy(row, 0)?.unwrap_or_default());
        session.parent = lossy(row, 1)?;
        session.is_subagent = session.parent.is_some();
        session.title = lossy(row, 2)?;
        session.cwd = lossy(row, 3)?;
        session.started_ms = row.get::<_, Option<i64>>(4)?.map(millis);
        if messages(store, &session, out)? {
            known.insert(session.id);
        }
    }
    Ok(())
}

/// Emits a session with its messages; returns false when it has none.
fn messages(store: &Connection, session: &Session, out: &mut Emitter<'_>) -> rusqlite::Result<bool> {
    let mut query = store.prepare_cached(
        "SELECT type, seq, data FROM session_message WHERE session_id = ?1 AND length(data) < 8388608 ORDER BY seq",
    )?;
    let mut rows = query.query([&session.id])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        if count == 1 {
            out.session(session);
            if !out.is_wanted() {
                return Ok(true);
            }
        }
        let kind = lossy(row, 0)?.unwrap_or_default();
        let number = row.get::<_, i64>(1)?.unsigned_abs();
        match serde_json::from_str::<Value>(&lossy(row, 2)?.unwrap_or_default()) {
            Ok(message) => emit(session, &kind, number, &message, out),
            Err(_) => out.skipped.invalid += 1,
        }
    }
    Ok(count > 0)
}

fn emit(session: &Session, kind: &str, number: u64, message: &Value, out: &mut Emitter<'_>) {
    let at = time(message.pointer("/time/created"));
    let stamp = Stamp::new(number, at.or(session.started_ms), text(message, "id"));
    let said = text(message, "text").unwrap_or_default();
    match kind {
        "user" if session.has_human() => out.human(stamp.event(Kind::Prompt, said)),
        "shell" => {
            let call = text(message, "callID");
            let command = serde_json::json!({ "command": text(message, "command").unwrap_or_default() });
            out.event(stamp.call(call, "bash", &command));
            out.event(stamp.result(call, Outcome::Ok, text(message, "output").unwrap_or_default()));
        }
        "assistant" => {
            for part in items(message, "content") {
                emit_part(part, stamp, out);
            }
        }
        "user" | "synthetic" | "system" | "compaction" | "agent-switched" | "model-switched" => {}
        kind => out.unknown(kind),
    }
}

fn emit_part(part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    match text(part, "type") {
        Some("text") => out.event(stamp.event(Kind::Text, text(part, "text").unwrap_or_default())),
        Some("tool") => tool(part, stamp, out),
        Some("reasoning") | None => {}
        Some(kind) => out.unknown(kind),
    }
}

fn tool(part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let state = part.get("state").unwrap_or(&Value::Null);
    let (call, name) = (text(part, "id"), text(part, "name").unwrap_or_default());
    let input = state.get("input").map(nested).unwrap_or_default();
    out.event(stamp.call(call, name, &input));
    let shown = state.get("content").map(content).unwrap_or_default();
    match text(state, "status") {
        Some("completed") => {
            let code = state.pointer("/structured/exit").and_then(Value::as_i64);
            out.event(stamp.result(call, code.map_or(Outcome::Ok, shell::of_exit), shown));
        }
        Some("error") => {
            let error = deep(state, "/error/message").or_else(|| deep(state, "/error/data/message"));
            out.event(failure(call, error.unwrap_or(&shown), stamp));
        }
        _ => {}
    }
}
