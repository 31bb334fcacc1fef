//! Explicit changes: "X instead of Y", "switched from Y to X", "Y was replaced by X", "amended: ..., superseding NAME". They name the
//! previous value, and a record that states it of the same thing is out of date.

use super::words::Word;
use crate::text::lexicon::traits::{AMENDS, BE, CHANGE, GENERIC, LEADS_CHANGE, MOVE, REASON, RELATION, REPLACE, SINCE};

/// A change that a sentence names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The roots of the words of the previous value, in order.
    pub before: Vec<u64>,
    /// The roots of the words of the new value.
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

type Range = (usize, usize);

/// Returns the change that a sentence names.
pub(super) fn change_of(words: &[Word<'_>]) -> Option<Change> {
    // Most sentences name none.
    if !words.iter().any(|word| word.has(MOVE | REPLACE | CHANGE | AMENDS)) {
        return None;
    }
    // "We did not switch", "we never replaced"
    let is_denied = words.iter().any(Word::is_negation);
    let found = instead_of(words).or_else(|| from_to(words));
    let (before, now, cue) = found.or_else(|| replaced(words))?;
    let is_amendment = now == (0, 0);
    let roots = |(from, to): Range| -> Vec<u64> {
        let words = words.get(from..to).unwrap_or_default();
        words.iter().filter(|word| is_said(word)).map(|word| word.key).collect()
    };
    let is_within = |at: usize, (from, to): Range| (from..to).contains(&at);
    let reason = words.iter().skip(cue.1).position(|word| word.has(REASON));
    let end = reason.map_or(words.len(), |at| at + cue.1);
    let thing = words.iter().enumerate().take(end).filter(|(at, word)| {
        let is_known = is_within(*at, before) || is_within(*at, now) || is_within(*at, cue);
        !is_known && is_said(word) && !word.has(MOVE | REPLACE | AMENDS | BE)
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
