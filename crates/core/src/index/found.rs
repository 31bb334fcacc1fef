//! Records that a search found, and their order.

use std::cmp::Ordering;

use super::Place;
use crate::clock::Millis;

/// A found record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The number of its index among the searched ones.
    pub journal_index: usize,
    /// Its place in that index.
    pub place: Place,
    /// The score; larger is better.
    pub score: f32,
    /// The query words that it contains, one bit each.
    pub words: u32,
    /// The cosine similarity, when meaning was compared.
    pub cosine: Option<f32>,
    /// The part of the score that comes from its session.
    pub context: f32,
    pub(super) confidence: f32,
    pub(crate) created: Millis,
}

impl Found {
    /// Returns a record at a place, without a score.
    pub fn at(journal_index: usize, place: Place) -> Self {
        Found {
            journal_index,
            place,
            score: 0.0,
            words: 0,
            cosine: None,
            context: 0.0,
            confidence: 0.0,
            created: 0,
        }
    }

    /// Returns the query words that it contains; `names` are the words by their bits.
    pub fn words_among(&self, names: &[&str]) -> Vec<String> {
        let has = |bit: usize| self.words & (1 << bit) != 0;
        let own = names.iter().enumerate().filter(|(bit, _)| has(*bit));
        own.map(|(_, name)| (*name).to_owned()).collect()
    }

    /// Orders by descending score, confidence, time of creation, and place.
    pub fn order(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(other.confidence.total_cmp(&self.confidence))
            .then(other.created.cmp(&self.created))
            .then(self.journal_index.cmp(&other.journal_index))
            .then(other.place.part.cmp(&self.place.part))
            .then(other.place.doc.cmp(&self.place.doc))
    }
}
