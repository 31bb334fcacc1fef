//! The embedded shared store: one SQLite file of the user, for all projects, safe with several processes.
//!
//! Texts are found by the same words as in the files ([`forge_memory_core::text`]), meanings by exact comparison of vectors that
//! lie in one array in memory; both rankings are fused. What is expired, superseded or forgotten never comes back.

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]

mod codes;
mod database;
mod schema;
mod search;
mod text;
mod vectors;
mod write;

pub use database::{EmbeddedStore, STORE_FILE};

use forge_memory_core::clock::Millis;
pub use forge_memory_core::thought::StoredThought;

/// What the text of a thought means, according to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The embedder.
    pub model: String,
    /// The vector, of any length but zero.
    pub vector: Vec<f32>,
}

/// What became of a thought that was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// It is new.
    Stored,
    /// It was there.
    Known,
    /// It is forgotten, and stays so.
    Forgotten,
}

impl PutOutcome {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            PutOutcome::Stored => "stored",
            PutOutcome::Known => "known",
            PutOutcome::Forgotten => "forgotten",
        }
    }
}

/// Which thoughts may be found.
#[derive(Debug, Clone, Default)]
pub struct StoreFilter {
    /// Only of this project.
    pub project: Option<String>,
    /// Only of this type.
    pub kind: Option<String>,
    /// Only those captured from this moment on.
    pub since: Option<Millis>,
    /// How many.
    pub limit: usize,
    /// The present moment.
    pub now: Millis,
}

/// A thought that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreHit {
    /// The thought.
    pub thought: StoredThought,
    /// How well it answers; larger is better.
    pub score: f64,
    /// The cosine between query and thought, when both have a vector and it is among the nearest.
    pub similarity: Option<f64>,
    /// Its place among those that share words with the query, from 1.
    pub lexical_rank: Option<usize>,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoreAnswer {
    /// The hits, best first.
    pub hits: Vec<StoreHit>,
    /// Whether meanings were compared.
    pub semantic: bool,
}

/// An embedder whose vectors the store has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreModel {
    /// Its name.
    pub name: String,
    /// The size of its vectors.
    pub dimensions: usize,
    /// How many there are.
    pub vectors: u64,
}
