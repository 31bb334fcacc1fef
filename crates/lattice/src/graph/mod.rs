//! The compact form that queries read: one block of bytes, memory-mapped, derived from chunks and edges.
//!
//! ```text
//! "FMLG" version:u32 tree:u64 body_hash:u64 sections x (offset:u64 length:u64), then the sections
//! ```
//!
//! All numbers are little-endian. Every read is checked against the bounds, so damaged bytes cost answers and nothing else.

mod build;
mod read;

pub use build::{EdgeInput, GraphInput, NodeInput, build};
pub use read::{EDGE_KINDS, EdgeView, Graph, NodeView};

const MAGIC: &[u8; 4] = b"FMLG";
/// Changes with the layout and with everything that decides which words a chunk has.
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 24;
/// What stands for no chunk.
const NONE: u32 = u32::MAX;

/// The sections, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Section {
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
}

const SECTIONS: usize = 14;
/// path, language.
const FILE_BYTES: usize = 16;
/// key, file, kind, name, owner, signature, doc, range, lines, parent, words, SHA-256.
const NODE_BYTES: usize = 72 + 32;
const KEY_BYTES: usize = 12;
/// text, first, count.
const NAME_BYTES: usize = 16;
/// caller, target, name, marks, candidates, receiver, module, line, range, count.
const EDGE_BYTES: usize = 56;
/// hash, first byte, how many bytes, how many chunks.
const TERM_BYTES: usize = 16;
