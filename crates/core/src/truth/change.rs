//! Explicit changes: "X instead of Y", "switched from Y to X", "no longer Y", "Y was replaced by X". They name what held
//! before, and a record that asserts it is out of date.

use super::lexicon::Role;
use super::token::{Shape, Token, is_at};

/// What a sentence says about what held before, as ranges of its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// What held before.
    pub before: (usize, usize),
    /// The tokens that only say that there is a change: they are no part of the statement.
    pub said: Vec<(usize, usize)>,
    /// What holds now, when the change itself names it.
    pub now: Option<(usize, usize)>,
}

/// Verbs of "from Y to X".
const MOVES: &[&str] = &[
    "switched",
    "switch",
    "switching",
    "moved",
    "move",
    "moving",
    "migrated",
    "migrate",
    "migrating",
    "changed",
    "change",
    "upgraded",
    "upgrade",
    "bumped",
    "bump",
    "raised",
    "raise",
    "lowered",
    "lower",
    "increased",
    "increase",
    "decreased",
    "reduced",
    "went",
    "downgraded",
    "renamed",
    "rename",
    "reassigned",
    "handed",
    "transferred",
    "swapped",
    "rescheduled",
    "converted",
    "ported",
    "passed",
    "shifted",
    "flipped",
];
/// Verbs of "Y was replaced by X".
const REPLACES: &[&str] = &[
    "replaced",
    "replace",
    "replaces",
    "replacing",
    "swapped",
    "swap",
    "superseded",
    "supersedes",
];
/// Verbs of "dropped Y".
const DROPS: &[&str] = &[
    "dropped",
    "removed",
    "abandoned",
    "ditched",
    "retired",
    "deprecated",
    "stopped",
    "quit",
];
/// No value is longer.
const VALUE_TOKENS_MAX: usize = 4;

