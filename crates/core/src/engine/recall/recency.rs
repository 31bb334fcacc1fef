//! Of two hits that say something about the same, the newer one comes first. What the query asks for decides whether they do: the newer
//! one has all its words that the older one has.
//!
//! Recency as a part of the score ("temporal ranking": Efron and Golovchinsky, "Estimation methods for ranking recent information", SIGIR
//! 2011) would move whatever is new before whatever is old. Here it only decides between hits about the same.

use super::explained::with_rulings;
use super::hit::RecallHit;
use super::relations::put_rivals_in_order;
use crate::clock::Millis;
use crate::engine::standing::Related;
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::id_hash;
use crate::truth::{Claims, Rule, STATEMENT_BYTES_MAX, score_of_change};

/// The number of hits that are compared with each other.
const COMPARED_MAX: usize = 10;
/// The share of the older one's score that the newer one needs.
const SCORE_SHARE: f64 = 0.5;
/// The score from which the older one is marked as possibly outdated.
const OUTDATED_MIN: f32 = -0.5;

/// Moves newer hits before older ones about the same. Rivals are in order before and after.
pub(super) fn put_newer_first(stores: &Stores, hits: &mut [RecallHit]) {
    let count = hits.len().min(COMPARED_MAX);
    let mut order: Vec<usize> = (0..count).collect();
    let mut pairs = Pairs::of(stores, hits);
    for at in 1..count {
        if !pairs.has_enough_score(at) {
            continue;
        }
        let before = order.get(..at).unwrap_or_default();
        let Some(place) = before.iter().position(|older| pairs.score(at, *older).is_some()) else {
            continue;
        };
        if let Some(moved) = order.get_mut(place..=at) {
            moved.rotate_right(1);
        }
    }
    if !order.is_sorted() {
        put_in_order(hits, &order);
        put_rivals_in_order(hits);
    }
}

/// Marks hits that are possibly outdated by a newer one before them. Hits with a known contradiction need no such mark.
pub(super) fn mark_outdated(stores: &Stores, hits: &mut [RecallHit]) {
    let mut pairs = Pairs::of(stores, hits);
    let count = hits.len().min(COMPARED_MAX);
    let marks: Vec<Option<usize>> = (0..count)
        .map(|older| {
            let mut before = 0..older;
            before.find(|newer| pairs.score(*newer, older).is_some_and(|score| score >= OUTDATED_MIN))
        })
        .collect();
    for (older, newer) in marks.into_iter().enumerate() {
        let newer = newer.and_then(|newer| hits.get(newer)).map(related);
        if let Some(hit) = hits.get_mut(older)
            && hit.contradicted_by.is_empty()
        {
            hit.possibly_outdated_by = newer;
        }
    }
}

fn related(newer: &RecallHit) -> Related {
    Related {
        id: newer.id.clone(),
        text: newer.text.clone(),
        why: Rule::Subject.name().to_owned(),
        created_at: newer.created_at.clone(),
    }
}

/// Brings the first hits into an order of their positions.
fn put_in_order(hits: &mut [RecallHit], order: &[usize]) {
    let sorted: Vec<RecallHit> = order.iter().filter_map(|at| hits.get(*at).cloned()).collect();
    for (place, hit) in hits.iter_mut().zip(sorted) {
        *place = hit;
    }
}

/// Pairs of hits, whose texts are parsed when they are compared first.
struct Pairs<'h> {
    hits: &'h [RecallHit],
    ruled: Vec<(Scope, &'h Store)>,
    claims: Vec<Option<Claims>>,
}

impl<'h> Pairs<'h> {
    fn of(stores: &'h Stores, hits: &'h [RecallHit]) -> Self {
        Pairs {
            hits,
            ruled: with_rulings(&stores.in_scope(ScopeFilter::All)),
            claims: vec![None; hits.len().min(COMPARED_MAX)],
        }
    }

    fn hits(&self, newer: usize, older: usize) -> Option<(&'h RecallHit, &'h RecallHit)> {
        self.hits.get(newer).zip(self.hits.get(older))
    }

    /// Returns whether a hit is relevant enough to come before the best one.
    fn has_enough_score(&self, at: usize) -> bool {
        let (first, hit) = (self.hits.first(), self.hits.get(at));
        first
            .zip(hit)
            .is_some_and(|(first, hit)| hit.score >= SCORE_SHARE * first.score)
    }

    /// Returns how likely the first hit changes what the second one says, if it is newer and both say something about the same.
    fn score(&mut self, newer: usize, older: usize) -> Option<f32> {
        let (ours, theirs) = self.hits(newer, older)?;
        let is_candidate = ours.scope == theirs.scope
            && moment(ours) > moment(theirs)
            && [ours, theirs].iter().all(|hit| hit.text.len() <= STATEMENT_BYTES_MAX)
            && theirs.matched.iter().all(|word| ours.matched.contains(word));
        if !is_candidate || self.is_decided(ours, theirs) {
            return None;
        }
        for (at, hit) in [(newer, ours), (older, theirs)] {
            if let Some(place) = self.claims.get_mut(at) {
                place.get_or_insert_with(|| Claims::of(&hit.text));
            }
        }
        let claims = |at: usize| self.claims.get(at).and_then(Option::as_ref);
        score_of_change(claims(newer)?, claims(older)?)
    }

    /// Returns whether somebody has kept the older record, or has decided that both hold.
    fn is_decided(&self, newer: &RecallHit, older: &RecallHit) -> bool {
        let (newer_id, older_id) = (id_hash(&newer.id), id_hash(&older.id));
        let mut stores = self.ruled.iter().filter(|(scope, _)| *scope == older.scope);
        stores.any(|(_, store)| {
            let standings = store.journal_index.standings();
            standings.is_held(&older_id, &newer_id) || standings.kept_at(&older_id, None) != Millis::MIN
        })
    }
}

/// When a record was last captured.
fn moment(hit: &RecallHit) -> (Millis, &str) {
    (hit.basis.said_at(), &hit.id)
}
