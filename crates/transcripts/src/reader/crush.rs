//! Crush: an SQLite database in each project. Only those in the user's own list of projects are read, because a database in a clone may
//! come from somebody else.

use rusqlite::Connection;

use super::kit::*;
use crate::database::{has_columns, lossy};

pub(super) const FORMAT: Format = Format {
    agent: Agent::Crush,
    roots: |places| vec![places.data().join("crush")],
    accepts: |path| path == Path::new("projects.json") || path == Path::new("crush.db"),
    storage: Storage::Database(read),
};

/// The list of projects; [`crate::sources`] replaces it by their databases.
fn read(source: &Source<'_>, store: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    if !has_columns(store, "messages", &["session_id", "role", "parts", "created_at"])? {
        out.unknown("database");
        return Ok(());
    }
    let folder = source
        .path
        .parent()
        .and_then(Path::parent)
        .map(|folder| folder.display().to_string());
    let mut sessions = store.prepare("SELECT id, parent_session_id, title, created_at FROM sessions ORDER BY id")?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        let mut session = Session::new(Agent::Crush, lossy(row, 0)?.unwrap_or_default());
        session.parent = lossy(row, 1)?.filter(|parent| !parent.is_empty());
        session.is_subagent = session.parent.is_some();
        session.title = lossy(row, 2)?;
        session.cwd.clone_from(&folder);
        session.started_ms = row.get::<_, Option<i64>>(3)?.map(millis);
        out.session(&session);
        if out.is_wanted() {
            messages(store, &session, out)?;
        }
    }
    Ok(())
}

fn messages(store: &Connection, session: &Session, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let mut query = store.prepare_cached(
        "SELECT rowid, id, role, parts, created_at FROM messages WHERE session_id = ?1 AND length(parts) < 8388608 \
         ORDER BY created_at, rowid",
    )?;
    let mut rows = query.query([&session.id])?;
    while let Some(row) = rows.next()? {
        let (id, role) = (lossy(row, 1)?, lossy(row, 2)?);
        let stamp = Stamp::new(
            row.get::<_, i64>(0)?.unsigned_abs(),
            row.get::<_, Option<i64>>(4)?.map(millis),
            id.as_deref(),
        );
        match serde_json::from_str::<Vec<Value>>(&lossy(row, 3)?.unwrap_or_default()) {
            Ok(parts) => parts
                .iter()
                .for_each(|part| emit_parts(session, role.as_deref(), part, stamp, out)),
            Err(_) => out.skipped.invalid += 1,
        }
    }
    Ok(())
}

fn emit_parts(session: &Session, role: Option<&str>, part: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    let data = part.get("data").unwrap_or(&Value::Null);
    match text(part, "type") {
        Some("text") => {
            let written = text(data, "text").unwrap_or_default();
            match role {
                Some("user") if session.has_human() => out.human(stamp.event(Kind::Prompt, written)),
                Some("assistant") => out.event(stamp.event(Kind::Text, written)),
                _ => {}
            }
        }
        Some("tool_call") => {
            let input = data.get("input").map(nested).unwrap_or_default();
            let name = text(data, "name").unwrap_or_default();
            out.event(stamp.call(text(data, "id"), name, &input));
        }
        Some("tool_result") => out.event(result(data, stamp)),
        Some("reasoning" | "image_url" | "binary" | "finish" | "shell_command") | None => {}
        Some(kind) => out.unknown(kind),
    }
}

fn result(data: &Value, stamp: Stamp<'_>) -> Event {
    let (call, shown) = (text(data, "tool_call_id"), text(data, "content").unwrap_or_default());
    if shown.starts_with("User denied permission") {
        return stamp.rejection(call, "");
    }
    // The exit code follows the output.
    let last = shown
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let outcome = match last
        .strip_prefix("Exit code ")
        .and_then(|code| code.trim().parse().ok())
    {
        Some(code) => shell::of_exit(code),
        None if is_true(data, "is_error") => Outcome::Failed,
        None => Outcome::Ok,
    };
    stamp.result(call, outcome, shown)
}
