//! Scores single texts, for stores whose database finds the candidates: with the same terms, BM25 and proximity as the
//! index of a journal.

use super::analysis::Analysis;
use super::bm25::{Shares, rarity_of};
use super::proximity::QueryPlaces;
use super::query::{QueryWord, SPELLING_WEIGHT, searched_words};
use super::relevance::{Covered, QueryMass};
use super::terms::TermHash;

/// A query, prepared for scoring texts.
#[derive(Debug)]
pub struct Scorer {
    /// The weight of each term, and the bit of its word.
    terms: Vec<(TermHash, f32, u32)>,
    places: QueryPlaces,
    shares: Shares,
    mass: QueryMass,
}

impl Scorer {
    /// Prepares a query for a collection of `docs` texts with this average length; `count_with` returns the number of
    /// texts with a term.
    pub fn new(
        words: &[QueryWord],
        docs: f32,
        average_length: f32,
        mut count_with: impl FnMut(TermHash) -> u32,
    ) -> Self {
        let mut scorer = Scorer {
            terms: Vec::new(),
            places: QueryPlaces::default(),
            shares: Shares::new(average_length.max(1.0)),
            mass: QueryMass::default(),
        };
        let mut rarities = Vec::new();
        let searched = searched_words(words);
        let all_common = searched.iter().all(|(_, word)| word.common);
        for (number, word) in searched {
            let with: u32 = word.meant().map(&mut count_with).sum();
            let rarity = rarity_of(with as f32, docs);
            let stems = word.stems.iter().map(|term| (*term, word.weight * rarity, 1 << number));
            scorer.terms.extend(stems);
            let aliases = word
                .aliases
                .iter()
                .map(|(term, weight)| (*term, word.weight * weight * rarity, 1 << number));
            scorer.terms.extend(aliases);
            for term in &word.spellings {
                let rarity = rarity_of(count_with(*term) as f32, docs);
                scorer
                    .terms
                    .push((*term, word.weight * SPELLING_WEIGHT * rarity, 1 << number));
            }
            scorer.places.push_word(word, rarity);
            rarities.push(rarity);
        }
        for word in words.iter().filter(|word| word.common && !all_common) {
            let with: u32 = word.stems.iter().map(|term| count_with(*term)).sum();
            let with = with as f32;
            scorer.places.push_stop_word(word, rarity_of(with, docs), with, docs);
        }
        let rarity_of = |bit: u32| rarities.get(bit.trailing_zeros() as usize).copied().unwrap_or(0.0);
        scorer.mass = QueryMass::new(words, rarity_of, &[]);
        scorer
    }

    /// Returns the share of the query's total rarity that these words have.
    pub fn coverage(&self, matched: u32) -> f64 {
        self.mass.coverage(matched)
    }

    /// Returns how much of the query the records with these words have, best first.
    pub fn covered(&self, records: impl Iterator<Item = u32> + Clone) -> Covered {
        Covered::of(&self.mass, records)
    }

    /// Returns the score of a text, which is 0 when it contains none of the words, and a bit for each word that it contains.
    pub fn score(&self, text: &Analysis) -> (f32, u32) {
        let (mut score, mut matched) = (0.0, 0);
        for (term, weight, bit) in &self.terms {
            let times = text.count_of(*term);
            if times > 0 {
                score += weight * self.shares.of(text.length, times);
                matched |= bit;
            }
        }
        if matched == 0 {
            return (0.0, 0);
        }
        let mut occurrences = self.places.start(matched);
        for (at, word) in text.places.iter().enumerate() {
            occurrences.take(at, *word);
        }
        (score + occurrences.bonus(text.length, &self.shares), matched)
    }
}
