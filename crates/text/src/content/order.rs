//! The order of words where it matters: "A before B" is not "B before A", and two exchanged values are two changed values.
//! Sentences and clauses may be in any order.

use rustc_hash::FxHashMap;

use super::{Reading, Token};
use crate::lexicon::{Role, family};
use crate::tokenization::Gap;

/// A sentence, without tokens that only its text has.
#[derive(Debug, Clone, Default)]
struct Sentence<'a> {
    tokens: Vec<&'a Token>,
    /// Words whose sides must not be exchanged, and the number of tokens before each.
    turns: Vec<(u64, usize)>,
    /// The number of agents that it names: "reviewed by owners".
    agents: usize,
}

impl Sentence<'_> {
    fn keys(&self) -> Vec<u64> {
        self.tokens.iter().map(|token| token.key).collect()
    }

    fn sorted(&self) -> Vec<u64> {
        let mut keys = self.keys();
        keys.sort_unstable();
        keys
    }
}

/// True if the common tokens of two texts are related differently. `extra` are the tokens that only the longer one
/// has.
pub(super) fn is_reordered(shorter: &Reading, longer: &Reading, extra: &[usize]) -> bool {
    let (a, b) = (sentences(shorter, &[]), sentences(longer, extra));
    let flat = |list: &[Sentence<'_>]| -> Vec<u64> { list.iter().flat_map(Sentence::keys).collect() };
    if flat(&a) == flat(&b) {
        return false;
    }
    if a.len() != b.len() || a.len() == 1 {
        return is_turned(&join(&a), &join(&b));
    }
    has_parted(&a, &b) || has_parted(&b, &a)
}

/// True if the words of a sentence are in different sentences on the other side.
fn has_parted(a: &[Sentence<'_>], b: &[Sentence<'_>]) -> bool {
    let mut others: FxHashMap<Vec<u64>, Vec<&Sentence<'_>>> = FxHashMap::default();
    for sentence in b {
        others.entry(sentence.sorted()).or_default().push(sentence);
    }
    !a.iter().all(|sentence| {
        let Some(candidates) = others.get_mut(&sentence.sorted()) else {
            return false;
        };
        let same = candidates.iter().position(|other| !is_turned(sentence, other));
        same.map(|at| candidates.swap_remove(at)).is_some()
    })
}

fn sentences<'a>(reading: &'a Reading, extra: &[usize]) -> Vec<Sentence<'a>> {
    let mut list: Vec<Sentence<'a>> = Vec::new();
    let mut left_out = vec![false; reading.tokens.len()];
    for at in extra {
        left_out.get_mut(*at).into_iter().for_each(|is_out| *is_out = true);
    }
    let mut marks = reading.marks.iter().peekable();
    let mut current = None;
    for ((at, token), is_out) in reading.tokens.iter().enumerate().zip(left_out) {
        if is_out {
            continue;
        }
        if current != Some(token.sentence) {
            current = Some(token.sentence);
            list.push(Sentence::default());
        }
        let Some(sentence) = list.last_mut() else { continue };
        while let Some(mark) = marks.next_if(|mark| (mark.at as usize) <= at) {
            let is_agent = matches!(mark.sense, Role::Member(family::AGENT, _));
            sentence.agents += usize::from(is_agent);
            if mark.sentence == token.sentence && mark.is_turn {
                sentence.turns.push((mark.word, sentence.tokens.len()));
            }
        }
        sentence.tokens.push(token);
    }
    list
}

fn join<'a>(sentences: &[Sentence<'a>]) -> Sentence<'a> {
    let mut whole = Sentence::default();
    for sentence in sentences {
        let before = whole.tokens.len();
        whole
            .turns
            .extend(sentence.turns.iter().map(|(word, at)| (*word, before + at)));
        whole.agents += sentence.agents;
        whole.tokens.extend(&sentence.tokens);
    }
    whole
}

fn is_turned(a: &Sentence<'_>, b: &Sentence<'_>) -> bool {
    // "Owners review changes", "changes are reviewed by owners"
    let is_passive = a.agents != b.agents;
    has_changed_sides(a, b) || (has_exchanged(a, b) && !is_passive && !has_same_clauses(a, b))
}

/// True if whole clauses were exchanged, and nothing within them.
fn has_same_clauses(a: &Sentence<'_>, b: &Sentence<'_>) -> bool {
    let (mut a, mut b) = (clauses(a), clauses(b));
    let sorted = |clauses: &mut Vec<Sentence<'_>>| clauses.sort_by_cached_key(Sentence::sorted);
    sorted(&mut a);
    sorted(&mut b);
    a.len() > 1
        && a.len() == b.len()
        && a.iter()
            .zip(&b)
            .all(|(one, other)| one.sorted() == other.sorted() && !has_exchanged(one, other))
}

