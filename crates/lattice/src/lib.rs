//! The code graph of forge-memory: what a project defines, and who calls it.
//!
//! [`Lattice`] is the way in. The modules are layers, and each uses only those before it: the [`facts`] of single files (extracted
//! by [`chunk`] with the queries of each [`language`]), name resolution ([`resolve`]), the [`graph`] in one file, the index on disk
//! ([`storage`]), runs that keep it up to date ([`index`]), and questions to it ([`query`]).

#![forbid(unsafe_code)]
// Sources, indexes and ignore files are input from outside.
#![warn(clippy::indexing_slicing)]

mod budget;
pub mod chunk;
mod contents;
pub mod facts;
mod globs;
pub mod graph;
pub mod index;
pub mod kind;
pub mod language;
mod lattice;
pub mod paths;
pub mod pattern;
pub mod query;
pub mod resolve;
pub mod scan;
pub mod storage;

pub use budget::Limit;
pub use globs::Globs;
pub use index::{IndexOptions, IndexOutcome};
pub use lattice::Lattice;
pub use query::{Answers, Blast, ChunkAnswer, Direction, QueryOptions, Seed, Stale, Stat, rank};
pub use scan::Ignored;
pub use storage::{Meta, Seal};
