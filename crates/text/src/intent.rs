//! What a question asks for beyond its words, and the places of hits by it: what holds before what says that it is over, or the other way round,
//! and what has the amount or the name of the question before what has nearly the same one.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Serialize;

use super::bygone::{asks_for_bygone, is_bygone};
use super::is_title;
use super::lexicon::words;
use super::quantities::{Has, Quantities};
use super::query::{QueryWord, common_in, query_words};
use super::terms::Terms;

/// The factor of the score of a text that says that it is over: it comes after one that holds and matches nearly as well.
pub const FACTOR: f64 = 0.5;
/// The most of the score of a text that is wanted.
const BEHIND: f64 = 0.99;
/// Of so many words of the question that a hit has which is not wanted, another one needs one: it may say the rest in other words.
const SAME_OF: usize = 4;
/// The verbs for what is done with a thing. No two things differ by them: "which queue do we use" names the queue, and "used to" has the verb
/// as well.
static USES: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| words("used"));

/// A hit, as far as its place depends on its text.
pub trait Told {
    /// True if its text says of itself that it is over.
    fn is_over(&self) -> bool;
    /// The words of the query that it has.
    fn matched(&self) -> &[String];
    /// Its text.
    fn text(&self) -> &str;
    /// Its score.
    fn score(&mut self) -> &mut f64;
}

/// What a question asks for.
#[derive(Debug)]
pub struct Intent<'q> {
    query: &'q str,
    /// True if it asks for the present state.
    pub is_about_now: bool,
    quantities: Quantities,
}

impl<'q> Intent<'q> {
    /// Reads a question.
    pub fn of(query: &'q str) -> Self {
        Intent {
            query,
            is_about_now: !asks_for_bygone(query),
            quantities: Quantities::of(query),
        }
    }

    /// Lowers the scores of hits that say that they are over, where the present is asked for, and of those that come behind others.
    pub fn place<T: Told>(&self, hits: &mut [T]) {
        for hit in hits.iter_mut().filter(|hit| self.is_about_now && hit.is_over()) {
            *hit.score() *= FACTOR;
        }
        self.put_behind(hits);
    }

    /// Lowers the scores of hits that come behind others.
    pub fn put_behind<T: Told>(&self, hits: &mut [T]) {
        self.put_times_behind(hits);
        self.put_quantities_behind(hits);
    }

    /// Puts each hit that is not of the time that is asked for behind the best of those that are and have some of its words of the query.
    fn put_times_behind<T: Told>(&self, hits: &mut [T]) {
        let (behind, mut ahead): (Vec<&mut T>, Vec<&mut T>) =
            hits.iter_mut().partition(|hit| hit.is_over() == self.is_about_now);
        if behind.is_empty() || ahead.is_empty() {
            return;
        }
        let common = common_in(&query_words(self.query));
        for hit in behind {
            let telling: Vec<&String> = hit.matched().iter().filter(|word| tells(word, common)).collect();
            let wanted = ahead
                .iter_mut()
                .filter(|other| self.is_enough(other.matched(), &telling));
            let best = wanted.map(|other| *other.score()).reduce(f64::max);
            lower(hit.score(), best);
        }
    }

    /// True if the words of a hit are enough beside the telling ones of another, which is not wanted. It needs more where a title names the past in
    /// passing (*remove the obsolete plan*), where a word beside *old* may be the name of an error (*snapshot too old*), and where a number says
    /// more (*why was invoice 2023/118 rejected*).
    fn is_enough(&self, has: &[String], telling: &[&String]) -> bool {
        let (all, same) = shared(telling.iter().copied(), has);
        let more = (same > 1 || has.len() >= all) && self.quantities.is_empty() && !is_title(self.query);
        same > 0 && (same == all || (same * SAME_OF >= all && (self.is_about_now || more)))
    }

