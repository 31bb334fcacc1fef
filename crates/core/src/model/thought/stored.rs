//! A thought in the form of the shared store.

/// A thought as a shared store returns it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredThought {
    /// The idempotency key.
    pub id: String,
    /// What was learned.
    pub content: String,
    /// The project it was learned in.
    pub project: String,
    /// Its type.
    pub kind: String,
    /// Where it comes from; `unknown` by default.
    pub source: String,
    /// Its author; `unknown` by default.
    pub created_by: String,
    /// When, as written.
    pub captured_at: String,
    /// When it expires.
    pub expires_at: Option<String>,
    /// The labels.
    pub tags: Vec<String>,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The id of the revision that this one supersedes.
    pub supersedes: Option<String>,
    /// Everything else, as the text of a JSON object.
    pub metadata: String,
}
