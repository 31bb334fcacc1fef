//! The types of the code graph's arguments and answers in `index.d.ts`.

use std::collections::HashMap;

use forge_memory_lattice as core;
use napi::Either;
use napi::bindgen_prelude::Null;
use napi_derive::napi;
use serde::Deserialize;

use crate::projects::names_project;

/// The scope and the limits of a run.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeIndexOptions {
    pub project_dir: Option<String>,
    /// Only files in or under these paths; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision, and untracked ones.
    pub since: Option<String>,
    /// The time limit in seconds; 600 when absent, or less if `.forge.json` says so.
    pub max_seconds: Option<f64>,
    /// The memory limit in MiB; 4,096 when absent, or less if `.forge.json` says so.
    pub max_memory_mb: Option<f64>,
}

/// Selects the code graph.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeStatOptions {
    /// The project's folder; found from the working directory when absent.
    pub project_dir: Option<String>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// Options that may accept foreign indexes.
pub(super) trait Accepts {
    /// Whether they do.
    fn accepts_foreign(&self) -> bool;
}

macro_rules! accepts {
    ($($options:ty),+ $(,)?) => {
        $(impl Accepts for $options {
            fn accepts_foreign(&self) -> bool {
                self.foreign == Some(true)
            }
        })+
    };
}

accepts!(
    LatticeQueryOptions,
    LatticeSeed,
    LatticeBlastOptions,
    LatticeStatOptions
);

names_project!(
    LatticeIndexOptions,
    LatticeQueryOptions,
    LatticeSeed,
    LatticeBlastOptions,
    LatticeStatOptions
);

/// The outcome of a run.
#[napi(object, object_from_js = false)]
pub struct LatticeIndexOutcome {
    /// The number of files in the index.
    pub files_indexed: u32,
    /// How many of them were parsed by this run.
    pub files_changed: u32,
    /// How many files were removed from the index.
    pub files_removed: u32,
    /// How many files were skipped.
    pub files_skipped: u32,
    /// The number of skipped files by reason: large, minified, binary, unreadable, unparsed, limit.
    pub skipped: HashMap<String, u32>,
    /// The number of chunks in the index.
    pub chunks: u32,
    /// The number of edges in the index.
    pub edges: u32,
    /// The limit that the run reached, so that something was left out; absent when none was.
    #[napi(ts_type = "'time' | 'memory'")]
    pub limit: Option<String>,
}

/// The options of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeQueryOptions {
    pub project_dir: Option<String>,
    /// The words to search for. Without words, all chunks match, in the order of files.
    pub query: Option<String>,
    /// Only this language, by name or by file extension.
    pub language: Option<String>,
    /// Only this kind: file, module, class, struct, trait, interface, enum, type, function, method, macro, section,
    /// table, view, trigger, index.
    pub kind: Option<String>,
    /// Only files whose path contains this text.
    pub file_path: Option<String>,
    /// The maximum number of chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// The definition whose callers or callees are wanted.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeSeed {
    pub project_dir: Option<String>,
    /// Its name, optionally with its type: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of its chunk, which takes precedence over the name.
    pub chunk_id: Option<String>,
    /// The maximum number of chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// The start, the direction and the limits of a walk.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeBlastOptions {
    pub project_dir: Option<String>,
    /// Its name, optionally with its type.
    pub name: Option<String>,
    /// The id of its chunk, which takes precedence over the name.
    pub chunk_id: Option<String>,
    /// `both` when absent.
    #[napi(ts_type = "'callers' | 'callees' | 'both'")]
    pub direction: Option<String>,
    /// The maximum distance in edges, 1 to 50; 3 when absent.
    pub depth: Option<f64>,
    /// The maximum number of chunks, 1 to 1,000; 50 when absent.
    pub limit: Option<f64>,
    /// Also accepts an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// A file, a definition or a section.
