//! The few certain rules by which a newer text takes the place of an older one: an explicit change that names the previous value, another
//! value of the same type of the same subject, and the same statement negated. docs/truth.md explains them.
//!
//! Uncertain cases match no rule: they are offered to the author of a capture. This module reads neither files nor the clock, and reads a
//! text by the lexemes of the duplicate check.

mod change;
mod claim;
mod rule;
mod words;

pub use change::Change;
pub use claim::{Claim, Value, ValueKind};
pub use rule::{Rule, reason_of_rule};

use xxhash_rust::xxh3::xxh3_64;

use crate::content::has_same_names;
use crate::lexicon::traits::{MOVE, REPLACE};
use crate::{Statement, TermHash};
use change::change_of;
use claim::{Sentence, claims_of};
use words::{STATEMENT_BYTES_MAX, Word, words_of};

/// Distinguishes these keys from index terms of texts.
const FRAME_SALT: u64 = 0x66_72_61_6d_65_66_72_61;
/// The number of words that a text and the one that it amends have in common, at least.
const AMENDED_MIN: usize = 4;
/// The number of words beside a name that an older text of the same subject has, at most.
const OTHERS_MAX: usize = 4;
/// The number of sentences in which a change is looked for.
const CHANGE_SENTENCES: u32 = 2;

/// The statements of a text. Reuse one value for many texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The statements of its first sentence: the whole of it, and its first clause.
    pub list: Vec<Claim>,
    /// The change that it names.
    pub change: Option<Change>,
    /// The roots of the content words of its first sentence, in order.
    first: Vec<u64>,
    /// True if its first sentence is about the present and not negated.
    is_asserted: bool,
    sentences: u32,
}

impl Claims {
    /// Returns the statements of a text.
    pub fn of(statement: &Statement) -> Self {
        let lexemes = statement.lexemes();
        let mut claims = Claims {
            sentences: lexemes.list.last().map_or(0, |last| last.sentence + 1),
            ..Claims::default()
        };
        // A longer text is a note with several statements, none of which stands for all of it.
        if lexemes.bytes.len() > STATEMENT_BYTES_MAX {
            return claims;
        }
        for number in 0..claims.sentences.min(CHANGE_SENTENCES) {
            let words = words_of(lexemes, number);
            let sentence = Sentence::of(&words);
            let is_question = lexemes.questions >> number.min(63) & 1 == 1;
            if number == 0 {
                let is_said = |word: &&Word<'_>| word.is_content() && !word.has(MOVE | REPLACE);
                claims.first = sentence.words.iter().filter(is_said).map(|word| word.key).collect();
                claims.is_asserted = !is_question && !sentence.states_nothing() && !words.iter().any(Word::is_negation);
                if !is_question {
                    claims.list = claims_of(&sentence);
                }
            }
            if claims.change.is_none() && !is_question && !sentence.states_nothing() {
                claims.change = change_of(&words);
            }
        }
        claims
    }

    /// Calls `visit` with the keys under which it is found by a text that may take its place, and under which it finds such texts.
    pub fn each_key(&self, mut visit: impl FnMut(TermHash)) {
        self.list.iter().for_each(|claim| visit(frame_key(claim)));
    }
}

