//! The second stage of ranking: re-ranks the best records of the first stage by the positions of their words.
//!
//! *Proximity* (Büttcher, Clarke and Lushman, "Term proximity scoring for ad-hoc retrieval on very large text collections",
//! SIGIR 2006): two words of the query that are `d` <= 5 words apart count `1 / d^2` occurrences of a pair, which BM25
//! scores like a word, with the rarity of the more frequent of the two. *Lead*: a word among the first twelve of a text
//! indicates its subject (the location method of Edmundson, "New methods in automatic extracting", 1969). *Stop words*
//! count a tenth of their rarity here, and nothing in the first stage.
//!
//! Differences from the papers: all pairs of query words count, not only adjacent ones, and only the best [`RERANKED`]
//! records are reranked. Scores only increase, so that the others keep their places after them.

use super::analysis::{Fingerprint, fingerprint_of};
use super::bm25::Shares;
use super::query::QueryWord;

/// The number of records that are re-ranked.
pub const RERANKED: usize = 50;
/// The maximum distance of a pair.
const PAIR_DISTANCE_MAX: usize = 5;
/// The weight of a pair.
const PAIR_WEIGHT: f32 = 0.3;
/// The number of words in a text's lead, and the additional weight of a word there.
const LEAD_WORDS: usize = 12;
const LEAD_WEIGHT: f32 = 0.2;
/// The weight of stop words.
const STOP_WEIGHT: f32 = 0.1;
/// The share of records above which a stop word has no weight.
const STOP_SHARE_MAX: f32 = 0.5;
/// The weight of a number in a text in which it is of the same as in the query: `512 KB`, and not `512 MB`.
const SAME_NUMBER_WEIGHT: f32 = 3.0;
/// The maximum number of query words whose positions are used.
const WORDS_MAX: usize = 16;

/// A word of the query.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    rarity: f32,
    weight: f32,
    is_stop: bool,
    stem: Option<Fingerprint>,
    /// The fingerprint of what it is a number of.
    number_of: Option<Fingerprint>,
}

impl Wanted {
    /// True if it is a number of another one.
    fn is_number_of(&self, other: &Wanted) -> bool {
        self.number_of.is_some() && self.number_of == other.stem
    }
}

/// The words of a query, prepared for locating them in texts.
#[derive(Debug, Default)]
pub struct QueryPlaces {
    words: Vec<Wanted>,
    /// The fingerprints of their stems, with the numbers of the words.
    stems: Vec<(Fingerprint, usize)>,
    /// A bitmap of the fingerprints' low bytes, which rules out most words of a text with one test.
    low_bytes: [u64; 4],
}

impl QueryPlaces {
    /// Adds a word with its rarity.
    pub fn push_word(&mut self, word: &QueryWord, rarity: f32) {
        self.push(word, rarity, false);
    }

    /// Adds a stop word that occurs in `with` of `docs` records.
    pub fn push_stop_word(&mut self, word: &QueryWord, rarity: f32, with: f32, docs: f32) {
        if with <= docs * STOP_SHARE_MAX {
            self.push(word, rarity, true);
        }
    }

    fn push(&mut self, word: &QueryWord, rarity: f32, is_stop: bool) {
        if self.words.len() == WORDS_MAX {
            return;
        }
        for term in &word.stems {
            let fingerprint = fingerprint_of(*term);
            self.stems.push((fingerprint, self.words.len()));
            let low = usize::from(fingerprint & 0xff);
            if let Some(bits) = self.low_bytes.get_mut(low / 64) {
                *bits |= 1 << (low % 64);
            }
        }
        self.words.push(Wanted {
            rarity,
            weight: word.weight,
            is_stop,
            stem: word.stems.first().copied().map(fingerprint_of),
            number_of: word.number_of.map(fingerprint_of),
        });
    }

    #[inline]
    fn word_of(&self, fingerprint: Fingerprint, matched: u32) -> Option<usize> {
        let low = usize::from(fingerprint & 0xff);
        if self.low_bytes.get(low / 64).copied().unwrap_or(0) >> (low % 64) & 1 == 0 {
            return None;
        }
        let is_matched =
            |word: usize| matched >> word & 1 == 1 || self.words.get(word).is_some_and(|word| word.is_stop);
        let stem = self
            .stems
            .iter()
            .find(|(other, word)| *other == fingerprint && is_matched(*word))?;
        Some(stem.1)
    }

