//! Of two hits that say something about the same, the newer one comes first. What the query asks for decides whether they do: the newer
//! one has all its words that the older one has.
//!
//! Recency as a part of the score ("temporal ranking": Efron and Golovchinsky, "Estimation methods for ranking recent information", SIGIR
//! 2011) would move whatever is new before whatever is old. Here it only decides between hits about the same.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

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
/// The share of the best hit's score that the newer one needs; when the change is clear, of the older one's score.
const SCORE_SHARE: f64 = 0.5;
/// The score from which a change is clear.
const CLEAR_MIN: f32 = 0.5;
/// Texts are parsed when one has at least this share of the words of the other one, by their first letters.
const WORDS_SHARE_MIN: f64 = 0.25;
const BEGINNING_BYTES: usize = 4;
/// The score from which the older one is marked as possibly outdated.
const OUTDATED_MIN: f32 = -0.5;

/// Moves newer hits before older ones about the same. Rivals are in order before and after.
pub(super) fn put_newer_first(stores: &Stores, texts: &mut Texts, hits: &mut [RecallHit]) {
    let count = hits.len().min(COMPARED_MAX);
    let mut order: Vec<usize> = (0..count).collect();
    let mut pairs = Pairs::of(stores, texts, hits);
    for at in 1..count {
        let before = order.get(..at).unwrap_or_default();
        let Some(place) = before.iter().position(|older| pairs.is_in_wrong_order(at, *older)) else {
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
pub(super) fn mark_outdated(stores: &Stores, texts: &mut Texts, hits: &mut [RecallHit]) {
    let mut pairs = Pairs::of(stores, texts, hits);
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

/// The texts that an answer has compared: each is read once.
#[derive(Default)]
pub(super) struct Texts(FxHashMap<String, Text>);

impl Texts {
    /// Returns two texts.
    fn pair(&mut self, one: &str, other: &str) -> Option<[&Text; 2]> {
        for text in [one, other] {
            if !self.0.contains_key(text) {
                self.0.insert(text.to_owned(), Text::of(text));
            }
        }
        Some([self.0.get(one)?, self.0.get(other)?])
    }
}

struct Text {
    beginnings: Vec<u64>,
    claims: OnceCell<Claims>,
}

impl Text {
    fn of(text: &str) -> Self {
        Text {
            beginnings: beginnings_of(text),
            claims: OnceCell::new(),
        }
    }

    fn claims(&self, text: &str) -> &Claims {
        self.claims.get_or_init(|| Claims::of(text))
    }
}

/// Pairs of hits.
struct Pairs<'h> {
    hits: &'h [RecallHit],
    ruled: Vec<(Scope, &'h Store)>,
    texts: &'h mut Texts,
}

impl<'h> Pairs<'h> {
    fn of(stores: &'h Stores, texts: &'h mut Texts, hits: &'h [RecallHit]) -> Self {
        Pairs {
            hits,
            ruled: with_rulings(&stores.in_scope(ScopeFilter::All)),
            texts,
        }
    }

    fn hits(&self, newer: usize, older: usize) -> Option<(&'h RecallHit, &'h RecallHit)> {
        self.hits.get(newer).zip(self.hits.get(older))
    }

    /// Returns whether the first hit belongs before the second one, and is relevant enough for that.
    fn is_in_wrong_order(&mut self, newer: usize, older: usize) -> bool {
        let Some(score) = self.score(newer, older) else {
            return false;
        };
        let beside = if score < CLEAR_MIN { 0 } else { older };
        let hits = self.hits(newer, beside);
        hits.is_some_and(|(ours, other)| ours.score >= SCORE_SHARE * other.score)
    }

    /// Returns how likely the first hit changes what the second one says, if it is newer and both say something about the same.
    fn score(&mut self, newer: usize, older: usize) -> Option<f32> {
        let (ours, theirs) = self.hits(newer, older)?;
        let is_candidate = ours.scope == theirs.scope
            && moment(ours) > moment(theirs)
            // What a newer record says of code that has changed since is not newer than that code.
            && ours.freshness_factor() >= theirs.freshness_factor()
            && [ours, theirs].iter().all(|hit| hit.text.len() <= STATEMENT_BYTES_MAX)
            && theirs.matched.iter().all(|word| ours.matched.contains(word));
        if !is_candidate || self.is_decided(ours, theirs) {
            return None;
        }
        let [newer, older] = self.texts.pair(&ours.text, &theirs.text)?;
        if share_of(&newer.beginnings, &older.beginnings) < WORDS_SHARE_MIN {
            return None;
        }
        score_of_change(newer.claims(&ours.text), older.claims(&theirs.text))
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

/// Returns the first letters of the words of a text that are no stop words, by which most pairs are excluded before their texts are parsed.
fn beginnings_of(text: &str) -> Vec<u64> {
    let text = text.to_lowercase();
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 1 && !is_stop_word(word));
    let mut beginnings: Vec<u64> = words
        .map(|word| {
            let letters = word.bytes().take(BEGINNING_BYTES);
            letters.fold(0, |sum, letter| sum << 8 | u64::from(letter))
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

/// When a record was last captured.
fn moment(hit: &RecallHit) -> (Millis, &str) {
    (hit.basis.said_at(), &hit.id)
}
