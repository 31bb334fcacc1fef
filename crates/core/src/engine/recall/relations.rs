//! What else is said about the things that hits are about: the records that contradict them, and those that they retired.

use super::RecallHit;
use crate::clock::Millis;
use crate::engine::standing::{conflicts_of, retired_by};
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::id_hash;

/// Tells with each hit what contradicts it and what it has retired, and puts of two hits in conflict the newer one first.
pub(super) fn relate(stores: &Stores, hits: &mut [RecallHit], now: Millis) {
    let ruled: Vec<(Scope, &Store)> = stores
        .in_scope(ScopeFilter::All)
        .into_iter()
        .filter(|(_, store)| !store.journal_index.standings().is_empty())
        .collect();
    if ruled.is_empty() {
        return;
    }
    for hit in hits.iter_mut() {
        let holds = |(scope, store): &&(Scope, &Store)| {
            *scope == hit.scope && store.journal_index.find_id(id_hash(&hit.id)).is_some()
        };
        if let Some((_, store)) = ruled.iter().find(holds) {
            hit.contradicted_by = conflicts_of(store, &hit.id, now);
            hit.supersedes = retired_by(store, &hit.id);
        }
    }
    put_newer_first(hits);
}

fn put_newer_first(hits: &mut [RecallHit]) {
    for at in 0..hits.len() {
        let Some((one, behind)) = hits.get(at..).and_then(<[RecallHit]>::split_first) else {
            return;
        };
        let newer = behind.iter().position(|other| {
            let is_rival = one.contradicted_by.iter().any(|rival| rival.id == other.id);
            is_rival && (&other.created_at, &other.id) > (&one.created_at, &one.id)
        });
        if let Some(moved) = newer.and_then(|newer| hits.get_mut(at..=at + 1 + newer)) {
            moved.rotate_right(1);
        }
    }
}
