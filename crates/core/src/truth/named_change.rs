//! Weak evidence by name: the newer clause names a previous value that the older one asserts.

use super::claim::ValueKind;
use super::phrase::{Clause, Phrase};
use super::roles::{Mark, Relation};
use super::rule::Rule;
use super::runs::{WeakEvidence, is_specific, runs};

/// The newer clause names a previous value that the older one asserts.
pub(super) fn named_change(
    newer: &Clause,
    older: &Clause,
    newer_words: &[u64],
    older_words: &[u64],
) -> Option<WeakEvidence> {
    if newer.before.is_empty() || (older.is_denied && !newer.is_renamed) {
        return None;
    }
    // "Soft deletes are gone" is not about soft limits.
    let is_mentioned = |key: &u64| older_words.binary_search(key).is_ok();
    let is_whole = newer.before_keys.iter().all(is_mentioned);
    let is_said = |phrase: &Phrase| {
        newer.before.contains(&phrase.text) || (phrase.kind.is_none() && newer.before_keys == [phrase.key])
    };
    let named = |phrase: &Phrase| is_said(phrase) && !older.before.contains(&phrase.text);
    let found: Vec<&Phrase> = older
        .phrases
        .iter()
        .filter(|phrase| named(phrase) && phrase.relation != Relation::Other)
        .collect();
    if found.is_empty() {
        return None;
    }
    let is_plain = |phrase: &&&Phrase| matches!(phrase.kind, Some(ValueKind::Number(_) | ValueKind::State(_)));
    let is_named = |phrase: &&&Phrase| phrase.is_name || phrase.is_distinct || phrase.kind.is_some();
    if !is_whole && !found.iter().any(|phrase| is_named(&phrase)) {
        return None;
    }
    let is_name = found
        .iter()
        .any(|phrase| !is_plain(&phrase) && is_specific(phrase) && phrase.mark != Mark::Qualifier);
    let is_unique = |phrase: &&Phrase| phrase.is_distinct || (newer.is_renamed && phrase.is_constant);
    let is_given = |phrase: &&Phrase| newer.is_renamed && phrase.opens.is_some() && phrase.is_name;
    let is_gone = newer.is_gone && found.iter().any(|phrase| is_unique(phrase) || is_given(phrase));
    let rest: Vec<&Phrase> = older
        .phrases
        .iter()
        .filter(|phrase| !named(phrase) && is_specific(phrase))
        .collect();
    let missing: Vec<&&Phrase> = rest
        .iter()
        .filter(|phrase| newer_words.binary_search(&phrase.key).is_err())
        .collect();
    let shared = rest.len() - missing.len();
    let ours = runs(newer, older, older_words);
    let specific = ours.iter().filter(|run| {
        newer
            .phrases
            .get(run.from..run.to)
            .is_some_and(|phrases| phrases.iter().any(is_specific))
    });
    // The new value is in the position of a value; words elsewhere belong to another subject.
    let elsewhere = specific
        .filter(|run| {
            newer
                .phrases
                .get(run.from)
                .is_some_and(|first| first.opens.is_none() && !newer.is_agent_first)
        })
        .count();
    let is_one_sided = missing.is_empty() || elsewhere == 0;
    // "The tracing backend" is an attribute of tracing.
    let has_qualifier = missing
        .iter()
        .any(|phrase| phrase.mark == Mark::Qualifier && !(phrase.is_attribute && shared > 0));
    let is_about = is_name || shared > 0;
    (is_gone || (is_one_sided && is_about && !has_qualifier)).then_some(WeakEvidence {
        rule: Rule::Change,
        is_tight: false,
    })
}

/// The newer clause says that something that the older one asserts of the same thing no longer holds: "vi.fn makes the mocks, don't use sinon
/// any more".
pub(super) fn ended(newer: &Clause, older: &Clause, newer_words: &[u64]) -> Option<WeakEvidence> {
    let is_named = |phrase: &Phrase| newer.ended.contains(&phrase.text);
    let is_name = |phrase: &&Phrase| {
        let is_name =
            phrase.is_name || phrase.is_distinct || phrase.family.is_some() || phrase.relation == Relation::With;
        is_named(phrase) && phrase.opens.is_some() && is_name
    };
    let is_asserted = !older.is_denied && older.phrases.iter().any(|phrase| is_name(&phrase));
    let mut rest = older
        .phrases
        .iter()
        .filter(|phrase| !is_named(phrase) && is_specific(phrase))
        .peekable();
    let is_about = rest.peek().is_some() && rest.all(|phrase| newer_words.binary_search(&phrase.key).is_ok());
    (is_asserted && is_about).then_some(WeakEvidence {
        rule: Rule::Change,
        is_tight: false,
    })
}
