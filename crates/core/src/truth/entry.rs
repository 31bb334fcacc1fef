//! Entries: "Tail logs: stern api" gives the value of a label, and another entry with the same label gives it another one.

use super::claim::ValueKind;
use super::phrase::{Clause, Phrase};
use super::roles::Mark;
use super::rule::Rule;
use super::runs::{WeakEvidence, is_specific};

/// The maximum number of phrases of a value: a longer text is a note under a heading.
const VALUE_PHRASES_MAX: usize = 4;

/// Compares two entries.
pub(super) fn other_entry(newer: &Clause, older: &Clause) -> Option<WeakEvidence> {
    let (label, value) = split(newer)?;
    let (other_label, former) = split(older)?;
    let keys = |phrases: &[Phrase]| phrases.iter().map(|phrase| phrase.key).collect::<Vec<_>>();
    if keys(label) != keys(other_label) || newer.is_denied != older.is_denied {
        return None;
    }
    let lacks = |value: &[Phrase], other: &[Phrase]| {
        let mut missing = value
            .iter()
            .filter(|phrase| !other.iter().any(|known| known.key == phrase.key));
        let is_qualified = missing.clone().any(|phrase| phrase.mark == Mark::Qualifier);
        !is_qualified && missing.any(is_specific)
    };
    let is_plain = |phrase: &Phrase| {
        !matches!(
            phrase.kind,
            Some(ValueKind::Number(_) | ValueKind::Time | ValueKind::State(_))
        )
    };
    let is_value = value.iter().chain(former).all(is_plain);
    (is_value && lacks(value, former) && lacks(former, value)).then_some(WeakEvidence {
        rule: Rule::Predicate,
        is_tight: false,
    })
}

/// The label and the value of an entry.
fn split(clause: &Clause) -> Option<(&[Phrase], &[Phrase])> {
    let (label, value) = clause.phrases.split_at_checked(clause.label)?;
    // There may be several root causes.
    let is_specific = label.len() > 1 && label.iter().any(is_specific) && !label.iter().any(|phrase| phrase.is_problem);
    (is_specific && (1..=VALUE_PHRASES_MAX).contains(&value.len())).then_some((label, value))
}
