//! The relations of hits: the records that contradict them, and those that they retired.

use super::explained::with_rulings;
use super::hit::RecallHit;
use crate::clock::Millis;
use crate::engine::standing::{conflicts_of, retired_by};
use crate::index::{Store, Stores};
use crate::judgement::standing::Review;
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::id_hash;

/// Adds to each hit what contradicts it and what it has retired. These are marks: the order is that of the scores.
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