/// The same key for two statements that differ only in values and negation.
fn frame_key(claim: &Claim) -> TermHash {
    let mut bytes = Vec::with_capacity((claim.subject.len() + claim.values.len() + 1) * 8);
    bytes.extend_from_slice(&claim.context.to_le_bytes());
    for word in &claim.subject {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for value in &claim.values {
        bytes.extend_from_slice(&[0xff, kind_number(value.kind)]);
    }
    xxh3_64(&bytes) ^ FRAME_SALT
}

fn kind_number(kind: ValueKind) -> u8 {
    match kind {
        ValueKind::Number(family) => 16 + family,
        ValueKind::Version => 1,
        ValueKind::Path => 2,
        ValueKind::Url => 3,
        ValueKind::Flag => 4,
        ValueKind::Command => 5,
    }
}

/// Returns the rule by which a newer text takes the place of an older one, if there is one.
///
/// Figures of runs are what they were, however the next run ends: [`Rule::is_of_state`] tells which records have none.
pub fn rule_between(newer: &Claims, older: &Claims, newer_words: &Statement, older_words: &Statement) -> Option<Rule> {
    if says_more(older, newer, older_words, newer_words) {
        return None;
    }
    let mut of_claims = (newer.list.iter()).flat_map(|ours| older.list.iter().map(move |theirs| (ours, theirs)));
    let is_changed = |change: &Change| changes(change, older, newer_words, older_words);
    of_claims
        .find_map(|(ours, theirs)| rule_of_claims(ours, theirs))
        .filter(|_| has_same_names(newer_words.reading(), older_words.reading()))
        .or_else(|| newer.change.as_ref().is_some_and(is_changed).then_some(Rule::Change))
}

/// Returns how many content words of an older text the newer one has.
fn said_again(older: &Statement, newer: &Statement) -> usize {
    let is_said = |word: &&u64| newer.words().binary_search(word).is_ok();
    older.words().iter().filter(is_said).count()
}

/// True if an older text of several sentences says much that the newer one does not: retiring it would also retire what is still true.
fn says_more(older: &Claims, newer: &Claims, older_words: &Statement, newer_words: &Statement) -> bool {
    let said = said_again(older_words, newer_words);
    older.sentences > newer.sentences + 1 || (older.sentences > 1 && said * 2 < older_words.words().len())
}

fn rule_of_claims(newer: &Claim, older: &Claim) -> Option<Rule> {
    if denies_altogether(newer, older) {
        return Some(Rule::Denial);
    }
    if newer.context != older.context || newer.subject != older.subject || newer.values.len() != older.values.len() {
        return None;
    }
    let pairs = || newer.values.iter().zip(&older.values);
    if pairs().any(|(a, b)| a.kind != b.kind) {
        return None;
    }
    let mut differing = pairs().filter(|(a, b)| a.key != b.key);
    let (first, second) = (differing.next(), differing.next());
    match (first, second, newer.is_denied != older.is_denied) {
        (None, _, true) if newer.is_bare_denial != older.is_bare_denial => Some(Rule::Denial),
        (None, _, true) => Some(Rule::Negation),
        (Some((value, _)), None, false) if !newer.is_denied && !newer.collects && !older.collects => {
            Some(Rule::of(value.kind))
        }
        _ => None,
    }
}

/// True of a bare denial without values, of what an older text states with some: "Do not retry uploads at all" and "Retry uploads at most 3 times".
fn denies_altogether(newer: &Claim, older: &Claim) -> bool {
    newer.is_bare_denial
        && newer.is_denied
        && !older.is_denied
        && newer.values.is_empty()
        && !older.values.is_empty()
        && newer.context == older.context
        && older.subject.len() <= newer.subject.len() + 2
        && newer
            .subject
            .iter()
            .all(|word| older.subject.binary_search(word).is_ok())
}

/// True if an older text states the previous value of what a newer one says has changed.
fn changes(change: &Change, older: &Claims, newer_words: &Statement, older_words: &Statement) -> bool {
    if change.is_amendment {
        let named = change.before.iter().filter(|word| older.first.contains(word)).count();
        return named * 2 >= change.before.len() && said_again(older_words, newer_words) >= AMENDED_MIN;
    }
    let mut rows = older.first.windows(change.before.len());
    let states_it = rows.any(|words| words == change.before);
    // "X was replaced by Y" states Y, and "Y was replaced by X" does not.
    let former = older.change.as_ref().map_or(&[][..], |change| &change.before);
    if !states_it || !older.is_asserted || change.before.iter().any(|word| former.contains(word)) {
        return false;
    }
    // "60 s, not 30 s" repeats "60 s (was 30 s)".
    if !change.now.is_empty() && change.now.iter().all(|word| older.first.contains(word)) {
        return false;
    }
    let is_other = |word: &u64| !change.before.contains(word) && !former.contains(word);
    let mut others: Vec<u64> = older.first.iter().copied().filter(is_other).collect();
    others.sort_unstable();
    others.dedup();
    let is_other = |word: &u64| others.binary_search(word).is_ok();
    if change.now.is_empty() {
        // "X is no longer used" says nothing of what else an older text says.
        return others == change.thing;
    }
    if change.thing.is_empty() {
        // "We use the built-in test runner instead of Jest": the new value says what the tests of an older text are about.
        let names_it = || others.len() <= OTHERS_MAX && change.now.iter().any(is_other);
        return others.is_empty() || (change.is_name && (others.len() == 1 || names_it()));
    }
    change.thing.iter().all(is_other) && others.len() <= change.thing.len() + 1
}

#[cfg(test)]
mod tests;
