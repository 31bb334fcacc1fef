//! The score of one text by itself, for stores whose database finds the candidates: the same words, BM25 and places as in the index
//! of a journal.

use super::analysis::Analysis;
use super::bm25::{Shares, rarity_of};
use super::proximity::QueryPlaces;
use super::query::{QueryWord, SPELLING_WEIGHT, searched_words};
use super::terms::TermHash;

/// A query, ready to score texts.
#[derive(Debug)]
pub struct Scorer {
    /// What a hit on each term counts, and the bit of its word.
    terms: Vec<(TermHash, f32, u32)>,
    places: QueryPlaces,
    shares: Shares,
}

impl Scorer {
    /// Prepares a query for a collection of `docs` texts with so many words on average; `count_with` answers how many of them
    /// have a term.
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
        };
        let searched = searched_words(words);
        let all_common = searched.iter().all(|(_, word)| word.common);
        for (number, word) in searched {
            let with: u32 = word.stems.iter().map(|term| count_with(*term)).sum();
            let rarity = rarity_of(with as f32, docs);
            let stems = word.stems.iter().map(|term| (*term, word.weight * rarity, 1 << number));
            scorer.terms.extend(stems);
            for term in &word.spellings {
                let rarity = rarity_of(count_with(*term) as f32, docs);
                scorer
                    .terms
                    .push((*term, word.weight * SPELLING_WEIGHT * rarity, 1 << number));
            }
            scorer.places.push_word(word, rarity);
        }
        for word in words.iter().filter(|word| word.common && !all_common) {
            let with: u32 = word.stems.iter().map(|term| count_with(*term)).sum();
            let with = with as f32;
            scorer.places.push_stop_word(word, rarity_of(with, docs), with, docs);
        }
        scorer
    }

    /// Returns the score of a text; 0 when it has none of the words.
    pub fn score(&self, text: &Analysis) -> f32 {
        let (mut score, mut matched) = (0.0, 0);
        for (term, weight, bit) in &self.terms {
            let times = text.count_of(*term);
            if times > 0 {
                score += weight * self.shares.of(text.length, times);
                matched |= bit;
            }
        }
        if matched == 0 {
            return 0.0;
        }
        let mut occurrences = self.places.start(matched);
        for (at, word) in text.places.iter().enumerate() {
            occurrences.take(at, *word);
        }
        score + occurrences.bonus(text.length, &self.shares)
    }
}
