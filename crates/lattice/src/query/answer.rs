//! Queries and their results.

use forge_memory_core::{Error, Result};

use crate::budget::Limit;
use crate::resolve::Resolved;

/// How the file of a chunk differs from the indexed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// Its file has changed since.
    Changed,
    /// Its file is gone.
    Deleted,
}

impl Stale {
    /// Returns the name as answers have it.
    pub fn name(self) -> &'static str {
        match self {
            Stale::Changed => "changed",
            Stale::Deleted => "deleted",
        }
    }
}

/// A chunk in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkAnswer {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file_path: String,
    /// The language.
    pub language: String,
    /// What it is.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The type it belongs to.
    pub owner: Option<String>,
    /// Its first line.
    pub signature: String,
    /// What a comment says of it.
    pub doc: Option<String>,
    /// Its bytes.
    pub range: (u32, u32),
    /// Its lines.
    pub lines: (u32, u32),
    /// Its hash.
    pub content_hash: String,
    /// Its BM25 score.
    pub score: Option<f64>,
    /// How the edge to it was resolved.
    pub resolved: Option<Resolved>,
    /// How many definitions that edge may mean.
    pub candidates: Option<u32>,
    /// The line of the call, in the caller's file.
    pub call_line: Option<u32>,
    /// How many edges away it is.
    pub distance: Option<u32>,
    /// The names on the way to it.
    pub path: Vec<String>,
    /// Whether its file has changed since.
    pub stale: Option<Stale>,
}

/// Chunks, and a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// The first of them.
    pub chunks: Vec<ChunkAnswer>,
    /// How many there are.
    pub total: usize,
    /// Names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// A summary for people.
    pub message: String,
}

impl Answers {
    /// No results, and why.
    pub(crate) fn saying(message: &str) -> Self {
        Answers {
            message: message.into(),
            ..Answers::default()
        }
    }
}

/// A query by words.
#[derive(Debug, Clone, Default)]
pub struct QueryOptions {
    /// The words.
    pub query: String,
    /// Only this language, by name or extension.
    pub language: Option<String>,
    /// Only this kind.
    pub kind: Option<String>,
    /// Only files whose path has this in it.
    pub file_path: Option<String>,
    /// How many; 25 when absent.
    pub limit: Option<f64>,
}

/// The definition whose neighbours are asked for.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// A name, perhaps with its owner: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// An id.
    pub chunk_id: Option<String>,
}

/// The direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// To those who call.
    Callers,
    /// To what is called.
    Callees,
    /// Both.
    #[default]
    Both,
}

impl Direction {
    /// Reads a direction.
    ///
    /// # Errors
    /// `INVALID_INPUT`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "callers" => Ok(Direction::Callers),
            "callees" => Ok(Direction::Callees),
            "both" => Ok(Direction::Both),
            _ => Err(Error::invalid("direction", "expected callers, callees or both")),
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Callers => "callers",
            Direction::Callees => "callees",
            Direction::Both => "both",
        }
    }
}

/// The result of a walk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Blast {
    /// The chunks, by distance.
    pub nodes: Vec<ChunkAnswer>,
    /// The edges between them: ids and how each was resolved.
    pub edges: Vec<(String, String, Option<Resolved>)>,
    /// Names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// How many chunks were found before the cut.
    pub total: usize,
    /// A summary for people.
    pub message: String,
}

impl Blast {
    /// No results, and why.
    pub(crate) fn saying(message: &str) -> Self {
        Blast {
            message: message.into(),
            ..Blast::default()
        }
    }
}

/// Figures about the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stat {
    /// How many chunks there are.
    pub chunks: usize,
    /// How many edges there are.
    pub edges: usize,
    /// How many of them by each way of resolving; `none` for those that lead out of the project.
    pub resolved: Vec<(&'static str, usize)>,
    /// How many files have chunks.
    pub files: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// How many chunks in each language.
    pub languages: Vec<(String, usize)>,
    /// How many chunks of each kind.
    pub kinds: Vec<(&'static str, usize)>,
    /// When the index last changed.
    pub last_indexed_at: Option<String>,
    /// What made the chunks.
    pub chunker_impl: Option<String>,
    /// Its version.
    pub chunker_version: Option<String>,
    /// How many bytes all its files have.
    pub index_bytes: u64,
    /// The chunks with the most callers, and their number.
    pub hottest: Vec<(ChunkAnswer, usize)>,
    /// Which limit the last run reached, so that something is left out.
    pub limit: Option<Limit>,
}
