//! claude-mem: observations and summaries of sessions, in SQLite, for an import.

use forge_memory_core::clock::{Millis, parse_iso};
use forge_memory_core::transfer::{Incoming, Reading, texts};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;

use crate::database::has_table;

/// The tables, and the columns whose texts make up a record, in order.
const TABLES: [(&str, &str, &[&str]); 2] = [
    (
        "observations",
        "observation",
        &["title", "subtitle", "narrative", "text", "facts"],
    ),
    (
        "session_summaries",
        "summary",
        &["request", "investigated", "learned", "completed", "next_steps", "notes"],
    ),
];

/// The columns with metadata.
const FACTS: [&str; 8] = [
    "id",
    "memory_session_id",
    "sdk_session_id",
    "project",
    "type",
    "concepts",
    "created_at",
    "created_at_epoch",
];

/// Reads its observations and summaries; `None` when it has no table for them.
pub(crate) fn read_observations(store: &Connection) -> rusqlite::Result<Option<Reading>> {
    let mut reading = Reading {
        format: "claude-mem",
        ..Reading::default()
    };
    let mut is_known = false;
    for (table, kind, columns) in TABLES {
        if has_table(store, table)? {
            is_known = true;
            read_table(store, table, kind, columns, &mut reading)?;
        }
    }
    Ok(is_known.then_some(reading))
}

fn read_table(
    store: &Connection,
    table: &str,
    kind: &str,
    columns: &[&'static str],
    reading: &mut Reading,
) -> rusqlite::Result<()> {
    let names = known_columns(store, table, columns)?;
    let list = names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(",");
    let list = if list.is_empty() { "NULL" } else { &list };
    // The names are constants of this file, not input.
    let mut query = store.prepare(&format!("SELECT {list} FROM {table} ORDER BY rowid"))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        match record_of(row, &names, table, kind, columns)? {
            Some(record) => reading.records.push(record),
            None => reading.unreadable += 1,
        }
    }
    Ok(())
}

/// Returns which of the known columns a table has. Other columns may have any name, even one that is not valid UTF-8.
fn known_columns(store: &Connection, table: &str, columns: &[&'static str]) -> rusqlite::Result<Vec<&'static str>> {
    let mut query = store.prepare("SELECT name FROM pragma_table_xinfo(?1)")?;
    let mut rows = query.query([table])?;
    let mut known = Vec::new();
    while let Some(row) = rows.next()? {
        let ValueRef::Text(name) = row.get_ref(0)? else {
            continue;
        };
        let ours = columns.iter().chain(&FACTS);
        known.extend(ours.copied().find(|ours| ours.as_bytes() == name));
    }
    Ok(known)
}

fn record_of(
    row: &Row<'_>,
    names: &[&str],
    table: &str,
    kind: &str,
    columns: &[&str],
) -> rusqlite::Result<Option<Incoming>> {
    let cell = |name: &str| -> rusqlite::Result<Option<String>> {
        let Some(at) = names.iter().position(|known| *known == name) else {
            return Ok(None);
        };
        Ok(match row.get_ref(at)? {
            ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).trim().to_owned()),
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
        .filter(|text| !text.is_empty()))
    };
    let mut parts: Vec<String> = Vec::new();
    for column in columns {
        let Some(text) = cell(column)? else { continue };
        let text = match list_in(&text) {
            Some(items) => items
                .iter()
                .map(|item| format!("- {item}"))
                .collect::<Vec<_>>()
                .join("\n"),
            None if kind == "summary" => format!("{column}: {text}"),
            None => text,
        };
        if !text.is_empty() && !parts.contains(&text) {
            parts.push(text);
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let id = cell("id")?.unwrap_or_default();
    let session = cell("memory_session_id")?
        .or(cell("sdk_session_id")?)
        .unwrap_or_default();
    let epoch = cell("created_at_epoch")?.and_then(|text| text.parse::<Millis>().ok());
    // Older versions counted seconds.
    let epoch = epoch.map(|at| {
        if at.unsigned_abs() < 100_000_000_000 {
            at * 1000
        } else {
            at
        }
    });
    let written = cell("created_at")?;
    Ok(Some(Incoming {
        key: format!("{table}\0{session}\0{id}"),
        text: parts.join("\n"),
        kind: cell("type")?.unwrap_or_else(|| kind.to_owned()),
        project: cell("project")?,
        tags: cell("concepts")?.and_then(|text| list_in(&text)).unwrap_or_default(),
        at_ms: epoch.or_else(|| written.as_deref().and_then(parse_iso)),
        ..Incoming::default()
    }))
}

fn list_in(text: &str) -> Option<Vec<String>> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.is_array().then(|| texts(&value))
}
