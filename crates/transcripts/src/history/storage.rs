//! The index file: an SQLite database in the user's own folder. Its FTS5 table contains salted hashes instead of words.

use std::io;
use std::path::Path;
use std::time::Duration;

use forge_memory_core::{Error, Result};
use forge_memory_journal::Disk;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use super::model::{AgentSessions, Forget, HistoryStatus, Listed};
use crate::agent::Agent;
use crate::project::{encoded, plain};
use crate::reader::FORMATS;

/// Incremented when the tables change, or the indexed parts of a session. The number of formats is part of the stored version as well.
const VERSION: usize = 2;

fn version() -> usize {
    VERSION * 1000 + FORMATS.len()
}

/// Returns the name of the index. It has the version in it, so that versions of this program in use at once do not delete each other's.
pub(super) fn index_file() -> String {
    format!("index.{}.db", version())
}

const BUSY: Duration = Duration::from_secs(10);
const DAMAGED: &str = "the index of past sessions is damaged";

const TABLES: &str = "
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE files (
  file INTEGER PRIMARY KEY, format INTEGER NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL,
  known TEXT NOT NULL, log TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (path, format)
) STRICT;
CREATE TABLE sessions (
  session INTEGER PRIMARY KEY, file INTEGER NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, parent TEXT,
  folder TEXT, started INTEGER, ended INTEGER, is_subagent INTEGER NOT NULL, is_automated INTEGER NOT NULL, UNIQUE (file, id)
) STRICT;
CREATE INDEX sessions_by_id ON sessions (id);
CREATE TABLE turns (
  turn INTEGER PRIMARY KEY, session INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, at INTEGER
) STRICT;
CREATE INDEX turns_by_session ON turns (session, turn);
CREATE TABLE vectors (turn INTEGER PRIMARY KEY, step REAL NOT NULL, codes BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE terms USING fts5 (
  said, told, done, content = '', contentless_delete = 1, tokenize = 'ascii'
);
";

/// Opens the index, creating it when there is none. Another version is reported as damage, which makes the caller rebuild it.
pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<Connection> {
    if let Some(folder) = path.parent() {
        disk.make_dir(folder).map_err(Error::io("create", folder))?;
    }
    // SQLite creates its journal files with the mode of this file.
    drop(disk.open_append(path).map_err(Error::io("open", path))?);
    let real = disk.real_path(path).map_err(Error::io("open", path))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let opened = Connection::open_with_flags(&real, flags).map_err(failed)?;
    let version = version();
    match prepare(&opened, version).map_err(failed)? {
        found if found == version as i64 => Ok(opened),
        _ => Err(damage()),
    }
}

fn prepare(index: &Connection, version: usize) -> rusqlite::Result<i64> {
    index.busy_timeout(BUSY)?;
    index.pragma_update(None, "journal_mode", "WAL")?;
    index.pragma_update(None, "synchronous", "NORMAL")?;
    index.pragma_update(None, "cache_size", -32_768)?;
    index.pragma_update(None, "temp_store", "MEMORY")?;
    let found = |index: &Connection| index.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if found(index)? == 0 {
        index.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have created the tables in the meantime.
        if found(index)? == 0 {
            index.execute_batch(TABLES)?;
            index.execute_batch("INSERT INTO facts VALUES ('salt', lower(hex(randomblob(8)))), ('excluded', '')")?;
            index.pragma_update(None, "user_version", version)?;
        }
        index.execute_batch("COMMIT")?;
    }
    found(index)
}

/// Removes the index, which can be rebuilt.
pub(super) fn remove(disk: &dyn Disk, path: &Path) -> Result<()> {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match disk.remove(Path::new(&name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io("remove", path)(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Removes the indexes of other versions, which could still have the sessions to be forgotten; those versions rebuild them without these.
pub(super) fn remove_others(disk: &dyn Disk, folder: &Path) -> Result<()> {
    let own = index_file();
    for entry in disk.list(folder).map_err(Error::io("list", folder))? {
        let name = entry.name.to_string_lossy();
        if name.starts_with("index.") && name.ends_with(".db") && *name != own {
            remove(disk, &folder.join(&entry.name))?;
        }
    }
    Ok(())
}

pub(super) fn failed(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damage(),
        _ => Error::internal("use the index of past sessions")(error),
    }
}

fn damage() -> Error {
    Error::internal("use the index of past sessions")(DAMAGED)
}

/// Returns true if an error means that the index has to be rebuilt.
pub(super) fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Internal { reason, .. } if reason == DAMAGED)
}

/// Returns an entry of the table of metadata.
pub(super) fn fact(index: &Connection, name: &str) -> rusqlite::Result<String> {
    index.query_row("SELECT value FROM facts WHERE name = ?1", [name], |row| row.get(0))
}

pub(super) fn sessions_of(index: &Connection, what: &Forget) -> Result<Vec<Listed>> {
    let (condition, value) = match what {
        Forget::Session(id) => ("id = ?1 OR parent = ?1", id.clone()),
        Forget::Project(folder) => (IN_PROJECT, plain(folder)),
        Forget::All => ("?1 = ?1", String::new()),
    };
    let list = || -> rusqlite::Result<Vec<Listed>> {
        let mut query = index.prepare(&format!("SELECT session, agent, id FROM sessions WHERE {condition}"))?;
        let rows = query.query_map([value], |row| {
            Ok(Listed {
                number: row.get(0)?,
                agent: row.get(1)?,
                id: row.get(2)?,
            })
        })?;
        rows.collect()
    };
    list().map_err(failed)
}

/// The SQL condition for sessions of a project, given its folder; [`in_project`] also handles encoded folder names.
const IN_PROJECT: &str = "folder = ?1 OR substr(folder, 1, length(?1) + 1) = ?1 || '/'";

/// Returns true if the folder of a session belongs to a project.
pub(super) fn in_project(folder: &str, project: &str) -> bool {
    match folder.strip_prefix("cursor:") {
        Some(name) => name == encoded(project),
        None => folder
            .strip_prefix(project)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

pub(super) fn remove_sessions(index: &mut Connection, sessions: &[Listed]) -> Result<()> {
    let mut work = || -> rusqlite::Result<()> {
        let step = index.transaction()?;
        for session in sessions {
            remove_session(&step, session.number)?;
        }
        step.commit()
    };
    work().map_err(failed)
}

fn remove_session(index: &Connection, session: i64) -> rusqlite::Result<()> {
    let of_turns = "IN (SELECT turn FROM turns WHERE session = ?1)";
    index.execute(&format!("DELETE FROM terms WHERE rowid {of_turns}"), [session])?;
    index.execute(&format!("DELETE FROM vectors WHERE turn {of_turns}"), [session])?;
    index.execute("DELETE FROM turns WHERE session = ?1", [session])?;
    index.execute("DELETE FROM sessions WHERE session = ?1", [session])?;
    Ok(())
}

pub(super) fn clear_file(index: &Connection, file: i64) -> rusqlite::Result<()> {
    let mut query = index.prepare_cached("SELECT session FROM sessions WHERE file = ?1")?;
    let sessions = query
        .query_map([file], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    sessions
        .into_iter()
        .try_for_each(|session| remove_session(index, session))
}

pub(super) fn remove_file(index: &Connection, file: i64) -> rusqlite::Result<()> {
    clear_file(index, file)?;
    index.execute("DELETE FROM files WHERE file = ?1", [file]).map(|_| ())
}

pub(super) fn clear(index: &Connection) -> rusqlite::Result<()> {
    index.execute_batch("INSERT INTO terms (terms) VALUES ('delete-all')")?;
    for table in ["files", "sessions", "turns", "vectors"] {
        index.execute(&format!("DELETE FROM {table}"), params![])?;
    }
    Ok(())
}

/// Fills in the counts of the index.
pub(super) fn count(index: &Connection, status: &mut HistoryStatus) -> Result<()> {
    let mut work = || -> rusqlite::Result<()> {
        let rows = |table: &str| -> rusqlite::Result<u64> {
            index.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        };
        status.files = rows("files")?;
        status.turns = rows("turns")?;
        status.vectors = rows("vectors")?;
        let mut query =
            index.prepare("SELECT agent, count(DISTINCT id) FROM sessions GROUP BY agent ORDER BY agent")?;
        let counted = query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))?;
        let counted = counted.collect::<rusqlite::Result<Vec<_>>>()?;
        let known = counted.into_iter().filter_map(|(name, sessions)| {
            let agent = Agent::named(&name)?;
            Some(AgentSessions { agent, sessions })
        });
        status.agents = known.collect();
        Ok(())
    };
    work().map_err(failed)
}
