//! SQLite stores of agents, opened for reading only.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

/// How long to wait for a writer's lock.
const BUSY: Duration = Duration::from_secs(4);

/// Opens an existing store for reading. SQLite accesses its files itself, including the write-ahead log of a database in use.
pub(crate) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let store = Connection::open_with_flags(path, flags)?;
    store.busy_timeout(BUSY)?;
    store.pragma_update(None, "cache_size", -8192)?;
    store.pragma_update(None, "query_only", true)?;
    // Views and triggers that the store defines must not call functions with side effects.
    store.pragma_update(None, "trusted_schema", false)?;
    Ok(store)
}

/// Returns whether a table has all of these columns.
pub(crate) fn has_columns(store: &Connection, table: &str, columns: &[&str]) -> rusqlite::Result<bool> {
    let mut query = store.prepare_cached("SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2")?;
    for column in columns {
        let count: i64 = query.query_row([table, column], |row| row.get(0))?;
        if count == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns a column as text, whatever its type.
pub(crate) fn lossy(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null => None,
    })
}
