//! Candidate generation for near duplicates, without false negatives: prefix filtering (AllPairs: Bayardo, Ma and Srikant 2007; PPJoin:
//! Xiao et al. 2008) and a signature filter.
//!
//! Let `A` be the content words of the shorter and `B` those of the longer text. Near duplicates satisfy `A ⊆ B` and `|B| - |A| <=
//! extra_max`.
//!
//! *Prefix filter*: with both sets sorted by the same order (rarest first), the first word of `A` is among the first `extra_max + 1`
//! words of `B`. So a record is indexed under its `extra_max + 1` rarest words, each with its rank, and only those are looked up.
//!
//! *Signature filter*: a sketch counts words by hash in sixteen counters modulo 16. Since `A ⊆ B`,
//! `sum((B[i] - A[i]) mod 16) = |B| - |A|`, or less by a multiple of 16 after an overflow. Each posting contains a sketch; candidates that
//! pass are tested with a second one of 32 other counters.
//!
//! Difference from the papers: containment with a bound on the size difference replaces the similarity threshold.

use crate::text::{TermHash, extra_max};

/// Sixteen counters of four bits.
pub type Sketch = u64;
/// 32 counters of four bits.
pub type Wide = [Sketch; 2];

const LOW_NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
const HIGH_BITS: u64 = 0x8888_8888_8888_8888;

/// The sketches of a set of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sketches {
    /// The number of words.
    pub count: u32,
    /// The sketch in postings.
    pub sketch: Sketch,
    /// The second, wider sketch.
    pub wide: Wide,
}

impl Sketches {
    /// Returns the sketches of distinct words.
    pub fn of(words: &[TermHash]) -> Self {
        let mut sketches = Sketches {
            count: u32::try_from(words.len()).unwrap_or(u32::MAX).min(COUNT_MAX),
            ..Sketches::default()
        };
        for word in words {
            raise(&mut sketches.sketch, word >> 60);
            let [low, high] = &mut sketches.wide;
            raise(if word >> 59 & 1 == 0 { low } else { high }, word >> 55 & 15);
        }
        sketches
    }
}

/// Increments a counter modulo 16.
fn raise(sketch: &mut Sketch, counter: u64) {
    let shift = counter * 4;
    let mask = 15 << shift;
    *sketch = *sketch & !mask | (*sketch & mask).wrapping_add(1 << shift) & mask;
}

/// Returns `sum((more[i] - less[i]) mod 16)`.
#[inline]
fn excess(more: Sketch, less: Sketch) -> u64 {
    let each = ((more | HIGH_BITS) - (less & !HIGH_BITS)) ^ ((more ^ !less) & HIGH_BITS);
    let pairs = (each & LOW_NIBBLES) + (each >> 4 & LOW_NIBBLES);
    pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56
}

/// The maximum word count in a posting; larger ones are stored as this.
const COUNT_MAX: u32 = (1 << 24) - 1;

/// A posting for near duplicates. Lists begin with the records whose rarest word is that of the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearPosting {
    pub sketch: Sketch,
    /// The number of its content words.
    pub count: u32,
    /// The number of its words that are rarer than the word of the list.
    pub before: u8,
    pub doc: u32,
}

impl NearPosting {
    /// The size of a packed posting in bytes.
    pub const BYTES: usize = 16;

    pub fn pack(self) -> [u8; NearPosting::BYTES] {
        let facts = self.count.min(COUNT_MAX) | u32::from(self.before) << 24;
        let whole = u128::from(self.sketch) | u128::from(facts) << 64 | u128::from(self.doc) << 96;
        whole.to_le_bytes()
    }

    #[inline]
    pub fn unpack(bytes: &[u8; NearPosting::BYTES]) -> Self {
        let whole = u128::from_le_bytes(*bytes);
        let facts = (whole >> 64) as u32;
        NearPosting {
            sketch: whole as u64,
            count: facts & COUNT_MAX,
            before: (facts >> 24) as u8,
            doc: (whole >> 96) as u32,
        }
    }
}

