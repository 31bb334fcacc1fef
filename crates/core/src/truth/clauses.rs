//! Sentences and clauses: which stretches of a text are read as statements.

use xxhash_rust::xxh3::xxh3_64;

use super::aside::end_of;
use super::change::change_in;
use super::claims::{Claim, Claims, Value, ValueKind};
use super::lexicon::Role;
use super::sentence::{BE, claim_of, named_in, subject_word};
use super::token::{Shape, Token, is_at, within};
use crate::text::stem;

impl Claims {
    /// Takes what a sentence says as a whole, and what its clauses say: behind a comma often stands a comment.
    pub(super) fn take_sentence(&mut self, tokens: &[Token<'_>], is_question: bool) {
        let start = tokens.iter().position(|token| !is_opening(token)).unwrap_or(0);
        let tokens = &without_since(tokens.get(start..).unwrap_or_default());
        self.add(claim_of(tokens, is_question), true);
        let clauses: Vec<&[Token<'_>]> = tokens.chunk_by(|one, _| !one.breaks || one.defines).collect();
        if clauses.len() > 1 {
            for (at, clause) in clauses.iter().enumerate() {
                self.add(claim_of(clause, is_question), at == 0);
            }
        }
        if let Some(first) = clauses.first() {
            let ties = first.iter().enumerate().rev().filter(|(_, token)| is_tie(token));
            ties.take(TIES_MAX)
                .for_each(|(tie, _)| self.add(predicate_of(first, tie, is_question), true));
        }
        // "We had to: the app targets SDK 35"
        let colon = tokens.iter().position(|token| token.defines).filter(|at| *at > 1);
        if let Some(behind) = colon.and_then(|colon| tokens.get(colon + 1..)) {
            let clause = behind.split_inclusive(|token| token.breaks).next();
            self.add(claim_of(clause.unwrap_or_default(), is_question), false);
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
    while let Some(token) = tokens.get(at) {
        let next_is = |words: &[&str]| is_at(tokens, at + 1, words);
        at += if (token.is(&["as"]) && next_is(&["of"])) || (token.is(&["from"]) && next_is(&["now"])) {
            3
        } else if token.is(&["starting"]) {
            2 + usize::from(next_is(&["with", "from", "in"]))
        } else if (token.is(&["going"]) && next_is(&["forward"])) || (token.is(&["these"]) && next_is(&["days"])) {
            2
        } else {
            kept.push(*token);
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
    let tied = tokens.get(tie)?;
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
        .position(|at| tokens.get(*at).is_some_and(is_tie))
        .unwrap_or(behind.len());
    let (tail, behind) = behind.split_at_checked(next)?;
    let tail = tail.iter().filter_map(|at| tokens.get(*at));
    let tail: Vec<&Token<'_>> = tail.filter(|token| !token.is_filler()).collect();
    let is_content = tied.defines && !tied.is_filler();
    let before = (0..tie + usize::from(is_content)).filter(|at| !is_said(at));
    let rest = before.chain(behind.iter().copied());
    let rest: Vec<&Token<'_>> = rest.filter_map(|at| tokens.get(at)).collect();
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
    let is_use = tied.role() == Some(Role::Use);
    if claim.subject.len() < 2 - usize::from(is_use) {
        return None;
    }
    if tied.is_filler() && !tied.is(BE) {
        claim.subject.push(xxh3_64(tied.lower.as_bytes()));
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
    claim.before = change.map_or_else(Vec::new, |change| named_in(within(tokens, change.before)));
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
