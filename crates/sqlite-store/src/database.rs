//! The database file: opening, reading, and the mapping of SQLite's errors.

use crate::PendingText;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};

use super::candidates::{RANKED_MAX, TermCounts};
use super::schema::{VERSION, migrate};
use super::standings::marks_of;
use super::vectors::VectorArray;
use super::{StoreFilter, StoreHit, StoreModel, StoredThought};
use forge_memory_core::clock::Millis;
use forge_memory_core::error::{Error, FileError, Result};
use forge_memory_core::journal::Disk;
use forge_memory_core::text::analysis::Analysis;
use forge_memory_core::text::bygone::is_bygone;

/// The store's file, in the user's own folder.
pub const STORE_FILE: &str = "openbrain.db";

/// How long a writer waits for another one.
pub(super) const WRITE_WAIT: Duration = Duration::from_secs(10);

/// How long a reader waits. Writers do not keep readers out, except while one recovers the file or a program locks it for itself, as on a
/// file system without locks; somebody waits for the answer.
pub(super) const READ_WAIT: Duration = Duration::from_millis(800);

/// The maximum number of reported problems of a file.
const DAMAGES_MAX: u32 = 5;

/// The columns of a thought, in the order of [`thought_of`].
pub(super) const COLUMNS: &str = "t.id, t.content, t.project, t.type, t.source, t.created_by, t.captured_at, \
     t.expires_at, t.tags, t.confidence, t.supersedes, t.metadata";

/// An open store.
#[derive(Debug)]
pub struct EmbeddedStore {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    /// The codes of the vectors of the model that was used last.
    pub(super) vectors: Option<VectorArray>,
    /// A cache of the terms of words in search candidates.
    pub(super) analysis: Analysis,
    /// A cache of how many texts have each term.
    pub(super) counts: TermCounts,
    /// How many rows with frequent words a search ranks.
    pub(super) ranked_max: usize,
}

