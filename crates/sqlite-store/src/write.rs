//! Writes; every call is one transaction.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::database::{WRITE_WAIT, model_of, store_error};
use super::text::{index_terms, scope_terms};
use super::vectors::{blob_of, unit_of};
use super::{EmbeddedStore, Meaning, PutOutcome, StoredThought};
use forge_memory_core::clock::parse_iso;
use forge_memory_core::error::{Error, Result};
use forge_memory_core::text::Terms;
use forge_memory_core::thought::is_id;

impl EmbeddedStore {
    /// Stores thoughts, all or none (idempotent by id). A stored thought is unchanged, except for a later expiry.
    ///
    /// # Errors
    /// `INVALID_INPUT` when an id is invalid or the dimension of a vector is not the model's; `LOCKED`, `IO` or
    /// `CORRUPT` when the file cannot be written.
    pub fn put(&mut self, thoughts: &[(StoredThought, Option<Meaning>)]) -> Result<Vec<PutOutcome>> {
        for (thought, _) in thoughts {
            check_id(&thought.id)?;
        }
        let mut terms = Terms::default();
        let outcomes = self.writing(|writer| {
            thoughts
                .iter()
                .map(|(thought, meaning)| writer.put(thought, meaning.as_ref(), &mut terms))
                .collect()
        })?;
        if let Some(meaning) = thoughts.iter().find_map(|(_, meaning)| meaning.as_ref()) {
            self.save_after_writing(&meaning.model);
        }
        Ok(outcomes)
    }

    /// Removes thoughts, with the revisions that they superseded. Their ids cannot be stored again. Returns how many of the ids
    /// existed.
    pub fn remove(&mut self, ids: &[String]) -> Result<u64> {
        self.remove_within(ids, None)
    }

    /// Removes thoughts of these projects only: the queue of one project must not delete the thoughts of another.
    ///
    /// # Errors
    /// As [`EmbeddedStore::put`], and `INVALID_INPUT` when one is of another project; nothing is removed then.
    pub fn remove_within(&mut self, ids: &[String], projects: Option<&[String]>) -> Result<u64> {
        for id in ids {
            check_id(id)?;
        }
        let removed = self.writing(|writer| {
            let mut removed = 0;
            for id in ids {
                writer.check_project(id, projects)?;
                removed += u64::from(writer.forget(id)?);
            }
            Ok(removed)
        })?;
        if removed > 0 {
            self.save_without_forgotten();
        }
        Ok(removed)
    }

    /// Stores vectors of a model for thoughts. Returns how many of the thoughts existed.
    pub fn put_vectors(&mut self, model: &str, vectors: &[(String, Vec<f32>)]) -> Result<u64> {
        let taken = self.writing(|writer| {
            let mut taken = 0;
            for (id, vector) in vectors {
                if let Some(seq) = writer.live_seq(id)? {
                    writer.put_vector(seq, model, vector)?;
                    taken += 1;
                }
            }
            Ok(taken)
        })?;
        self.save_after_writing(model);
        Ok(taken)
    }

    /// Deletes the vectors of a model. Returns how many there were.
    pub fn drop_model(&mut self, model: &str) -> Result<u64> {
        let number = self.reading(|connection| model_of(connection, model))?;
        let dropped = self.writing(|writer| writer.drop_model(model))?;
        self.vectors = None;
        if let Some((number, _)) = number {
            self.remove_file_of(number);
        }
        Ok(dropped)
    }

    pub(super) fn writing<T>(&mut self, work: impl FnOnce(&Writer<'_>) -> Outcome<T>) -> Result<T> {
        let path = self.path.clone();
        let fail = |error| store_error("write", &path, WRITE_WAIT, error);
        self.connection.busy_timeout(WRITE_WAIT).map_err(fail)?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let outcome = work(&Writer {
            transaction: &transaction,
        });
        let answer = match outcome {
            Ok(answer) => answer,
            Err(Refusal::Input(error)) => return Err(error),
            Err(Refusal::Database(error)) => return Err(fail(error)),
        };
        transaction.commit().map_err(fail)?;
        // Own writes do not change the `data_version` of this connection.
        self.counts.clear();
        if let Some(vectors) = &mut self.vectors {
            vectors.is_stale = true;
        }
        Ok(answer)
    }
}

/// Why a transaction is rolled back.
pub(super) enum Refusal {
    Input(Error),
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Refusal::Database(error)
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Refusal>;

pub(super) struct Writer<'a> {
    pub transaction: &'a Transaction<'a>,
}

impl Writer<'_> {
    fn put(&self, thought: &StoredThought, meaning: Option<&Meaning>, terms: &mut Terms) -> Outcome<PutOutcome> {
        let gone = self.gone_in(thought)?;
        if gone == Some(true) {
            return Ok(PutOutcome::Forgotten);
        }
        let Some(seq) = self.insert(thought, gone.is_some())? else {
            self.extend_expiry(thought)?;
            if let (Some(meaning), Some(seq)) = (meaning, self.live_seq(&thought.id)?) {
                self.put_vector(seq, &meaning.model, &meaning.vector)?;
            }
            return Ok(PutOutcome::Known);
        };
        if gone.is_none() {
            let (words, parts) = index_terms(terms, &thought.content, &thought.tags);
            self.index(seq, &words, &parts, &scope_terms(&thought.project, &thought.kind))?;
            if let Some(meaning) = meaning {
                self.put_vector(seq, &meaning.model, &meaning.vector)?;
            }
            self.judge(&thought.id)?;
        }
        if let Some(old) = thought.supersedes.as_deref().filter(|old| *old != thought.id) {
            self.supersede(old, &thought.project)?;
        }
        Ok(PutOutcome::Stored)
    }

