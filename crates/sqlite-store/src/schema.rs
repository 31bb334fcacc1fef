//! The tables, as they are, and their migration from the version before.

use forge_memory_core::text::Terms;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::text::{index_terms, scope_terms};

const TABLES: &str = "
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
-- What people and agents said about thoughts, with the lines as they were said. Each row stays as it is; together they say whether a thought counts.
CREATE TABLE rulings (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  other TEXT NOT NULL,
  why TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  project TEXT NOT NULL,
  line TEXT NOT NULL DEFAULT '',
  UNIQUE (id, kind, other, at_ms, project)
) STRICT;
CREATE INDEX rulings_of_two ON rulings (other) WHERE kind IN ('conflict', 'hold');
-- Vectors of the pieces of long texts behind the first one. Piece 0 has none: it says that the text is not longer than one.
CREATE TABLE pieces (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  model INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model, seq, piece)
) STRICT;
CREATE TRIGGER pieces_with_vector AFTER DELETE ON vectors BEGIN
  DELETE FROM pieces WHERE model = OLD.model AND seq = OLD.seq;
END;
";

/// From the version before. Texts have other terms than there: all are written anew.
const MIGRATION: &str = "
ALTER TABLE rulings ADD COLUMN line TEXT NOT NULL DEFAULT '';
DROP TABLE terms;
CREATE VIRTUAL TABLE terms USING fts5 (
  word, part, scope, content = '', contentless_delete = 1, tokenize = 'ascii'
);
";

/// The version that this package writes.
pub(super) const VERSION: usize = 3;

/// Creates the tables, or migrates those of the version before. Returns the version that is there then: another one is left unchanged.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<usize> {
    if statements_from(version_of(connection)?).is_some() {
        // Of several concurrent processes, the first one migrates.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = version_of(&transaction)?;
        if let Some(statements) = statements_from(found) {
            transaction.execute_batch(statements)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            if found > 0 {
                write_terms(&transaction)?;
            }
        }
        transaction.commit()?;
    }
    version_of(connection)
}

fn statements_from(version: usize) -> Option<&'static str> {
    match version {
        0 => Some(TABLES),
        2 => Some(MIGRATION),
        _ => None,
    }
}

fn write_terms(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut terms = Terms::default();
    let mut thoughts =
        transaction.prepare("SELECT seq, content, tags, project, type FROM thoughts WHERE hidden = 0")?;
    let mut insert = transaction.prepare("INSERT INTO terms (rowid, word, part, scope) VALUES (?1, ?2, ?3, ?4)")?;
    let mut rows = thoughts.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, content, tags): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (project, kind): (String, String) = (row.get(3)?, row.get(4)?);
        let tags: Vec<String> = serde_json::from_str(&tags).unwrap_or_default();
        let (words, parts) = index_terms(&mut terms, &content, &tags);
        insert.execute(params![seq, words, parts, scope_terms(&project, &kind)])?;
    }
    Ok(())
}

fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}
