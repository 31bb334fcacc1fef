//! The layout of `graph.bin`: constants, and the records of chunks and edges as queries see them. docs/formats.md has every byte.

use xxhash_rust::xxh3::xxh3_64;

use crate::kind::Kind;
use crate::resolve::{Dependencies, Resolved};

pub(super) const MAGIC: &[u8; 4] = b"FMLG";
/// Changes with the layout, with everything that decides which words a chunk has, and with how references are resolved:
/// what stays as it is must be what a fresh run makes.
pub(super) const FORMAT: u32 = 5;
pub(super) const HEADER_BYTES: usize = 24;
/// What stands for no chunk.
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
/// path, language, where its texts, chunks, edges and looks begin, where its lines in `chunks.jsonl` and `edges.jsonl` begin.
pub(super) const FILE_BYTES: usize = 48;
/// key, file, kind, name, owner, signature, doc, range, lines, parent in the file, words, SHA-256.
pub(super) const NODE_BYTES: usize = 72 + 32;
pub(super) const KEY_BYTES: usize = 12;
/// hash, first, count.
pub(super) const NAME_BYTES: usize = 16;
/// file, caller in it, target's file, target in it, name, marks, candidates, receiver, module, line, range, count.
pub(super) const EDGE_BYTES: usize = 64;
/// hash, first byte, how many bytes, how many chunks.
pub(super) const TERM_BYTES: usize = 16;

/// Where the lines of a file begin in `chunks.jsonl` and `edges.jsonl`.
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
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'g str,
    /// The type it belongs to.
    pub owner: &'g str,
    /// Its first line.
    pub signature: &'g str,
    /// What a comment says of it.
    pub doc: &'g str,
    /// Its bytes.
    pub range: (u32, u32),
    /// Its lines.
    pub lines: (u32, u32),
    /// The chunk it stands in.
    pub parent: Option<u32>,
    /// How many words it has.
    pub words: u32,
    /// SHA-256 of its bytes.
    pub hash: &'g [u8],
}

/// A reference, and one of the definitions that it may mean.
#[derive(Debug, Clone, Copy)]
pub struct EdgeView<'g> {
    /// The chunk with the reference.
    pub caller: u32,
    /// What it means.
    pub target: Option<u32>,
    /// The name that is used.
    pub name: &'g str,
    /// What it is: one of [`EDGE_KINDS`].
    pub kind: &'static str,
    /// How it was resolved.
    pub resolved: Option<Resolved>,
    /// How many definitions it may mean.
    pub candidates: u32,
    /// What stands before the name.
    pub receiver: &'g str,
    /// The module outside.
    pub module: &'g str,
    /// The line.
    pub line: u32,
    /// The bytes.
    pub range: (u32, u32),
    /// How many there are.
    pub count: u32,
}

/// What a graph holds of one file.
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
    /// What the edges depend on in other files.
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

/// Returns the hash under which a name is found.
pub(super) fn hash_of(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}
