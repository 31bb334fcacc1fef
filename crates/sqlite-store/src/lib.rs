//! The embedded shared store: one SQLite file of the user, for all projects, safe with several processes.
//!
//! Hybrid search: BM25 over the same terms as in the files ([`forge_memory_core::text`]), and exact nearest neighbours of vectors in
//! one array in memory, combined by reciprocal rank fusion. Expired, superseded and forgotten thoughts are never returned.

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

/// The embedding of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The name of the model.
    pub model: String,
    /// The vector; its norm is finite and not 0.
    pub vector: Vec<f32>,
}

/// The outcome of storing a thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// It is new.
    Stored,
    /// It existed.
    Known,
    /// It was forgotten, and stays forgotten.
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

/// The filter of a search.
#[derive(Debug, Clone, Default)]
pub struct StoreFilter {
    /// Only of this project.
    pub project: Option<String>,
    /// Only of this type.
    pub kind: Option<String>,
    /// Only those captured from this moment on.
    pub since: Option<Millis>,
    /// The maximum number of hits.
    pub limit: usize,
    /// The current time.
    pub now: Millis,
}

/// A thought that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreHit {
    /// The thought.
    pub thought: StoredThought,
    /// The fused score; higher is better.
    pub score: f64,
    /// The cosine between query and thought, when both have a vector and it is among the nearest.
    pub similarity: Option<f64>,
    /// Its rank in the lexical ranking, from 1.
    pub lexical_rank: Option<usize>,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoreAnswer {
    /// The hits, best first.
    pub hits: Vec<StoreHit>,
    /// Whether vectors were compared.
    pub semantic: bool,
}

/// A model that has vectors in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreModel {
    /// Its name.
    pub name: String,
    /// The size of its vectors.
    pub dimensions: usize,
    /// How many there are.
    pub vectors: u64,
}
