//! The freshness of what was found, and the order that follows from it.

use super::hit::RecallHit;
use super::options::RecallOptions;
use crate::clock::Millis;
use crate::freshness::Checker;
use crate::model::scope::Scope;

/// So many more records than are wanted are looked at, so that one that is fresh can take the place of one that is not.
const SPARE: usize = 4;

/// Returns how many records to find for an answer of `limit`.
pub(super) fn with_spare(checker: &Checker, options: &RecallOptions, limit: usize) -> usize {
    limit + if is_checked(checker, options) { SPARE } else { 0 }
}

/// The past is answered as it was known then.
fn is_checked(checker: &Checker, options: &RecallOptions) -> bool {
    checker.is_on() && options.at.is_none()
}

/// Checks what was found, and puts behind what is not as it was: scores are multiplied by the factor of its state.
pub(super) fn rank_fresh(
    checker: &mut Checker,
    options: &RecallOptions,
    mut hits: Vec<RecallHit>,
    limit: usize,
    now: Millis,
) -> Vec<RecallHit> {
    if is_checked(checker, options) {
        check_hits(checker, &mut hits, now);
        for hit in &mut hits {
            hit.score *= hit.freshness.as_ref().map_or(1.0, |found| found.state.factor());
        }
        // The sort is stable: what answers equally well stays in its order.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    hits.truncate(limit);
    hits
}

/// Checks what the project's records name. Those of all projects name nothing of this one.
pub(crate) fn check_hits(checker: &mut Checker, hits: &mut [RecallHit], now: Millis) {
    if !checker.is_on() {
        return;
    }
    checker.begin();
    for hit in hits.iter_mut().filter(|hit| hit.scope == Scope::Project) {
        hit.freshness = checker.check(&hit.text, &hit.basis, now);
    }
}