impl EmbeddedStore {
    /// Opens the store at `path`, creating it for its owner only. Folder, file and the files of vectors are accessed through `disk`;
    /// SQLite accesses its files itself.
    ///
    /// # Errors
    /// `IO` when it cannot be created, `CORRUPT` when the file is not a database, `UNSUPPORTED` when a later version of
    /// this package wrote it, `LOCKED` when another process locks it.
    pub fn open<D: Disk + Clone + 'static>(disk: &D, path: &Path) -> Result<Self> {
        Self::open_within(disk, path, WRITE_WAIT)
    }

    fn open_within<D: Disk + Clone + 'static>(disk: &D, path: &Path, wait: Duration) -> Result<Self> {
        if let Some(folder) = path.parent() {
            disk.make_dir(folder).map_err(Error::io("create", folder))?;
        }
        // SQLite creates its other files with the mode of this one.
        drop(disk.open_append(path).map_err(Error::io("open", path))?);
        let fail = |error| store_error("open", path, wait, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(fail)?;
        let found = prepare(&mut connection, wait).map_err(fail)?;
        if found != VERSION {
            return Err(Error::Unsupported {
                what: format!("{}", path.display()),
                reason: format!("its version is {found}, but this package supports {VERSION}"),
            });
        }
        Ok(EmbeddedStore {
            disk: Arc::new(disk.clone()),
            path: path.to_path_buf(),
            connection,
            vectors: None,
            analysis: Analysis::default(),
            counts: TermCounts::default(),
            ranked_max: RANKED_MAX,
        })
    }

    /// Opens the store at `path` if it exists: reading does not create files. It waits for a lock no longer than a reader does.
    pub fn open_existing<D: Disk + Clone + 'static>(disk: &D, path: &Path) -> Result<Option<Self>> {
        match disk.stat(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            _ => EmbeddedStore::open_within(disk, path, READ_WAIT).map(Some),
        }
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the whole file for damage. Returns the problems; empty when there are none.
    pub fn damage(&self) -> Result<Vec<String>> {
        self.reading(|connection| {
            let mut statement = connection.prepare(&format!("PRAGMA integrity_check({DAMAGES_MAX})"))?;
            let said = statement.query_map([], |row| row.get::<_, String>(0))?;
            let mut damage: Vec<String> = said.collect::<rusqlite::Result<_>>()?;
            damage.retain(|line| line != "ok");
            Ok(damage)
        })
    }

    /// Returns a version of the data, which changes with every added thought or vector and every deletion, by any
    /// process.
    pub fn state(&self) -> Result<String> {
        // AUTOINCREMENT never reuses a number, so the last number of each table identifies its version.
        let sql = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
        self.reading(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let numbers = statement.query_map([], |row| {
                Ok(format!("{} {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            })?;
            Ok(numbers.collect::<rusqlite::Result<Vec<_>>>()?.join(" "))
        })
    }

    /// Tells for each id whether the store has it, including hidden thoughts.
    pub fn has(&self, ids: &[String]) -> Result<Vec<bool>> {
        self.reading(|connection| {
            let mut known = connection.prepare_cached("SELECT 1 FROM thoughts WHERE id = ?1")?;
            ids.iter().map(|id| known.exists([id])).collect()
        })
    }

    /// Counts the visible thoughts, including expired ones.
    pub fn count(&self, project: Option<&str>) -> Result<u64> {
        let sql = "SELECT count(*) FROM thoughts WHERE hidden = 0 AND (?1 IS NULL OR project = ?1)";
        self.reading(|connection| connection.prepare_cached(sql)?.query_row([project], |row| row.get(0)))
    }

    /// Lists thoughts, newest first.
    pub fn list(&self, filter: &StoreFilter) -> Result<Vec<StoreHit>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM thoughts t WHERE t.hidden = 0 AND (?1 IS NULL OR t.project = ?1)
             AND (?2 IS NULL OR t.type = ?2) AND (?3 IS NULL OR t.captured_ms >= ?3)
             AND (t.expires_ms IS NULL OR t.expires_ms > ?4)
             ORDER BY t.captured_ms DESC, t.seq DESC LIMIT ?5"
        );
        self.reading(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params![
                filter.project,
                filter.kind,
                filter.since,
                filter.now,
                filter.limit as i64
            ];
            let hits = statement.query_map(values, |row| {
                let thought = thought_of(row)?;
                let (conflicts, verdicts) = marks_of(connection, &thought.id, &thought.project)?;
                Ok(StoreHit {
                    is_over: is_bygone(&thought.content),
                    thought,
                    score: 0.0,
                    similarity: None,
                    matched: Vec::new(),
                    is_weak: false,
                    lexical_rank: None,
                    conflicts,
                    verdicts,
                })
            })?;
            hits.collect()
        })
    }

    /// Lists the models that have vectors.
    pub fn models(&self) -> Result<Vec<StoreModel>> {
        let sql = "SELECT m.name, m.dimensions, (SELECT count(*) FROM vectors v WHERE v.model = m.model)
                   FROM models m ORDER BY m.model";
        self.reading(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let models = statement.query_map([], |row| {
                Ok(StoreModel {
                    name: row.get(0)?,
                    dimensions: row.get(1)?,
                    vectors: row.get(2)?,
                })
            })?;
            models.collect()
        })
    }

    /// Returns ids and texts of thoughts without a vector of a model, newest first.
    pub fn without_vectors(&self, model: &str, limit: usize, now: Millis) -> Result<Vec<PendingText>> {
        let sql = "SELECT t.id, t.content FROM thoughts t
                   WHERE t.hidden = 0 AND (t.expires_ms IS NULL OR t.expires_ms > ?2) AND NOT EXISTS
                     (SELECT 1 FROM vectors v WHERE v.model = ?1 AND v.seq = t.seq)
                   ORDER BY t.seq DESC LIMIT ?3";
        self.reading(|connection| {
            let model = model_of(connection, model)?.map(|(model, _)| model);
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![model.unwrap_or(-1), now, limit as i64], |row| {
                Ok(PendingText {
                    id: row.get(0)?,
                    content: row.get(1)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Does work on one snapshot of the database.
    pub(super) fn in_transaction<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // One that a panic left open.
        if !self.connection.is_autocommit() {
            self.reading(|connection| connection.execute_batch("ROLLBACK"))?;
        }
        self.reading(|connection| connection.execute_batch("BEGIN"))?;
        let outcome = work(self);
        self.reading(|connection| connection.execute_batch("COMMIT"))?;
        outcome
    }

    pub(super) fn reading<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let fail = |error| store_error("read", &self.path, READ_WAIT, error);
        self.connection.busy_timeout(READ_WAIT).map_err(fail)?;
        work(&self.connection).map_err(fail)
    }
}

/// Returns the number and the dimension of a model.
pub(super) fn model_of(connection: &Connection, name: &str) -> rusqlite::Result<Option<(i64, usize)>> {
    let mut statement = connection.prepare_cached("SELECT model, dimensions FROM models WHERE name = ?1")?;
    statement
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// Reads the [`COLUMNS`] of a row.
pub(super) fn thought_of(row: &Row<'_>) -> rusqlite::Result<StoredThought> {
    let tags: String = row.get(8)?;
    Ok(StoredThought {
        id: row.get(0)?,
        content: row.get(1)?,
        project: row.get(2)?,
        kind: row.get(3)?,
        source: row.get(4)?,
        created_by: row.get(5)?,
        captured_at: row.get(6)?,
        expires_at: row.get(7)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        confidence: row.get(9)?,
        supersedes: row.get(10)?,
        metadata: row.get(11)?,
    })
}

fn prepare(connection: &mut Connection, wait: Duration) -> rusqlite::Result<usize> {
    let until = Instant::now() + wait;
    connection.busy_timeout(wait)?;
    // On a file system without shared memory, SQLite keeps the rollback journal, which is as safe.
    while let Err(error) = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
        // The busy timeout does not apply to this switch when another process opens the file at the same time.
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() >= until {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // A record leaves the queue for good once it is committed here, so commits must be durable.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Forgotten text must not remain in free pages of the file.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    migrate(connection)
}

/// Maps an error of SQLite to one of the engine.
pub(super) fn store_error(operation: &'static str, path: &Path, waited: Duration, error: rusqlite::Error) -> Error {
    let path = path.to_path_buf();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::File(FileError::Locked {
            path,
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        }),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Error::Corrupt {
            path,
            reason: error.to_string(),
        },
        _ => Error::io(operation, &path)(std::io::Error::other(error.to_string())),
    }
}
