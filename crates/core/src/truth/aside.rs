//! Asides: the reasons, purposes and circumstances that stand behind a statement.

use super::lexicon::Role;
use super::token::{Shape, Token, is_at};

/// Where the statement ends, and a reason or a purpose begins.
pub(super) fn end_of(tokens: &[Token<'_>]) -> usize {
    let mut behind_first = tokens.iter().enumerate().skip(1);
    let aside = behind_first
        .find(|(at, token)| token.role() == Some(Role::Aside) || is_purpose(tokens, *at) || is_after_act(tokens, *at));
    aside.map_or(tokens.len(), |(at, _)| at)
}

/// "after splitting the suite"
fn is_after_act(tokens: &[Token<'_>], at: usize) -> bool {
    let has_number = || {
        let mut before = tokens.iter().take(at);
        before.any(|token| matches!(token.shape, Shape::Number(..)))
    };
    is_at(tokens, at, &["after", "by"])
        && has_number()
        && tokens.get(at + 1).is_some_and(|token| token.lower.ends_with("ing"))
}

/// "so that ...", "in order to ...", "to avoid ..."
fn is_purpose(tokens: &[Token<'_>], at: usize) -> bool {
    let pair = |first: &str, next: &[&str]| is_at(tokens, at, &[first]) && is_at(tokens, at + 1, next);
    pair("so", &["that", "we", "it"]) || pair("to", &["avoid", "keep", "prevent", "save"]) || pair("in", &["order"])
}
