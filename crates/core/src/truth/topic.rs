//! Topics: the words by which texts about the same subject are found, and whether what two texts share is reason enough to compare them.

use super::claims::Claims;
use super::frequency::Frequency;
use super::{SHORT_SALT, TOPIC_SALT, TOPICS_MAX};
use crate::text::TermHash;

/// The sum of halves from which two texts are compared.
const HALVES_MIN: u8 = 2;
/// The weight from which two texts are compared, in tenths of a rare word: two that are in most texts say nothing. The score of
/// texts that no rule compares asks for the same.
const WEIGHT_MIN: u8 = 7;

/// A word by which texts about the same topic are found.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// The word.
    pub word: u64,
    /// The key under which a record with it is indexed.
    pub key: TermHash,
    /// Two shared words are enough for a comparison, and so is a single one that a short text contains.
    halves: u8,
}

/// Calls `visit` with the words by which texts about the same topic are found.
pub fn each_topic(claims: &Claims, mut visit: impl FnMut(Topic)) {
    let mut both = |word: u64, halves: u8| {
        for (salt, halves) in [(TOPIC_SALT, halves), (SHORT_SALT, HALVES_MIN)] {
            let key = word ^ salt;
            visit(Topic { word, key, halves });
        }
    };
    claims.topics.iter().for_each(|word| both(*word, 1));
    let before = claims.clauses.iter().flat_map(|clause| &clause.before_keys);
    before.take(TOPICS_MAX).for_each(|word| both(*word, HALVES_MIN));
}

/// The reason to compare two texts: what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reason {
    /// The sum of halves, at most 15.
    pub halves: u8,
    /// The weight of the shared words: ten for a rare one, less for a frequent one.
    pub weight: u8,
}

impl Reason {
    /// Returns the reason that a shared word is. One that is enough by itself counts in full, however frequent it is.
    pub fn of(topic: Topic, frequency: &Frequency) -> Self {
        let is_enough = topic.halves >= HALVES_MIN;
        Reason {
            halves: topic.halves,
            weight: if is_enough { 20 } else { frequency.tenths(topic.word) },
        }
    }

    /// Returns both reasons together.
    #[must_use]
    pub fn and(self, other: Reason) -> Self {
        Reason {
            halves: (self.halves + other.halves).min(15),
            weight: self.weight.saturating_add(other.weight),
        }
    }

    /// Whether the texts are compared.
    pub fn is_enough(self) -> bool {
        self.halves >= HALVES_MIN && self.weight >= WEIGHT_MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason to compare two texts of which all words occur in so many records.
    fn reason(text: &str, shared: &[&str], count: u32) -> Reason {
        let claims = Claims::of(text);
        let keys: Vec<u64> = Claims::of(&shared.join(" ")).words;
        let counts = claims
            .topics
            .iter()
            .map(|word| (*word, word ^ TOPIC_SALT, count))
            .collect();
        let frequency = Frequency::of(counts);
        let mut reason = Reason::default();
        each_topic(&claims, |topic| {
            if keys.contains(&topic.word) && topic.key == topic.word ^ TOPIC_SALT {
                reason = reason.and(Reason::of(topic, &frequency));
            }
        });
        reason
    }

    const TEXT: &str = "The importer writes invoices through a queue of the warehouse";

    #[test]
    fn two_shared_words_are_enough_unless_they_are_in_most_records() {
        for (count, is_enough) in [
            (1, true),
            (8, true),
            (32, true),
            (128, true),
            (129, false),
            (100_000, false),
        ] {
            let found = reason(TEXT, &["importer", "invoices"], count);
            assert_eq!(found.is_enough(), is_enough, "{count}: {found:?}");
        }
        assert!(reason(TEXT, &["importer", "invoices", "queue", "warehouse"], 100_000).is_enough());
        assert!(!reason(TEXT, &["importer"], 1).is_enough());
    }

    #[test]
    fn a_word_of_a_short_text_and_the_previous_value_are_enough_by_themselves() {
        let claims = Claims::of("We switched from Jenkins to Tekton");
        let counts = claims.topics.iter().map(|word| (*word, *word, 100_000)).collect();
        let frequency = Frequency::of(counts);
        let mut enough = 0;
        each_topic(&claims, |topic| {
            enough += usize::from(Reason::of(topic, &frequency).is_enough())
        });
        // Each word under the key of short texts, and the previous value under both.
        assert_eq!(enough, claims.topics.len() + 2);
    }

    #[test]
    fn many_words_do_not_overflow() {
        let full = Reason {
            halves: 15,
            weight: 250,
        };
        assert_eq!(
            full.and(full),
            Reason {
                halves: 15,
                weight: 255
            }
        );
    }
}
