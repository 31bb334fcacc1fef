//! Decides whether two texts with nearly the same words are duplicates, by the rule of docs/duplicates.md.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::order::is_reordered;
use super::spelling::{Spelling, are_same_words, has_same_signs};
use super::{Mark, Reading, Token};
use crate::lexicon::{Role, family};
use crate::tokenization::Gap;

/// The maximum number of repeated words.
const REPEATED_MAX: usize = 6;

/// True if a text says what was said, and nothing beyond it: the same words of content, related in the same way.
pub fn says_no_more(text: &str, said: &str) -> bool {
    let (text, said) = (Reading::of(text), Reading::of(said));
    let sorted = |reading: &Reading| {
        let mut words: Vec<u64> = reading.words().collect();
        words.sort_unstable();
        words
    };
    sorted(&text) == sorted(&said) && says_the_same(&text, &said)
}

/// True if two texts say the same: no content word was replaced, no added or removed word matters by itself, and the
/// common words are related in the same way.
pub fn says_the_same(a: &Reading, b: &Reading) -> bool {
    if !has_same_signs(a, b) {
        return false;
    }
    let Some((only_a, only_b)) = compare_tokens(a, b) else {
        return false;
    };
    if !only_a.is_empty() && !only_b.is_empty() {
        return false;
    }
    let mut extra: Vec<usize> = [only_a.as_slice(), &only_b].concat();
    extra.sort_unstable();
    let longer = if only_a.is_empty() { b } else { a };
    let shorter = if only_a.is_empty() { a } else { b };
    let more = extra.iter().filter_map(|at| longer.tokens.get(*at));
    if more.clone().any(|token| token.is_telling || token.is_listed()) || narrows(longer, &extra) {
        return false;
    }
    if extra.len() > REPEATED_MAX {
        let said: FxHashSet<u64> = shorter.words().collect();
        if more.filter(|token| said.contains(&token.key)).count() > REPEATED_MAX {
            return false;
        }
    }
    has_same_ties(a, b)
        && (extra.is_empty() || quantities(shorter) <= quantities(longer))
        && !is_reordered(shorter, longer, &extra)
}

/// True if an additional word, of which there are the positions in order, splits two common ones that stand side by side: "function argument names" are not "function names".
fn narrows(longer: &Reading, extra: &[usize]) -> bool {
    let is_joined = |at: usize| longer.tokens.get(at).is_some_and(|token| token.gap == Gap::Space);
    extra.iter().any(|at| {
        let is_common = |at: usize| extra.binary_search(&at).is_err();
        let before = at.checked_sub(1).is_some_and(is_common);
        before && is_joined(*at) && is_common(at + 1) && is_joined(at + 1)
    })
}

/// The key of a token, its position, the token.
type Keyed = (u64, usize, Token);

/// Sorts tokens by key, with their positions.
fn sort(tokens: &[Token]) -> Vec<Keyed> {
    let keyed = tokens.iter().enumerate().map(|(at, token)| (token.key, at, *token));
    let mut sorted: Vec<Keyed> = keyed.collect();
    sorted.sort_unstable_by_key(|(key, at, _)| (*key, *at));
    sorted
}

type Places = Vec<usize>;

/// Returns the positions of tokens that only one side has; `None` when an identifier or a name was replaced by another inflection of
/// it.
fn compare_tokens(first: &Reading, second: &Reading) -> Option<(Places, Places)> {
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let (a_sorted, b_sorted) = (sort(&first.tokens), sort(&second.tokens));
    let (mut a, mut b) = (a_sorted.as_slice(), b_sorted.as_slice());
    loop {
        let key = match (a.first(), b.first()) {
            (Some((left, ..)), Some((right, ..))) => *left.min(right),
            (Some((key, ..)), None) | (None, Some((key, ..))) => *key,
            (None, None) => break,
        };
        let (mine, theirs);
        (mine, a) = split_key(a, key);
        (theirs, b) = split_key(b, key);
        if !are_spelt_alike(mine, theirs)
            && (is_other_identifier(mine, theirs)
                || !are_same_words(&spellings(first, mine), &spellings(second, theirs)))
        {
            return None;
        }
        let both = mine.len().min(theirs.len());
        // When a word occurs more often on one side, its last occurrences are the surplus.
        only_a.extend(mine.iter().skip(both).map(|(_, at, _)| *at));
        only_b.extend(theirs.iter().skip(both).map(|(_, at, _)| *at));
    }
    Some((only_a, only_b))
}

