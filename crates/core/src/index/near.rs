//! Near duplicates: tests that never miss one, but spare nearly all other texts from being read.
//!
//! Two texts that say the same have the same words of content, but for a few that only the longer one has ([`extra_max`]).
//! *Prefix*: the rarest word of the shorter one is then among the few rarest of the longer one. So a record is indexed
//! under its few rarest words, each with its place among them, and only those are looked up; any order of words does, as
//! long as both sides use the same.
//! *Sketch*: sixteen counters of four bits, one of which each word raises. The counters of the longer one exceed those of the
//! shorter one by as many words as it has more, all together, and none falls short. There are two: one beside
//! every posting, and one of 32 other counters for those that the first lets through.

use crate::text::{TermHash, extra_max};

/// Counters of four bits.
pub type Sketch = u64;
/// 32 of them.
pub type Wide = [Sketch; 2];

const LOW_NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
const HIGH_BITS: u64 = 0x8888_8888_8888_8888;

/// The sketches of some words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sketches {
    /// How many words there are.
    pub count: u32,
    /// The one beside a posting.
    pub sketch: Sketch,
    /// The other one.
    pub wide: Wide,
}

impl Sketches {
    /// Returns the sketches of words, each of which is there once.
    pub fn of(words: &[TermHash]) -> Self {
        let mut sketches = Sketches {
            count: u32::try_from(words.len()).unwrap_or(u32::MAX).min(COUNT_MAX),
            ..Sketches::default()
        };
        for word in words {
            raise(&mut sketches.sketch, word >> 60);
            raise(&mut sketches.wide[(word >> 59 & 1) as usize], word >> 55 & 15);
        }
        sketches
    }
}

/// Raises a counter; behind 15 comes 0.
fn raise(sketch: &mut Sketch, counter: u64) {
    let shift = counter * 4;
    let mask = 15 << shift;
    *sketch = *sketch & !mask | (*sketch & mask).wrapping_add(1 << shift) & mask;
}

/// Returns the sum of the differences of the counters, each from 0 to 15.
#[inline]
fn excess(more: Sketch, less: Sketch) -> u64 {
    let each = ((more | HIGH_BITS) - (less & !HIGH_BITS)) ^ ((more ^ !less) & HIGH_BITS);
    let pairs = (each & LOW_NIBBLES) + (each >> 4 & LOW_NIBBLES);
    pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56
}

/// More words are not told apart in a list.
const COUNT_MAX: u32 = (1 << 24) - 1;

/// What a list of near duplicates has of a record. Lists begin with the records of which the word is the rarest.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearPosting {
    pub sketch: Sketch,
    /// How many words of content it has.
    pub count: u32,
    /// How many of its words are rarer than the one of the list.
    pub before: u8,
    pub doc: u32,
}

impl NearPosting {
    /// How many bytes a packed posting has.
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

/// A text, ready to be held against the sketches of many others.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignatureFilter {
    ours: Sketches,
    /// How many words the shortest and the longest near duplicate have.
    count_min: u32,
    count_max: u32,
}

impl SignatureFilter {
    pub fn new(ours: Sketches, threshold: f64) -> Self {
        let count = ours.count as usize;
        let fewer = u32::try_from(extra_max(threshold, count)).unwrap_or(u32::MAX);
        // What a longer text may have more depends on its own length, up to a point.
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

    /// Tells whether a record can be a near duplicate, by what its posting has of it.
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

    /// Tells the same by its wide sketch.
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

/// Tells whether counters can differ by so much when there are so many more words. A counter that starts again loses 16.
#[inline]
fn is_possible(excess: u64, difference: u32) -> bool {
    let difference = u64::from(difference);
    excess == difference || (difference > 15 && excess < difference && (difference - excess).is_multiple_of(16))
}

/// The name of a word within a partition.
#[inline]
pub(super) fn near_key(word: TermHash, partition: u64) -> u64 {
    (word ^ partition).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// How many words of a text are usually among its rarest.
pub(super) const RAREST_USUAL: usize = 4;

/// Puts the rarest words of a text into `rarest`, the rarest first, by `rarity` (smaller is rarer): as many as
/// another one may lack, and one more. Texts list the words they share in one order.
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

/// Returns the largest [`NearPosting::before`] of the records to look at in the list of our word with so many rarer ones
/// before it: either all of our words are theirs, and ours is the rarest, or theirs are ours, and theirs is.
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

    /// Two texts, one of which has all words of the other and as many more as it may have.
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
            // A fact was replaced; nothing is nearer without being near.
            b[random() as usize % many] = word(random());
            let signature_filter = SignatureFilter::new(Sketches::of(&a), 0.9);
            let posting = posting_of(&b);
            passed += u32::from(
                signature_filter.lets_through(&posting)
                    && signature_filter.lets_through_wide(Sketches::of(&b).wide, posting.count),
            );
        }
        assert!(passed < 100, "{passed}");
    }

    #[test]
    fn near_texts_meet_at_the_beginning_of_a_list_whatever_is_rare() {
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
