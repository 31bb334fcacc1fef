//! SQLite databases, opened read-only, for an import: the user's own shared store, and that of claude-mem.

use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::transfer::{Reading, damaged, own_record, unsupported};
use forge_memory_journal::OsDisk;
use rusqlite::{Connection, Row};
use serde_json::{Map, Value, json};

use crate::claude_mem::read_observations;
use crate::database::{self, has_table};

/// Reads the records of a database.
///
/// # Errors
/// `CORRUPT` when it is damaged, `UNSUPPORTED` when it is of another tool.
pub fn read_database(path: &Path) -> Result<Reading> {
    let broken = |e: rusqlite::Error| damaged(path, &format!("SQLite says: {e}"));
    let store = database::open(&OsDisk, path).map_err(|e| damaged(path, &format!("SQLite says: {e}")))?;
    let is_own = has_table(&store, "thoughts").map_err(broken)?;
    // A check of all tables would read those of the full-text index, which nobody may.
    let checked = if is_own { "thoughts" } else { "1" };
    let sound: String = store
        .query_row(&format!("PRAGMA quick_check({checked})"), [], |row| row.get(0))
        .map_err(broken)?;
    if sound != "ok" {
        return Err(damaged(path, &sound));
    }
    let reading = if is_own {
        Some(read_thoughts(&store).map_err(broken)?)
    } else {
        read_observations(&store).map_err(broken)?
    };
    reading.ok_or_else(|| unsupported(path, "it contains no memory in a known format"))
}

/// Reads the shared store of a user: the records as they were delivered, which are those of the raw log.
fn read_thoughts(store: &Connection) -> rusqlite::Result<Reading> {
    let mut reading = Reading {
        format: "openbrain.db",
        ..Reading::default()
    };
    let mut query = store.prepare(
        "SELECT id, content, project, type, source, created_by, captured_at, expires_at, tags, confidence, supersedes, metadata, hidden
           FROM thoughts ORDER BY seq",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>("hidden")? != 0 {
            reading.retired += 1;
            continue;
        }
        match record_of(row).ok().and_then(own_record) {
            Some(record) => reading.records.push(record),
            None => reading.unreadable += 1,
        }
    }
    Ok(reading)
}

/// Returns the line of the raw log that a row was made of.
fn record_of(row: &Row<'_>) -> rusqlite::Result<Value> {
    let text = |name: &str| row.get::<_, String>(name);
    let mut record = Map::new();
    record.insert("_v".into(), json!(1));
    for name in [
        "id",
        "content",
        "project",
        "type",
        "source",
        "created_by",
        "captured_at",
    ] {
        record.insert(name.into(), text(name)?.into());
    }
    if let Some(expires_at) = row.get::<_, Option<String>>("expires_at")? {
        record.insert("expiresAt".into(), expires_at.into());
    }
    record.insert("tags".into(), serde_json::from_str(&text("tags")?).unwrap_or(json!([])));
    record.insert("confidence".into(), json!(row.get::<_, f64>("confidence")?));
    if let Some(id) = row.get::<_, Option<String>>("supersedes")? {
        record.insert("supersedes".into(), id.into());
    }
    if let Ok(Value::Object(others)) = serde_json::from_str(&text("metadata")?) {
        others.into_iter().for_each(|(name, value)| {
            record.entry(name).or_insert(value);
        });
    }
    Ok(Value::Object(record))
}
