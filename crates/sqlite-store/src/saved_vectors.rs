//! The files with the codes of vectors, beside the database in the folder `<database>.vectors`, one for each model.
//!
//! They are a cache. The table `vector_files` names the current file of each model by its checksum, so that a file is used only if it is the
//! one that was made from this database: after a restoration of an older database, for a damaged or a foreign file, the vectors are read
//! from the database, and the file is written anew. Vectors newer than the file are read from the database in any case. Whoever writes a
//! file holds SQLite's write lock. Nothing fails because a file cannot be written.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use xxhash_rust::xxh3::xxh3_64;

use super::EmbeddedStore;
use super::database::{READ_WAIT, WRITE_WAIT, model_of, store_error};
use super::vector_file::{decode, encode};
use super::vectors::VectorArray;
use forge_memory_core::error::Result;
use forge_memory_core::journal::{SyncMode, read_file, stage_with, write_whole};

/// So many new vectors are read from the database without a new file: it takes some 20 ms.
const UNSAVED_MIN: usize = 4096;
/// So many of a hundred, with larger files.
const UNSAVED_PERCENT: usize = 6;
/// A file that was replaced while it was looked up is looked up again.
const TRIES: usize = 3;

/// Additional to version 2: clients that do not know the table ignore it.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS vector_files (
    model INTEGER PRIMARY KEY, hash INTEGER NOT NULL, rows INTEGER NOT NULL,
    last_vector INTEGER NOT NULL, last_gone INTEGER NOT NULL
  ) STRICT";

/// The current file of a model.
#[derive(Debug, Clone, Copy)]
struct Listed {
    hash: i64,
    rows: usize,
    last_vector: i64,
    last_gone: i64,
}

impl EmbeddedStore {
    /// Writes the codes of a model's vectors to its file, which other processes then read instead of the vectors. Returns false when
    /// the store has no vectors of the model, or another process is writing.
    ///
    /// # Errors
    /// `IO` when the file cannot be written, otherwise as [`EmbeddedStore::search`].
    pub fn save_vectors(&mut self, model: &str) -> Result<bool> {
        let found = self.reading(|connection| model_of(connection, model))?;
        let Some((number, dimensions)) = found else {
            return Ok(false);
        };
        self.prepare_array(model, number, dimensions)?;
        self.in_transaction(|store| store.catch_up())?;
        self.save_array()
    }

    /// Has the array of a model in memory, from its file if there is one.
    pub(super) fn prepare_array(&mut self, name: &str, model: i64, dimensions: usize) -> Result<()> {
        let is_other = |array: &VectorArray| array.model != model || array.name != name;
        if self.vectors.as_ref().is_none_or(is_other) {
            let array = self.load_array(name, model, dimensions)?;
            self.vectors = Some(array.unwrap_or_else(|| VectorArray::new(name, model, dimensions)));
        }
        Ok(())
    }

    /// Brings the array up to date, within the caller's transaction.
    pub(super) fn catch_up(&mut self) -> Result<()> {
        let Some(array) = &mut self.vectors else { return Ok(()) };
        array
            .catch_up(&self.connection)
            .map_err(|error| store_error("read", &self.path, READ_WAIT, error))
    }

    /// Writes a new file when the array has many vectors that its file has not, or when the file has forgotten ones.
    pub(super) fn save_if_behind(&mut self) {
        let is_behind = |array: &VectorArray| array.has_forgotten || is_much(array.unsaved, array.len());
        if self.vectors.as_ref().is_some_and(is_behind) {
            let _ = self.save_array();
        }
    }

    /// Does so after vectors of a model were stored, without keeping the array in memory for it.
    pub(super) fn save_after_writing(&mut self, model: &str) {
        let behind = self.reading(|connection| {
            let Some((number, _)) = model_of(connection, model)? else {
                return Ok(false);
            };
            let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'vectors'";
            let last: i64 = connection.query_row(sql, [], |row| row.get(0))?;
            let (rows, saved) = listed(connection, number)?.map_or((0, 0), |file| (file.rows, file.last_vector));
            Ok(is_much(usize::try_from(last - saved).unwrap_or(0), rows))
        });
        if behind.unwrap_or(false) {
            let _ = self.save_in_passing(model);
        }
    }

    /// Removes forgotten vectors from the files: the meaning of a text can be guessed from its codes.
    pub(super) fn save_without_forgotten(&mut self) {
        for model in self.reading(saved_models).unwrap_or_default() {
            // While another process writes, the next one that reads the file notices and writes it anew.
            if self.save_in_passing(&model).is_err() {
                self.sweep(|_| false);
            }
        }
    }

    /// Removes the file of a model that was dropped.
    pub(super) fn remove_file_of(&self, model: i64) {
        let prefix = file_prefix(model);
        self.sweep(|name| !name.starts_with(&prefix));
    }

    fn save_in_passing(&mut self, model: &str) -> Result<bool> {
        let is_kept = self.vectors.as_ref().is_some_and(|array| array.name == model);
        let before = if is_kept { None } else { self.vectors.take() };
        let saved = self.save_vectors(model);
        if !is_kept {
            self.vectors = before;
        }
        saved
    }

