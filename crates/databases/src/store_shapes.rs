//! The types of the embedded store's arguments and answers in `index.d.ts`.

use napi_derive::napi;
use serde::Deserialize;

use crate::input::Floats;

/// A thought to store.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredThought {
    /// The idempotency key.
    pub id: String,
    pub content: String,
    pub project: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    /// `unknown` when absent.
    pub source: Option<String>,
    /// `unknown` when absent.
    pub created_by: Option<String>,
    /// ISO 8601.
    pub captured_at: String,
    /// When it expires, ISO 8601; it is not found any more then.
    pub expires_at: Option<String>,
    pub tags: Option<Vec<String>>,
    /// The confidence, 0 to 1; 0.7 when absent.
    pub confidence: Option<f64>,
    /// The id of the thought that this one supersedes.
    pub supersedes: Option<String>,
    /// All other fields: the JSON text of an object.
    pub metadata: Option<String>,
    /// The embedding of the text by `model`.
    #[napi(ts_type = "Float32Array")]
    pub vector: Option<Floats>,
    /// The embedding model.
    pub model: Option<String>,
}

/// The embedding of a stored thought.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThoughtVector {
    pub id: String,
    #[napi(ts_type = "Float32Array")]
    pub vector: Floats,
}

/// A ruling on a thought.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredRuling {
    /// The thought.
    pub id: String,
    /// `retire`, `keep`, `conflict`, `hold`, `accept`, `reject`, `useful` or `wrong`.
    pub kind: String,
    /// The other thought; of a review and of feedback, the session.
    pub other: Option<String>,
    pub why: Option<String>,
    /// ISO 8601.
    pub at: String,
    /// The names of the project, the current one first.
    pub projects: Vec<String>,
}

/// The query and the filter of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedQuery {
    /// The words to search for; absent for a list.
    pub text: Option<String>,
    /// The embedding of the query by `model`.
    #[napi(ts_type = "Float32Array")]
    pub vector: Option<Floats>,
    /// The embedding model.
    pub model: Option<String>,
    /// Only thoughts of this project.
    pub project: Option<String>,
    /// Only thoughts of this type.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Only thoughts captured since then: ISO 8601, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// The maximum number of hits, 1 to 1,000; 10 when absent.
    pub limit: Option<f64>,
    /// The current time; the machine's when absent.
    pub now: Option<String>,
}

/// A hit in the embedded store.
#[napi(object, object_from_js = false)]
pub struct EmbeddedHit {
    pub id: String,
    pub content: String,
    pub project: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub source: String,
    pub created_by: String,
    pub captured_at: String,
    pub expires_at: Option<String>,
    pub tags: Vec<String>,
    pub confidence: f64,
    pub supersedes: Option<String>,
    /// All other fields: the JSON text of an object.
    pub metadata: String,
    /// The relevance, higher is better; 0 in a list.
    pub score: f64,
    /// The cosine similarity to the query, when both have a vector.
    pub similarity: Option<f64>,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// Whether it is doubtful that it answers the query.
    pub weak: bool,
    /// Its rank in the lexical ranking, from 1.
    pub lexical_rank: Option<f64>,
    /// The ids of thoughts that contradict it and count themselves.
    pub conflicts: Vec<String>,
    /// How many sessions found it useful, and wrong.
    pub useful: f64,
    pub wrong: f64,
}

/// Which thoughts are read as they were stored.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedWanted {
    /// These, by their id, or by six or more characters of it in one of `projects`; all of those when absent.
    pub ids: Option<Vec<String>>,
    /// The names of a project.
    pub projects: Vec<String>,
    /// Only those behind this place.
    pub after: Option<f64>,
    /// The maximum number, 1 to 1,000; 10 when absent.
    pub limit: Option<f64>,
}

/// A thought as it was stored, with what was said about it.
#[napi(object, object_from_js = false)]
pub struct EmbeddedRecord {
    pub id: String,
    pub content: String,
    pub project: String,
    #[napi(js_name = "type")]
    pub kind: String,
    pub source: String,
    pub created_by: String,
    pub captured_at: String,
    pub expires_at: Option<String>,
    pub tags: Vec<String>,
    pub confidence: f64,
    pub supersedes: Option<String>,
    /// All other fields: the JSON text of an object.
    pub metadata: String,
    /// Its place in the order in which thoughts were stored.
    pub place: f64,
    /// Whether a revision has superseded it.
    pub superseded: bool,
    /// Whether it is retired or rejected.
    pub retired: bool,
    /// What was said about it, as the lines of journals say it; the oldest first.
    pub rulings: Vec<String>,
    /// The ids of thoughts that contradict it and count themselves.
    pub conflicts: Vec<String>,
    /// How many sessions found it useful, and wrong.
    pub useful: f64,
    pub wrong: f64,
}

/// The result of a search in the embedded store.
#[napi(object, object_from_js = false)]
pub struct EmbeddedAnswer {
    /// Best first.
    pub hits: Vec<EmbeddedHit>,
    /// Whether vectors were compared.
    pub semantic: bool,
    /// True when there are candidates, but none is relevant to the query; there are no hits then.
    pub irrelevant: bool,
}

/// An embedding model with vectors in the store.
#[napi(object, object_from_js = false)]
pub struct EmbeddedModel {
    pub name: String,
    pub dimensions: f64,
    pub vectors: f64,
}

/// A thought without a vector.
#[napi(object, object_from_js = false)]
pub struct PendingText {
    pub id: String,
    pub content: String,
}
