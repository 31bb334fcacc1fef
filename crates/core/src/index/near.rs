//! Cosine similarity of word bags, and two tests that never miss a pair but spare nearly all of the others.
//!
//! *Prefix*: two bags whose cosine is at least t share a word among the rarest ones of each, when "the rarest ones"
//! carry more than 1 - t² of the bag's squared norm (by Cauchy-Schwarz: what is left is too light to reach t). So only
//! those words are indexed and looked up; any order of words does, as long as both sides use the same.
//! *Signature*: a bit for every word. A bit that the other bag lacks is a word it lacks, which weighs at least one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::text::TermHash;

/// The words of a text and how often each occurs.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    /// Sorted by word.
    pub words: Vec<(TermHash, u32)>,
    /// The squared Euclidean norm.
    pub norm2: u32,
    /// One bit for every word, several words to a bit.
    pub signature: u64,
}

impl Bag {
    /// Counts the words.
    pub fn count(&mut self, words: &[TermHash]) {
        self.words.clear();
        self.words.extend(words.iter().map(|word| (*word, 1)));
        self.words.sort_unstable_by_key(|(word, _)| *word);
        self.words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += u32::from(same);
            same
        });
        self.norm2 = self
            .words
            .iter()
            .map(|(_, n)| n.saturating_mul(*n))
            .fold(0, u32::saturating_add);
        self.signature = self.words.iter().fold(0, |bits, (word, _)| bits | (1 << (word >> 58)));
    }
}

/// Returns the cosine of two bags as IEEE doubles give it; 0 when one is empty.
pub fn cosine(a: &Bag, b: &Bag) -> f64 {
    if a.norm2 == 0 || b.norm2 == 0 {
        return 0.0;
    }
    let (mut i, mut j, mut dot) = (0, 0, 0_u64);
    while let (Some((word_a, count_a)), Some((word_b, count_b))) = (a.words.get(i), b.words.get(j)) {
        match word_a.cmp(word_b) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                dot += u64::from(*count_a) * u64::from(*count_b);
                i += 1;
                j += 1;
            }
        }
    }
    dot as f64 / (f64::from(a.norm2).sqrt() * f64::from(b.norm2).sqrt())
}

/// Guards the two tests against rounding: they may let a pair through, never drop one.
const SLACK: f64 = 1e-9;

/// A bag, ready to be held against the signatures of many others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sieve {
    signature: u64,
    norm: f64,
    /// The squared threshold, a little lower.
    least: f64,
    /// How many words of ours another bag may lack at the most.
    lacking_max: u32,
}

impl Sieve {
    pub fn new(bag: &Bag, threshold: f64) -> Self {
        let least = threshold * threshold * (1.0 - SLACK);
        let norm = f64::from(bag.norm2);
        let lacking_max = (norm * (1.0 - least)) as u32;
        Sieve {
            signature: bag.signature,
            norm,
            least,
            lacking_max,
        }
    }

    /// Tells whether the two bags can reach the threshold at all.
    #[inline]
    pub fn lets_through(&self, signature: u64, norm2: u32) -> bool {
        let lacking = (self.signature & !signature).count_ones();
        // Nearly all end here.
        if lacking > self.lacking_max {
            return false;
        }
        let (extra, norm) = (f64::from((signature & !self.signature).count_ones()), f64::from(norm2));
        (self.norm - f64::from(lacking)) * (norm - extra) >= self.least * self.norm * norm
    }
}

/// The name of a word within a partition.
#[inline]
pub(super) fn near_key(word: TermHash, partition: u64) -> u64 {
    (word ^ partition).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A buffer for the words of a bag by rarity; use one for many bags.
#[derive(Debug, Default)]
pub struct RarityOrder(Vec<Reverse<(u8, u64, u32)>>);

/// Calls `visit` with the keys of the rarest words of a bag, by `rarity` (smaller is rarer).
pub(super) fn rarest_keys(
    words: &[(TermHash, u32)],
    norm2: u32,
    partition: u64,
    threshold: f64,
    order: &mut RarityOrder,
    rarity: impl Fn(u64) -> u8,
    mut visit: impl FnMut(u64),
) {
    let mut words_left = std::mem::take(order).0;
    words_left.clear();
    words_left.extend(words.iter().map(|(word, count)| {
        let key = near_key(*word, partition);
        Reverse((rarity(key), key, *count))
    }));
    // A heap: most words are never asked for.
    let mut words_left = BinaryHeap::from(words_left);
    let enough = (1.0 - threshold * threshold) * f64::from(norm2) + SLACK * f64::from(norm2);
    let mut mass = 0.0;
    while let Some(Reverse((_, key, count))) = words_left.pop() {
        visit(key);
        mass += f64::from(count) * f64::from(count);
        if mass > enough {
            break;
        }
    }
    order.0 = words_left.into_vec();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(words: &[u64]) -> Bag {
        let mut bag = Bag::default();
        bag.count(words);
        bag
    }

    #[test]
    fn cosines_are_those_of_the_definition() {
        assert_eq!(cosine(&bag(&[1, 2, 2]), &bag(&[1, 2])), 0.948_683_298_050_513_8);
        assert_eq!(cosine(&bag(&[]), &bag(&[1])), 0.0);
        assert_eq!(cosine(&bag(&[1]), &bag(&[2])), 0.0);
    }

    #[test]
    fn pairs_on_the_threshold_fall_as_ieee_doubles_fall() {
        let range = |from: u64, to: u64| bag(&(from..to).collect::<Vec<_>>());
        // 9 of 10 words: the square roots multiply to a little more than 10.
        assert!(cosine(&range(0, 10), &range(1, 11)) < 0.9);
        assert!(cosine(&range(0, 20), &range(1, 21)) > 0.9);
        // sqrt(16) and sqrt(25) are exact.
        assert!(cosine(&range(0, 16), &range(0, 25)) < 0.9);
    }

    #[test]
    fn the_signature_test_never_drops_a_near_pair() {
        let mut seed = 7_u64;
        let mut random = move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        let mut near_pairs = 0;
        for _ in 0..20_000 {
            let a: Vec<u64> = (0..12)
                .map(|_| (random() % 40).wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .collect();
            let mut b = a.clone();
            for _ in 0..random() % 3 {
                let at = (random() % 12) as usize;
                b[at] = (random() % 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
            let (a, b) = (bag(&a), bag(&b));
            if cosine(&a, &b) >= 0.9 {
                near_pairs += 1;
                assert!(Sieve::new(&a, 0.9).lets_through(b.signature, b.norm2));
            }
        }
        assert!(near_pairs > 1000, "{near_pairs}");
    }
}
