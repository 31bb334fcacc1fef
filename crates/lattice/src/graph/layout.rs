//! The layout of `graph.bin`: its constants, and views of chunks and edges for queries. docs/reference/formats.md describes every
//! byte.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::kind::Kind;
use crate::resolve::{Dependencies, Resolved};

pub(super) const MAGIC: &[u8; 4] = b"FMLG";
/// The version of the format. It changes with the layout, with the words of a chunk, and with the resolution of references: parts
/// copied from the last graph must equal those of a fresh run.
pub(super) const FORMAT: u32 = 6;
pub(super) const HEADER_BYTES: usize = 24;
/// The number that means "no chunk".
pub(super) const NONE: u32 = u32::MAX;

/// The kinds of edges, by number.
pub const EDGE_KINDS: [&str; 4] = ["call", "new", "extends", "reference"];

/// The sections, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Section {
    Text,
    Files,
    Nodes,
    Keys,
    Names,
    NameNodes,
    Out,
    Edges,
    In,
    InEdges,
    Callees,
    CalleeEdges,
    Terms,
    Postings,
    Dependencies,
}

pub(super) const SECTIONS: usize = 15;
/// offset, length, checksum
pub(super) const SECTION_BYTES: usize = 24;
/// path, language, first text, first chunk, first edge, first dependency, offsets in `chunks.jsonl` and `edges.jsonl`, checksum of its
/// texts, chunks, edges and dependencies
pub(super) const FILE_BYTES: usize = 56;
pub(super) const FIRST_TEXT: usize = 16;
pub(super) const FIRST_NODE: usize = 20;
pub(super) const FIRST_EDGE: usize = 24;
pub(super) const FIRST_DEPENDENCY: usize = 28;
pub(super) const FILE_CHECKSUM: usize = FILE_BYTES - 8;
/// key, file, kind, name, owner, signature, doc, range, lines, parent in the file, words, SHA-256.
pub(super) const NODE_BYTES: usize = 72 + 32;
pub(super) const KEY_BYTES: usize = 12;
/// hash, first, count.
pub(super) const NAME_BYTES: usize = 16;
/// file, caller in it, target's file, target in it, name, flags, candidates, receiver, module, line, range, count
pub(super) const EDGE_BYTES: usize = 64;
/// hash, offset, length in bytes, number of chunks
pub(super) const TERM_BYTES: usize = 16;

/// The offsets of a file's lines in `chunks.jsonl` and `edges.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileSpan {
    /// In `chunks.jsonl`.
    pub chunks: u64,
    /// In `edges.jsonl`.
    pub edges: u64,
}

/// A chunk.
#[derive(Debug, Clone, Copy)]
pub struct NodeView<'g> {
    /// Its number.
    pub number: u32,
    /// Its key.
    pub key: u64,
    /// The number of its file.
    pub file: u32,
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: &'g str,
    /// The type it belongs to.
    pub owner: &'g str,
    /// Its first line, up to the body.
    pub signature: &'g str,
    /// The text of the comment above it.
    pub doc: &'g str,
    /// Its range in bytes.
    pub range: (u32, u32),
    /// Its first and last line.
    pub lines: (u32, u32),
    /// The enclosing chunk.
    pub parent: Option<u32>,
    /// Its number of words.
    pub words: u32,
    /// SHA-256 of its bytes.
    pub hash: &'g [u8],
}

/// An edge: a reference, and one of the definitions that it may resolve to.
#[derive(Debug, Clone, Copy)]
pub struct EdgeView<'g> {
    /// The chunk that contains the reference.
    pub caller: u32,
    /// The definition.
    pub target: Option<u32>,
    /// The used name.
    pub name: &'g str,
    /// Its kind, one of [`EDGE_KINDS`].
    pub kind: &'static str,
    /// How it was resolved.
    pub resolved: Option<Resolved>,
    /// The number of candidate definitions.
    pub candidates: u32,
    /// The receiver before the name.
    pub receiver: &'g str,
    /// The module outside of the project.
    pub module: &'g str,
    /// The line.
    pub line: u32,
    /// The range in bytes.
    pub range: (u32, u32),
    /// How often the reference occurs.
    pub count: u32,
}

/// The input of the graph for one file.
#[derive(Debug, Default)]
pub struct FileInput<'a> {
    /// The path.
    pub path: &'a str,
    /// The name of the language.
    pub language: &'a str,
    /// The chunks, the file itself first.
    pub nodes: Vec<NodeView<'a>>,
    /// The edges, ordered by caller.
    pub edges: Vec<EdgeView<'a>>,
    /// The dependencies of the edges on other files.
    pub dependencies: Dependencies,
}

pub(super) fn push(out: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

pub(super) fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(u32::from_le_bytes(four))
}

pub(super) fn long_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
    Some(u64::from_le_bytes(eight))
}

/// Returns the checksum of a file's texts, chunks, edges and dependencies.
pub(super) fn checksum_of(parts: [&[u8]; 4]) -> u64 {
    let mut hash = Xxh3::new();
    for part in parts {
        hash.update(part);
    }
    hash.digest()
}

/// Returns the hash of a name in the tables.
pub(super) fn hash_of(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}