#[napi(object, object_from_js = false)]
pub struct LatticeChunk {
    /// 16 hexadecimal digits, which stay the same when lines above the chunk change.
    pub id: String,
    /// The path relative to the project's folder, with forward slashes.
    pub file_path: String,
    pub language: String,
    pub kind: String,
    /// The name; empty for a file.
    pub name: String,
    /// The type of a method.
    pub owner: Option<String>,
    /// Its first line, without its body.
    pub signature: String,
    /// The text of the comment above it.
    pub doc: Option<String>,
    pub start_byte: u32,
    pub end_byte: u32,
    /// The first line, from 1.
    pub start_line: u32,
    pub end_line: u32,
    pub content_hash: String,
    /// The relevance, higher is better; only in answers of `latticeQuery`.
    pub score: Option<f64>,
    /// How the edge that leads to it was resolved.
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
    /// The number of candidate definitions of that edge, when it is not one.
    pub candidates: Option<u32>,
    /// The line of the call, in the caller's file.
    pub call_line: Option<u32>,
    /// The distance in edges; only in answers of `latticeBlast`.
    pub distance: Option<u32>,
    /// The names on the path to it, ending with its own; only in answers of `latticeBlast`.
    pub path: Option<Vec<String>>,
    /// How its file has changed since it was indexed.
    #[napi(ts_type = "'changed' | 'deleted'")]
    pub stale: Option<String>,
    /// Its line in the index of another program; only with `foreign`.
    pub line: Option<String>,
    /// The names that it refers to; only with `foreign`.
    pub references: Option<Vec<String>>,
}

/// The result of a search.
#[napi(object, object_from_js = false)]
pub struct LatticeAnswer {
    pub chunks: Vec<LatticeChunk>,
    /// The total number; for callees, those in `unresolvedNames` are included.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// Used names without a definition in this project; only in answers of `latticeCallees`.
    pub unresolved_names: Option<Vec<String>>,
    /// A summary for people.
    pub message: String,
}

/// An edge between two chunks.
#[napi(object, object_from_js = false)]
pub struct LatticeEdge {
    /// The id of the calling chunk.
    pub from: String,
    /// The id of the called chunk.
    pub to: String,
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
}

/// The result of a walk.
#[napi(object, object_from_js = false)]
pub struct LatticeBlast {
    /// The chunks by distance; the start has distance 0.
    pub nodes: Vec<LatticeChunk>,
    /// The edges between them, each pair once.
    pub edges: Vec<LatticeEdge>,
    /// Used names without a definition in this project.
    pub unresolved_names: Vec<String>,
    /// The total number of chunks.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// A summary for people.
    pub message: String,
}

/// A chunk and its number of callers.
#[napi(object, object_from_js = false)]
pub struct LatticeHot {
    pub chunk: LatticeChunk,
    pub callers: u32,
}

/// Statistics of the index.
#[napi(object, object_from_js = false)]
pub struct LatticeStat {
    pub chunks: u32,
    pub edges: u32,
    /// The number of edges by resolution; `none` for those that lead out of the project or have too many candidates.
    pub resolved: HashMap<String, u32>,
    pub files_indexed: u32,
    pub files_skipped: u32,
    /// The number of chunks by language.
    pub languages: HashMap<String, u32>,
    /// The number of chunks by kind.
    pub kinds: HashMap<String, u32>,
    /// When the index last changed.
    #[napi(ts_type = "string | null")]
    pub last_indexed_at: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_impl: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_version: Either<String, Null>,
    /// The total size of its files in bytes.
    pub index_bytes: f64,
    /// The chunks with the most callers; calls that were resolved by name alone do not count.
    pub hottest: Vec<LatticeHot>,
    /// The limit that the last run reached, if the index is incomplete.
    #[napi(ts_type = "'time' | 'memory'")]
    pub limit: Option<String>,
}

/// A word and its count.
#[napi(object, object_from_js = false)]
pub struct LatticeWord {
    pub word: String,
    pub count: u32,
}

impl From<core::ChunkAnswer> for LatticeChunk {
    fn from(chunk: core::ChunkAnswer) -> Self {
        LatticeChunk {
            id: chunk.id,
            file_path: chunk.file_path,
            language: chunk.language,
            kind: chunk.kind.to_owned(),
            name: chunk.name,
            owner: chunk.owner,
            signature: chunk.signature,
            doc: chunk.doc,
            start_byte: chunk.range.0,
            end_byte: chunk.range.1,
            start_line: chunk.lines.0,
            end_line: chunk.lines.1,
            content_hash: chunk.content_hash,
            score: chunk.score,
            resolved: chunk.resolved.map(|resolved| resolved.name().to_owned()),
            candidates: chunk.candidates,
            call_line: chunk.call_line,
            path: chunk.distance.is_some().then_some(chunk.path),
            distance: chunk.distance,
            stale: chunk.stale.map(|stale| stale.name().to_owned()),
            line: chunk.line,
            references: chunk.references,
        }
    }
}