/// Splits off the leading tokens with a key.
fn split_key(sorted: &[Keyed], key: u64) -> (&[Keyed], &[Keyed]) {
    sorted.split_at(sorted.iter().take_while(|(other, ..)| *other == key).count())
}

/// True if all of some tokens have one spelling, as nearly all with one root do.
fn are_spelt_alike(a: &[Keyed], b: &[Keyed]) -> bool {
    let forms = a.iter().chain(b).map(|(.., token)| token.form);
    forms.clone().zip(forms.skip(1)).all(|(one, next)| one == next)
}

fn spellings<'r>(reading: &'r Reading, tokens: &[Keyed]) -> Vec<Spelling<'r>> {
    tokens
        .iter()
        .filter_map(|(.., token)| reading.spelling(token))
        .collect()
}

/// True if the spellings differ when both sides mean an identifier.
fn is_other_identifier(a: &[Keyed], b: &[Keyed]) -> bool {
    let forms = |side: &[Keyed]| -> Vec<u64> {
        let codes = side.iter().filter(|(.., token)| token.is_code);
        let mut forms: Vec<u64> = codes.map(|(.., token)| token.form).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    };
    let (a, b) = (forms(a), forms(b));
    !a.is_empty() && !b.is_empty() && a != b
}

/// True if both sides have the same negations, restrictions and exclusive words, with negations of the same words.
fn has_same_ties(a: &Reading, b: &Reading) -> bool {
    let count = |reading: &Reading, sense: Role| reading.marks.iter().filter(|mark| mark.sense == sense).count();
    let binding = |reading: &Reading| reading.marks.iter().filter(|mark| mark.is_binding).count();
    if count(a, Role::Limit) != count(b, Role::Limit) || binding(a) != binding(b) || negated(a) != negated(b) {
        return false;
    }
    let marks = a.marks.iter().chain(&b.marks);
    let member = |mark: &Mark| match mark.sense {
        Role::Member(family, group) => Some((family, group)),
        _ => None,
    };
    let mut members: Vec<(u8, u8)> = marks.filter_map(member).collect();
    members.sort_unstable();
    members.dedup();
    members.chunk_by(|one, next| one.0 == next.0).all(|groups| {
        let surplus = |(family, group): &(u8, u8)| {
            let sense = Role::Member(*family, *group);
            count(a, sense).cmp(&count(b, sense))
        };
        let surplus: Vec<Ordering> = groups.iter().map(surplus).collect();
        !(surplus.contains(&Ordering::Greater) && surplus.contains(&Ordering::Less))
    })
}

/// Counts the quantities in a text: "labelled requests" instead of "every request" replaces one of them by a content word.
fn quantities(reading: &Reading) -> usize {
    let is_quantity = |mark: &&Mark| matches!(mark.sense, Role::Member(family::QUANTITY, _));
    reading.marks.iter().filter(is_quantity).count()
}

/// Returns the word that each negation applies to: the next content word in its sentence, else the previous one. When the text contains that word
/// more than once, the word after it is included.
fn negated(reading: &Reading) -> Vec<(u64, u64)> {
    let about = |mark: &Mark| {
        let at = mark.at as usize;
        let within = |token: &&Token| token.sentence == mark.sentence;
        let next = reading.tokens.get(at).filter(within);
        let before = || at.checked_sub(1).and_then(|before| reading.tokens.get(before));
        let Some(token) = next.or_else(before) else {
            return (0, 0);
        };
        let is_ambiguous = reading.words().filter(|key| *key == token.key).count() > 1;
        let behind = reading.tokens.get(at + 1).filter(within).filter(|_| is_ambiguous);
        (token.key, behind.map_or(0, |token| token.key))
    };
    let negations = reading.marks.iter().filter(|mark| mark.sense == Role::Negation);
    let mut about: Vec<(u64, u64)> = negations.map(about).collect();
    about.sort_unstable();
    about
}
