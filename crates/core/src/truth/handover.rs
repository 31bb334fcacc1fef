//! Explicit changes by removal or handover: "Y is gone", "Ann left", "Bob took over from Ann".

use super::extent::{Change, ChangeKind, value_after_phrase, value_at, value_before, word_from};
use super::token::{Token, is_at, within};
use super::words::{Words, words};

/// Participles and adjectives of things that no longer exist.
const GONE: &Words = words![
    "gone",
    "deleted",
    "removed",
    "dead",
    "obsolete",
    "unused",
    "decommissioned",
    "cancelled",
    "canceled",
    "discontinued",
    "abandoned",
    "retired",
    "deprecated",
    "dropped",
    "eol",
    "unmaintained",
    "archived",
    "out",
];
const GONE_BEHIND: &Words = words!["is", "are", "was", "were", "been", "got"];
const ENDED: &Words = words![
    "exists",
    "exist",
    "needed",
    "used",
    "written",
    "valid",
    "available",
    "maintained",
];

/// The maximum number of tokens of a subject that is gone.
const SUBJECT_TOKENS_MAX: usize = 6;

/// "gave up Y", "gave Y up", "got rid of Y"
pub(super) fn given_up(tokens: &[Token<'_>]) -> Option<Change> {
    let may_say = |token: &Token<'_>| token.is(words!["gave", "threw", "got", "given", "away"]);
    if !tokens.iter().any(may_say) {
        return None;
    }
    let gave = tokens.iter().position(|token| token.is(words!["gave", "threw"]));
    let apart = gave.and_then(|gave| {
        let before = value_at(tokens, gave + 1)?;
        let up = (gave + 2..=before.1).find(|at| is_at(tokens, *at, words!["up", "out", "away"]))?;
        Some(Change {
            before: (before.0, up),
            cues: vec![(gave, up + 1)],
            now: None,
            kind: ChangeKind::Replaced,
        })
    });
    if apart.is_some() {
        return apart;
    }
    value_after_phrase(
        tokens,
        &[
            &["gave", "up"],
            &["got", "rid", "of"],
            &["given", "up"],
            &["threw", "out"],
            &["moved", "away", "from"],
        ],
    )
}

/// "Ann handed billing over to Bob"
pub(super) fn handed(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = word_from(tokens, 1, words!["handed", "passed", "transferred", "gave"])?;
    let to = word_from(tokens, verb + 1, words!["to"])?;
    let before = value_before(tokens, verb).filter(|before| within(tokens, *before).iter().all(Token::is_capital))?;
    Some(Change {
        before,
        cues: vec![before, (verb, verb + 1), (to, to + 1)],
        now: value_at(tokens, to + 1),
        kind: ChangeKind::Replaced,
    })
}

/// "Bob took over billing from Ann"
pub(super) fn took_over(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = word_from(tokens, 0, words!["took", "takes"]).filter(|verb| is_at(tokens, verb + 1, words!["over"]))?;
    let from = word_from(tokens, verb + 1, words!["from"])?;
    let before = value_at(tokens, from + 1)?;
    Some(Change {
        before,
        cues: vec![(verb, verb + 2), (from, before.1)],
        now: value_before(tokens, verb),
        kind: ChangeKind::Replaced,
    })
}

/// "Y removed from Z", "took Y out of Z"
fn removed(tokens: &[Token<'_>]) -> Option<Change> {
    let took = tokens.iter().position(|token| token.is(words!["took", "pulled"]));
    if let Some(out) = took.and_then(|took| (took + 2..tokens.len()).find(|at| is_at(tokens, *at, words!["out"]))) {
        let took = took?;
        let before = value_at(tokens, took + 1)?;
        let is_from = is_at(tokens, out + 1, words!["of"]) && before.1 <= out;
        return is_from.then(|| Change {
            before,
            cues: vec![(took, took + 1), (out, out + 1)],
            now: None,
            kind: ChangeKind::Gone,
        });
    }
    let verb =
        (1..tokens.len()).find(|at| is_at(tokens, *at, words!["removed", "deleted", "dropped", "discontinued"]))?;
    let is_plain = !is_at(tokens, verb - 1, GONE_BEHIND) && is_at(tokens, verb + 1, words!["from"]);
    let before = value_before(tokens, verb).filter(|before| before.1 == verb && is_plain)?;
    Some(Change {
        before,
        cues: vec![(verb, verb + 1)],
        now: None,
        kind: ChangeKind::Gone,
    })
}

/// "Y is gone", "Y was removed", "Y no longer exists"
pub(super) fn gone(tokens: &[Token<'_>]) -> Option<Change> {
    if let Some(change) = removed(tokens) {
        return Some(change);
    }
    let verb = tokens.iter().enumerate().position(|(at, token)| {
        let is_behind = |words: &Words| at.checked_sub(1).is_some_and(|before| is_at(tokens, before, words));
        let is_switched = token.is(words!["off", "down"]) && is_behind(words!["switched", "turned", "shut"]);
        (token.is(GONE) && !is_habit(tokens, at + 1) && is_behind(GONE_BEHIND))
            || is_switched
            || (token.is(ENDED) && is_behind(words!["longer"]))
    })?;
    // "removed in favour of X" names what replaced it.
    if tokens.iter().any(|token| token.is(words!["favor", "favour"])) {
        return None;
    }
    let relation = tokens
        .iter()
        .position(|token| token.is(GONE_BEHIND) || token.is(words!["no"]))?;
    let subject = tokens.get(..relation)?;
    let start = subject.iter().position(|token| !token.is_filler())?;
    let end = subject.iter().rposition(|token| !token.is_filler())? + 1;
    (relation <= verb && end - start <= SUBJECT_TOKENS_MAX).then(|| Change {
        before: (start, end),
        cues: vec![(relation, verb + 1)],
        now: None,
        kind: ChangeKind::Gone,
    })
}

/// "are deleted after 7 days"
fn is_habit(tokens: &[Token<'_>], at: usize) -> bool {
    is_at(
        tokens,
        at,
        words![
            "after",
            "when",
            "every",
            "once",
            "if",
            "automatically",
            "nightly",
            "daily",
            "weekly",
            "before",
            "unless",
            "on",
        ],
    )
}

/// "Ann left", "the docs left Y"
pub(super) fn left(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = word_from(tokens, 1, words!["left"])?;
    let ends = tokens
        .get(verb + 1)
        .is_none_or(|next| next.is(words!["the", "us", "in", "for", "last"]) || next.sentence > 0);
    let before = if ends {
        value_before(tokens, verb)?
    } else {
        value_at(tokens, verb + 1)?
    };
    let is_name = within(tokens, before).iter().any(Token::is_capital);
    is_name.then(|| Change {
        before,
        cues: vec![before, (verb, verb + 1)],
        now: None,
        kind: ChangeKind::Gone,
    })
}
