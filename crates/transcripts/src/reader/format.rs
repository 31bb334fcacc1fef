//! A format of sessions: where its files are, and how they are read.

use std::path::{Path, PathBuf};

use forge_memory_journal::{Disk, read_bounded};
use rusqlite::Connection;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::Agent;
use crate::emitter::Emitter;
use crate::event::Session;
use crate::places::Places;

/// A file with sessions, and access to the files beside it.
pub struct Source<'a> {
    /// Its path.
    pub path: &'a Path,
    /// The root of its store.
    pub root: &'a Path,
    /// Its modification time in milliseconds since the epoch, for formats without times.
    pub modified_ms: i64,
    pub(crate) disk: &'a dyn Disk,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Source<'_> {
    /// Returns the file name without its extension.
    pub(crate) fn stem(&self) -> &str {
        self.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
    }

    pub(crate) fn folder(&self) -> &str {
        let folder = self.path.parent().and_then(Path::file_name);
        folder.and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Reads a small JSON file beside the source or elsewhere in the store.
    pub(crate) fn json_at(&self, path: &Path) -> Option<Value> {
        const BYTES_MAX: u64 = 16 << 20;
        let found = self.disk.lstat(path).ok()??;
        if found.len > BYTES_MAX {
            return None;
        }
        serde_json::from_slice(&read_bounded(self.disk, path, BYTES_MAX).ok()?).ok()
    }

    /// Reads a small text file beside the source.
    pub(crate) fn text_beside(&self, name: &str) -> Option<String> {
        let path = self.path.with_file_name(name);
        self.disk.lstat(&path).ok()??;
        String::from_utf8(read_bounded(self.disk, &path, 1 << 20).ok()?).ok()
    }

    /// Reads a small JSON file beside the source.
    pub(crate) fn json_beside(&self, name: &str) -> Option<Value> {
        self.json_at(&self.path.with_file_name(name))
    }
}

/// Reads a file line by line. Its state can be saved after any line and resumed in a later run.
pub trait LineReader: Send {
    /// Reads one line; `number` is counted from 1.
    fn line(&mut self, line: &[u8], number: u64, out: &mut Emitter<'_>);
    /// Returns the state from which a later run resumes after the last line.
    fn resume_state(&self) -> Value;
    /// Returns true if the resume state contains texts of the session other than its title.
    fn holds_text(&self) -> bool;
}

/// Reads JSONL, one record per line. The reader itself, serialised, is its resume state.
pub(crate) trait RecordReader: Serialize + Send {
    /// Returns true if a line can be skipped without parsing it; counts it if so.
    fn passes_over(&self, line: &[u8], out: &mut Emitter<'_>) -> bool {
        let _ = (line, out);
        false
    }

    /// Reads one record; `number` is its line.
    fn record(&mut self, record: &Value, number: u64, out: &mut Emitter<'_>);

    /// Returns true if it holds a record back.
    fn holds_text(&self) -> bool {
        false
    }
}

impl<R: RecordReader> LineReader for R {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Emitter<'_>) {
        if self.passes_over(line, out) {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(record) => self.record(&record, number, out),
            Err(_) => out.skipped.invalid += 1,
        }
    }

    fn resume_state(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn holds_text(&self) -> bool {
        RecordReader::holds_text(self)
    }
}

/// The metadata of a session, emitted once with the first record.
#[derive(Serialize, Deserialize)]
pub(crate) struct SessionHeader {
    pub session: Session,
    #[serde(rename = "is_told")]
    is_emitted: bool,
}

impl SessionHeader {
    /// Returns a header that was not emitted yet.
    pub fn of(session: Session) -> Self {
        SessionHeader {
            session,
            is_emitted: false,
        }
    }

    /// Emits the session unless that was done; `complete` adds the metadata of the first record.
    pub fn emit(&mut self, out: &mut Emitter<'_>, complete: impl FnOnce(&mut Session)) {
        if !self.is_emitted {
            self.is_emitted = true;
            complete(&mut self.session);
            out.session(&self.session);
        }
    }
}

/// Creates a line reader, from a resume state if there is one.
pub type OpenLines = fn(&Source<'_>, Option<Value>) -> Box<dyn LineReader>;

/// The storage format of files, with the functions that read it.
#[derive(Clone, Copy)]
pub enum Storage {
    /// Append-only lines.
    Lines(OpenLines),
    /// One JSON document, which the agent rewrites as a whole.
    Document(fn(&Source<'_>, &Value, &mut Emitter<'_>)),
    /// A log of changes to one JSON document: the first function applies a line, the second one reads the resulting document.
    Changes(fn(&mut Value, Value), fn(&Source<'_>, &Value, &mut Emitter<'_>)),
    /// An SQLite database.
    Database(fn(&Source<'_>, &Connection, &mut Emitter<'_>) -> rusqlite::Result<()>),
}

/// A format in which an agent stores sessions.
pub struct Format {
    /// The agent.
    pub agent: Agent,
    /// The roots of its stores.
    pub roots: fn(&Places) -> Vec<PathBuf>,
    /// Returns true if a path below a root is a file of this format.
    pub accepts: fn(&Path) -> bool,
    /// How its files are read.
    pub storage: Storage,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

pub(crate) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}

pub(crate) fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

/// Returns true if a `User` folder belongs to an editor.
pub(crate) fn is_of_editor(user: &Path, editor: &str) -> bool {
    user.parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == editor)
}

pub(crate) fn names(path: &Path) -> Vec<&str> {
    path.iter().filter_map(|name| name.to_str()).collect()
}

/// Restores a reader from its resume state, or creates one with `begin`.
pub(crate) fn resumed<R: RecordReader + DeserializeOwned + 'static>(
    saved: Option<Value>,
    begin: impl FnOnce() -> R,
) -> Box<dyn LineReader> {
    let restored = saved.and_then(|saved| serde_json::from_value(saved).ok());
    Box::new(restored.unwrap_or_else(begin))
}