fn clauses<'a>(sentence: &Sentence<'a>) -> Vec<Sentence<'a>> {
    let parts = sentence.tokens.chunk_by(|one, next| one.clause == next.clause);
    let clause = |tokens: &[&'a Token]| Sentence {
        tokens: tokens.to_vec(),
        ..Sentence::default()
    };
    parts.map(clause).collect()
}

/// True if tokens were exchanged around others, or two significant ones with each other. Neighbours in an enumeration
/// may be exchanged.
fn has_exchanged(a: &Sentence<'_>, b: &Sentence<'_>) -> bool {
    if a.tokens.len() != b.tokens.len() {
        return false;
    }
    let pairs = a.tokens.iter().zip(&b.tokens).enumerate();
    let moved: Vec<_> = pairs.filter(|(_, (one, other))| one.key != other.key).collect();
    let (Some((first, _)), Some((last, _))) = (moved.first(), moved.last()) else {
        return false;
    };
    let (Some(a), Some(b)) = (a.tokens.get(*first..=*last), b.tokens.get(*first..=*last)) else {
        return false;
    };
    // "bots/ci" and "ci/bots" are two places.
    if a.iter().skip(1).any(|token| token.gap == Gap::Slash) {
        return true;
    }
    let is_list = |side: &[&Token]| side.iter().skip(1).all(|token| token.is_listed());
    if is_list(a) && is_list(b) {
        return false;
    }
    let stayed = last - first + 1 > moved.len();
    let telling = moved.len() == 2 && moved.iter().all(|(_, (one, other))| one.is_telling || other.is_telling);
    stayed || telling || has_exchanged_ends(a, b)
}

/// The maximum length of a sentence that is checked for exchanged ends.
const ENDS_MAX: usize = 64;

/// True if the two ends of a sentence, one of which contains a significant word, were exchanged around an unchanged
/// middle, as in "UTC in logs, local time in views" and "local time in logs, UTC in views".
fn has_exchanged_ends(a: &[&Token], b: &[&Token]) -> bool {
    let len = a.len();
    let same = |a: &[&Token], b: &[&Token]| a.iter().zip(b).all(|(one, other)| one.key == other.key);
    let is_exchange = |head: usize, tail: usize| {
        let ((head_a, rest_a), (tail_b, rest_b)) = (a.split_at(head), b.split_at(tail));
        let (middle_a, tail_a) = rest_a.split_at(len - tail - head);
        let (middle_b, head_b) = rest_b.split_at(len - head - tail);
        let mut ends = [head_a, tail_a, tail_b, head_b].into_iter().flatten();
        same(head_a, head_b) && same(tail_a, tail_b) && same(middle_a, middle_b) && ends.any(|token| token.is_telling)
    };
    len <= ENDS_MAX && (1..len).any(|head| (1..len - head).any(|tail| is_exchange(head, tail)))
}

/// True if words have moved from each side of a turning word, which occurs once, to the other.
fn has_changed_sides(a: &Sentence<'_>, b: &Sentence<'_>) -> bool {
    let once = |side: &Sentence<'_>, word: u64| {
        let mut found = side.turns.iter().filter(|(other, _)| *other == word).map(|(_, at)| *at);
        let at = found.next()?;
        found.next().is_none().then_some(at)
    };
    a.turns.iter().any(|(word, _)| {
        let (Some(at_a), Some(at_b)) = (once(a, *word), once(b, *word)) else {
            return false;
        };
        let (keys_a, keys_b) = (a.keys(), b.keys());
        let (left_a, right_a) = keys_a.split_at(at_a);
        let (left_b, right_b) = keys_b.split_at(at_b);
        went(left_a, left_b, right_a, right_b) && went(right_a, right_b, left_a, left_b)
    })
}

/// True if a word has moved from one side to the other.
fn went(from_a: &[u64], from_b: &[u64], to_a: &[u64], to_b: &[u64]) -> bool {
    let (from, to) = (surplus(from_a, from_b), surplus(to_b, to_a));
    from.iter()
        .any(|(key, more)| *more > 0 && to.get(key).is_some_and(|more| *more > 0))
}

/// Returns how much more often the first side has each word.
fn surplus(side: &[u64], other: &[u64]) -> FxHashMap<u64, i64> {
    let mut counts = FxHashMap::default();
    side.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
    other.iter().for_each(|key| *counts.entry(*key).or_default() -= 1);
    counts
}
