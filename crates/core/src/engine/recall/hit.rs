//! What a search answers with.

use crate::clock::Millis;
use crate::engine::standing::Related;
use crate::freshness::{Basis, Freshness};
use crate::model::scope::Scope;

/// A record that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallHit {
    /// Its id.
    pub id: String,
    /// Its scope.
    pub scope: Scope,
    /// Type or category.
    pub kind: String,
    /// What was learned.
    pub text: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// Its labels.
    pub tags: Vec<String>,
    /// Where it comes from.
    pub source: String,
    /// When it was made, as written.
    pub created_at: String,
    /// When it expires.
    pub expires_at: Option<Millis>,
    /// How well it answers: BM25, times the factor of its freshness; larger is better; 0 in a list.
    pub score: f64,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// How that stands which it names; nothing when it names nothing of the project, and in a list.
    pub freshness: Option<Freshness>,
    /// What its freshness is judged by.
    pub(crate) basis: Basis,
    /// The records that contradict it and count as well, the newest first.
    pub contradicted_by: Vec<Related>,
    /// The records that it has retired, the newest first.
    pub supersedes: Vec<Related>,
}
