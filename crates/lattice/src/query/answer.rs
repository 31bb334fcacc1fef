//! Queries and their results.

use forge_memory_core::{Error, Result};

use crate::budget::Limit;
use crate::resolve::Resolved;

/// How the file of a chunk differs from the indexed version.
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
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The type it belongs to.
    pub owner: Option<String>,
    /// Its first line, up to the body.
    pub signature: String,
    /// The text of the comment above it.
    pub doc: Option<String>,
    /// Its range in bytes.
    pub range: (u32, u32),
    /// Its first and last line.
    pub lines: (u32, u32),
    /// The SHA-256 of its bytes.
    pub content_hash: String,
    /// Its BM25 score.
    pub score: Option<f64>,
    /// How the edge to it was resolved.
    pub resolved: Option<Resolved>,
    /// The number of candidate definitions of that edge.
    pub candidates: Option<u32>,
    /// The line of the call, in the caller's file.
    pub call_line: Option<u32>,
    /// Its distance in edges.
    pub distance: Option<u32>,
    /// The names on the path to it.
    pub path: Vec<String>,
    /// How its file has changed since it was indexed.
    pub stale: Option<Stale>,
    /// Its line in the index of another program.
    pub line: Option<String>,
    /// The names that it refers to, where indexes of other programs are accepted.
    pub references: Option<Vec<String>>,
}

/// An answer: chunks, and a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// The first chunks, up to the limit.
    pub chunks: Vec<ChunkAnswer>,
    /// The total number of chunks.
    pub total: usize,
    /// Used names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// A summary for people.
    pub message: String,
}

impl Answers {
    /// An empty answer with its reason.
    pub(crate) fn saying(message: &str) -> Self {
        Answers {
            message: message.into(),
            ..Answers::default()
        }
    }
}

/// The options of a search.
#[derive(Debug, Clone, Default)]
pub struct QueryOptions {
    /// The words to search for.
    pub query: String,
    /// Restricts the search to a language, by name or file extension.
    pub language: Option<String>,
    /// Restricts the search to a kind of chunk.
    pub kind: Option<String>,
    /// Restricts the search to files whose path contains this text.
    pub file_path: Option<String>,
    /// The maximum number of chunks; 25 when absent.
    pub limit: Option<f64>,
}

/// The definition that a query starts from.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// Its name, optionally with its owner: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// Its id.
    pub chunk_id: Option<String>,
}

/// The direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// To callers.
    Callers,
    /// To callees.
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
    /// The chunks by distance.
    pub nodes: Vec<ChunkAnswer>,
    /// The edges between them: two ids, and how the edge was resolved.
    pub edges: Vec<(String, String, Option<Resolved>)>,
    /// Used names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// The total number of chunks before truncation.
    pub total: usize,
    /// A summary for people.
    pub message: String,
}

impl Blast {
    /// An empty result with its reason.
    pub(crate) fn saying(message: &str) -> Self {
        Blast {
            message: message.into(),
            ..Blast::default()
        }
    }
}

/// Statistics of the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stat {
    /// The number of chunks.
    pub chunks: usize,
    /// The number of edges.
    pub edges: usize,
    /// The number of edges by resolution; `none` for those that lead out of the project.
    pub resolved: Vec<(&'static str, usize)>,
    /// The number of files with chunks.
    pub files: u64,
    /// The number of skipped files.
    pub skipped: u64,
    /// The number of chunks by language.
    pub languages: Vec<(String, usize)>,
    /// The number of chunks by kind.
    pub kinds: Vec<(&'static str, usize)>,
    /// When the index last changed.
    pub last_indexed_at: Option<String>,
    /// The implementation of the chunker.
    pub chunker_impl: Option<String>,
    /// The version of the chunker.
    pub chunker_version: Option<String>,
    /// The total size of the index files in bytes.
    pub index_bytes: u64,
    /// The chunks with the most callers, and their number of callers.
    pub hottest: Vec<(ChunkAnswer, usize)>,
    /// The limit that the last run reached, if the index is incomplete.
    pub limit: Option<Limit>,
}
