//! The relations of hits: the records that contradict them, and those that they retired.

use super::explained::with_rulings;
use super::hit::RecallHit;
use crate::clock::Millis;
use crate::engine::standing::{conflicts_of, retired_by};
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::standing::Review;
use crate::model::thought::id_hash;

/// Adds to each hit what contradicts it and what it has retired, and puts rivals in order.
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
    put_rivals_in_order(hits);
}

/// Moves the newer of two hits in conflict before the older.
pub(super) fn put_rivals_in_order(hits: &mut [RecallHit]) {
    for at in 0..hits.len() {
        // What takes its place may be contradicted by a still newer one; each step takes a newer one, so it ends.
        while let Some(newer) = newer_behind(hits, at) {
            if let Some(moved) = hits.get_mut(at..=newer) {
                moved.rotate_right(1);
            }
        }
    }
}

/// Returns the position of a newer hit in conflict with the one at `at`, behind it.
fn newer_behind(hits: &[RecallHit], at: usize) -> Option<usize> {
    let (one, behind) = hits.get(at..)?.split_first()?;
    let newer = behind.iter().position(|other| {
        let is_rival = one.contradicted_by.iter().any(|rival| rival.id == other.id);
        is_rival && (&other.created_at, &other.id) > (&one.created_at, &one.id)
    });
    Some(at + 1 + newer?)
}
