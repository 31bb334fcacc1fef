//! Queries and their results.

use forge_memory_core::wire::in_order;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::budget::Limit;
use crate::resolve::Resolved;

pub(super) const LIMIT_MAX: f64 = 1000.0;
pub(super) const DEPTH_MAX: f64 = 50.0;

/// How the file of a chunk differs from the indexed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stale {
    /// Its file has changed since.
    Changed,
    /// Its file is gone.
    Deleted,
}

/// A file, a definition or a section.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LatticeChunk")]
pub struct ChunkAnswer {
    /// 16 hexadecimal digits, which stay the same when lines above the chunk change.
    pub id: String,
    /// The path relative to the project's folder, with forward slashes.
    pub file_path: String,
    /// The language.
    pub language: String,
    /// Its kind.
    pub kind: &'static str,
    /// The name; empty for a file.
    pub name: String,
    /// The type of a method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its first line, without its body.
    pub signature: String,
    /// The text of the comment above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Where it begins in the file, in bytes.
    pub start_byte: u32,
    /// Where it ends: the byte behind its last one.
    pub end_byte: u32,
    /// The first line, from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The SHA-256 of its bytes.
    pub content_hash: String,
    /// The relevance, higher is better; only in answers of `latticeQuery`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How the edge that leads to it was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// The number of candidate definitions of that edge, when it is not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
    /// The line of the call, in the caller's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_line: Option<u32>,
    /// The distance in edges; only in answers of `latticeBlast`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The names on the path to it, ending with its own; only in answers of `latticeBlast`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// How its file has changed since it was indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
    /// Its line in the index of another program; only with `foreign`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The names that it refers to; only with `foreign`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<Vec<String>>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LatticeAnswer")]
pub struct Answers {
    /// The first chunks, up to the limit.
    pub chunks: Vec<ChunkAnswer>,
    /// The total number; for callees, those in `unresolvedNames` are included.
    pub total: usize,
    /// True when the limit left some out.
    pub truncated: bool,
    /// Used names without a definition in this project; only in answers of `latticeCallees`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_names: Option<Vec<String>>,
    /// A summary for people.
    pub message: String,
}

impl Answers {
    pub(crate) fn saying(message: &str) -> Self {
        Answers {
            message: message.into(),
            ..Answers::default()
        }
    }
}

/// The options of a search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "LatticeQueryOptions")]
pub struct QueryOptions {
    /// The words to look for; without any, all definitions in the order of files.
    pub query: String,
    /// Only this language, by name or by file extension: typescript, ts, rust.
    pub language: Option<String>,
    /// Only this kind: function, method, class, struct, interface, type, section and others. Those are file, module, trait, enum, macro,
    /// table, view, trigger and index.
    pub kind: Option<String>,
    /// Only files whose path contains this.
    pub file_path: Option<String>,
    /// Maximum number of results (default: 25).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// Only definitions whose name or path contains the whole query, ignoring case.
    pub whole: bool,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: bool,
}

/// The definition whose callers or callees are wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "LatticeSeed")]
pub struct Seed {
    /// A name, optionally with its type: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of a definition, from another answer; takes precedence over the name.
    pub chunk_id: Option<String>,
    /// Maximum number of results (default: 25).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: bool,
}

/// The start, the direction and the limits of a walk.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "LatticeBlastOptions")]
pub struct BlastOptions {
    /// A name, optionally with its type: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of a definition, from another answer; takes precedence over the name.
    pub chunk_id: Option<String>,
    /// The direction to follow (default: both).
    pub direction: Direction,
    /// Maximum number of calls away (default: 3).
    #[schemars(with = "Option<u32>", range(min = 1, max = DEPTH_MAX))]
    pub depth: Option<f64>,
    /// Maximum number of results (default: 50).
    #[schemars(with = "Option<u32>", range(min = 1, max = LIMIT_MAX))]
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: bool,
}

/// Selects the code graph.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "LatticeStatOptions")]
pub struct StatOptions {
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: bool,
}

/// The direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Callers => "callers",
            Direction::Callees => "callees",
            Direction::Both => "both",
        }
    }
}

/// An edge between two chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LatticeEdge")]
pub struct EdgeAnswer {
    /// The id of the calling chunk.
    pub from: String,
    /// The id of the called chunk.
    pub to: String,
    /// How it was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
}

/// The result of a walk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LatticeBlast")]
pub struct Blast {
    /// The chunks by distance; the start has distance 0.
    pub nodes: Vec<ChunkAnswer>,
    /// The edges between them, each pair once.
    pub edges: Vec<EdgeAnswer>,
    /// Used names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// The total number of chunks.
    pub total: usize,
    /// True when the limit left some out.
    pub truncated: bool,
    /// A summary for people.
    pub message: String,
}

impl Blast {
    pub(crate) fn saying(message: &str) -> Self {
        Blast {
            message: message.into(),
            ..Blast::default()
        }
    }
}

/// A chunk and its number of callers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "LatticeHot")]
pub struct Hot {
    /// The chunk.
    pub chunk: ChunkAnswer,
    /// How many chunks call it.
    pub callers: usize,
}

/// Statistics of the index.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LatticeStat")]
pub struct Stat {
    /// The number of chunks.
    pub chunks: usize,
    /// The number of edges.
    pub edges: usize,
    /// The number of edges by resolution; `none` for those that lead out of the project or have too many candidates.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub resolved: Vec<(&'static str, usize)>,
    /// The number of files with chunks.
    pub files_indexed: u64,
    /// The number of skipped files.
    pub files_skipped: u64,
    /// The number of chunks by language.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub languages: Vec<(String, usize)>,
    /// The number of chunks by kind.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub kinds: Vec<(&'static str, usize)>,
    /// When the index last changed.
    pub last_indexed_at: Option<String>,
    /// The implementation of the chunker.
    pub chunker_impl: Option<String>,
    /// The version of the chunker.
    pub chunker_version: Option<String>,
    /// The total size of its files in bytes.
    pub index_bytes: u64,
    /// The chunks with the most callers; calls that were resolved by name alone do not count.
    pub hottest: Vec<Hot>,
    /// The limit that the last run reached, if the index is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}
