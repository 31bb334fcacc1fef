//! Marks on hits, without an effect on their order: whether the things that they mention still exist, the records that contradict them, and
//! whether they say little about the query beside better ones. Whoever shows an answer may leave the weaker ones out.

use super::explained::with_rulings;
use super::hit::RecallHit;
use crate::clock::Millis;
use crate::engine::standing::{conflicts_of, retired_by};
use crate::freshness::Checker;
use crate::index::{Store, Stores};
use crate::judgement::standing::Review;
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::id_hash;
use crate::text::bygone::is_bygone;

/// A hit is weaker when its share of the query and its score are at most this part of the best ones: half of the words are not enough
/// beside a record with all of them.
const PART: f64 = 0.6;
/// A best hit with less of the query than this is no better than the others.
const COVERS_MIN: f64 = 0.35;

/// Checks hits that no search has ranked: whether they hold, and say so themselves.
pub(crate) fn check_hits(checker: &mut Checker, hits: &mut [RecallHit], now: Millis) {
    for hit in hits.iter_mut() {
        hit.is_over = is_bygone(&hit.text);
    }
    checker.begin();
    check_more(checker, hits, now);
}

/// Checks further hits of an answer. Records of all projects mention nothing of this one.
pub(super) fn check_more(checker: &mut Checker, hits: &mut [RecallHit], now: Millis) {
    if !checker.is_on() {
        return;
    }
    for hit in hits.iter_mut().filter(|hit| hit.scope == Scope::Project) {
        hit.freshness = checker.check(&hit.text, &hit.basis, now);
    }
}

/// Adds to each hit the records that contradict it, and those that it retired. These are marks: the order is that of the scores.
pub(super) fn relate(stores: &Stores, hits: &mut [RecallHit], now: Millis) {
    let ruled = with_rulings(&stores.in_scope(ScopeFilter::All));
    if ruled.is_empty() {
        return;
    }
    for hit in hits.iter_mut() {
        let holds = |(scope, store): &&(Scope, &Store)| {
            *scope == hit.scope && store.journal_index.find_id(id_hash(&hit.id)).is_some()
        };
        if let Some((_, store)) = ruled.iter().find(holds) {
            let review = store.journal_index.standings().review_of(&id_hash(&hit.id), None);
            hit.is_proposed = matches!(review, Review::Proposed(_));
            hit.contradicted_by = conflicts_of(store, &hit.id, now);
            hit.supersedes = retired_by(store, &hit.id);
        }
    }
}

/// Marks the hits that share a small part of the rarity of the query's words, and score accordingly, beside better ones.
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
