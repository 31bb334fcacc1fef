//! One clause as a sequence of phrases, for weak evidence. Two clauses with the same phrases except for one run after the same relation give
//! different values to the same thing.

use super::aside::{end_of, is_past};
use super::change::change_in;
use super::extent::{ChangeKind, is_addition};
use super::keys::key_of;
use super::lexicon::traits;
use super::phrase::Clause;
use super::phrases::{is_tentative, read_phrases};
use super::roles::{Mark, Role};
use super::sentence::named_in;
use super::token::{Shape, Token, is_at, traits_of, within};
use super::words::words;

impl Clause {
    /// Reads a clause; `None` when it reports an event or refers to something else.
    pub(super) fn of(tokens: &[Token<'_>], is_question: bool) -> Option<Self> {
        let full = tokens;
        let tokens = within(tokens, (0, end_of(tokens)));
        let first = tokens.first()?;
        let is_event = first.defines && first.is(words!["add", "change", "unlink"]);
        let is_pointer = first.is(words!["see", "read", "look", "check", "open", "view", "inspect"]);
        if is_event || is_pointer {
            return None;
        }
        let tokens = without_report(tokens)?;
        let traits = traits_of(tokens);
        let change = change_in(tokens);
        let ended = change.as_ref().filter(|change| change.kind == ChangeKind::Denied);
        let ended = ended.map_or_else(Vec::new, |change| named_in(within(tokens, change.before)));
        let change = change.filter(|change| change.kind != ChangeKind::Denied);
        let mut clause = Clause {
            tells_change: traits_of(full) & traits::CHANGE != 0 || change.is_some(),
            adds: is_addition(tokens),
            is_restated: traits & traits::RESTATED != 0,
            is_tentative: is_question
                || is_past(tokens)
                || tokens
                    .iter()
                    .enumerate()
                    .any(|(at, token)| is_tentative(tokens, at, token)),
            is_hearsay: traits & traits::HEARSAY != 0,
            ended,
            ..Clause::default()
        };
        clause.is_tentative |= traits & traits::AHEAD != 0 && clause.tells_change;
        if let Some(change) = &change {
            clause.before = named_in(within(tokens, change.before));
            let content = within(tokens, change.before).iter().filter(|token| !token.is_filler());
            clause.before_keys = content.map(key_of).collect();
            clause.is_gone = matches!(change.kind, ChangeKind::Gone | ChangeKind::Renamed);
            clause.is_renamed = change.kind == ChangeKind::Renamed;
            let is_kept = !change
                .cues
                .iter()
                .any(|said| said.0 <= change.before.0 && change.before.0 < said.1);
            clause.is_denied = change.kind == ChangeKind::Gone && is_kept;
            clause.is_agent_first = change.now.is_none_or(|now| now.0 < change.before.0);
        }
        if tokens.first().is_some_and(|first| first.is(words!["undid", "undo"])) {
            (clause.is_denied, clause.tells_change) = (!clause.is_denied, true);
        }
        read_phrases(tokens, change, &mut clause);
        (!clause.phrases.is_empty() || !clause.before.is_empty()).then_some(clause)
    }
}

/// "I noticed that X" asserts X; other reports of events assert nothing.
fn without_report<'a, 't>(tokens: &'a [Token<'t>]) -> Option<&'a [Token<'t>]> {
    if traits_of(tokens) & traits::EPISODE == 0 {
        return Some(tokens);
    }
    let is_once = |at: usize, token: &Token<'_>| {
        let is_state = (1..=2).any(|back| {
            at.checked_sub(back)
                .is_some_and(|at| is_at(tokens, at, words!["is", "are"]))
        });
        let is_noun = token.is(words!["incident", "outage", "postmortem", "hotfix"]);
        let next_is_plain = tokens
            .get(at + 1)
            .is_some_and(|next| next.shape == Shape::Word && next.role().is_none());
        let is_noun = is_noun || (token.is(words!["merged"]) && is_at(tokens, at + 1, words!["into"]));
        let is_noun = is_noun || (token.is(words!["fixed"]) && at > 0 && next_is_plain);
        token.role() == Some(Role::Episode) && !is_state && !is_noun && token.word.mark != Mark::Change
    };
    let mut episodes = tokens.iter().enumerate().filter(|(at, token)| is_once(*at, token));
    match episodes.next() {
        None => Some(tokens),
        Some((at, _)) if is_at(tokens, at + 1, words!["that"]) => tokens.get(at + 2..),
        Some(_) => None,
    }
}
