//! Queries of the graph: definitions, callers, callees, and what a change affects.

mod answer;
mod freshness;
mod lookup;
mod opened;
pub mod rank;
mod walk;

pub use answer::{Answers, Blast, ChunkAnswer, Direction, QueryOptions, Seed, Stale, Stat};
pub(crate) use lookup::Lookup;
pub(crate) use opened::OpenGraph;
