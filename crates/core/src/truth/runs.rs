//! Runs: the phrases of a clause that another one does not have.

use super::phrase::{Clause, Phrase};
use super::roles::{Mark, Relation};
use super::rule::Rule;

/// Weak evidence of a contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WeakEvidence {
    pub rule: Rule,
    /// Whether all other words are equal.
    pub is_tight: bool,
}

/// A run of phrases that the other clause does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub from: usize,
    pub to: usize,
}

pub(super) fn is_specific(phrase: &Phrase) -> bool {
    phrase.mark != Mark::Generic
}

pub(super) fn has(clause: &Clause, phrase: &Phrase) -> bool {
    clause.phrases.iter().any(|other| other.key == phrase.key)
}

/// The runs of a clause that the other one does not have. A word of the subject may occur anywhere in the other text.
pub(super) fn runs(clause: &Clause, other: &Clause, other_words: &[u64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, phrase) in clause.phrases.iter().enumerate() {
        let is_subject = phrase.kind.is_none() && phrase.opens.is_none();
        let is_known = has(other, phrase) || (is_subject && other_words.binary_search(&phrase.key).is_ok());
        if is_known {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.to == at && phrase.relation == Relation::Next && !phrase.is_office => run.to = at + 1,
            _ => runs.push(Run { from: at, to: at + 1 }),
        }
    }
    runs
}