    /// Returns the number of the new row; `None` when the id exists.
    fn insert(&self, thought: &StoredThought, is_hidden: bool) -> Outcome<Option<i64>> {
        let sql = "INSERT INTO thoughts (id, content, project, type, source, created_by, captured_at, captured_ms,
                     expires_at, expires_ms, tags, confidence, supersedes, metadata, hidden)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                   ON CONFLICT (id) DO NOTHING";
        let inserted = self.execute(
            sql,
            params![
                thought.id,
                thought.content,
                thought.project,
                thought.kind,
                thought.source,
                thought.created_by,
                thought.captured_at,
                parse_iso(&thought.captured_at).unwrap_or(0),
                thought.expires_at,
                thought.expires_at.as_deref().and_then(parse_iso),
                serde_json::Value::from(thought.tags.clone()).to_string(),
                thought.confidence,
                thought.supersedes,
                thought.metadata,
                is_hidden,
            ],
        )?;
        Ok((inserted > 0).then(|| self.transaction.last_insert_rowid()))
    }

    /// A known thought gets the latest expiry of its lines.
    fn extend_expiry(&self, thought: &StoredThought) -> Outcome<()> {
        let Some((expires_at, expires_ms)) = thought.expires_at.as_deref().and_then(|at| Some((at, parse_iso(at)?)))
        else {
            return Ok(());
        };
        let sql = "UPDATE thoughts SET expires_at = ?2, expires_ms = ?3 WHERE id = ?1 AND expires_ms < ?3";
        if self.execute(sql, params![thought.id, expires_at, expires_ms])? > 0 {
            // Its vector gets a new number, by which other processes notice the change.
            let sql = "INSERT OR REPLACE INTO vectors (model, seq, vector)
                       SELECT v.model, v.seq, v.vector FROM vectors v JOIN thoughts t ON t.seq = v.seq WHERE t.id = ?1";
            self.execute(sql, [&thought.id])?;
        }
        Ok(())
    }

    /// Returns true if a removed id was forgotten (`true`) or superseded (`false`); `None` when it was not removed.
    pub(super) fn gone(&self, id: &str) -> Outcome<Option<bool>> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT forgotten FROM gone WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// Returns the same for a thought that is to be stored; revisions of other projects do not supersede it.
    fn gone_in(&self, thought: &StoredThought) -> Outcome<Option<bool>> {
        let gone = self.gone(&thought.id)?;
        if gone != Some(false) || self.seq_of(&thought.id)?.is_some() {
            return Ok(gone);
        }
        let sql = "SELECT 1 FROM thoughts WHERE supersedes = ?1 AND project = ?2";
        let mut statement = self.transaction.prepare_cached(sql)?;
        if statement.exists(params![thought.id, thought.project])? {
            return Ok(gone);
        }
        self.execute("DELETE FROM gone WHERE id = ?1 AND forgotten = 0", [&thought.id])?;
        Ok(None)
    }

    fn check_project(&self, id: &str, projects: Option<&[String]>) -> Outcome<()> {
        match (projects, self.project_of(id)?) {
            (Some(projects), Some(project)) if !projects.contains(&project) => {
                let reason = format!("{id} belongs to the project {project}: forget it there");
                Err(Refusal::Input(Error::invalid("id", reason)))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn project_of(&self, id: &str) -> Outcome<Option<String>> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT project FROM thoughts WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// Marks `id` as superseded, also when it is stored later than its revision. Thoughts of other projects stay.
    fn supersede(&self, id: &str, project: &str) -> Outcome<()> {
        if self.project_of(id)?.is_some_and(|other| other != project) {
            return Ok(());
        }
        let seq = self.seq_of(id)?;
        let sql = "INSERT INTO gone (id, seq, forgotten) VALUES (?1, ?2, 0) ON CONFLICT (id) DO NOTHING";
        self.execute(sql, params![id, seq])?;
        if let Some(seq) = seq {
            self.execute("UPDATE thoughts SET hidden = 1 WHERE seq = ?1", [seq])?;
            self.remove_from_indexes(seq)?;
        }
        Ok(())
    }

    /// Forgets an id and the revisions that it superseded. Returns true if it existed.
    fn forget(&self, id: &str) -> Outcome<bool> {
        let mut was_there = false;
        let project = self.project_of(id)?;
        let mut next = Some(id.to_owned());
        while let Some(id) = next.take() {
            let of = self.project_of(&id)?;
            if of.is_some() && of != project {
                break;
            }
            if self.gone(&id)? == Some(true) {
                break;
            }
            let seq = self.seq_of(&id)?;
            let sql = "INSERT INTO gone (id, seq, forgotten) VALUES (?1, ?2, 1)
                       ON CONFLICT (id) DO UPDATE SET forgotten = 1, n = (SELECT max(n) + 1 FROM gone)";
            self.execute(sql, params![id, seq])?;
            if let Some(seq) = seq {
                was_there = true;
                self.execute("DELETE FROM rulings WHERE id = ?1", [&id])?;
                next = self.supersedes(seq)?.filter(|old| *old != id);
                self.remove_from_indexes(seq)?;
                self.execute("DELETE FROM thoughts WHERE seq = ?1", [seq])?;
            }
        }
        Ok(was_there)
    }

    fn seq_of(&self, id: &str) -> Outcome<Option<i64>> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT seq FROM thoughts WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    fn live_seq(&self, id: &str) -> Outcome<Option<i64>> {
        let sql = "SELECT seq FROM thoughts WHERE id = ?1 AND hidden = 0";
        let mut statement = self.transaction.prepare_cached(sql)?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    fn supersedes(&self, seq: i64) -> Outcome<Option<String>> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT supersedes FROM thoughts WHERE seq = ?1")?;
        Ok(statement.query_row([seq], |row| row.get(0))?)
    }

    pub(super) fn index(&self, seq: i64, words: &str, parts: &str, scope: &str) -> Outcome<()> {
        let sql = "INSERT INTO terms (rowid, word, part, scope) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![seq, words, parts, scope])?;
        Ok(())
    }

    /// Removes a row from the full-text index and the vectors.
    pub(super) fn remove_from_indexes(&self, seq: i64) -> Outcome<()> {
        self.execute("DELETE FROM terms WHERE rowid = ?1", [seq])?;
        self.execute("DELETE FROM vectors WHERE seq = ?1", [seq])?;
        Ok(())
    }

    fn put_vector(&self, seq: i64, model: &str, vector: &[f32]) -> Outcome<()> {
        let wrong = |reason: String| Refusal::Input(Error::invalid("vector", reason));
        let unit = unit_of(vector).ok_or_else(|| wrong("all its numbers are zero, or one is not finite".into()))?;
        let model = match model_of(self.transaction, model)? {
            Some((model, size)) if size == vector.len() => model,
            Some((_, size)) => {
                let given = vector.len();
                return Err(wrong(format!("vectors of {model} have {size} dimensions, not {given}")));
            }
            None if model.trim().is_empty() => {
                return Err(Refusal::Input(Error::invalid("model", "expected the name of a model")));
            }
            None => {
                let sql = "INSERT INTO models (name, dimensions) VALUES (?1, ?2)";
                self.execute(sql, params![model, vector.len() as i64])?;
                self.transaction.last_insert_rowid()
            }
        };
        // A replaced vector gets a new number, by which other processes notice the change.
        let sql = "INSERT OR REPLACE INTO vectors (model, seq, vector) VALUES (?1, ?2, ?3)";
        self.execute(sql, params![model, seq, blob_of(&unit)])?;
        Ok(())
    }

    fn drop_model(&self, name: &str) -> Outcome<u64> {
        let Some((model, _)) = model_of(self.transaction, name)? else {
            return Ok(0);
        };
        let dropped = self.execute("DELETE FROM vectors WHERE model = ?1", [model])?;
        self.execute("DELETE FROM models WHERE model = ?1", [model])?;
        Ok(dropped as u64)
    }

    pub(super) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Outcome<usize> {
        Ok(self.transaction.prepare_cached(sql)?.execute(values)?)
    }
}

pub(super) fn check_id(id: &str) -> Result<()> {
    if is_id(id) {
        Ok(())
    } else {
        Err(Error::invalid(
            "id",
            "expected at most 128 letters, digits, `_`, `-`, `.` and `:`",
        ))
    }
}
