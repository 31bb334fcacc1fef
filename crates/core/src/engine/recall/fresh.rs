//! Adds the freshness of hits.

use super::hit::RecallHit;
use crate::clock::Millis;
use crate::freshness::Checker;
use crate::model::scope::Scope;

/// Checks the hits of a new answer.
pub(crate) fn check_hits(checker: &mut Checker, hits: &mut [RecallHit], now: Millis) {
    checker.begin();
    check_more(checker, hits, now);
}

/// Checks further hits of an answer. Records of all projects mention nothing of this one.
pub(super) fn check_more(checker: &mut Checker, hits: &mut [RecallHit], now: Millis) {
    if !checker.is_on() {
        return;
    }
    for hit in hits.iter_mut().filter(|hit| hit.scope == Scope::Project) {
        hit.freshness = checker.check(&hit.text, &hit.basis, now);
    }
}
