//! Answers that differ from each other: *maximal marginal relevance* (Carbonell and Goldstein, "The use of MMR, diversity-based
//! reranking for reordering documents and producing summaries", SIGIR 1998).
//!
//! Difference from the paper: the similarity of two hits is 1 when they are near duplicates and 0 otherwise. So a hit that repeats a
//! better one comes after all distinct hits, and these keep their order. Two hits are near duplicates by the rule for captures
//! ([`Statement::likeness`]), regardless of type and scope: one has all content words of the other, and no content word was replaced. The
//! two sides of a contradiction are never near duplicates.

use super::hit::RecallHit;
use crate::index::{Store, can_be_near};
use crate::model::scope::Scope;
use crate::model::thought::id_hash;
use crate::text::Statement;

/// The minimum cosine of near duplicates.
const LIKE: f64 = 0.9;
/// The number of hits that are compared with each other.
const COMPARED_MAX: usize = 100;

/// Returns for each hit, best first, whether it repeats a better one that is not itself a repetition.
pub(super) fn repeats_in(ruled: &[(Scope, &Store)], hits: &[RecallHit]) -> Vec<bool> {
    let mut repeats = vec![false; hits.len()];
    let mut statements: Vec<Option<Statement>> = vec![None; hits.len()];
    for (at, hit) in hits.iter().enumerate().take(COMPARED_MAX) {
        let is_repeat = hits.iter().enumerate().take(at).any(|(before, better)| {
            repeats.get(before) == Some(&false)
                && can_be_alike(better, hit)
                && are_alike(&mut statements, (before, better), (at, hit))
                && !is_conflict(ruled, better, hit)
        });
        if let Some(repeat) = repeats.get_mut(at) {
            *repeat = is_repeat;
        }
    }
    repeats
}

/// Moves repetitions after all other hits.
pub(super) fn put_repeats_last(hits: &mut Vec<RecallHit>, repeats: &[bool]) {
    if !repeats.contains(&true) {
        return;
    }
    let (mut distinct, mut others) = (Vec::with_capacity(hits.len()), Vec::new());
    for (hit, is_repeat) in hits.drain(..).zip(repeats) {
        if *is_repeat {
            others.push(hit)
        } else {
            distinct.push(hit)
        }
    }
    distinct.append(&mut others);
    *hits = distinct;
}

/// Excludes most pairs without reading their texts.
fn can_be_alike(one: &RecallHit, other: &RecallHit) -> bool {
    let sketches = one.content.as_ref().zip(other.content.as_ref());
    sketches.is_none_or(|(one, other)| can_be_near(one, other, LIKE))
}

fn are_alike(
    statements: &mut [Option<Statement>],
    (one_at, one): (usize, &RecallHit),
    (other_at, other): (usize, &RecallHit),
) -> bool {
    for (at, hit) in [(one_at, one), (other_at, other)] {
        if let Some(place) = statements.get_mut(at) {
            place.get_or_insert_with(|| Statement::of(&hit.text));
        }
    }
    let read = |at: usize| statements.get(at).and_then(Option::as_ref);
    let pair = read(one_at).zip(read(other_at));
    pair.is_some_and(|(one, other)| one.likeness(other, LIKE).is_some())
}

/// True if a ruling says that two records contradict each other.
fn is_conflict(ruled: &[(Scope, &Store)], one: &RecallHit, other: &RecallHit) -> bool {
    let other = id_hash(&other.id);
    let mut stores = ruled.iter().filter(|(scope, _)| *scope == one.scope);
    stores.any(|(_, store)| {
        let conflicts = store.journal_index.standings().conflicts_of(&id_hash(&one.id));
        conflicts.iter().any(|act| act.other == Some(other))
    })
}