    fn load_array(&self, name: &str, model: i64, dimensions: usize) -> Result<Option<VectorArray>> {
        for _ in 0..TRIES {
            let Some(file) = self.reading(|connection| listed(connection, model))? else {
                return Ok(None);
            };
            let path = self.vector_folder().join(file_name(model, file.hash));
            match read_file(self.disk.as_ref(), &path) {
                Ok(Some(bytes)) if xxh3_64(&bytes).cast_signed() == file.hash => {
                    let mut array = VectorArray::new(name, model, dimensions);
                    return Ok(decode(bytes, &mut array).map(|()| array));
                }
                Ok(None) => {}
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    fn save_array(&mut self) -> Result<bool> {
        let Some(array) = &self.vectors else { return Ok(false) };
        if array.len() == 0 {
            return Ok(false);
        }
        let bytes = encode(array);
        let file = Listed {
            hash: xxh3_64(&bytes).cast_signed(),
            rows: array.len(),
            last_vector: array.last_vector,
            last_gone: array.last_gone,
        };
        let is_placed = self.place(array.model, file, &bytes)?;
        if let Some(array) = self.vectors.as_mut().filter(|_| is_placed) {
            (array.unsaved, array.has_forgotten) = (0, false);
        }
        Ok(is_placed)
    }

    /// Writes a file and names it in the database. Returns false while another process writes, or when it has written a later file.
    fn place(&self, model: i64, file: Listed, bytes: &[u8]) -> Result<bool> {
        let fail = |error| store_error("write", &self.path, WRITE_WAIT, error);
        self.connection.busy_timeout(Duration::ZERO).map_err(fail)?;
        let begun = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
        self.connection.busy_timeout(WRITE_WAIT).map_err(fail)?;
        let Ok(transaction) = begun else { return Ok(false) };
        let is_later = |other: &Listed| other.last_vector > file.last_vector || other.last_gone > file.last_gone;
        if listed(&transaction, model)
            .map_err(fail)?
            .as_ref()
            .is_some_and(is_later)
        {
            return Ok(false);
        }
        let path = self.vector_folder().join(file_name(model, file.hash));
        // A file that a power failure damaged is noticed by its checksum.
        stage_with(self.disk.as_ref(), &path, SyncMode::Unsynced, |out| {
            write_whole(out, bytes)
        })?
        .place()?;
        let kept = list(&transaction, model, file).map_err(fail)?;
        self.sweep(|name| kept.iter().any(|kept| kept == name));
        transaction.commit().map_err(fail)?;
        Ok(true)
    }

    /// Removes the files that are not kept, also those of processes that were killed.
    fn sweep(&self, is_kept: impl Fn(&str) -> bool) {
        let folder = self.vector_folder();
        for entry in self.disk.list(&folder).unwrap_or_default() {
            if !is_kept(&entry.name.to_string_lossy()) {
                let _ = self.disk.remove(&folder.join(&entry.name));
            }
        }
    }

    fn vector_folder(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".vectors");
        name.into()
    }
}

fn is_much(unsaved: usize, rows: usize) -> bool {
    unsaved >= UNSAVED_MIN && unsaved * 100 >= rows * UNSAVED_PERCENT
}

fn file_name(model: i64, hash: i64) -> String {
    format!("{}{:016x}", file_prefix(model), hash.cast_unsigned())
}

fn file_prefix(model: i64) -> String {
    format!("{model}-")
}

fn has_table(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vector_files'";
    connection.prepare_cached(sql)?.exists([])
}

fn listed(connection: &Connection, model: i64) -> rusqlite::Result<Option<Listed>> {
    if !has_table(connection)? {
        return Ok(None);
    }
    let mut statement =
        connection.prepare_cached("SELECT hash, rows, last_vector, last_gone FROM vector_files WHERE model = ?1")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Listed {
            hash: row.get(0)?,
            rows: row.get(1)?,
            last_vector: row.get(2)?,
            last_gone: row.get(3)?,
        })
    };
    statement.query_row([model], read).optional()
}

fn saved_models(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    if !has_table(connection)? {
        return Ok(Vec::new());
    }
    let sql = "SELECT m.name FROM models m JOIN vector_files f ON f.model = m.model";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Names the file of a model in the database. Returns the names of the files of all models.
fn list(transaction: &Transaction<'_>, model: i64, file: Listed) -> rusqlite::Result<Vec<String>> {
    transaction.execute_batch(TABLE)?;
    let sql = "INSERT OR REPLACE INTO vector_files (model, hash, rows, last_vector, last_gone)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![model, file.hash, file.rows as i64, file.last_vector, file.last_gone];
    transaction.execute(sql, values)?;
    // Another process may have dropped a model, perhaps this one.
    transaction.execute(
        "DELETE FROM vector_files WHERE model NOT IN (SELECT model FROM models)",
        [],
    )?;
    let mut statement = transaction.prepare("SELECT model, hash FROM vector_files")?;
    statement
        .query_map([], |row| Ok(file_name(row.get(0)?, row.get(1)?)))?
        .collect()
}
