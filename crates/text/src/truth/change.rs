//! Explicit changes: "X instead of Y", "switched from Y to X", "Y was replaced by X", "no longer Y", "not Y any more", "X, formerly Y",
//! "was Y, now X", "not Y but X", "amended: ..., superseding NAME". They name the previous value, and a record that states it of the same thing is
//! out of date.

use super::words::Word;
use crate::lexicon::traits::{AMENDS, BE, CHANGE, GENERIC, LEADS_CHANGE, MOVE, REASON, RELATION, REPLACE, SINCE};

/// A change that a sentence names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The roots of the words of the previous value, in order.
    pub before: Vec<u64>,
    /// The roots of the words of the new value; none if the change only says that the previous one does not hold.
    pub now: Vec<u64>,
    /// The roots of the words that name the changed thing, sorted.
    pub thing: Vec<u64>,
    /// True if the previous value is written as a name, so that it means one thing wherever it is written.
    pub is_name: bool,
    /// True if `before` only names the older statement: "superseding uniform-binary".
    pub is_amendment: bool,
}

/// The maximum number of words of a value.
const VALUE_MAX: usize = 4;

/// The words that end "not Y any more", and name nothing.
const ANY_MORE: [&str; 3] = ["any", "more", "anymore"];

type Range = (usize, usize);

