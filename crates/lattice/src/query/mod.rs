//! Queries of the graph: definitions, callers, callees, and the definitions that a change affects.

mod answer;
mod freshness;
mod lookup;
mod opened;
pub mod rank;
mod walk;

pub use answer::{Answers, Blast, BlastOptions, ChunkAnswer, Direction, QueryOptions, Seed, Stale, Stat, StatOptions};
pub(crate) use lookup::Lookup;
pub(crate) use opened::OpenGraph;
