//! The code graph in one file, `graph.bin`: what queries read into memory, derived from chunks and edges.
//!
//! It holds a graph in compressed sparse row form (outgoing edges merge by caller, and the transpose), merge hash tables for keys
//! and names, and an inverted index of terms. What one file contributes stands together and refers to other files by number only, so
//! its bytes stay the same however the others change and can be copied into the next graph. All numbers are little-endian.
//! Every read is checked against the bounds: damaged bytes cost answers and nothing else. docs/formats.md describes every byte.

mod assemble;
mod block;
mod dependencies;
mod layout;
mod postings;
mod read;
mod varint;

pub use assemble::{Assembled, assemble};
pub use block::{Block, block};
pub use layout::{EDGE_KINDS, EdgeView, FileInput, FileSpan, NodeView};
pub use postings::{FileTerms, invert, merge, patch};
pub use read::{Graph, Postings};
