//! Reranking by a cross-encoder (Nogueira and Cho 2019, "Passage re-ranking with BERT"): scores the query together with each of the first
//! hits, and sorts these by score. It costs one forward pass per hit, so it is done on request only.

use std::sync::Arc;

use super::hit::RecallHit;
use super::options::RecallOptions;
use crate::error::Result;
use crate::meaning::Meaning;
use crate::project::environment::PairScorer;

/// The number of hits that are reranked.
const DEPTH: usize = 20;
/// Scores are rounded to this many parts of one, so that the order does not depend on the rounding of the processor.
const SCORE_PARTS: f64 = 10_000.0;

/// A cross-encoder, and the number of requested hits.
pub(super) struct Reranking {
    scorer: Arc<dyn PairScorer>,
    limit: usize,
}

impl Reranking {
    /// Returns the reranker if one is requested and installed, the options to search with, and a message when it is requested but missing.
    ///
    /// # Errors
    /// `INVALID_INPUT` when the limit is wrong.
    pub fn of(meaning: &Meaning, options: &RecallOptions) -> Result<(Option<Self>, RecallOptions, Option<String>)> {
        if !options.rerank {
            return Ok((None, options.clone(), None));
        }
        let Some(scorer) = meaning.scorer() else {
            return Ok((None, options.clone(), Some(NO_SCORER.to_owned())));
        };
        let limit = options.limit()?;
        let wide = RecallOptions {
            limit: Some(limit.max(DEPTH) as f64),
            ..options.clone()
        };
        Ok((Some(Reranking { scorer, limit }), wide, None))
    }

    /// Reranks the first hits. Returns a message when that failed.
    pub fn apply(&self, query: &str, hits: &mut Vec<RecallHit>) -> Option<String> {
        let outcome = self.score(query, hits);
        hits.truncate(self.limit);
        outcome.err().map(|error| format!("Not re-ranked: {error}."))
    }

    fn score(&self, query: &str, hits: &mut [RecallHit]) -> Result<()> {
        let depth = hits.len().min(DEPTH);
        let Some(first) = hits.get_mut(..depth) else {
            return Ok(());
        };
        let texts: Vec<&str> = first.iter().map(|hit| hit.text.as_str()).collect();
        let scores = self.scorer.score(query, &texts)?;
        for (hit, score) in first.iter_mut().zip(scores) {
            hit.reranked = Some((f64::from(score) * SCORE_PARTS).round() / SCORE_PARTS);
        }
        let key = |hit: &RecallHit| hit.reranked.unwrap_or(f64::NEG_INFINITY);
        // The sort is stable: equal scores keep their order.
        first.sort_by(|a, b| key(b).total_cmp(&key(a)));
        Ok(())
    }
}

const NO_SCORER: &str = "Not re-ranked: no cross-encoder is installed \
    (forge-memory model install cross-encoder/ms-marco-MiniLM-L6-v2, or --from a folder with one).";
