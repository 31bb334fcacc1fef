//! SQLite stores of agents, opened for reading only. A store may come from somebody else, so its schema is not trusted: only ordinary
//! tables can be read, and a reading has a budget of steps and of time.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use forge_memory_journal::{Disk, FileKind};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use crate::find;

/// How long to wait for a writer's lock.
const BUSY: Duration = Duration::from_secs(4);

/// The largest value or row, in bytes; the largest that a reader takes is a thread of 24 MiB.
const VALUE_MAX: i32 = 32 << 20;

/// Bounds on schemas and statements. A schema of an agent has a few dozen short statements.
const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, VALUE_MAX),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 200),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 60),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 4),
    (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// How many steps of the virtual machine a reading may take, and how long: an amount for each store, and more for each byte of it. A row takes a few
/// dozen steps and has more bytes than that; the time allows for a slow disk and for the work on the rows.
const STEPS_MIN: u64 = 500_000;
const STEPS_PER_BYTE: u64 = 8;
const TIME_MIN: Duration = Duration::from_secs(20);
const BYTES_PER_SECOND: u64 = 2 << 20;

/// How many steps are between two looks at the budget.
const STEPS_BETWEEN: i32 = 1000;

/// The functions that readers and checks call.
const FUNCTIONS: [&str; 4] = ["count", "json_extract", "json_valid", "length"];

/// Opens an existing store for reading. SQLite accesses its files itself, including the write-ahead log of a database in use.
pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<Connection> {
    // A regular file that was not exchanged; SQLite itself follows no link, so the path must have none in it.
    let (_, state) = find::open(disk, path)?;
    let real = disk.real_path(path)?;
    let bytes = state.len + log_bytes(disk, &real)?;
    connect(&real, bytes).map_err(io::Error::other)
}

/// Checks the files beside a store, which SQLite opens as well, and returns the length of its write-ahead log. A FIFO would block it.
fn log_bytes(disk: &dyn Disk, real: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for ending in ["-wal", "-shm", "-journal"] {
        let mut beside = real.as_os_str().to_owned();
        beside.push(ending);
        match disk.link_metadata(Path::new(&beside)) {
            Ok(found) if found.kind == FileKind::File => bytes += if ending == "-wal" { found.len } else { 0 },
            Ok(_) => return Err(io::Error::other(format!("its {ending} file is not a regular file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

fn connect(real: &Path, bytes: u64) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut store = Connection::open_with_flags(real, flags)?;
    for (limit, most) in LIMITS {
        store.set_limit(limit, most)?;
    }
    store.busy_timeout(BUSY)?;
    store.pragma_update(None, "cache_size", -8192)?;
    store.pragma_update(None, "query_only", true)?;
    // The schema of a store must not call functions with side effects.
    store.pragma_update(None, "trusted_schema", false)?;
    let until = Instant::now() + TIME_MIN + Duration::from_secs(bytes / BYTES_PER_SECOND);
    let mut left = STEPS_MIN.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
    store.progress_handler(
        STEPS_BETWEEN,
        Some(move || {
            left = left.saturating_sub(u64::from(STEPS_BETWEEN.unsigned_abs()));
            left == 0 || Instant::now() >= until
        }),
    )?;
    let computed = computed_columns(&store)?;
    let tables = tables_of(&store)?;
    store.authorizer(Some(move |context: AuthContext<'_>| {
        if is_allowed(&context, &tables, &computed) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }))?;
    Ok(store)
}

/// Returns the names of the ordinary tables, in lower case. A view and a virtual table have no page of their own.
fn tables_of(store: &Connection) -> rusqlite::Result<HashSet<String>> {
    let mut query = store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")?;
    let names = query.query_map([], |row| lossy(row, 0))?;
    names
        .map(|name| Ok(name?.unwrap_or_default().to_ascii_lowercase()))
        .collect()
}

/// Returns the columns whose values an expression of the schema computes.
fn computed_columns(store: &Connection) -> rusqlite::Result<HashSet<(String, String)>> {
    let mut query = store.prepare(
        "SELECT own.name, its.name FROM sqlite_schema own, pragma_table_xinfo(own.name) its \
         WHERE own.type = 'table' AND own.rootpage > 0 AND its.hidden > 1",
    )?;
    let columns = query.query_map([], |row| Ok((lossy(row, 0)?, lossy(row, 1)?)))?;
    columns
        .map(|column| {
            let (table, name) = column?;
            let lower = |text: Option<String>| text.unwrap_or_default().to_ascii_lowercase();
            Ok((lower(table), lower(name)))
        })
        .collect()
}

fn is_allowed(context: &AuthContext<'_>, tables: &HashSet<String>, computed: &HashSet<(String, String)>) -> bool {
    match context.action {
        // reads inside a view name the view as their accessor
        AuthAction::Read {
            table_name,
            column_name,
        } => {
            let (table, column) = (table_name.to_ascii_lowercase(), column_name.to_ascii_lowercase());
            let is_catalogue = table == "sqlite_master" || table == "sqlite_schema" || table.starts_with("pragma_");
            context.accessor.is_none()
                && (is_catalogue || tables.contains(&table) && !computed.contains(&(table, column)))
        }
        AuthAction::Select => true,
        AuthAction::Function { function_name } => {
            FUNCTIONS.iter().any(|known| function_name.eq_ignore_ascii_case(known))
        }
        AuthAction::Pragma { pragma_name, .. } => ["table_info", "table_xinfo", "quick_check"].contains(&pragma_name),
        _ => false,
    }
}

/// Returns true if a table has all of these columns.
pub(crate) fn has_columns(store: &Connection, table: &str, columns: &[&str]) -> rusqlite::Result<bool> {
    if !has_table(store, table)? {
        return Ok(false);
    }
    let mut query = store.prepare_cached("SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2")?;
    for column in columns {
        let count: i64 = query.query_row([table, column], |row| row.get(0))?;
        if count == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if there is an ordinary table of this name.
pub(crate) fn has_table(store: &Connection, table: &str) -> rusqlite::Result<bool> {
    let mut query = store
        .prepare_cached("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ?1")?;
    query.query_row([table], |row| Ok(row.get::<_, i64>(0)? > 0))
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
