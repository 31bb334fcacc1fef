//! The explanation of a score (words, feedback of sessions, freshness) and of the current confidence.

use rustc_hash::FxHashMap;

use super::hit::{Explained, RecallHit};
use super::options::RecallOptions;
use crate::clock::{Millis, parse_iso, parse_when};
use crate::error::Result;
use crate::index::{Store, Stores};
use crate::judgement::confidence::{Grounds, feedback_factor, weigh_confidence};
use crate::judgement::standing::Verdicts;
use crate::model::scope::{Scope, ScopeFilter};
use crate::model::thought::{ActionKind, LineKind, id_hash, read_line};

/// The upper bound of [`feedback_factor`].
const FEEDBACK_MAX: f64 = 1.1;

/// Returns the most that feedback may multiply a score by.
pub(super) fn feedback_max(ruled: &[(Scope, &Store)]) -> f64 {
    if ruled.is_empty() { 1.0 } else { FEEDBACK_MAX }
}

/// Multiplies each score by the factor of the feedback on the record.
pub(super) fn weigh(ruled: &[(Scope, &Store)], hits: &mut [RecallHit]) {
    if ruled.is_empty() {
        return;
    }
    for hit in hits {
        hit.score *= feedback_factor(verdicts_of(ruled, hit, None));
    }
}

/// Adds the explanation to each hit, when the options ask for it.
pub(super) fn explain(stores: &mut Stores, hits: &mut [RecallHit], options: &RecallOptions, now: Millis) -> Result<()> {
    if !options.explain {
        return Ok(());
    }
    let now = match options.at.as_deref() {
        Some(at) => parse_when("at", at, now)?,
        None => now,
    };
    let confirmations = confirmations_of(stores, hits, now)?;
    let ruled = with_rulings(&stores.in_scope(ScopeFilter::All));
    for hit in hits.iter_mut() {
        let at = options.at.is_some().then_some(now);
        let verdicts = verdicts_of(&ruled, hit, at);
        let feedback = if at.is_some() { 1.0 } else { feedback_factor(verdicts) };
        let freshness = hit.freshness_factor();
        let times = confirmations.get(&id_hash(&hit.id)).copied().unwrap_or(0);
        let made = parse_iso(&hit.created_at).unwrap_or(now);
        let grounds = Grounds {
            base: hit.confidence,
            confirmations: times,
            verdicts,
            drift: freshness,
            kind: &hit.kind,
            age_ms: now.saturating_sub(made.max(hit.basis.confirmed_at.min(now))),
        };
        hit.explained = Some(Explained {
            words: hit.score / (feedback * freshness) - hit.context,
            context: hit.context,
            verdicts,
            feedback,
            freshness,
            confirmations: times,
            confidence: weigh_confidence(&grounds),
        });
    }
    Ok(())
}

/// Returns the stores that have rulings on records.
pub(super) fn with_rulings<'a>(stores: &[(Scope, &'a Store)]) -> Vec<(Scope, &'a Store)> {
    let has_rulings = |(_, store): &&(Scope, &Store)| !store.journal_index.standings().is_empty();
    stores.iter().filter(has_rulings).copied().collect()
}

fn verdicts_of(ruled: &[(Scope, &Store)], hit: &RecallHit, at: Option<Millis>) -> Verdicts {
    let id = id_hash(&hit.id);
    let of_scope = ruled.iter().filter(|(scope, _)| *scope == hit.scope);
    let found = of_scope.map(|(_, store)| store.journal_index.standings().verdicts_on(&id, at));
    found
        .into_iter()
        .find(|verdicts| *verdicts != Verdicts::default())
        .unwrap_or_default()
}

/// Counts how often each hit was captured again, in one scan of the files, which only an explanation needs.
fn confirmations_of(stores: &mut Stores, hits: &[RecallHit], now: Millis) -> Result<FxHashMap<u64, usize>> {
    let mut times: FxHashMap<u64, usize> = hits.iter().map(|hit| (id_hash(&hit.id), 0)).collect();
    let finder = memchr::memmem::Finder::new("\"confirm\"");
    for store in stores.written_mut() {
        let Some(state) = store.journal.look()? else {
            continue;
        };
        store.journal.scan(0, state.len, &mut |line| {
            if finder.find(line.bytes).is_none() {
                return;
            }
            if let LineKind::Action(action) = read_line(line.bytes)
                && action.kind == ActionKind::Confirm
                && action.at_ms <= now
                && let Some(count) = times.get_mut(&id_hash(&action.id))
            {
                *count += 1;
            }
        })?;
    }
    Ok(times)
}
