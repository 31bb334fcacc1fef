//! The hits of a search.

use crate::clock::Millis;
use crate::engine::standing::Related;
use crate::freshness::{Basis, Freshness};
use crate::index::Wide;
use crate::judgement::confidence::Confidence;
use crate::judgement::standing::Verdicts;
use crate::model::author::Author;
use crate::model::scope::Scope;
use crate::text::highlight::Highlight;

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
    /// The project that it names; empty when it names none.
    pub(crate) project: String,
    /// Who captured it, when that is known.
    pub author: Option<Author>,
    /// Where it comes from.
    pub source: String,
    /// The file that it is about by its hallmark.
    pub source_file: Option<String>,
    /// When it was made, as written.
    pub created_at: String,
    /// When it expires.
    pub expires_at: Option<Millis>,
    /// The score: BM25, or by words and meaning together from 0 to 1, or the cosine; plus at most .7 times the best one from its session;
    /// times the factors of feedback and freshness. Larger is better; 0 in a list.
    pub score: f64,
    /// The cosine similarity, when meaning was compared.
    pub cosine: Option<f64>,
    /// The share of the query's rarity that its words have, from 0 to 1.
    pub covers: f64,
    /// Whether it says little about the query beside better hits.
    pub is_weaker: bool,
    /// Whether its relevance is doubtful; in lexical mode, whether that of all hits is.
    pub is_weak: bool,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// The state of what it mentions; `None` when it mentions nothing of the project, and in a list.
    pub freshness: Option<Freshness>,
    /// Whether it is proposed; only answers with `include_proposed` contain such records.
    pub is_proposed: bool,
    /// The score of the cross-encoder, by which reranked hits are sorted; larger is better.
    pub reranked: Option<f64>,
    /// The explanation of its score, when requested.
    pub explained: Option<Explained>,
    /// The positions of query words in its text, when requested.
    pub highlights: Option<Vec<Highlight>>,
    /// The part of the score that comes from its session.
    pub(crate) context: f64,
    /// What its freshness is checked against.
    pub(crate) basis: Basis,
    /// A sketch of its content words, by which most other hits are excluded as near duplicates.
    pub(crate) content: Option<Wide>,
    /// The current records that contradict it, the newest first.
    pub contradicted_by: Vec<Related>,
    /// The records that it has retired, the newest first.
    pub supersedes: Vec<Related>,
}

impl RecallHit {
    /// Returns the factor of its freshness; 1 when it has none.
    pub(super) fn freshness_factor(&self) -> f64 {
        self.freshness.as_ref().map_or(1.0, |found| found.state.factor())
    }
}

/// The parts of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained {
    /// The score by words and meaning, before feedback and freshness.
    pub words: f64,
    /// What the score gains from its session: from the records just before and after it, and from the best ones.
    pub context: f64,
    /// The feedback of sessions.
    pub verdicts: Verdicts,
    /// The factor of the feedback.
    pub feedback: f64,
    /// The factor of its freshness.
    pub freshness: f64,
    /// The number of repeated captures.
    pub confirmations: usize,
    /// Its current confidence.
    pub confidence: Confidence,
}