/// Returns the change that a sentence names.
pub(super) fn change_of(words: &[Word<'_>]) -> Option<Change> {
    // Most sentences name none.
    if !words.iter().any(|word| word.has(MOVE | REPLACE | CHANGE | AMENDS)) {
        return None;
    }
    let found = instead_of(words).or_else(|| from_to(words));
    let found = found.or_else(|| no_longer(words)).or_else(|| any_more(words));
    let found = found.or_else(|| formerly(words));
    let found = found.or_else(|| was_now(words)).or_else(|| not_but(words));
    let (before, now, cue) = found.or_else(|| replaced(words))?;
    let is_amendment = now == (0, 0);
    // "We did not switch", "we never replaced"
    let is_denied = (words.iter().enumerate()).any(|(at, word)| word.is_negation() && !(cue.0..cue.1).contains(&at));
    let roots = |(from, to): Range| -> Vec<u64> {
        let words = words.get(from..to).unwrap_or_default();
        words.iter().filter(|word| is_said(word)).map(|word| word.key).collect()
    };
    let is_within = |at: usize, (from, to): Range| (from..to).contains(&at);
    let reason = words.iter().skip(cue.1).position(|word| word.has(REASON));
    let end = reason.map_or(words.len(), |at| at + cue.1);
    let thing = words.iter().enumerate().take(end).filter(|(at, word)| {
        let is_known = is_within(*at, before) || is_within(*at, now) || is_within(*at, cue);
        !is_known && is_said(word) && !word.has(MOVE | REPLACE | AMENDS | BE) && !word.is(&ANY_MORE)
    });
    let mut thing: Vec<u64> = thing.map(|(_, word)| word.key).collect();
    thing.sort_unstable();
    thing.dedup();
    let named = words.get(before.0..before.1).unwrap_or_default();
    let change = Change {
        before: roots(before),
        now: roots(now),
        thing,
        is_name: named.iter().any(Word::is_name),
        is_amendment,
    };
    (!is_denied && !change.before.is_empty() && change.before != change.now).then_some(change)
}

/// True if a word is one of these verbs, and no part of code.
fn is_verb(word: &Word<'_>, traits: u32) -> bool {
    word.has(traits) && word.lexeme.quote == 0 && !word.lexeme.is_code()
}

fn is_said(word: &Word<'_>) -> bool {
    word.is_content() && !word.has(SINCE)
}

fn is_at(words: &[Word<'_>], at: usize, texts: &[&str]) -> bool {
    words.get(at).is_some_and(|word| word.is(texts))
}

/// Returns the words of a value that begins at a position: up to the next preposition, break or verb.
fn value_from(words: &[Word<'_>], at: usize) -> Option<Range> {
    let start = at + words.iter().skip(at).position(|word| !word.has(LEADS_CHANGE))?;
    let mut end = start;
    while let Some(word) = words.get(end) {
        if !is_said(word) || word.has(RELATION | BE | REASON) || end - start == VALUE_MAX {
            break;
        }
        end += 1;
        if word.breaks {
            break;
        }
    }
    (end > start).then_some((start, end))
}

/// Returns the words of a value that ends before a position: from the last preposition, break or verb.
fn value_to(words: &[Word<'_>], end: usize) -> Option<Range> {
    let mut start = end;
    while let Some(word) = start.checked_sub(1).and_then(|at| words.get(at)) {
        let is_behind_break = start < end && word.breaks;
        if is_behind_break || !is_said(word) || word.has(GENERIC | RELATION | BE) || end - start == VALUE_MAX {
            break;
        }
        start -= 1;
    }
    (start < end).then_some((start, end))
}

/// "X instead of Y", "X rather than Y", "X in place of Y"
fn instead_of(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let phrases: [&[&str]; 3] = [&["instead", "of"], &["rather", "than"], &["in", "place", "of"]];
    let is_there = |at: usize, phrase: &[&str]| (at..).zip(phrase).all(|(at, word)| is_at(words, at, &[word]));
    let find = |at: usize| Some((at, phrases.iter().find(|phrase| is_there(at, phrase))?.len()));
    let (at, len) = (1..words.len()).find_map(find)?;
    Some((value_from(words, at + len)?, value_to(words, at)?, (at, at + len)))
}

/// "switched from Y to X", "moved to X from Y"
fn from_to(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let verb = words.iter().position(|word| is_verb(word, MOVE))?;
    let find = |text: &[&str]| (verb + 1..words.len()).find(|at| is_at(words, *at, text));
    let (from, to) = (find(&["from"])?, find(&["to", "onto", "into"])?);
    let (before, now) = (value_from(words, from + 1)?, value_from(words, to + 1)?);
    // "from Y to X" belongs together: nothing but the value stands between.
    let is_joined = if from < to { before.1 == to } else { now.1 == from };
    is_joined.then_some((before, now, (verb, verb + 1)))
}

/// Returns the value behind a position, without the words that lead to it: "no longer on 3000", "no longer runs on Jenkins".
fn value_behind(words: &[Word<'_>], at: usize) -> Option<Range> {
    let is_lead = |word: &Word<'_>| word.has(LEADS_CHANGE | RELATION | BE | GENERIC) || word.is_filler();
    let start = at + words.iter().skip(at).position(|word| !is_lead(word))?;
    let is_broken = words.get(at..start)?.iter().any(|word| word.breaks);
    value_from(words, start).filter(|value| !is_broken && value.0 == start)
}

/// Returns the value that ends before a break in front of a position: "is Valkey, formerly ...". Without a break, there is none there.
fn value_ahead(words: &[Word<'_>], at: usize) -> Range {
    let end = words
        .iter()
        .take(at)
        .rposition(|word| !word.has(SINCE))
        .map_or(0, |at| at + 1);
    let has_break = words
        .iter()
        .take(at)
        .skip(end.saturating_sub(1))
        .any(|word| word.breaks);
    let value = has_break.then(|| value_to_break(words, end)).flatten();
    // Not at the beginning, where an amendment has its new value.
    value.unwrap_or((at + 1, at + 1))
}

/// Returns the words of a value whose last one may be followed by a break.
fn value_to_break(words: &[Word<'_>], end: usize) -> Option<Range> {
    let (last, last_at) = (words.get(end.checked_sub(1)?)?, end - 1);
    if !is_said(last) || last.has(GENERIC | RELATION | BE) {
        return None;
    }
    Some((value_to(words, last_at).map_or(last_at, |value| value.0), end))
}

/// "X, no longer Y", "no longer uses Y"
fn no_longer(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let at = words
        .windows(2)
        .position(|pair| matches!(pair, [no, longer] if no.is(&["no"]) && longer.is(&["longer"])))?;
    let before = value_behind(words, at + 2)?;
    Some((before, value_ahead(words, at), (at, at + 2)))
}

/// "X, not Y any more", "does not use Y anymore": the value stands before the end of the phrase.
fn any_more(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let end = (1..words.len()).find(|at| {
        is_at(words, *at, &["anymore"]) || (is_at(words, *at, &["any"]) && is_at(words, at + 1, &["more"]))
    })?;
    let not = words.iter().take(end).rposition(Word::is_negation)?;
    let before = value_to_break(words, end).filter(|value| value.0 > not)?;
    Some((before, value_ahead(words, not), (not, not + 1)))
}

/// "X, formerly Y"
fn formerly(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let at = words.iter().position(|word| word.is(&["formerly", "previously"]))?;
    let now = value_ahead(words, at);
    let before = value_behind(words, at + 1)?;
    (now.0 < now.1).then_some((before, now, (at, at + 1)))
}

/// "was Y, now X", "is X (was Y)"
fn was_now(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let was = words.iter().position(|word| word.is(&["was", "were"]))?;
    let before = value_behind(words, was + 1)?;
    let now = words.iter().skip(before.1).position(|word| word.is(&["now"]));
    if let Some(now) = now.and_then(|at| value_behind(words, before.1 + at + 1)) {
        return Some((before, now, (was, was + 1)));
    }
    let now = value_ahead(words, was);
    (now.0 < now.1).then_some((before, now, (was, was + 1)))
}

/// "not Y but X", and "X, not Y" of a number
fn not_but(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let not = words.iter().position(|word| word.is(&["not"]))?;
    let before = value_behind(words, not + 1)?;
    if is_at(words, before.1, &["but"]) {
        return Some((before, value_behind(words, before.1 + 1)?, (not, not + 1)));
    }
    let is_number = words.get(before.0).is_some_and(Word::is_number);
    let now = value_ahead(words, not);
    (is_number && now.0 < now.1).then_some((before, now, (not, not + 1)))
}

/// "replaced Y with X", "Y was replaced by X", "X replaces Y", "superseding NAME"
fn replaced(words: &[Word<'_>]) -> Option<(Range, Range, Range)> {
    let verb = words.iter().position(|word| is_verb(word, REPLACE))?;
    let joint = (verb + 1..words.len()).find(|at| is_at(words, *at, &["by", "with"]));
    if let Some(joint) = joint.filter(|joint| joint - verb - 1 <= VALUE_MAX) {
        let now = value_from(words, joint + 1)?;
        let is_passive = words.iter().take(verb).next_back().is_some_and(|word| word.has(BE));
        let before = if is_passive {
            value_to(words, words.iter().take(verb).rposition(|word| !word.has(BE))? + 1)?
        } else {
            value_from(words, verb + 1).filter(|before| before.1 <= joint)?
        };
        return Some((before, now, (verb, joint + 1)));
    }
    let before = value_from(words, verb + 1)?;
    if words.get(verb).is_some_and(|word| word.has(AMENDS)) {
        return Some((before, (0, 0), (verb, before.0)));
    }
    let is_verb = words.get(verb).is_some_and(|word| word.is(&["replaces", "replaced"]));
    let now = value_to(words, verb).filter(|_| is_verb)?;
    Some((before, now, (verb, before.0)))
}
