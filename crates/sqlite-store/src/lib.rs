//! The embedded shared store: one SQLite file of the user, for all projects, safe with several processes.
//!
//! Hybrid search: BM25 over the same terms as in the files ([`forge_memory_core::text`]), and exact nearest neighbours of vectors by
//! their codes, one array in memory and in a file, fused by their scores as in the files. Expired, superseded and forgotten thoughts are never returned.
//!
//! ```
//! use forge_memory_core::clock::parse_iso;
//! use forge_memory_core::journal::OsDisk;
//! use forge_memory_sqlite_store::{EmbeddedStore, PutOutcome, StoreFilter, StoredThought};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let mut store = EmbeddedStore::open(&OsDisk, &folder.path().join("openbrain.db"))?;
//! let thought = StoredThought {
//!     id: "0198f2c0-7a52-7000-8000-000000000001".to_owned(),
//!     content: "Jest needs --runInBand on Windows".to_owned(),
//!     project: "shop".to_owned(),
//!     kind: "gotcha".to_owned(),
//!     captured_at: "2026-11-20T10:00:00.000Z".to_owned(),
//!     metadata: "{}".to_owned(),
//!     ..StoredThought::default()
//! };
//! assert_eq!(store.put(&[(thought.clone(), None)])?, [PutOutcome::Stored]);
//! assert_eq!(store.put(&[(thought, None)])?, [PutOutcome::Known]);
//!
//! let filter = StoreFilter {
//!     project: None,
//!     kind: None,
//!     since: None,
//!     limit: 10,
//!     now: parse_iso("2026-11-21T00:00:00Z").ok_or("not a time")?,
//! };
//! let answer = store.search("jest on windows", None, &filter)?;
//! assert_eq!(answer.hits[0].thought.project, "shop");
//! assert!(!answer.semantic);
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod candidates;
mod codes;
mod database;
mod decisions;
mod kept;
mod pieces;
mod rulings;
mod saved_vectors;
mod schema;
mod search;
mod standings;
mod text;
mod vector_file;
mod vectors;
mod write;

pub use database::{EmbeddedStore, STORE_FILE};
pub use decisions::{Decisions, Upto};
pub use pieces::LONG_FROM;
pub use rulings::with_more;

use forge_memory_core::clock::Millis;
pub use forge_memory_core::review::Verdicts;
use forge_memory_core::thought::Ruling;
pub use forge_memory_core::thought::StoredThought;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

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
    /// It was stored.
    Stored,
    /// It was stored before.
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

/// A ruling on a thought, of a project under any of these names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRuling {
    /// The ruling.
    pub ruling: Ruling,
    /// The project's names, the current one first.
    pub projects: Vec<String>,
}

/// Which thoughts are read as they were stored.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// These, by their id in any project, or by six or more characters of it in one of `projects`; all of those projects when there are none.
    pub ids: Vec<String>,
    /// The names of a project.
    pub projects: Vec<String>,
    /// Only those behind this place.
    pub after: i64,
    /// The maximum number.
    pub limit: usize,
}

/// A thought as it was stored, with its rulings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EmbeddedRecord")]
pub struct Kept {
    /// The thought.
    #[serde(flatten)]
    pub thought: StoredThought,
    /// Its place in the order in which thoughts were stored.
    pub place: i64,
    /// Whether a revision has superseded it.
    #[serde(rename = "superseded")]
    pub is_superseded: bool,
    /// Whether it is retired or rejected.
    #[serde(rename = "retired")]
    pub is_retired: bool,
    /// Its rulings, as lines of journals; the oldest first.
    #[serde(serialize_with = "as_lines")]
    #[schemars(with = "Vec<String>")]
    pub rulings: Vec<Ruling>,
    /// The ids of thoughts that contradict it and count themselves.
    pub conflicts: Vec<String>,
    /// The verdicts of sessions on it.
    #[serde(flatten)]
    pub verdicts: Verdicts,
}

/// What is searched of the shared memory: of the embedded store, and of one on a server, which the library asks itself.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SearchOptions {
    /// Only this project.
    pub project: Option<String>,
    /// Only this type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Maximum number of hits (default: 10).
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
    /// ISO date, or an age such as 7d.
    pub since: Option<String>,
}

/// The filter of a search.
#[derive(Debug, Clone, Default)]
pub struct StoreFilter {
    /// Only of this project.
    pub project: Option<String>,
    /// Only of this type.
    pub kind: Option<String>,
    /// Restricts to thoughts captured at this time or later.
    pub since: Option<Millis>,
    /// The maximum number of hits.
    pub limit: usize,
    /// The current time.
    pub now: Millis,
}

/// A thought that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EmbeddedHit")]
pub struct StoreHit {
    /// The thought.
    #[serde(flatten)]
    pub thought: StoredThought,
    /// The relevance: BM25, or by words and meaning together from 0 to 1; higher is better, 0 in a list.
    pub score: f64,
    /// The cosine similarity to the query, when both have a vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// Whether it is doubtful that it answers the query.
    #[serde(rename = "weak")]
    pub is_weak: bool,
    /// Whether its text says of itself that it does not hold.
    #[serde(rename = "over")]
    pub is_over: bool,
    /// Its rank in the lexical ranking, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexical_rank: Option<usize>,
    /// The ids of thoughts that contradict it and count themselves.
    pub conflicts: Vec<String>,
    /// How many sessions found it useful, and wrong.
    #[serde(flatten)]
    pub verdicts: Verdicts,
}

/// The answer to a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EmbeddedAnswer")]
pub struct StoreAnswer {
    /// The hits, best first.
    pub hits: Vec<StoreHit>,
    /// Whether vectors were compared.
    pub semantic: bool,
    /// True when there are candidates, but none is relevant to the query; there are no hits then.
    #[serde(rename = "irrelevant")]
    pub is_irrelevant: bool,
}

/// A model with vectors in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EmbeddedModel")]
pub struct StoreModel {
    /// Its name.
    pub name: String,
    /// The dimension of its vectors.
    pub dimensions: usize,
    /// The number of its vectors.
    pub vectors: u64,
}

/// A thought without a vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PendingText {
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
}

fn as_lines<S: Serializer>(rulings: &[Ruling], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rulings.iter().map(Ruling::line))
}
