//! Hits that say little about a query beside better ones: they share a small part of the rarity of its words, and score accordingly. They
//! stay in the answer, marked, and whoever shows it may leave them out.

use super::hit::RecallHit;

/// A hit is weaker when its share of the query and its score are at most this part of the best ones: half of the words are not enough
/// beside a record with all of them.
const PART: f64 = 0.6;
/// A best hit with less of the query than this is no better than the others.
const COVERS_MIN: f64 = 0.35;

/// Marks the hits that are weaker than the best ones.
pub(super) fn mark_weaker(hits: &mut [RecallHit]) {
    let best = |of: fn(&RecallHit) -> f64| hits.iter().map(of).fold(0.0, f64::max);
    let (covers, score) = (best(|hit| hit.covers), best(|hit| hit.score));
    if covers < COVERS_MIN {
        return;
    }
    for hit in hits {
        hit.is_weaker = hit.covers <= PART * covers && hit.score <= PART * score;
    }
}
