//! Sentences and clauses: which stretches of a text are read as statements.

use xxhash_rust::xxh3::xxh3_64;

use super::change::change_in;
use super::claims::{Claim, Claims, Value, ValueKind};
use super::lexicon::Role;
use super::sentence::{BE, claim_of, named_in, subject_word};
use super::token::{Shape, Token};
use crate::text::stem;

impl Claims {
    /// Takes what a sentence says as a whole, and what its clauses say: behind a comma often stands a comment.
    pub(super) fn take_sentence(&mut self, tokens: &[Token<'_>], is_question: bool) {
        let start = tokens.iter().position(|token| !is_opening(token)).unwrap_or(0);
        let tokens = &without_since(&tokens[start..]);
        self.add(claim_of(tokens, is_question), true);
        let clauses: Vec<&[Token<'_>]> = tokens.chunk_by(|one, _| !one.breaks || one.defines).collect();
        if clauses.len() > 1 {
            for (at, clause) in clauses.iter().enumerate() {
                self.add(claim_of(clause, is_question), at == 0);
            }
        }
        if let Some(first) = clauses.first() {
            let ties = (0..first.len()).rev().filter(|at| is_tie(&first[*at])).take(TIES_MAX);
            ties.for_each(|tie| self.add(predicate_of(first, tie, is_question), true));
        }
        // "We had to: the app targets SDK 35"
        if let Some(colon) = tokens.iter().position(|token| token.defines).filter(|at| *at > 1) {
            let behind = &tokens[colon + 1..];
            let end = behind
                .iter()
                .position(|token| token.breaks)
                .map_or(behind.len(), |at| at + 1);
            self.add(claim_of(&behind[..end], is_question), false);
        }
    }

    fn add(&mut self, claim: Option<Claim>, is_main: bool) {
        let Some(claim) = claim else { return };
        let claim = Claim { is_main, ..claim };
        if !self.list.contains(&claim) {
            self.list.push(claim);
        }
    }
}

/// Leaves out since when something holds: "as of v3", "from now on", "starting with 2.0".
fn without_since<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_at = |ahead: usize, words: &[&str]| tokens.get(at + ahead).is_some_and(|token| token.is(words));
        at += if (is_at(0, &["as"]) && is_at(1, &["of"])) || (is_at(0, &["from"]) && is_at(1, &["now"])) {
            3
        } else if is_at(0, &["starting"]) {
            2 + usize::from(is_at(1, &["with", "from", "in"]))
        } else if (is_at(0, &["going"]) && is_at(1, &["forward"])) || (is_at(0, &["these"]) && is_at(1, &["days"])) {
            2
        } else {
            kept.push(tokens[at]);
            1
        };
    }
    kept
}

/// "Update: ...", "TIL ...", "note to self: ..."
fn is_opening(token: &Token<'_>) -> bool {
    token.is(&[
        "update",
        "correction",
        "til",
        "fyi",
        "learned",
        "decision",
        "reminder",
        "note",
        "self",
        "psa",
        "ok",
        "so",
        "apparently",
        "heads",
        "up",
        "renamed",
        "renewed",
        "fact",
        "to",
        "wip",
    ]) && token.shape == Shape::Word
}

