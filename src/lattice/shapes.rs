//! The shapes of the code graph's arguments and answers, as `index.d.ts` shows them.

use std::collections::HashMap;

use forge_memory_lattice as core;
use napi::Either;
use napi::bindgen_prelude::Null;
use napi_derive::napi;
use serde::Deserialize;

use crate::projects::names_project;

/// What is to be indexed.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeIndexOptions {
    pub project_dir: Option<String>,
    /// Only files in or under these; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision, and those git does not know yet.
    pub since: Option<String>,
    /// How many seconds the run takes at most; 600, or less if `.forge.json` says so, when absent.
    pub max_seconds: Option<f64>,
    /// How much memory the run takes at most, in MiB; 4,096, or less if `.forge.json` says so, when absent.
    pub max_memory_mb: Option<f64>,
}

/// Which code graph is described.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeStatOptions {
    /// The project's folder; found from the working directory when absent.
    pub project_dir: Option<String>,
    /// Also of an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// Options that may ask for an index of another program.
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

/// What became of it.
#[napi(object, object_from_js = false)]
pub struct LatticeIndexOutcome {
    /// How many files the index has now.
    pub files_indexed: u32,
    /// How many of them were read again.
    pub files_changed: u32,
    /// How many left it.
    pub files_removed: u32,
    /// How many there are that were not read.
    pub files_skipped: u32,
    /// The same by reason: large, minified, binary, unreadable, unparsed, limit.
    pub skipped: HashMap<String, u32>,
    /// How many chunks the index has.
    pub chunks: u32,
    /// How many edges the index has.
    pub edges: u32,
    /// Which limit the run reached, so that something was left out; absent when none was.
    #[napi(ts_type = "'time' | 'memory'")]
    pub limit: Option<String>,
}

/// What may be found.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeQueryOptions {
    pub project_dir: Option<String>,
    /// Words; without any, everything comes in the order of files.
    pub query: Option<String>,
    /// Only this language, by its name or by an extension of its files.
    pub language: Option<String>,
    /// Only this kind: file, module, class, struct, trait, interface, enum, type, function, method, macro, section,
    /// table, view, trigger, index.
    pub kind: Option<String>,
    /// Only files whose path has this in it.
    pub file_path: Option<String>,
    /// How many chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also out of an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// Whose callers or callees are asked for.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeSeed {
    pub project_dir: Option<String>,
    /// A name, perhaps with the type it belongs to: `push`, `Stack.push`, `Stack::push`.
    pub name: Option<String>,
    /// The id of a chunk; counts more than the name.
    pub chunk_id: Option<String>,
    /// How many chunks, 1 to 1,000; 25 when absent.
    pub limit: Option<f64>,
    /// Also out of an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// How far to go.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LatticeBlastOptions {
    pub project_dir: Option<String>,
    /// A name, perhaps with the type it belongs to.
    pub name: Option<String>,
    /// The id of a chunk; counts more than the name.
    pub chunk_id: Option<String>,
    /// `both` when absent.
    #[napi(ts_type = "'callers' | 'callees' | 'both'")]
    pub direction: Option<String>,
    /// How many edges away, 1 to 50; 3 when absent.
    pub depth: Option<f64>,
    /// How many chunks, 1 to 1,000; 50 when absent.
    pub limit: Option<f64>,
    /// Also out of an index that another program wrote, or that came with a copy of the project.
    pub foreign: Option<bool>,
}

/// A file, a definition or a section.
#[napi(object, object_from_js = false)]
pub struct LatticeChunk {
    /// 16 hexadecimal digits that stay when lines above it change.
    pub id: String,
    /// From the project's folder, with forward slashes.
    pub file_path: String,
    pub language: String,
    pub kind: String,
    /// Empty for a file.
    pub name: String,
    /// The type that a method belongs to.
    pub owner: Option<String>,
    /// Its first line, without its body.
    pub signature: String,
    /// What a comment says of it.
    pub doc: Option<String>,
    pub start_byte: u32,
    pub end_byte: u32,
    /// From 1.
    pub start_line: u32,
    pub end_line: u32,
    pub content_hash: String,
    /// How well it answers, larger is better; in answers to words only.
    pub score: Option<f64>,
    /// How the edge that leads to it was resolved.
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
    /// How many definitions that edge may mean, when that is not one.
    pub candidates: Option<u32>,
    /// Where the call is, in the file of the caller.
    pub call_line: Option<u32>,
    /// How many edges away it is; in answers of `latticeBlast` only.
    pub distance: Option<u32>,
    /// The names on the way to it, itself last; in answers of `latticeBlast` only.
    pub path: Option<Vec<String>>,
    /// Whether its file has changed since it was indexed.
    #[napi(ts_type = "'changed' | 'deleted'")]
    pub stale: Option<String>,
}

/// Chunks that answer.
#[napi(object, object_from_js = false)]
pub struct LatticeAnswer {
    pub chunks: Vec<LatticeChunk>,
    /// How many there are in all; for callees those in `unresolvedNames` as well.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// Names that lead to nothing in this project; in answers of `latticeCallees` only.
    pub unresolved_names: Option<Vec<String>>,
    /// In words.
    pub message: String,
}

/// An edge between two chunks.
#[napi(object, object_from_js = false)]
pub struct LatticeEdge {
    /// The id of the chunk that calls.
    pub from: String,
    /// The id of the one that is called.
    pub to: String,
    #[napi(ts_type = "'exact' | 'import' | 'name'")]
    pub resolved: Option<String>,
}

/// What is within reach.
#[napi(object, object_from_js = false)]
pub struct LatticeBlast {
    /// By distance; what was asked for has 0.
    pub nodes: Vec<LatticeChunk>,
    /// Between the nodes, each pair once.
    pub edges: Vec<LatticeEdge>,
    /// Names that lead to nothing in this project.
    pub unresolved_names: Vec<String>,
    /// How many chunks there are in all.
    pub total: u32,
    /// True when the limit left some out.
    pub truncated: bool,
    /// In words.
    pub message: String,
}

/// A chunk and how many others call it.
#[napi(object, object_from_js = false)]
pub struct LatticeHot {
    pub chunk: LatticeChunk,
    pub callers: u32,
}

/// What the index is like.
#[napi(object, object_from_js = false)]
pub struct LatticeStat {
    pub chunks: u32,
    pub edges: u32,
    /// How many edges were resolved in which way; `none` lead out of the project or may mean too many things.
    pub resolved: HashMap<String, u32>,
    pub files_indexed: u32,
    pub files_skipped: u32,
    /// How many chunks in each language.
    pub languages: HashMap<String, u32>,
    /// How many chunks of each kind.
    pub kinds: HashMap<String, u32>,
    /// When the index last changed.
    #[napi(ts_type = "string | null")]
    pub last_indexed_at: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_impl: Either<String, Null>,
    #[napi(ts_type = "string | null")]
    pub chunker_version: Either<String, Null>,
    /// All its files together.
    pub index_bytes: f64,
    /// What most others call, the hottest first; calls that are resolved by nothing but a name do not count.
    pub hottest: Vec<LatticeHot>,
    /// Which limit the last run reached, so that something is left out; absent when none was.
    #[napi(ts_type = "'time' | 'memory'")]
    pub limit: Option<String>,
}

/// A word and how often it occurs.
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
        }
    }
}
