//! The code graph in one file, `graph.bin`, of which queries read what they need. It is derived from chunks and edges.
//!
//! It contains a graph in compressed sparse row form (outgoing edges by caller, and its transpose), sorted hash tables for
//! keys and names, and an inverted index of terms. The contribution of one file is contiguous and refers to other files by
//! number only, so that its bytes do not depend on the contents of other files and can be copied into the next graph. All
//! numbers are little-endian. Every read is bounds-checked: damaged bytes cost answers and nothing else. docs/reference/formats.md
//! describes every byte.

mod assemble;
mod block;
mod dependencies;
mod header;
mod layout;
mod lazy;
mod postings;
mod read;
mod varint;

pub use assemble::{Assembled, assemble};
pub use block::{Block, block};
pub use header::GraphHeader;
pub use layout::{EDGE_KINDS, EdgeView, FileInput, FileSpan, NodeView};
pub use postings::{FileTerms, invert, merge, patch};
pub use read::{Graph, Postings};
