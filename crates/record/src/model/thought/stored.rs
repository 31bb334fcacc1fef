//! A thought in the form of the shared store.

use schemars::JsonSchema;
use serde::Serialize;

/// A thought for the shared store, and from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "QueueThought")]
pub struct StoredThought {
    /// The idempotency key.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The project it was learned in; the project's own name when the record names none.
    pub project: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it comes from; `unknown` by default.
    pub source: String,
    /// Its author; `unknown` by default.
    pub created_by: String,
    /// When, ISO 8601, as written.
    pub captured_at: String,
    /// When it expires, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The labels.
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The id of the thought that this one supersedes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Everything else, as the text of a JSON object.
    pub metadata: String,
}
