//! The code graph of forge-memory: what a project defines, and who calls it.
//!
//! [`Lattice`] is the way in. A run of [`Lattice::index`] reads the facts of changed files (`chunk`), resolves the names of
//! all (`resolve`), and writes the records (`record`) with the compact form that queries read (`graph`).

#![forbid(unsafe_code)]

mod answer;
mod before;
mod budget;
pub mod chunk;
mod contents;
mod derive;
pub mod facts;
pub mod files;
pub mod globs;
pub mod graph;
mod ignored;
mod index;
pub mod kind;
pub mod language;
mod lines;
mod look;
mod own;
pub mod pattern;
mod query;
pub mod rank;
pub mod record;
pub mod resolve;
pub mod store;
mod walk;
mod write;

pub use answer::{Answers, Blast, ChunkAnswer, Direction, QueryOptions, Seed, Stale, Stat};
pub use budget::Limit;
pub use globs::Globs;
pub use ignored::Ignored;
pub use index::{IndexOptions, IndexOutcome, Lattice};
pub use write::{Meta, Seal};
