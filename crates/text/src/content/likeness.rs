//! Similarity of texts: the cosine of their sets of content words.

use super::{Reading, says_the_same};
use crate::TermHash;
use crate::tokenization::Lexemes;

/// The number of content words from which the number of additional words is limited to that of a text of this length: a
/// sentence that is added to a page is as new as one that is added to another sentence.
const LONG_WORDS: usize = 24;

/// A text prepared for comparison. Reuse one value for many texts, because it keeps its buffers.
#[derive(Debug, Default, Clone)]
pub struct Statement {
    reading: Reading,
    words: Vec<TermHash>,
}

impl Statement {
    /// Returns the statement of a text.
    pub fn of(text: &str) -> Self {
        let mut statement = Statement::default();
        statement.take(text);
        statement
    }

    /// Replaces the text.
    pub fn take(&mut self, text: &str) {
        self.reading.read(text);
        self.words.clear();
        self.words.extend(self.reading.words());
        self.words.sort_unstable();
        self.words.dedup();
    }

    /// Returns the content of the text.
    pub(crate) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Returns the lexemes of the text.
    pub(crate) fn lexemes(&self) -> &Lexemes {
        self.reading.lexemes()
    }

    /// Returns the content words, each once, sorted.
    pub fn words(&self) -> &[TermHash] {
        &self.words
    }

    /// Returns the cosine similarity to another statement if the two are duplicates: the cosine is high enough for
    /// texts of this length at `threshold`, and no content word was replaced.
    pub fn likeness(&self, other: &Statement, threshold: f64) -> Option<f64> {
        let (fewer, more) = (
            self.words.len().min(other.words.len()),
            self.words.len().max(other.words.len()),
        );
        // Words may be added or removed, but not replaced: one side has all words of the other.
        let highest = cosine_of(fewer, self.words.len(), other.words.len());
        let cosine = || cosine(&self.words, &other.words);
        let reaches = |cosine: &f64| *cosine >= cosine_needed(threshold, more);
        (fewer > 0 && reaches(&highest))
            .then(cosine)
            .filter(reaches)
            .filter(|_| says_the_same(&self.reading, &other.reading))
    }
}

/// Returns the cosine of two sorted sets of words; 0 when one is empty.
pub fn cosine(a: &[TermHash], b: &[TermHash]) -> f64 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(word_a), Some(word_b)) = (a.get(i), b.get(j)) {
        shared += usize::from(word_a == word_b);
        let (next_a, next_b) = (word_a <= word_b, word_b <= word_a);
        i += usize::from(next_a);
        j += usize::from(next_b);
    }
    cosine_of(shared, a.len(), b.len())
}

fn cosine_of(shared: usize, a: usize, b: usize) -> f64 {
    if shared == 0 {
        return 0.0;
    }
    shared as f64 / (a as f64 * b as f64).sqrt()
}

/// Returns the cosine that a pair needs whose longer text has this many content words.
pub fn cosine_needed(threshold: f64, words: usize) -> f64 {
    if words <= LONG_WORDS {
        return threshold;
    }
    (1.0 - (1.0 - threshold * threshold) * LONG_WORDS as f64 / words as f64).sqrt()
}

/// Tolerance for rounding errors.
const SLACK: f64 = 1e-6;

/// Returns how many content words of a text with `words` of them a near duplicate may lack.
pub fn extra_max(threshold: f64, words: usize) -> usize {
    ((1.0 - threshold * threshold) * words.min(LONG_WORDS) as f64 + SLACK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_those_of_the_definition() {
        assert_eq!(cosine(&[1, 2, 3], &[1, 2, 3]), 1.0);
        assert_eq!(cosine(&[1, 2, 3, 4], &[1]), 0.5);
        assert_eq!(cosine(&[], &[1]), 0.0);
        assert_eq!(cosine(&[1], &[2]), 0.0);
    }

    #[test]
    fn longer_texts_need_a_higher_cosine() {
        assert_eq!(cosine_needed(0.9, 24), 0.9);
        assert!(cosine_needed(0.9, 100) > 0.975 && cosine_needed(0.9, 1000) > 0.997);
        assert_eq!(cosine_needed(1.0, 1000), 1.0);
        let words: Vec<u64> = (0..1000).collect();
        for (threshold, extra) in [(0.9, 4), (0.5, 18), (1.0, 0)] {
            assert_eq!(extra_max(threshold, 1000), extra);
            let needed = cosine_needed(threshold, 1000);
            assert!(cosine(&words, &words[..1000 - extra]) >= needed);
            assert!(cosine(&words, &words[..999 - extra]) < needed);
        }
    }
}
