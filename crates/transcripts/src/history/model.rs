//! The past sessions of a machine: where they are, queries, hits, and orders to forget.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::TextEmbedder;
use forge_memory_core::progress::Progress;
use forge_memory_journal::Disk;

use crate::agent::Agent;
use crate::places::Places;

/// The past sessions of all agents on this machine.
#[derive(Debug)]
pub struct History<'a> {
    /// The file system with the sessions and the index.
    pub disk: Arc<dyn Disk>,
    /// Where agents keep sessions.
    pub places: &'a Places,
    /// The user's own folder.
    pub home: &'a Path,
    /// The embedding model, if the installation has one.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
    /// Progress, in KiB.
    pub progress: &'a Progress,
}

/// The contents of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStatus {
    /// Its folder.
    pub folder: PathBuf,
    /// True if sessions are indexed at all.
    pub is_enabled: bool,
    /// The patterns of folders whose sessions are excluded.
    pub excluded: Vec<String>,
    /// Files that were read.
    pub files: u64,
    /// Sessions in them, by agent.
    pub sessions: Vec<(Agent, u64)>,
    /// Indexed turns.
    pub turns: u64,
    /// How many of them have a vector.
    pub vectors: u64,
    /// The size of the index in bytes.
    pub bytes: u64,
    /// The number of forgotten sessions and projects.
    pub forgotten: u64,
}

/// Selects the sessions to search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Only sessions of these agents; of all agents when empty.
    pub agents: Vec<Agent>,
    /// Only turns since this time, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Only sessions of the project in this folder; of all projects without.
    pub project: Option<String>,
    /// The most hits, 1 to 50; 10 without.
    pub limit: Option<usize>,
    /// How many of the first hits are left out.
    pub offset: usize,
}

/// A passage of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// `user`, `agent`, `command`, `edit` or `error`.
    pub role: &'static str,
    /// Its time, in milliseconds since the epoch.
    pub at_ms: Option<i64>,
    /// The number of the line, row or message, counted from 1.
    pub line: u64,
    /// The text, redacted and truncated.
    pub text: String,
    /// True when it is part of the matching turn, false when it is context.
    pub is_match: bool,
}

/// A matching session.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryHit {
    /// The agent.
    pub agent: Agent,
    /// The agent's own id of the session.
    pub session: String,
    /// The session that started this one.
    pub parent: Option<String>,
    /// The command that resumes the session, if there is one.
    pub resume: Option<String>,
    /// The agent's own title.
    pub title: Option<String>,
    /// Its working directory, as recorded.
    pub folder: Option<String>,
    /// When the session began.
    pub started_ms: Option<i64>,
    /// When it was last written to.
    pub ended_ms: Option<i64>,
    /// How many turns of it are in the index.
    pub turn_count: u64,
    /// The time of the matching turn, or of the session.
    pub at_ms: Option<i64>,
    /// The file of the session.
    pub path: PathBuf,
    /// The line, row or message at which the turn begins.
    pub line: u64,
    /// The fused score; higher is better.
    pub score: f64,
    /// Excerpts of the turn and of the turns before and after it.
    pub turns: Vec<Excerpt>,
    /// True when the file cannot be read any more or has changed.
    pub is_gone: bool,
    pub(super) number: i64,
    pub(super) session_number: i64,
    pub(super) root: PathBuf,
    pub(super) format: usize,
    pub(super) last: u64,
}

/// The sessions to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// One session, by the agent's own id, and the sessions that it started.
    Session(String),
    /// All sessions of a project until now.
    Project(String),
    /// All sessions until now.
    All,
}

/// A session in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub number: i64,
    pub agent: String,
    pub id: String,
}
