//! opencode and Kilo CLI: an SQLite database with sessions, messages and parts. Version 2 of opencode adds tables of its own beside them, which have
//! each message as a whole; a session that is in both is read from these. What versions before 1.2 had as files is in `opencode_files.rs`.

use rusqlite::Connection;

use std::collections::HashSet;

use super::kit::*;
use crate::database::{has_columns, lossy};

pub(super) const FORMAT: Format = Format {
    agent: Agent::Opencode,
    roots: |places| vec![places.data().join("opencode")],
    accepts: |path| is_database(path, "opencode"),
    storage: Storage::Database(|_, store, out| read(Agent::Opencode, store, out)),
};
pub(super) const KILO: Format = Format {
    agent: Agent::Kilo,
    roots: |places| vec![places.data().join("kilo")],
    accepts: |path| is_database(path, "kilo"),
    storage: Storage::Database(|_, store, out| read(Agent::Kilo, store, out)),
};

/// Returns the database that the user has named in `OPENCODE_DB`: a path, or a name in the folder of the data.
pub(crate) fn named_database(places: &Places) -> Option<PathBuf> {
    let named = places.variables.get("OPENCODE_DB")?;
    Some(places.data().join("opencode").join(named))
}

mod failure;
mod whole_messages;

use failure::failure;

fn is_database(path: &Path, name: &str) -> bool {
    let file = path.to_str().unwrap_or_default();
    path.components().count() == 1
        && Path::new(file).extension().is_some_and(|end| end == "db")
        && file.starts_with(name)
}

fn read(agent: Agent, store: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let has_new = has_columns(store, "session_v2", &["id", "directory", "time_created"])?
        && has_columns(store, "session_message", &["session_id", "type", "seq", "data"])?;
    let has_old =
        has_columns(store, "session", &["id", "directory", "time_created"])? && has_columns(store, "part", &["data"])?;
    if !has_new && !has_old {
        out.unknown("database");
        return Ok(());
    }
    let mut known = HashSet::new();
    if has_new {
        whole_messages::read(agent, store, &mut known, out)?;
    }
    if has_old {
        sessions(agent, store, &known, out)?;
    }
    Ok(())
}

/// Reads the tables before version 2, without the sessions that the newer ones have.
fn sessions(agent: Agent, store: &Connection, known: &HashSet<String>, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let mut sessions =
        store.prepare("SELECT id, parent_id, directory, title, time_created FROM session ORDER BY id")?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        let id = lossy(row, 0)?.unwrap_or_default();
        if known.contains(&id) {
            continue;
        }
        let mut session = Session::new(agent, id);
        session.parent = lossy(row, 1)?;
        session.is_subagent = session.parent.is_some();
        session.cwd = lossy(row, 2)?;
        session.title = lossy(row, 3)?;
        session.started_ms = row.get::<_, Option<i64>>(4)?.map(millis);
        out.session(&session);
        if out.is_wanted() {
            parts(store, &session, out)?;
        }
    }
    Ok(())
}

fn parts(store: &Connection, session: &Session, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let mut query = store.prepare_cached(
        "SELECT part.rowid, part.id, part.data, json_extract(message.data, '$.role'), json_extract(message.data, '$.summary'), \
         message.time_created FROM part JOIN message ON message.id = part.message_id \
         WHERE part.session_id = ?1 AND json_valid(message.data) AND length(part.data) < 8388608 \
         ORDER BY message.time_created, message.id, part.id",
    )?;
    let mut rows = query.query([&session.id])?;
    while let Some(row) = rows.next()? {
        let id = lossy(row, 1)?;
        let stamp = Stamp::new(
            row.get::<_, i64>(0)?.unsigned_abs(),
            row.get::<_, Option<i64>>(5)?.map(millis),
            id.as_deref(),
        );
        let role = lossy(row, 3)?;
        let is_summary = row.get_ref(4)?.as_i64().is_ok_and(|flag| flag == 1);
        match serde_json::from_str::<Value>(&lossy(row, 2)?.unwrap_or_default()) {
            Ok(_) if is_summary => {}
            Ok(part) => emit_parts(session, role.as_deref(), &part, stamp, out),
            Err(_) => out.skipped.invalid += 1,
        }
    }
    Ok(())
}

pub(super) fn emit_parts(session: &Session, role: Option<&str>, part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    match text(part, "type") {
        Some("text") if is_true(part, "synthetic") => {}
        Some("text") if role == Some("user") => {
            if session.has_human() {
                out.human(stamp.event(Kind::Prompt, text(part, "text").unwrap_or_default()));
            }
        }
        Some("text") => out.event(stamp.event(Kind::Text, text(part, "text").unwrap_or_default())),
        Some("tool") => tool_part(part, stamp, out),
        Some(
            "reasoning" | "file" | "patch" | "snapshot" | "step-start" | "step-finish" | "compaction" | "subtask"
            | "agent" | "retry",
        )
        | None => {}
        Some(kind) => out.unknown(kind),
    }
}

fn tool_part(part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let state = part.get("state").unwrap_or(&Value::Null);
    let (call, name) = (text(part, "callID"), text(part, "tool").unwrap_or_default());
    let input = state.get("input").unwrap_or(&Value::Null);
    out.event(stamp.call(call, name, input));
    let code = state.pointer("/metadata/exit").and_then(Value::as_i64);
    let event = match text(state, "status") {
        Some("error") => failure(call, text(state, "error").unwrap_or_default(), stamp),
        Some("completed") => {
            let shown = text(state, "output").unwrap_or_default();
            stamp.result(call, code.map_or(Outcome::Ok, shell::of_exit), shown)
        }
        _ => return,
    };
    out.event(event);
}
