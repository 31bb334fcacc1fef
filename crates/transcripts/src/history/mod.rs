//! Hybrid search over past sessions: BM25 over words, cosine similarity of embeddings, fused as in `recall`. The index contains no
//! text: salted hashes of terms, quantized vectors, and the positions of turns. Texts that are shown are read back from the agents' files
//! and redacted again.
//!
//! Everything is in the user's own folder and derived, except the list of forgotten sessions.

mod excerpts;
mod exclusion;
mod forgotten;
mod model;
mod ranking;
mod resume;
mod search;
mod storage;
mod turns;
mod update;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::{Error, Result, TextEmbedder};
use forge_memory_journal::{Disk, LockFile};
use rusqlite::Connection;

use exclusion::Settings;
pub(crate) use forgotten::Forgotten;
pub use model::{
    AgentSessions, Excerpt, Forget, ForgetSessionsOptions, ForgottenSessions, History, HistoryFilter, HistoryHit,
    HistoryStatus, SessionSearchOptions,
};
pub use search::Found;
pub use update::Updated;

/// The folder of the index, below the user's own folder.
const FOLDER: &str = "history";

impl History<'_> {
    /// Finds past sessions by words and, with an installed model, by meaning. Before that the index is updated for at most `limit`, unless
    /// another process is updating it. An empty query lists the newest sessions that no other session started.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the query has characters and no words, or the settings or the list of forgotten sessions cannot be read; `IO`.
    pub fn search(&self, query: &str, filter: &HistoryFilter, limit: Option<Duration>) -> Result<Found> {
        search::check(query)?;
        let settings = self.enabled()?;
        let updated = self.update_with(&settings, limit)?;
        self.with_index(|index| {
            let mut found = if search::is_empty(query) {
                search::newest(self, index, filter)?
            } else {
                search::run(self, index, query, filter)?
            };
            found.query = query.to_owned();
            found.updated = updated.clone();
            Ok(found)
        })
    }

    /// Updates the index with new events, for at most `limit`.
    pub fn update(&self, limit: Option<Duration>) -> Result<Updated> {
        self.update_with(&self.enabled()?, limit)
    }

    fn update_with(&self, settings: &Settings, limit: Option<Duration>) -> Result<Updated> {
        let lock = self.lock();
        if !lock.try_acquire()? {
            return Ok(Updated {
                is_elsewhere: true,
                ..Updated::default()
            });
        }
        let _held = lock.into_guard();
        let forgotten = Forgotten::read(self.disk.as_ref(), &self.folder())?;
        self.with_index(|index| update::run(self, index, settings, &forgotten, limit))
    }

    /// Forgets sessions permanently: no later update indexes them again. Returns how many were in the index.
    ///
    /// # Errors
    /// `NOT_FOUND` when no session has that id, `LOCKED` or `IO`.
    pub fn forget(&self, what: &Forget, now_ms: i64) -> Result<u64> {
        let lock = self.lock();
        let _held = lock.guard()?;
        let mut forgotten = Forgotten::read(self.disk.as_ref(), &self.folder())?;
        self.with_index(|index| {
            let mut next = forgotten.clone();
            let sessions = storage::sessions_of(index, what)?;
            next.add(what, &sessions, now_ms)?;
            // The list is written first: after a crash, the next update removes sessions on it that are still in the index.
            next.write(self.disk.as_ref(), &self.folder())?;
            storage::remove_others(self.disk.as_ref(), &self.folder())?;
            storage::remove_sessions(index, &sessions)?;
            forgotten = next;
            Ok(sessions.len() as u64)
        })
    }

    /// Returns how many sessions [`History::forget`] would remove from the index, and writes nothing.
    pub fn count_forgotten_by(&self, what: &Forget, now_ms: i64) -> Result<u64> {
        let lock = self.lock();
        let _held = lock.guard()?;
        let forgotten = Forgotten::read(self.disk.as_ref(), &self.folder())?;
        self.with_index(|index| {
            let sessions = storage::sessions_of(index, what)?;
            forgotten.clone().add(what, &sessions, now_ms)?;
            Ok(sessions.len() as u64)
        })
    }

    /// Returns the contents of the index.
    pub fn status(&self) -> Result<HistoryStatus> {
        let settings = Settings::read(self.disk.as_ref(), self.home, &self.places.home)?;
        let forgotten = Forgotten::read(self.disk.as_ref(), &self.folder())?;
        let mut status = HistoryStatus {
            folder: self.folder(),
            is_enabled: settings.is_enabled,
            excluded: settings.patterns().to_vec(),
            forgotten: forgotten.count(),
            ..HistoryStatus::default()
        };
        let path = self.folder().join(storage::index_file());
        if let Ok(state) = self.disk.stat(&path) {
            status.bytes = state.len;
            self.with_index(|index| storage::count(index, &mut status))?;
        }
        Ok(status)
    }

    fn enabled(&self) -> Result<Settings> {
        let settings = Settings::read(self.disk.as_ref(), self.home, &self.places.home)?;
        if settings.is_enabled {
            Ok(settings)
        } else {
            Err(Error::Unsupported {
                what: "the history of sessions".to_owned(),
                reason: "history.enabled is false in settings.json of the user's own folder".to_owned(),
            })
        }
    }

    fn folder(&self) -> PathBuf {
        self.home.join(FOLDER)
    }

    fn lock(&self) -> LockFile {
        LockFile::new(Arc::clone(&self.disk), self.folder().join("lock"))
    }

    /// Runs `work` with the index; a damaged index is rebuilt once.
    fn with_index<T>(&self, mut work: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        let path = self.folder().join(storage::index_file());
        let mut attempt = || work(&mut storage::open(self.disk.as_ref(), &path)?);
        match attempt() {
            Err(error) if storage::is_damage(&error) => {
                storage::remove(self.disk.as_ref(), &path)?;
                attempt()
            }
            outcome => outcome,
        }
    }

    /// The embedding model, if it is installed.
    fn model(&self) -> Option<&Arc<dyn TextEmbedder>> {
        self.embedder.as_ref().filter(|model| model.is_installed())
    }
}

/// Reads the list of forgotten sessions, for backfill.
pub(crate) fn forgotten_in(disk: &dyn Disk, home: &Path) -> Result<Forgotten> {
    Forgotten::read(disk, &home.join(FOLDER))
}
