//! What a search answers with.

use crate::clock::Millis;
use crate::engine::standing::Related;
use crate::model::scope::Scope;

/// A record that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallHit {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub scope: Scope,
    /// Type or category.
    pub kind: String,
    /// What was learned.
    pub text: String,
    /// How sure it is.
    pub confidence: f64,
    /// Its labels.
    pub tags: Vec<String>,
    /// Where it comes from.
    pub source: String,
    /// When it was made, as written.
    pub created_at: String,
    /// When it expires.
    pub expires_at: Option<Millis>,
    /// How well it answers: BM25, larger is better; 0 in a list.
    pub score: f64,
    /// The words of the query it has.
    pub matched: Vec<String>,
    /// The records that contradict it and count as well, the newest first.
    pub contradicted_by: Vec<Related>,
    /// The records that it has retired, the newest first.
    pub supersedes: Vec<Related>,
}