    /// Returns how many words of a text must be looked at: a single word of the query has no pair, and only its lead counts.
    pub fn positions_needed(&self, matched: u32) -> usize {
        let is_alone = matched.count_ones() == 1 && self.words.iter().all(|word| !word.is_stop);
        if is_alone { LEAD_WORDS } else { usize::MAX }
    }

    /// Starts a text. `matched` has a bit for each query word that the posting lists found in it, so that fingerprint
    /// collisions with other words are excluded.
    pub fn start(&self, matched: u32) -> Occurrences<'_> {
        Occurrences {
            query: self,
            matched,
            found: [Found::default(); WORDS_MAX],
            pairs: [[0.0; WORDS_MAX]; WORDS_MAX],
            recent: [(usize::MAX, 0); PAIR_DISTANCE_MAX],
            newest: 0,
        }
    }
}

/// The occurrences of one word.
#[derive(Debug, Default, Clone, Copy)]
struct Found {
    times: f32,
    is_in_lead: bool,
    /// True if it is a number of the same as in the query.
    is_same_number: bool,
}

/// The occurrences in one text.
#[derive(Debug)]
pub struct Occurrences<'q> {
    query: &'q QueryPlaces,
    matched: u32,
    found: [Found; WORDS_MAX],
    /// The proximity of each pair, summed over their positions.
    pairs: [[f32; WORDS_MAX]; WORDS_MAX],
    /// The last positions of query words, which include all that are near enough to the next one.
    recent: [(usize, usize); PAIR_DISTANCE_MAX],
    newest: usize,
}

impl Occurrences<'_> {
    /// Adds the word at a position; positions are ascending.
    #[inline]
    pub fn take(&mut self, at: usize, fingerprint: Fingerprint) {
        if let Some(word) = self.query.word_of(fingerprint, self.matched) {
            self.take_word(at, word);
        }
    }

    fn take_word(&mut self, at: usize, word: usize) {
        if let Some(found) = self.found.get_mut(word) {
            found.times += 1.0;
            found.is_in_lead |= at < LEAD_WORDS;
        }
        for (before, other) in self.recent {
            let distance = at.saturating_sub(before);
            if before < at && distance == 1 {
                self.compare_numbers(other, word);
                self.compare_numbers(word, other);
            }
            if before < at && distance <= PAIR_DISTANCE_MAX && other != word {
                let row = self.pairs.get_mut(word.min(other));
                if let Some(pair) = row.and_then(|row| row.get_mut(word.max(other))) {
                    *pair += 1.0 / (distance * distance) as f32;
                }
            }
        }
        if let Some(place) = self.recent.get_mut(self.newest % PAIR_DISTANCE_MAX) {
            *place = (at, word);
        }
        self.newest += 1;
    }

    fn compare_numbers(&mut self, number: usize, other: usize) {
        let words = &self.query.words;
        if let (Some(word), Some(other), Some(found)) =
            (words.get(number), words.get(other), self.found.get_mut(number))
        {
            found.is_same_number |= word.is_number_of(other);
        }
    }

    /// Returns the bonus of the positions, which is added to the score of a text of this length.
    pub fn bonus(&self, length: u16, shares: &Shares) -> f32 {
        let mut bonus = 0.0;
        let words = &self.query.words;
        for ((number, word), found) in words.iter().enumerate().zip(&self.found) {
            if found.times == 0.0 {
                continue;
            }
            if word.is_stop {
                bonus += STOP_WEIGHT * word.rarity * shares.compute(length, found.times);
                continue;
            }
            if found.is_in_lead {
                bonus += LEAD_WEIGHT * word.weight * word.rarity;
            }
            if found.is_same_number {
                bonus += SAME_NUMBER_WEIGHT * word.weight * word.rarity;
            }
            let row = self.pairs.get(number).into_iter().flatten();
            for (other, times) in words.iter().zip(row).skip(number + 1) {
                if *times > 0.0 && !other.is_stop {
                    let weight = PAIR_WEIGHT * word.weight.min(other.weight);
                    bonus += weight * word.rarity.min(other.rarity) * shares.compute(length, *times);
                }
            }
        }
        bonus
    }
}
