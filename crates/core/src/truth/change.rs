//! Explicit changes: "X instead of Y", "switched from Y to X", "no longer Y", "Y was replaced by X". They name the previous value, and a
//! record that asserts it is out of date.

use super::extent::{Change, ChangeKind, find, value_after_phrase, value_at, value_before, word_from};
use super::handover::{given_up, gone, handed, left, took_over};
use super::lexicon::{BE, traits};
use super::naming::named_anew;
use super::roles::Role;
use super::token::{Shape, Token, is_at, within};
use super::words::{Words, words};

/// Verbs of "from Y to X".
const MOVES: &Words = words![
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
    "split",
    "rewritten",
    "rolled",
    "merged",
    "folded",
];
/// Verbs of "Y was replaced by X".
const REPLACES: &Words = words![
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
const DROPS: &Words = words![
    "dropped",
    "removed",
    "abandoned",
    "ditched",
    "retired",
    "deprecated",
    "stopped",
    "quit",
];
/// Returns the change that a sentence states.
pub(super) fn change_in(tokens: &[Token<'_>]) -> Option<Change> {
    // Most sentences state none.
    let may_tell = |token: &Token<'_>| token.word.traits & traits::OF_CHANGE != 0 || token.shape == Shape::Arrow;
    if !tokens.iter().any(may_tell) {
        return None;
    }
    let finders = [
        arrow, from_to, named_anew, handed, instead_of, replaced, took_over, gone, no_longer, dropped, left, contrast,
        formerly,
    ];
    // "We did not switch" is not a change.
    let is_denied = |change: &Change| {
        let first = change.cues.first().map_or(0, |range| range.0);
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

/// Returns whether an arrow joins two parts of a name: "cart -> stock is 700 ms".
pub(super) fn joins(tokens: &[Token<'_>], arrow: usize) -> bool {
    tokens.iter().skip(arrow + 2).take(2).any(|token| token.is(BE))
}

/// "Y -> X"
fn arrow(tokens: &[Token<'_>]) -> Option<Change> {
    let at = tokens.iter().position(|token| token.shape == Shape::Arrow)?;
    let before = (at.checked_sub(1)?, at);
    let now = value_at(tokens, at + 1)?;
    if joins(tokens, at) {
        return None;
    }
    Some(Change {
        before,
        cues: vec![(at - 1, at + 1)],
        now: Some(now),
        kind: ChangeKind::Replaced,
    })
}

/// "switched from Y to X", "to X from Y"
fn from_to(tokens: &[Token<'_>]) -> Option<Change> {
    let verb = tokens.iter().position(|token| token.is(MOVES))?;
    let out_of = find(tokens, &["out", "of"]).filter(|at| *at > verb).map(|at| at + 1);
    let Some(from) = word_from(tokens, verb + 1, words!["from", "off"]).or(out_of) else {
        return renamed(tokens, verb);
    };
    let before = value_at(tokens, from + 1)?;
    let Some(to) = word_from(tokens, verb + 1, words!["to", "over", "into"]) else {
        return Some(Change {
            before,
            cues: vec![(verb, verb + 1), (from, before.1)],
            now: None,
            kind: ChangeKind::Replaced,
        });
    };
    let now = value_at(tokens, to + 1)?;
    let cues = if to > from {
        vec![(verb, verb + 1), (from, before.1), (to, to + 1)]
    } else {
        vec![(verb, verb + 1), (to, to + 1), (from, before.1)]
    };
    Some(Change {
        before,
        cues,
        now: Some(now),
        kind: ChangeKind::Replaced,
    })
}

/// "renamed Y to X", "Y renamed to X"
fn renamed(tokens: &[Token<'_>], verb: usize) -> Option<Change> {
    let is_name = |token: &Token<'_>| matches!(token.shape, Shape::Path | Shape::Code);
    let is_next = tokens.get(verb + 1).is_some_and(is_name) && word_from(tokens, verb + 1, words!["to"]).is_none();
    let to = word_from(tokens, verb + 1, words!["to", "into"]).or(is_next.then_some(verb))?;
    let is_named = value_before(tokens, verb).is_some_and(|before| {
        let is_distinct = |token: &Token<'_>| matches!(token.shape, Shape::Path | Shape::Code);
        before.1 == before.0 + 1 && within(tokens, before).iter().all(is_distinct)
    });
    if !is_at(tokens, verb, words!["renamed", "rename"]) && !is_named {
        return None;
    }
    // "maxBackoff raised to 45 s" gives a value, not a name.
    let is_value = |token: &Token<'_>| matches!(token.shape, Shape::Number(..) | Shape::Version | Shape::Time);
    let now = value_at(tokens, to + 1).filter(|now| !tokens.get(now.0).is_some_and(is_value))?;
    let before = match value_at(tokens, verb + 1) {
        Some(before) if before.1 <= to && before.0 > verb => before,
        _ => value_before(tokens, verb)?,
    };
    Some(Change {
        before,
        cues: vec![before, (verb, to + 1)],
        now: Some(now),
        kind: ChangeKind::Renamed,
    })
}

/// "X instead of Y", "X rather than Y", "X in place of Y", "X as opposed to Y"
fn instead_of(tokens: &[Token<'_>]) -> Option<Change> {
    let may_say = |token: &Token<'_>| {
        token.is(words![
            "instead", "statt", "anstatt", "anstelle", "lieu", "lugar", "vez", "invece", "rather", "place", "opposed",
        ])
    };
    if !tokens.iter().any(may_say) {
        return None;
    }
    let phrases: [&[&str]; 11] = [
        &["instead", "of"],
        &["statt"],
        &["anstatt"],
        &["anstelle", "von"],
        &["au", "lieu", "de"],
        &["en", "lugar", "de"],
        &["en", "vez", "de"],
        &["invece", "di"],
        &["rather", "than"],
        &["in", "place", "of"],
        &["as", "opposed", "to"],
    ];
    value_after_phrase(tokens, &phrases)
}

/// "Y was replaced by X", "replaced Y with X", "X replaces Y", "X took the place of Y"
fn replaced(tokens: &[Token<'_>]) -> Option<Change> {
    if let Some(place) = find(tokens, &["place", "of"]).filter(|at| *at > 1 && !is_at(tokens, at - 1, words!["in"])) {
        let verb = (0..place).find(|at| is_at(tokens, *at, words!["took", "takes", "taken"]))?;
        let before = value_at(tokens, place + 2)?;
        return Some(Change {
            before,
            cues: vec![(verb, before.1)],
            now: Some(value_before(tokens, verb)?),
            kind: ChangeKind::Replaced,
        });
    }
    let verb = tokens.iter().position(|token| token.is(REPLACES))?;
    let for_new = word_from(tokens, verb + 1, words!["for"]).filter(|_| is_at(tokens, verb, words!["swapped", "swap"]));
    let joint = word_from(tokens, verb + 1, words!["by", "with"]).or(for_new);
    if let Some(joint) = joint {
        let now = value_at(tokens, joint + 1)?;
        let before = match value_at(tokens, verb + 1) {
            Some(before) if before.1 <= joint && before.0 > verb && before.0 < joint => before,
            _ => value_before(tokens, verb)?,
        };
        return Some(Change {
            before,
            cues: vec![before, (verb, joint + 1)],
            now: Some(now),
            kind: ChangeKind::Replaced,
        });
    }
    let now = value_before(tokens, verb)?;
    let before = value_at(tokens, verb + 1)?;
    Some(Change {
        before,
        cues: vec![(verb, before.1)],
        now: Some(now),
        kind: ChangeKind::Replaced,
    })
}

/// "no longer Y", "not Y anymore"
fn no_longer(tokens: &[Token<'_>]) -> Option<Change> {
    let (at, len, ends) = match find(tokens, &["no", "longer"]).or_else(|| no_longer_elsewhere(tokens)) {
        Some(at) => (at, 2, None),
        None => {
            let ends = tokens
                .iter()
                .position(|token| token.is(words!["anymore"]))
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
        cues: vec![
            (at, at + len),
            (before.0, before.1),
            (last.saturating_sub(1).max(before.1), last),
        ],
        now: None,
        kind: ChangeKind::Denied,
    })
}

/// "nicht mehr Y", "ne ... plus Y", "ya no Y"
fn no_longer_elsewhere(tokens: &[Token<'_>]) -> Option<usize> {
    let french = || {
        let ne = tokens
            .iter()
            .position(|token| token.lower == "ne" || token.lower.starts_with("n'"))?;
        word_from(tokens, ne + 1, words!["plus"])?.checked_sub(1)
    };
    find(tokens, &["nicht", "mehr"])
        .or_else(|| find(tokens, &["ya", "no"]))
        .or_else(french)
}

/// "dropped Y in favor of X", "stopped using Y"
fn dropped(tokens: &[Token<'_>]) -> Option<Change> {
    // "dropped to 20 MB" gives a new number.
    let is_drop = |(at, token): (usize, &Token<'_>)| token.is(DROPS) && !is_at(tokens, at + 1, words!["to"]);
    let Some(verb) = tokens.iter().enumerate().position(is_drop) else {
        return given_up(tokens);
    };
    let is_be = |before: &usize| is_at(tokens, *before, BE) || is_at(tokens, *before, words!["were", "been", "got"]);
    let be = verb.checked_sub(1).filter(is_be);
    let passive = be.and_then(|be| value_before(tokens, be));
    if let Some(before) = passive {
        let favor = tokens.iter().position(|token| token.is(words!["favor", "favour"]))?;
        return Some(Change {
            before,
            cues: vec![(before.0, favor + 1)],
            now: value_at(tokens, favor + 1),
            kind: ChangeKind::Replaced,
        });
    }
    let before = value_at(tokens, verb + 1)?;
    let favor = tokens.iter().position(|token| token.is(words!["favor", "favour"]));
    let now = favor.and_then(|at| value_at(tokens, at + 1));
    let is_used_instead = is_at(tokens, before.1, words!["and"])
        && tokens
            .iter()
            .skip(before.1)
            .any(|token| token.role() == Some(Role::Use));
    let is_plain = is_at(tokens, verb, words!["dropped", "stopped", "ditched", "abandoned"]);
    if now.is_none() && !is_plain && !is_used_instead {
        return None;
    }
    let said_to = now.map_or(before.1, |now| now.0);
    Some(Change {
        before,
        cues: vec![(verb, said_to)],
        now,
        kind: ChangeKind::Replaced,
    })
}

/// "X, not Y"
fn contrast(tokens: &[Token<'_>]) -> Option<Change> {
    let is_contrast = |pair: &[Token<'_>]| matches!(pair, [before, token] if before.breaks && token.is(words!["not"]));
    let at = tokens.windows(2).position(is_contrast)? + 1;
    let before = value_at(tokens, at + 1)?;
    (before.1 == tokens.len()).then(|| Change {
        before,
        cues: vec![(at, before.1)],
        now: None,
        kind: ChangeKind::Replaced,
    })
}

/// "was Y, now X", "used to be Y", "previously Y"
fn formerly(tokens: &[Token<'_>]) -> Option<Change> {
    let phrases: [&[&str]; 3] = [&["used", "to", "be"], &["previously"], &["formerly"]];
    let found = phrases
        .iter()
        .find_map(|phrase| Some((find(tokens, phrase)?, phrase.len())));
    let has_now = tokens.iter().any(|token| token.is(words!["now"]));
    let (at, len) = found.or_else(|| Some((find(tokens, &["was"]).filter(|_| has_now)?, 1)))?;
    let before = value_at(tokens, at + len)?;
    Some(Change {
        before,
        cues: vec![(at, before.1)],
        now: None,
        kind: ChangeKind::Replaced,
    })
}
