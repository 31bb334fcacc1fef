//! Goose: an SQLite database since 1.10, before that one JSONL file per session.

use rusqlite::Connection;

use super::kit::*;
use crate::database::{has_columns, lossy};

pub(super) const DATABASE: Format = Format {
    agent: Agent::Goose,
    roots,
    accepts: |path| path == Path::new("sessions.db"),
    storage: Storage::Database(read),
};
pub(super) const LINES: Format = Format {
    agent: Agent::Goose,
    roots,
    accepts: is_jsonl,
    storage: Storage::Lines(|source, saved| {
        resumed(saved, || {
            Lines(SessionHeader::of(Session::new(Agent::Goose, source.stem())))
        })
    }),
};

fn roots(places: &Places) -> Vec<PathBuf> {
    let moved = places
        .variables
        .get("GOOSE_PATH_ROOT")
        .map(|root| root.join("data/sessions"));
    vec![moved.unwrap_or_else(|| places.data().join("goose/sessions"))]
}

fn read(_source: &Source<'_>, store: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    if !has_columns(
        store,
        "messages",
        &["session_id", "role", "content_json", "created_timestamp"],
    )? {
        out.unknown("database");
        return Ok(());
    }
    let kind = if has_columns(store, "sessions", &["session_type"])? {
        "session_type"
    } else {
        "NULL"
    };
    let hidden = if has_columns(store, "messages", &["metadata_json"])? {
        "metadata_json"
    } else {
        "NULL"
    };
    // Both names are constants of this file.
    let mut sessions = store.prepare(&format!(
        "SELECT id, description, working_dir, {kind} FROM sessions ORDER BY id"
    ))?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        let mut session = Session::new(Agent::Goose, lossy(row, 0)?.unwrap_or_default());
        session.title = lossy(row, 1)?;
        session.cwd = lossy(row, 2)?;
        let kind = lossy(row, 3)?;
        session.is_subagent = kind.as_deref() == Some("sub_agent");
        session.is_automated = kind.as_deref() == Some("scheduled");
        out.session(&session);
        if out.is_wanted() {
            messages(store, &session, hidden, out)?;
        }
    }
    Ok(())
}

fn messages(store: &Connection, session: &Session, hidden: &str, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
    let mut query = store.prepare_cached(&format!(
        "SELECT rowid, role, content_json, created_timestamp, {hidden} FROM messages WHERE session_id = ?1 \
         AND length(content_json) < 8388608 ORDER BY created_timestamp, rowid"
    ))?;
    let mut rows = query.query([&session.id])?;
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)?.unsigned_abs();
        let id = format!("{}:{number}", session.id);
        let stamp = Stamp::new(number, row.get::<_, Option<i64>>(3)?.map(millis), Some(&id));
        let is_hidden = lossy(row, 4)?.is_some_and(|meta| meta.replace(' ', "").contains("\"userVisible\":false"));
        if is_hidden {
            continue;
        }
        let role = lossy(row, 1)?;
        match serde_json::from_str::<Value>(&lossy(row, 2)?.unwrap_or_default()) {
            Ok(parts) => emit_parts(session, role.as_deref(), &parts, stamp, out),
            Err(_) => out.skipped.invalid += 1,
        }
    }
    Ok(())
}

fn emit_parts(session: &Session, role: Option<&str>, parts: &Value, stamp: Stamp<'_>, out: &mut Emitter<'_>) {
    for part in parts.as_array().into_iter().flatten() {
        match text(part, "type") {
            Some("toolRequest") => {
                let made = part.pointer("/toolCall/value").unwrap_or(&Value::Null);
                let name = text(made, "name").unwrap_or_default();
                let input = made.get("arguments").unwrap_or(&Value::Null);
                out.event(stamp.call(text(part, "id"), name, input));
            }
            Some("toolResponse") => {
                let is_error = deep(part, "/toolResult/status") == Some("error");
                let value = part
                    .pointer("/toolResult/value/content")
                    .or_else(|| part.pointer("/toolResult/value"));
                let shown = match deep(part, "/toolResult/error") {
                    Some(error) => error.to_owned(),
                    None => value.map(content).unwrap_or_default(),
                };
                let outcome = shell::outcome(None, is_error);
                out.event(stamp.result(text(part, "id"), outcome, shown));
            }
            _ => {}
        }
    }
    match role {
        Some("user") if session.has_human() => out.human(stamp.event(Kind::Prompt, content(parts))),
        Some("assistant") => out.event(stamp.event(Kind::Text, content(parts))),
        _ => {}
    }
}

#[derive(Serialize, Deserialize)]
struct Lines(SessionHeader);

impl RecordReader for Lines {
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>) {
        self.0.emit(out, |session| {
            session.cwd = text(record, "working_dir").map(str::to_owned);
            session.title = text(record, "description").map(str::to_owned);
        });
        let Some(role) = text(record, "role") else { return };
        let id = format!("{}:{number}", self.0.session.id);
        let stamp = Stamp::new(number, time(record.get("created")), Some(&id));
        emit_parts(
            &self.0.session,
            Some(role),
            record.get("content").unwrap_or(&Value::Null),
            stamp,
            out,
        );
    }
}
