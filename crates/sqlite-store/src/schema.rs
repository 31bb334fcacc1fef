//! The schema and its migrations.

use rusqlite::{Connection, TransactionBehavior};

/// One migration per version, from an empty file on. A released migration never changes.
const STEPS: [&str; 1] = ["
CREATE TABLE thoughts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL,
  project TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  created_by TEXT NOT NULL,
  captured_at TEXT NOT NULL,
  captured_ms INTEGER NOT NULL,
  expires_at TEXT,
  expires_ms INTEGER,
  tags TEXT NOT NULL,
  confidence REAL NOT NULL,
  supersedes TEXT,
  metadata TEXT NOT NULL,
  hidden INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX thoughts_by_project ON thoughts (project, captured_ms) WHERE hidden = 0;
CREATE INDEX thoughts_by_time ON thoughts (captured_ms) WHERE hidden = 0;
-- Ids that never come back: forgotten, or superseded by a revision.
CREATE TABLE gone (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  seq INTEGER,
  forgotten INTEGER NOT NULL
) STRICT;
-- The terms of a text as hashes: words, what stands in for them, and what filters ask for.
CREATE VIRTUAL TABLE terms USING fts5 (
  word, part, scope, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE TABLE models (
  model INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  model INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model, seq)
) STRICT;
"];

/// The version that this package writes.
pub(super) const VERSION: usize = STEPS.len();

/// Migrates the tables to the current version. Returns the version that was found; a later one is not changed.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<usize> {
    let found = version_of(connection)?;
    if found >= VERSION {
        return Ok(found);
    }
    // Of several concurrent processes the first one migrates.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version_of(&transaction)?;
    for (number, step) in STEPS.iter().enumerate().skip(found) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number + 1)?;
    }
    transaction.commit()?;
    Ok(found)
}

fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}