/// The signature filter of a text, for comparison with many others.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignatureFilter {
    ours: Sketches,
    /// The word counts of the shortest and the longest possible near duplicate.
    count_min: u32,
    count_max: u32,
}

impl SignatureFilter {
    pub fn new(ours: Sketches, threshold: f64) -> Self {
        let count = ours.count as usize;
        let fewer = u32::try_from(extra_max(threshold, count)).unwrap_or(u32::MAX);
        // The bound on additional words depends on the length of the longer text.
        let mut longest = count;
        while extra_max(threshold, longest + 1) > longest - count {
            longest += 1;
        }
        SignatureFilter {
            ours,
            count_min: ours.count - fewer.min(ours.count),
            count_max: u32::try_from(longest).unwrap_or(u32::MAX),
        }
    }

    /// Returns true if a record can be a near duplicate, judged by its posting.
    #[inline]
    pub fn lets_through(&self, posting: &NearPosting) -> bool {
        if posting.count < self.count_min || posting.count > self.count_max {
            return false;
        }
        let (difference, excess) = if posting.count >= self.ours.count {
            (
                posting.count - self.ours.count,
                excess(posting.sketch, self.ours.sketch),
            )
        } else {
            (
                self.ours.count - posting.count,
                excess(self.ours.sketch, posting.sketch),
            )
        };
        is_possible(excess, difference)
    }

    /// Returns the same, judged by its wide sketch.
    #[inline]
    pub fn lets_through_wide(&self, wide: Wide, count: u32) -> bool {
        let ours = self.ours.wide;
        let (more, less) = if count >= self.ours.count {
            (wide, ours)
        } else {
            (ours, wide)
        };
        let excess = excess(more[0], less[0]) + excess(more[1], less[1]);
        is_possible(excess, count.abs_diff(self.ours.count))
    }
}

/// Returns true if the counters can have this sum of differences for this difference in word counts. Each overflow of a counter subtracts
/// 16.
#[inline]
fn is_possible(excess: u64, difference: u32) -> bool {
    let difference = u64::from(difference);
    excess == difference || (difference > 15 && excess < difference && (difference - excess).is_multiple_of(16))
}

/// Returns true if two texts can be near duplicates, judged by their wide sketches alone.
pub(crate) fn can_be_near(one: &Wide, other: &Wide, threshold: f64) -> bool {
    let extra = extra_max(threshold, usize::MAX) as u64;
    let sum = |more: &Wide, less: &Wide| excess(more[0], less[0]) + excess(more[1], less[1]);
    // The text with more words exceeds the other by their number.
    sum(one, other) <= extra || sum(other, one) <= extra
}

