//! Explicit changes, and the spans of the values that they name.

use super::lexicon::traits;
use super::roles::Role;
use super::token::{Shape, Token, traits_of};
use super::words::{Sign, Words, words};

/// A change that a sentence states, as ranges of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The previous value.
    pub before: (usize, usize),
    /// The cue phrases, which only say that there is a change and are not part of the claim.
    pub cues: Vec<(usize, usize)>,
    /// The new value, if the change names it.
    pub now: Option<(usize, usize)>,
    pub kind: ChangeKind,
}

/// What happened to the previous value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ChangeKind {
    /// It was replaced here.
    #[default]
    Replaced,
    /// It is negated: "no longer Y".
    Denied,
    /// It was renamed, so every mention of it is out of date.
    Renamed,
    /// It no longer exists, so every mention of it is out of date.
    Gone,
}

/// The maximum number of tokens of a value.
pub(super) const VALUE_TOKENS_MAX: usize = 4;

/// Returns the range of the value that begins at `at`, skipping fillers.
pub(super) fn value_at(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
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

/// Returns the range of the value at the beginning of a sentence, before `end`.
pub(super) fn value_before(tokens: &[Token<'_>], end: usize) -> Option<(usize, usize)> {
    value_at(tokens.get(..end)?, 0)
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
        || token.is(words![
            "when", "while", "where", "after", "before", "until", "starting", "or", "but", "anymore",
        ])
}

/// Returns the position of the first of the words from `start` on.
pub(super) fn word_from(tokens: &[Token<'_>], start: usize, words: &Words) -> Option<usize> {
    let at = tokens.get(start..)?.iter().position(|token| token.is(words))?;
    Some(start + at)
}

pub(super) fn find(tokens: &[Token<'_>], words: &[&str]) -> Option<usize> {
    let first = Sign::of(words.first()?);
    let is_there = |found: &[Token<'_>]| {
        found.first().is_some_and(|token| token.sign == first)
            && found.iter().zip(words).all(|(token, word)| token.lower == *word)
    };
    tokens.windows(words.len()).position(is_there)
}

/// Whether a clause says that something is true in addition: "also", "as well".
pub(super) fn is_addition(tokens: &[Token<'_>]) -> bool {
    traits_of(tokens) & traits::ADDITION != 0 || find(tokens, &["as", "well"]).is_some()
}

/// Returns the change in which the previous value follows the first of these phrases that occurs.
pub(super) fn value_after_phrase(tokens: &[Token<'_>], phrases: &[&[&str]]) -> Option<Change> {
    let (at, len) = phrases
        .iter()
        .find_map(|phrase| Some((find(tokens, phrase)?, phrase.len())))?;
    let before = value_at(tokens, at + len)?;
    Some(Change {
        before,
        cues: vec![(at, before.1)],
        now: None,
        kind: ChangeKind::Replaced,
    })
}
