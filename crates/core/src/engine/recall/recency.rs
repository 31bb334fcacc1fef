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
use crate::text::is_stop_word;
use crate::truth::{Claims, Rule, STATEMENT_BYTES_MAX, score_of_change};

/// The number of hits that are compared with each other, however few are asked for.
pub(super) const COMPARED_MAX: usize = 10;
/// The share of the older one's score that the newer one needs.
const SCORE_SHARE: f64 = 0.5;
/// Texts are parsed when one has at least this share of the words of the other one, by their first letters.
const WORDS_SHARE_MIN: f64 = 0.25;
const BEGINNING_BYTES: usize = 4;
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
    beginnings: Vec<Option<Vec<u64>>>,
}

impl<'h> Pairs<'h> {
    fn of(stores: &'h Stores, hits: &'h [RecallHit]) -> Self {
        Pairs {
            hits,
            ruled: with_rulings(&stores.in_scope(ScopeFilter::All)),
            claims: vec![None; hits.len().min(COMPARED_MAX)],
            beginnings: vec![None; hits.len().min(COMPARED_MAX)],
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
            && factor(ours) >= factor(theirs)
            && [ours, theirs].iter().all(|hit| hit.text.len() <= STATEMENT_BYTES_MAX)
            && theirs.matched.iter().all(|word| ours.matched.contains(word));
        if !is_candidate || self.is_decided(ours, theirs) {
            return None;
        }
        let pair = [(newer, ours), (older, theirs)];
        let [one, other] = both(&mut self.beginnings, pair, beginnings_of)?;
        if share_of(one, other) < WORDS_SHARE_MIN {
            return None;
        }
        let [newer, older] = both(&mut self.claims, pair, Claims::of)?;
        score_of_change(newer, older)
    }

    /// Returns whether somebody has kept the older record, has found the newer one wrong, or has decided that both hold.
    fn is_decided(&self, newer: &RecallHit, older: &RecallHit) -> bool {
        let (newer_id, older_id) = (id_hash(&newer.id), id_hash(&older.id));
        let mut stores = self.ruled.iter().filter(|(scope, _)| *scope == older.scope);
        stores.any(|(_, store)| {
            let standings = store.journal_index.standings();
            standings.is_held(&older_id, &newer_id)
                || standings.kept_at(&older_id, None) != Millis::MIN
                || standings.verdicts_on(&newer_id, None).wrong > 0
        })
    }
}

/// Returns what is known of two texts, and finds it out for those that are compared first.
fn both<'k, T>(
    known: &'k mut [Option<T>],
    pair: [(usize, &RecallHit); 2],
    of: impl Fn(&str) -> T,
) -> Option<[&'k T; 2]> {
    for (at, hit) in pair {
        known.get_mut(at)?.get_or_insert_with(|| of(&hit.text));
    }
    let [one, other] = pair.map(|(at, _)| known.get(at).and_then(Option::as_ref));
    Some([one?, other?])
}

/// Returns the first letters of the words of a text that are no stop words, by which most pairs are excluded before their texts are parsed.
fn beginnings_of(text: &str) -> Vec<u64> {
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 1 && !is_stop_word(word));
    let mut beginnings: Vec<u64> = words
        .map(|word| {
            let letters = word.bytes().take(BEGINNING_BYTES);
            letters.fold(0, |sum, letter| sum << 8 | u64::from(letter.to_ascii_lowercase()))
        })
        .collect();
    beginnings.sort_unstable();
    beginnings.dedup();
    beginnings
}

/// Returns the share of the shorter list that the other one has.
fn share_of(one: &[u64], other: &[u64]) -> f64 {
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    shared as f64 / one.len().min(other.len()).max(1) as f64
}

/// The factor of its freshness: what a newer record says of code that has changed since is not newer than that code.
fn factor(hit: &RecallHit) -> f64 {
    hit.freshness.as_ref().map_or(1.0, |found| found.state.factor())
}

/// When a record was last captured.
fn moment(hit: &RecallHit) -> (Millis, &str) {
    (hit.basis.said_at(), &hit.id)
}