#[inline]
pub(super) fn near_key(word: TermHash, partition: u64) -> u64 {
    (word ^ partition).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The usual number of rarest words per text.
pub(super) const RAREST_USUAL: usize = 4;

/// Puts the `extra_max + 1` rarest words of a text into `rarest`, the rarest first, by `rarity` (smaller is rarer). Ties are broken by
/// key, so that all texts use the same order.
pub(super) fn find_rarest(
    keys: impl ExactSizeIterator<Item = u64>,
    threshold: f64,
    rarity: impl Fn(u64) -> u8,
    rarest: &mut Vec<(u64, u64)>,
) {
    rarest.clear();
    let wanted = extra_max(threshold, keys.len()) + 1;
    for key in keys {
        let ranked = (u64::from(rarity(key)) << 48 | key >> 16, key);
        if rarest.len() == wanted && rarest.last().is_some_and(|last| *last <= ranked) {
            continue;
        }
        if rarest.len() == wanted {
            rarest.pop();
        }
        let at = rarest.partition_point(|other| *other < ranked);
        rarest.insert(at, ranked);
    }
}

/// Returns the largest [`NearPosting::before`] to consider in the list of our word with rank `before`: the common rarest word has rank 0 in
/// the shorter text.
pub(super) fn before_max(before: usize) -> u8 {
    if before == 0 { u8::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
        move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        }
    }

    fn word(number: u64) -> u64 {
        number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Two texts, one of which has all words of the other and as many additional ones as allowed.
    fn nested_pair(random: &mut impl FnMut() -> u64, threshold: f64) -> (Vec<u64>, Vec<u64>) {
        let many = 1 + random() % [10, 30, 100, 3000][random() as usize % 4];
        let mut longer: Vec<u64> = (0..many).map(|_| word(random() % 5000)).collect();
        longer.sort_unstable();
        longer.dedup();
        let mut shorter = longer.clone();
        for _ in 0..random() % (extra_max(threshold, longer.len()) as u64 + 1) {
            shorter.remove(random() as usize % shorter.len());
        }
        if random().is_multiple_of(2) {
            (longer, shorter)
        } else {
            (shorter, longer)
        }
    }

    fn posting_of(words: &[u64]) -> NearPosting {
        let Sketches { sketch, count, .. } = Sketches::of(words);
        NearPosting {
            sketch,
            count,
            before: 0,
            doc: 7,
        }
    }

    #[test]
    fn sketches_never_drop_a_near_pair() {
        let mut random = numbers(7);
        for round in 0..20_000 {
            let threshold = [0.5, 0.8, 0.9, 0.97, 1.0][round % 5];
            let (a, b) = nested_pair(&mut random, threshold);
            let signature_filter = SignatureFilter::new(Sketches::of(&a), threshold);
            let posting = NearPosting::unpack(&posting_of(&b).pack());
            assert!(
                signature_filter.lets_through(&posting),
                "{} {} {threshold}",
                a.len(),
                b.len()
            );
            assert!(signature_filter.lets_through_wide(Sketches::of(&b).wide, posting.count));
            assert!(can_be_near(&Sketches::of(&a).wide, &Sketches::of(&b).wide, threshold));
        }
    }

    #[test]
    fn sketches_drop_nearly_all_others() {
        let mut random = numbers(5);
        let mut passed = 0;
        for _ in 0..20_000 {
            let many = [12, 40, 300, 3000][random() as usize % 4];
            let a: Vec<u64> = (0..many).map(|_| word(random())).collect();
            let mut b = a.clone();
            // A fact was replaced: the nearest pair that is not a duplicate.
            b[random() as usize % many] = word(random());
            let signature_filter = SignatureFilter::new(Sketches::of(&a), 0.9);
            let posting = posting_of(&b);
            passed += u32::from(
                signature_filter.lets_through(&posting)
                    && signature_filter.lets_through_wide(Sketches::of(&b).wide, posting.count),
            );
        }
        assert!(passed < 100, "{passed}");
        let mut texts = (0..2000).map(|_| -> Vec<u64> { (0..40).map(|_| word(random())).collect() });
        let first = Sketches::of(&texts.next().unwrap()).wide;
        let near = texts.filter(|text| can_be_near(&first, &Sketches::of(text).wide, 0.9));
        assert!(near.count() < 10);
    }

    #[test]
    fn near_duplicates_share_a_prefix_posting_whatever_words_are_rare() {
        let mut random = numbers(11);
        for round in 0..20_000 {
            let threshold = [0.5, 0.8, 0.9, 0.97, 1.0][round % 5];
            let (a, b) = nested_pair(&mut random, threshold);
            let levels = 1 + random() % 200;
            let rarest = |words: &[u64]| {
                let mut found = Vec::new();
                let keys = words.iter().map(|word| near_key(*word, 5));
                find_rarest(keys, threshold, |key| (key % levels) as u8, &mut found);
                found
            };
            let (ours, theirs) = (rarest(&a), rarest(&b));
            let meet = ours.iter().enumerate().any(|(at, our)| {
                let same = theirs.iter().position(|their| their.1 == our.1);
                same.is_some_and(|before| before <= usize::from(before_max(at)))
            });
            assert!(meet, "{a:?} {b:?} {threshold}");
        }
    }
}
