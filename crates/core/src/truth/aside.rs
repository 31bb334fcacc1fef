//! Asides: reasons, purposes and circumstances that follow a statement.

use super::lexicon::traits;
use super::roles::Role;
use super::token::{Shape, Token, is_at};
use super::words::{Words, words};

/// Where the statement ends, and a reason or a purpose begins.
pub(super) fn end_of(tokens: &[Token<'_>]) -> usize {
    let mut behind_first = tokens.iter().enumerate().skip(1);
    let aside = behind_first.find(|(at, token)| {
        token.word.traits & traits::ASIDE != 0
            && (token.role() == Some(Role::Aside) || is_purpose(tokens, *at) || is_after_act(tokens, *at))
    });
    aside.map_or(tokens.len(), |(at, _)| at)
}

/// "The bundle was 250 kB last year": a measure that was, which says nothing about now.
pub(super) fn is_past(tokens: &[Token<'_>]) -> bool {
    let is_measure = |token: &Token<'_>| matches!(token.shape, Shape::Number(..) | Shape::Version | Shape::Time);
    let be = tokens
        .iter()
        .position(|token| token.is(words!["was", "were", "is", "are"]));
    let is_now = || tokens.iter().any(|token| token.is(words!["now", "instead"]));
    be.is_some_and(|be| {
        let behind = tokens.iter().skip(be + 1);
        let mut behind =
            behind.skip_while(|token| token.word.is_around || token.is(words!["about", "around", "at", "only"]));
        is_at(tokens, be, words!["was", "were"]) && behind.next().is_some_and(is_measure) && !is_now()
    })
}

/// "after splitting the suite"
fn is_after_act(tokens: &[Token<'_>], at: usize) -> bool {
    let has_number = || {
        let mut before = tokens.iter().take(at);
        before.any(|token| matches!(token.shape, Shape::Number(..)))
    };
    is_at(tokens, at, words!["after", "by"])
        && has_number()
        && tokens.get(at + 1).is_some_and(|token| token.lower.ends_with("ing"))
}

/// "so that ...", "in order to ...", "to avoid ..."
fn is_purpose(tokens: &[Token<'_>], at: usize) -> bool {
    let pair = |first: &Words, next: &Words| is_at(tokens, at, first) && is_at(tokens, at + 1, next);
    pair(words!["so"], words!["that", "we", "it"])
        || pair(words!["to"], words!["avoid", "keep", "prevent", "save"])
        || pair(words!["in"], words!["order"])
}
