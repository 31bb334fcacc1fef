//! The types of the embedded store's arguments in `index.d.ts`.

use forge_memory_core::thought::RulingKind;
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

/// The embeddings of the pieces of a long text.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThoughtPieces {
    pub id: String,
    #[napi(ts_type = "Array<Float32Array>")]
    pub vectors: Vec<Floats>,
}

/// A ruling on a thought.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredRuling {
    /// The thought.
    pub id: String,
    #[napi(
        ts_type = "'retire' | 'keep' | 'conflict' | 'hold' | 'propose' | 'accept' | 'reject' | 'useful' | 'wrong' | 'withdraw' | 'elsewhere' | 'here' | 'request'"
    )]
    pub kind: RulingKind,
    /// The other thought; of a review and of feedback, the session.
    pub other: Option<String>,
    pub why: Option<String>,
    /// ISO 8601.
    pub at: String,
    /// The names of the project, the current one first.
    pub projects: Vec<String>,
    /// The other fields of its line, such as who said it, as JSON.
    pub more: Option<String>,
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
