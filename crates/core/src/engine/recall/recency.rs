//! Of two hits of about the same score that say something about the same, the newer one comes first.
//!
//! Recency as a part of the score ("temporal ranking": Efron and Golovchinsky, "Estimation methods for ranking recent information", SIGIR
//! 2011) would move whatever is new before whatever is old. Here it only decides between hits that are about equal.

use std::cell::OnceCell;

use super::explained::with_rulings;
use super::hit::RecallHit;
use crate::clock::Millis;
use crate::index::{Store, Stores};
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::id_hash;
use crate::text::bygone::{asks_for_bygone, tells_of_change};
use crate::text::intent::says_all;
use crate::text::speaker::speaker_of;
use crate::text::{is_stop_word, is_title, written_words};

/// The number of hits that are compared with each other, however few are asked for.
pub(super) const COMPARED_MAX: usize = 10;
/// The share of the older hit's score that the newer one needs.
const SCORE_SHARE: f64 = 0.9;
/// The share of the words of the longer text that the other one has, by their first letters, from which both are about the same.
const WORDS_SHARE_MIN: f64 = 0.5;
/// The same for a newer hit that says that the older one is over, and the share of the older one's words that it has.
const REPLACED_SCORE_SHARE: f64 = 0.5;
const REPLACED_WORDS_SHARE: f64 = 0.66;
const BEGINNING_BYTES: usize = 4;

/// Moves newer hits before older ones about the same.
pub(super) fn put_newer_first(stores: &Stores, query: &str, hits: &mut [RecallHit]) {
    let count = hits.len().min(COMPARED_MAX);
    let ruled = with_rulings(&stores.in_scope(ScopeFilter::All));
    // Few hits are about the same, so the words of most are not looked at.
    let beginnings: Vec<OnceCell<Vec<u64>>> = hits.iter().take(count).map(|_| OnceCell::new()).collect();
    let beginnings_of = |at: usize| {
        let (cell, hit) = (beginnings.get(at)?, hits.get(at)?);
        Some(cell.get_or_init(|| beginnings_in(&hit.text)).as_slice())
    };
    let is_in_wrong_order = |at: usize, before: usize| {
        hits.get(at).zip(hits.get(before)).is_some_and(|(newer, older)| {
            let words = || beginnings_of(at).zip(beginnings_of(before));
            may_overtake(newer, older)
                && !is_decided(&ruled, newer, older)
                && (is_about_as_good(newer, older, words) || (replaces(newer, older, words) && asks_what_holds(query)))
        })
    };
    let mut order: Vec<usize> = (0..count).collect();
    for at in 1..count {
        let before = order.get(..at).unwrap_or_default();
        let Some(place) = before.iter().position(|older| is_in_wrong_order(at, *older)) else {
            continue;
        };
        if let Some(moved) = order.get_mut(place..=at) {
            moved.rotate_right(1);
        }
    }
    if !order.is_sorted() {
        let sorted: Vec<RecallHit> = order.iter().filter_map(|at| hits.get(*at).cloned()).collect();
        for (place, hit) in hits.iter_mut().zip(sorted) {
            *place = hit;
        }
    }
}

/// Returns true if a hit is newer than one before it, and nothing speaks against its being first.
fn may_overtake(newer: &RecallHit, older: &RecallHit) -> bool {
    newer.scope == older.scope
        && moment(newer) > moment(older)
        // A newer record about code that has changed since is not newer than that code.
        && newer.freshness_factor() >= older.freshness_factor()
        && (older.is_over || !newer.is_over)
}

/// Returns true if a newer hit is about as relevant as an older one, matches the query as well and is about the same.
fn is_about_as_good<'w>(
    newer: &RecallHit,
    older: &RecallHit,
    words: impl Fn() -> Option<(&'w [u64], &'w [u64])>,
) -> bool {
    newer.score > SCORE_SHARE * older.score
        && older.matched.iter().all(|word| newer.matched.contains(word))
        && words().is_some_and(|(newer, older)| {
            shared(newer, older) >= WORDS_SHARE_MIN * newer.len().max(older.len()).max(1) as f64
        })
}

/// Returns true if a newer hit says most of an older one and that something of it is over: `Biome formats, Prettier is no longer used` and `Prettier
/// formats`. It is the longer one, so that its score is lower.
fn replaces<'w>(newer: &RecallHit, older: &RecallHit, words: impl Fn() -> Option<(&'w [u64], &'w [u64])>) -> bool {
    newer.score > REPLACED_SCORE_SHARE * older.score
        && says_all(&newer.matched, &older.matched)
        && words()
            .is_some_and(|(newer, older)| shared(newer, older) >= REPLACED_WORDS_SHARE * older.len().max(1) as f64)
        && tells_of_change(&newer.text)
        // A turn of a conversation tells, and decides nothing.
        && speaker_of(&newer.text).is_none()
}

/// True of a question about what holds. The title of a change asks what has been changed.
fn asks_what_holds(query: &str) -> bool {
    !is_title(query) && !asks_for_bygone(query)
}

/// Returns true if somebody has kept the older record or found it more useful, has found the newer one wrong, or has decided that both hold.
fn is_decided(ruled: &[(Scope, &Store)], newer: &RecallHit, older: &RecallHit) -> bool {
    let (newer_id, older_id) = (id_hash(&newer.id), id_hash(&older.id));
    let mut stores = ruled.iter().filter(|(scope, _)| *scope == older.scope);
    stores.any(|(_, store)| {
        let standings = store.journal_index.standings();
        standings.is_held(&older_id, &newer_id)
            || standings.kept_at(&older_id, None) != Millis::MIN
            || standings.verdicts_on(&newer_id, None).wrong > 0
            || standings.verdicts_on(&older_id, None).useful > standings.verdicts_on(&newer_id, None).useful
    })
}

/// Returns the first letters of the words of a text that are no stop words; a word with a digit is a name, and whole.
fn beginnings_in(text: &str) -> Vec<u64> {
    let text = text.to_lowercase();
    let words = written_words(&text, "").filter(|word| word.len() > 1 && !is_stop_word(word));
    let mut beginnings: Vec<u64> = words
        .map(|word| {
            // "E1021" and "E1022" are two things.
            let is_whole = word.bytes().any(|byte| byte.is_ascii_digit());
            let letters = if is_whole { word.len() } else { BEGINNING_BYTES };
            let sum = |sum: u64, letter: u8| sum.rotate_left(8) ^ u64::from(letter);
            word.bytes().take(letters).fold(0, sum)
        })
        .collect();
    beginnings.sort_unstable();
    beginnings.dedup();
    beginnings
}

/// Returns the number of words that two lists have in common.
fn shared(one: &[u64], other: &[u64]) -> f64 {
    one.iter().filter(|word| other.binary_search(word).is_ok()).count() as f64
}

/// When a record was last captured.
fn moment(hit: &RecallHit) -> (Millis, &str) {
    (hit.basis.said_at(), &hit.id)
}
