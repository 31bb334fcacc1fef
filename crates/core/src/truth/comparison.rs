//! Whether two runs of phrases are values of one kind.

use super::claim::ValueKind;
use super::phrase::Phrase;
use super::rule::Rule;
use super::runs::is_specific;

/// Compares the types of two runs.
pub(super) fn compared(value: &[Phrase], former: &[Phrase], is_specific_subject: bool, is_move: bool) -> Option<Rule> {
    let typed = |phrases: &[Phrase]| phrases.iter().find_map(|phrase| Some((phrase.kind?, phrase.family)));
    let has_kind = |phrases: &[Phrase], kind: ValueKind| phrases.iter().any(|phrase| phrase.kind == Some(kind));
    let shared = value
        .iter()
        .find_map(|phrase| Some((phrase.kind?, phrase.family)).filter(|(kind, _)| has_kind(former, *kind)));
    let family_of = |phrases: &[Phrase], kind: ValueKind| {
        phrases
            .iter()
            .find(|phrase| phrase.kind == Some(kind))
            .and_then(|phrase| phrase.family)
    };
    let shared_kinds = shared.map(|(kind, _)| ((kind, family_of(value, kind)), (kind, family_of(former, kind))));
    // "Route 53" is a name.
    let named = |phrases: &[Phrase]| {
        phrases
            .first()
            .is_some_and(|first| first.kind.is_none() && is_specific(first) && !first.is_attribute)
            && phrases.len() > 1
    };
    let (one, other) = match shared_kinds {
        Some((one, other)) => (Some(one), Some(other)),
        None => (
            typed(value).filter(|_| !named(value)),
            typed(former).filter(|_| !named(former)),
        ),
    };
    match (one, other) {
        (Some((one, ours)), Some((other, theirs))) => {
            let plain = |phrases: &[Phrase]| {
                phrases
                    .iter()
                    .any(|phrase| phrase.kind.is_none() && (is_specific(phrase) || phrase.is_attribute))
            };
            let is_same = match (one, other) {
                (ValueKind::Number(a), ValueKind::Number(b)) => a == b,
                (ValueKind::Path | ValueKind::Url, ValueKind::Path | ValueKind::Url) => true,
                (ValueKind::Path | ValueKind::Command, ValueKind::Path | ValueKind::Command) => true,
                (ValueKind::Time | ValueKind::Number(_), ValueKind::Time | ValueKind::Number(_)) => true,
                (ValueKind::Day, ValueKind::Number(1)) | (ValueKind::Number(1), ValueKind::Day) => true,
                (one, other) => one == other,
            };
            let is_family = is_move || ours.is_none() || theirs.is_none() || ours == theirs;
            let is_count = matches!(one, ValueKind::Number(0)) && plain(value) != plain(former);
            (is_same && is_family && !is_count && !(plain(value) && plain(former))).then(|| Rule::of(one))
        }
        (Some((ValueKind::State(_), _)), None) | (None, Some((ValueKind::State(_), _))) => None,
        (Some((ValueKind::Number(_) | ValueKind::Time | ValueKind::Day, _)), None)
        | (None, Some((ValueKind::Number(_) | ValueKind::Time | ValueKind::Day, _))) => {
            let says_how = value
                .iter()
                .chain(former)
                .any(|phrase| phrase.is_quality || phrase.is_attribute);
            // "has three replicas" counts something else.
            let counts = |phrases: &[Phrase]| {
                matches!(phrases, [first, rest @ ..] if matches!(first.kind, Some(ValueKind::Number(0)))
                    && rest.iter().any(|phrase| phrase.kind.is_none()))
            };
            (is_specific_subject && !says_how && !counts(value) && !counts(former)).then_some(Rule::Predicate)
        }
        _ => Some(Rule::Predicate),
    }
}