/// Finds the change that one sentence tells.
pub(super) fn change_in(tokens: &[Token<'_>]) -> Option<Change> {
    let finders = [
        arrow, from_to, instead_of, replaced, no_longer, dropped, contrast, formerly,
    ];
    // "We did not switch" is no change.
    let is_denied = |change: &Change| {
        let first = change.said.first().map_or(0, |range| range.0);
        let is_verb = tokens
            .get(first)
            .is_some_and(|token| token.is(MOVES) || token.is(REPLACES) || token.is(DROPS));
        is_verb
            && tokens
                .iter()
                .take(first)
                .any(|token| token.role() == Some(Role::Negation))
    };
    finders
        .into_iter()
        .find_map(|find| find(tokens))
        .filter(|change| !is_denied(change))
}

/// Returns the range of a value that begins at `at` or behind fillers there, and ends where something else begins.
fn value_at(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let start = at + tokens.get(at..)?.iter().position(|token| !is_skipped(token))?;
    let mut end = start;
    for token in tokens.iter().skip(start).take(VALUE_TOKENS_MAX) {
        if end > start && (token.is_filler() || ends_value(token)) {
            break;
        }
        end += 1;
        if token.breaks {
            break;
        }
    }
    Some((start, end))
}

fn is_skipped(token: &Token<'_>) -> bool {
    token.is_filler() || token.role() == Some(Role::Use)
}

fn ends_value(token: &Token<'_>) -> bool {
    token.shape == Shape::Arrow
        || matches!(
            token.role(),
            Some(Role::Aside | Role::Use | Role::Negation | Role::Tentative)
        )
        || token.is(&[
            "when", "while", "where", "after", "before", "until", "starting", "or", "but", "anymore",
        ])
}

/// Returns where the first of the words stands, from a place on.
fn word_from(tokens: &[Token<'_>], start: usize, words: &[&str]) -> Option<usize> {
    let at = tokens.get(start..)?.iter().position(|token| token.is(words))?;
    Some(start + at)
}

fn find(tokens: &[Token<'_>], words: &[&str]) -> Option<usize> {
    tokens
        .windows(words.len())
        .position(|found| found.iter().zip(words).all(|(token, word)| token.lower == *word))
}

/// "Y -> X"
fn arrow(tokens: &[Token<'_>]) -> Option<Change> {
    let at = tokens.iter().position(|token| token.shape == Shape::Arrow)?;
    let before = (at.checked_sub(1)?, at);
    let now = value_at(tokens, at + 1)?;
    Some(Change {
        before,
        said: vec![(at - 1, at + 1)],
        now: Some(now),
    })
}

/// "switched from Y to X", "to X from Y"
fn from_to(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = tokens.iter().position(|token| token.is(MOVES))?;
    let Some(from) = word_from(tokens, verb + 1, &["from"]) else {
        return renamed(tokens, verb);
    };
    let before = value_at(tokens, from + 1)?;
    let to = word_from(tokens, verb + 1, &["to", "over"])?;
    let now = value_at(tokens, to + 1)?;
    let said = if to > from {
        vec![(verb, verb + 1), (from, before.1), (to, to + 1)]
    } else {
        vec![(verb, verb + 1), (to, to + 1), (from, before.1)]
    };
    Some(Change {
        before,
        said,
        now: Some(now),
    })
}

/// "renamed Y to X", "Y renamed to X"
fn renamed(tokens: &[Token<'_>], verb: usize) -> Option<Change> {
    if !is_at(tokens, verb, &["renamed", "rename"]) {
        return None;
    }
    let to = word_from(tokens, verb + 1, &["to", "into"])?;
    let now = value_at(tokens, to + 1)?;
    let before = match value_at(tokens, verb + 1) {
        Some(before) if before.1 <= to && before.0 > verb => before,
        _ => value_at(tokens, 0).filter(|before| before.1 <= verb)?,
    };
    Some(Change {
        before,
        said: vec![before, (verb, to + 1)],
        now: Some(now),
    })
}

/// "X instead of Y", "X rather than Y", "X in place of Y", "in favor of X"
fn instead_of(tokens: &[Token<'_>]) -> Option<Change> {
    let phrases: [&[&str]; 4] = [
        &["instead", "of"],
        &["rather", "than"],
        &["in", "place", "of"],
        &["as", "opposed", "to"],
    ];
    let (at, len) = phrases
        .iter()
        .find_map(|phrase| Some((find(tokens, phrase)?, phrase.len())))?;
    let before = value_at(tokens, at + len)?;
    Some(Change {
        before,
        said: vec![(at, before.1)],
        now: None,
    })
}

/// "Y was replaced by X", "replaced Y with X", "X replaces Y"
fn replaced(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = tokens.iter().position(|token| token.is(REPLACES))?;
    let joint = word_from(tokens, verb + 1, &["by", "with"]);
    if let Some(joint) = joint {
        let now = value_at(tokens, joint + 1)?;
        let before = match value_at(tokens, verb + 1) {
            Some(before) if before.1 <= joint && before.0 > verb && before.0 < joint => before,
            _ => value_at(tokens, 0).filter(|before| before.1 <= verb)?,
        };
        return Some(Change {
            before,
            said: vec![before, (verb, joint + 1)],
            now: Some(now),
        });
    }
    let now = value_at(tokens, 0).filter(|now| now.1 <= verb)?;
    let before = value_at(tokens, verb + 1)?;
    Some(Change {
        before,
        said: vec![(verb, before.1)],
        now: Some(now),
    })
}

/// "no longer Y", "not Y anymore"
fn no_longer(tokens: &[Token<'_>]) -> Option<Change> {
    let (at, len, ends) = match find(tokens, &["no", "longer"]) {
        Some(at) => (at, 2, None),
        None => {
            let ends = tokens
                .iter()
                .position(|token| token.is(&["anymore"]))
                .or_else(|| find(tokens, &["any", "more"]))?;
            let at = tokens
                .get(..ends)?
                .iter()
                .rposition(|token| token.role() == Some(Role::Negation))?;
            (at, 1, Some(ends))
        }
    };
    let before = value_at(tokens, at + len).filter(|before| ends.is_none_or(|ends| before.0 < ends))?;
    let last = ends.map_or(before.1, |ends| ends + 1);
    Some(Change {
        before,
        said: vec![
            (at, at + len),
            (before.0, before.1),
            (last.saturating_sub(1).max(before.1), last),
        ],
        now: None,
    })
}

/// "dropped Y in favor of X", "stopped using Y"
fn dropped(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = tokens.iter().position(|token| token.is(DROPS))?;
    let before = value_at(tokens, verb + 1)?;
    let favor = tokens.iter().position(|token| token.is(&["favor", "favour"]));
    let now = favor.and_then(|at| value_at(tokens, at + 1));
    if now.is_none() && !is_at(tokens, verb, &["dropped", "stopped", "ditched", "abandoned"]) {
        return None;
    }
    let said_to = now.map_or(before.1, |now| now.0);
    Some(Change {
        before,
        said: vec![(verb, said_to)],
        now,
    })
}

/// "X, not Y"
fn contrast(tokens: &[Token<'_>]) -> Option<Change> {
    let is_contrast = |pair: &[Token<'_>]| matches!(pair, [before, token] if before.breaks && token.is(&["not"]));
    let at = tokens.windows(2).position(is_contrast)? + 1;
    let before = value_at(tokens, at + 1)?;
    (before.1 == tokens.len()).then(|| Change {
        before,
        said: vec![(at, before.1)],
        now: None,
    })
}

/// "was Y, now X", "used to be Y", "previously Y"
fn formerly(tokens: &[Token<'_>]) -> Option<Change> {
    let phrases: [&[&str]; 3] = [&["used", "to", "be"], &["previously"], &["formerly"]];
    let found = phrases
        .iter()
        .find_map(|phrase| Some((find(tokens, phrase)?, phrase.len())));
    let has_now = tokens.iter().any(|token| token.is(&["now"]));
    let (at, len) = found.or_else(|| Some((find(tokens, &["was"]).filter(|_| has_now)?, 1)))?;
    let before = value_at(tokens, at + len)?;
    Some(Change {
        before,
        said: vec![(at, before.1)],
        now: None,
    })
}