    /// Puts each hit that has another amount or name behind the best of those that have the same. Another amount may be the answer: there the
    /// other one has to be about as much.
    fn put_quantities_behind<T: Told>(&self, hits: &mut [T]) {
        if self.quantities.is_empty() {
            return;
        }
        let has: Vec<Has> = hits.iter().map(|hit| self.quantities.are_in(hit.text())).collect();
        let (mut same, mut others) = (Vec::new(), Vec::new());
        for (hit, has) in hits.iter_mut().zip(has) {
            match has {
                Has::Same if !(self.is_about_now && hit.is_over()) => same.push(hit),
                Has::Another | Has::AnotherAmount => others.push((hit, has)),
                _ => {}
            }
        }
        for (hit, has) in others {
            let wanted = same.iter_mut().filter_map(|other| {
                let counts = has == Has::Another || has_words_of(other.matched(), hit.matched());
                counts.then(|| *other.score())
            });
            let best = wanted.reduce(f64::max);
            lower(hit.score(), best);
        }
    }
}

/// True of a word that says what a question is about: no verb for what is done with a thing, and none that is common in its language.
fn tells(word: &str, common: Option<&FxHashSet<String>>) -> bool {
    !USES.contains(word.as_bytes()) && common.is_none_or(|common| !common.contains(word))
}

/// Lowers a score below the best of those that are wanted more, if there is any.
fn lower(score: &mut f64, best: Option<f64>) {
    *score = best.map_or(*score, |best| score.min(best * BEHIND));
}

/// True if a hit has all words of the query that another one has, apart from verbs for what is done with a thing.
pub fn says_all(has: &[String], words: &[String]) -> bool {
    let telling = words.iter().filter(|word| !USES.contains(word.as_bytes()));
    let (all, same) = shared(telling, has);
    all == same
}

/// Returns the number of some words, and of those that another hit has.
fn shared<'w>(words: impl Iterator<Item = &'w String>, has: &[String]) -> (usize, usize) {
    words.fold((0, 0), |(all, same), word| {
        (all + 1, same + usize::from(has.contains(word)))
    })
}

/// True if words are a third of others, without the numbers.
fn has_words_of(has: &[String], words: &[String]) -> bool {
    let telling = words.iter().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    let (all, same) = shared(telling, has);
    same * 3 >= all
}

/// What the place of a hit depends on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// True if its text says of itself that it is over.
    #[serde(rename = "over")]
    pub is_over: bool,
    /// Its score.
    pub score: f64,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    matched: Vec<String>,
}

impl Told for Place {
    fn is_over(&self) -> bool {
        self.is_over
    }

    fn matched(&self) -> &[String] {
        &self.matched
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn score(&mut self) -> &mut f64 {
        &mut self.score
    }
}

/// Returns the places of hits, texts with their scores, that another store has found.
pub fn places_of(query: &str, hits: impl Iterator<Item = (String, f64)>) -> Vec<Place> {
    let intent = Intent::of(query);
    let asked = query_words(query);
    let mut terms = Terms::default();
    let mut places: Vec<Place> = hits
        .map(|(text, score)| {
            terms.clear();
            terms.add(&text);
            let words = asked.iter().filter(|word| !word.common && has_word(&terms, word));
            Place {
                is_over: is_bygone(&text),
                score,
                matched: words.map(|word| word.text.clone()).collect(),
                text,
            }
        })
        .collect();
    intent.place(&mut places);
    places
}

fn has_word(terms: &Terms, word: &QueryWord) -> bool {
    word.meant()
        .any(|term| terms.words.contains(&term) || terms.extras.contains(&term))
}

#[cfg(test)]
mod tests {
    use super::places_of;

    /// Returns the numbers of the texts in their order.
    fn order(query: &str, texts: &[&str]) -> Vec<usize> {
        let scores = (0..).map(|at| 1.0 - 0.1 * f64::from(at));
        let places = places_of(query, texts.iter().map(|text| (*text).to_owned()).zip(scores));
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|a, b| places[*b].score.total_cmp(&places[*a].score));
        order
    }

    #[test]
    fn a_hit_that_is_wanted_comes_before_one_that_is_not() {
        let texts = ["Deprecated: the gate is open", "The gate is closed", "Another thing"];
        assert_eq!(order("is the gate open", &texts), [1, 2, 0]);
        assert_eq!(order("was the gate open before", &texts), [0, 1, 2]);
        let texts = ["error E4017-B is dust", "errors of the printer", "E4017 is the ribbon"];
        assert_eq!(order("what is error E4017", &texts), [1, 2, 0]);
        assert_eq!(order("what is error E5000", &texts), [0, 1, 2]);
        assert_eq!(order("", &[]), Vec::<usize>::new());
    }
}