/// Reads "feature flags come from X": a subject, and what stands behind the last word that ties it to something.
fn predicate_of(tokens: &[Token<'_>], tie: usize, is_question: bool) -> Option<Claim> {
    let end = end_of(tokens);
    let change = change_in(tokens).filter(|change| change.now.is_none());
    let is_said = |at: &usize| {
        let mut said = change.iter().flat_map(|change| &change.said);
        said.any(|range| (range.0..range.1).contains(at))
    };
    if tie >= end || is_said(&tie) {
        return None;
    }
    let behind: Vec<usize> = (tie + 1..end).filter(|at| !is_said(at)).collect();
    let next = behind
        .iter()
        .position(|at| is_tie(&tokens[*at]))
        .unwrap_or(behind.len());
    let tail = behind[..next].iter().map(|at| &tokens[*at]);
    let tail: Vec<&Token<'_>> = tail.filter(|token| !token.is_filler()).collect();
    let is_content = tokens[tie].defines && !tokens[tie].is_filler();
    let before = (0..tie + usize::from(is_content)).filter(|at| !is_said(at));
    let rest = before.chain(behind[next..].iter().copied());
    let rest: Vec<&Token<'_>> = rest.map(|at| &tokens[at]).collect();
    let is_plain = |token: &Token<'_>| {
        !matches!(
            token.shape,
            Shape::Number(..) | Shape::Version | Shape::Time | Shape::Arrow
        ) && !matches!(
            token.role(),
            Some(Role::State(..) | Role::Negation | Role::Day | Role::Use | Role::Episode)
        )
    };
    if !(1..=3).contains(&tail.len())
        || !tail.iter().all(|token| is_plain(token))
        || !rest.iter().all(|token| is_plain_or_use(token))
    {
        return None;
    }
    let mut claim = Claim::default();
    let head = rest
        .iter()
        .filter(|token| !token.is_filler() && token.role() != Some(Role::Use));
    claim.subject = head.map(|token| subject_word(token)).collect();
    let is_use = tokens[tie].role() == Some(Role::Use);
    if claim.subject.len() < 2 - usize::from(is_use) {
        return None;
    }
    if tokens[tie].is_filler() && !tokens[tie].is(BE) {
        claim.subject.push(xxh3_64(tokens[tie].lower.as_bytes()));
    }
    claim.subject.sort_unstable();
    claim.subject.dedup();
    let words: Vec<&str> = tail
        .iter()
        .map(|token| stem(token.lower.trim_start_matches('@')))
        .collect();
    let spelt: Vec<&str> = tail.iter().map(|token| token.lower.trim_start_matches('@')).collect();
    claim.values = vec![Value {
        kind: ValueKind::Predicate,
        key: xxh3_64(words.join(" ").as_bytes()),
        text: xxh3_64(spelt.join(" ").as_bytes()),
        family: None,
    }];
    claim.before = change.map_or_else(Vec::new, |change| named_in(&tokens[change.before.0..change.before.1]));
    let roles = || tokens.iter().map(Token::role);
    claim.is_tentative = is_question || roles().any(|role| role == Some(Role::Tentative));
    claim.is_hearsay = roles().any(|role| role == Some(Role::Hearsay));
    Some(claim)
}

fn is_plain_or_use(token: &Token<'_>) -> bool {
    !matches!(token.role(), Some(Role::State(..) | Role::Negation | Role::Episode))
        && !matches!(
            token.shape,
            Shape::Number(..) | Shape::Version | Shape::Time | Shape::Arrow
        )
}

/// Words behind which a sentence says what it has to say of its subject.
const TIES: &[&str] = &[
    "is", "are", "from", "with", "in", "on", "by", "through", "via", "to", "at", "follow", "follows", "use", "uses",
    "using", "as", "goes", "go", "under", "behind",
];

/// So many of them are looked at, from the last one on.
const TIES_MAX: usize = 3;

fn is_tie(token: &Token<'_>) -> bool {
    token.defines || token.is(TIES)
}

/// Where the statement ends, and a reason or a purpose begins.
pub(super) fn end_of(tokens: &[Token<'_>]) -> usize {
    let is_aside =
        |at: usize| tokens[at].role() == Some(Role::Aside) || is_purpose(tokens, at) || is_after_act(tokens, at);
    (1..tokens.len()).find(|at| is_aside(*at)).unwrap_or(tokens.len())
}

/// "after splitting the suite"
fn is_after_act(tokens: &[Token<'_>], at: usize) -> bool {
    let has_number = || {
        tokens[..at]
            .iter()
            .any(|token| matches!(token.shape, Shape::Number(..)))
    };
    tokens[at].is(&["after", "by"])
        && has_number()
        && tokens.get(at + 1).is_some_and(|token| token.lower.ends_with("ing"))
}

/// "so that ...", "in order to ...", "to avoid ..."
fn is_purpose(tokens: &[Token<'_>], at: usize) -> bool {
    let next = |words: &[&str]| tokens.get(at + 1).is_some_and(|token| token.is(words));
    (tokens[at].is(&["so"]) && next(&["that", "we", "it"]))
        || (tokens[at].is(&["to"]) && next(&["avoid", "keep", "prevent", "save"]))
        || (tokens[at].is(&["in"]) && next(&["order"]))
}
