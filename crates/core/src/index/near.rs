//! Cosine similarity of word bags, and two tests that never miss a pair but spare nearly all of the others.
//!
//! *Prefix*: two bags whose cosine is at least t share a word among the rarest ones of each, when "the rarest ones"
//! carry more than 1 - t² of the bag's squared norm (by Cauchy-Schwarz: what is left is too light to reach t). So only
//! those words are indexed and looked up; any order of words does, as long as both sides use the same.
//! *Signature*: a bit for every word. A bit that the other bag lacks is a word it lacks, which weighs at least one. There
//! are two: one of 64 bits beside every posting, and one of 128 other bits for those that the first lets through.

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
    /// The same with more bits, and by other bits of the words.
    pub wide: Wide,
}

/// A signature of 128 bits.
pub type Wide = [u64; 2];

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
        (self.signature, self.wide) = (0, [0; 2]);
        for (word, _) in &self.words {
            self.signature |= 1 << (word >> 58);
            self.wide[(word >> 57 & 1) as usize] |= 1 << (word >> 51 & 63);
        }
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

/// Larger squared norms are not told apart in a list; nothing is concluded from them.
const NORM2_MAX: u32 = (1 << 24) - 1;

/// What a list of near duplicates has of a record. Lists begin with the records of which the word is among the rarest.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearPosting {
    pub signature: u64,
    pub norm2: u32,
    /// How much of the squared norm its words have that are rarer than the one of the list, in 255ths.
    pub before: u8,
    pub doc: u32,
}

impl NearPosting {
    /// How many bytes a packed posting has.
    pub const BYTES: usize = 16;

    pub fn pack(self) -> [u8; NearPosting::BYTES] {
        let facts = self.norm2.min(NORM2_MAX) | u32::from(self.before) << 24;
        let whole = u128::from(self.signature) | u128::from(facts) << 64 | u128::from(self.doc) << 96;
        whole.to_le_bytes()
    }

    #[inline]
    pub fn unpack(bytes: &[u8; NearPosting::BYTES]) -> Self {
        let whole = u128::from_le_bytes(*bytes);
        let facts = (whole >> 64) as u32;
        NearPosting {
            signature: whole as u64,
            norm2: facts & NORM2_MAX,
            before: (facts >> 24) as u8,
            doc: (whole >> 96) as u32,
        }
    }
}

/// A bag, ready to be held against the signatures of many others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sieve {
    signature: u64,
    wide: Wide,
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
            wide: bag.wide,
            norm,
            least,
            lacking_max,
        }
    }

    /// Calls `visit` with the postings whose bags can reach the threshold, by their signatures.
    #[inline]
    pub fn scan(&self, postings: impl Iterator<Item = NearPosting>, visit: impl FnMut(NearPosting)) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor was asked whether it counts bits.
            #[allow(unsafe_code)]
            return unsafe { self.scan_counting(postings, visit) };
        }
        self.scan_plainly(postings, visit);
    }

    /// Programs for every processor of this kind count bits by a dozen instructions, where nearly all have one.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn scan_counting(&self, postings: impl Iterator<Item = NearPosting>, visit: impl FnMut(NearPosting)) {
        self.scan_plainly(postings, visit);
    }

    #[inline(always)]
    fn scan_plainly(&self, postings: impl Iterator<Item = NearPosting>, mut visit: impl FnMut(NearPosting)) {
        for posting in postings {
            let lacking = (self.signature & !posting.signature).count_ones();
            // Nearly all end here.
            if lacking <= self.lacking_max {
                let extra = (posting.signature & !self.signature).count_ones();
                if self.can_reach(lacking, extra, posting.norm2) {
                    visit(posting);
                }
            }
        }
    }

    /// Tells whether the bag with this wide signature can reach the threshold.
    #[inline]
    pub fn lets_through(&self, wide: Wide, norm2: u32) -> bool {
        let lacking = (self.wide[0] & !wide[0]).count_ones() + (self.wide[1] & !wide[1]).count_ones();
        let extra = (wide[0] & !self.wide[0]).count_ones() + (wide[1] & !self.wide[1]).count_ones();
        lacking <= self.lacking_max && self.can_reach(lacking, extra, norm2)
    }

    /// Tells whether two bags, each of which has so many words that the other lacks, can reach the threshold.
    #[inline]
    fn can_reach(&self, lacking: u32, extra: u32, norm2: u32) -> bool {
        let norm = f64::from(norm2);
        norm2 >= NORM2_MAX
            || (self.norm - f64::from(lacking)) * (norm - f64::from(extra)) >= self.least * self.norm * norm
    }
}

/// The name of a word within a partition.
#[inline]
pub(super) fn near_key(word: TermHash, partition: u64) -> u64 {
    (word ^ partition).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// One of the rarest words of a bag.
#[derive(Debug, Clone, Copy)]
pub(super) struct RareWord {
    pub key: u64,
    /// How much of the squared norm the rarer words have, from 0 to 1.
    pub before: f64,
}

impl RareWord {
    /// Returns [`NearPosting::before`] of a record with this word.
    pub fn share_before(self) -> u8 {
        (self.before * 255.0) as u8
    }

    /// Returns the largest [`NearPosting::before`] of the records whose rarest common word with ours this can be, and whose
    /// bags reach the threshold: by Cauchy-Schwarz, (1 - what we lose before it)(1 - what they lose) is at least t².
    pub fn before_max(self, threshold: f64) -> u8 {
        let least = threshold * threshold * (1.0 - SLACK);
        ((1.0 - least / (1.0 - self.before)) * 255.0).ceil() as u8
    }
}

/// How many words of a bag are usually among its rarest.
pub(super) const RAREST_USUAL: usize = 8;
/// Bags of up to so many words are gone through once for every word that is asked for, without a branch.
const FEW_WORDS: usize = 48;

/// Calls `visit` with the rarest words of a bag, the rarest first, by `rarity` (smaller is rarer). `words` are keys and
/// counts; bags list the words they share in one order.
pub(super) fn rarest_words(
    words: &[(u64, u32)],
    norm2: u32,
    threshold: f64,
    rarity: impl Fn(u64) -> u8,
    visit: impl FnMut(RareWord),
) {
    let rank = |key: u64| u64::from(rarity(key)) << 48 | key >> 16;
    let mut ranks = [u64::MAX; FEW_WORDS];
    if words.len() <= FEW_WORDS {
        for (at, (key, _)) in words.iter().enumerate() {
            ranks[at] = rank(*key) << 8 | at as u64;
        }
        let ranks = &mut ranks[..words.len()];
        let rarest = std::iter::from_fn(|| {
            let least = ranks.iter().copied().min().filter(|rank| *rank != u64::MAX)?;
            let at = (least & 0xff) as usize;
            ranks[at] = u64::MAX;
            Some(words[at])
        });
        visit_until_enough(rarest, norm2, threshold, visit);
    } else {
        let ranked = words.iter().enumerate().map(|(at, (key, _))| Reverse((rank(*key), at)));
        // A heap: most words are never asked for.
        let mut ranked: BinaryHeap<_> = ranked.collect();
        let rarest = std::iter::from_fn(|| ranked.pop().map(|Reverse((_, at))| words[at]));
        visit_until_enough(rarest, norm2, threshold, visit);
    }
}

#[inline]
fn visit_until_enough(
    words: impl Iterator<Item = (u64, u32)>,
    norm2: u32,
    threshold: f64,
    mut visit: impl FnMut(RareWord),
) {
    let norm = f64::from(norm2);
    let enough = (1.0 - threshold * threshold) * norm + SLACK * norm;
    let mut mass = 0.0;
    for (key, count) in words {
        visit(RareWord {
            key,
            before: mass / norm,
        });
        mass += f64::from(count) * f64::from(count);
        if mass > enough {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(words: &[u64]) -> Bag {
        let mut bag = Bag::default();
        bag.count(words);
        bag
    }

    fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
        move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        }
    }

    fn word(number: u64) -> u64 {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
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
    fn the_signature_tests_never_drop_a_near_pair() {
        let mut random = numbers(7);
        let mut near_pairs = 0;
        for _ in 0..20_000 {
            let a: Vec<u64> = (0..12).map(|_| word(random() % 40)).collect();
            let mut b = a.clone();
            for _ in 0..random() % 3 {
                let at = (random() % 12) as usize;
                b[at] = word(random() % 40);
            }
            let (a, b) = (bag(&a), bag(&b));
            if cosine(&a, &b) >= 0.9 {
                near_pairs += 1;
                let (sieve, mut passed) = (Sieve::new(&a, 0.9), 0);
                let posting = NearPosting {
                    signature: b.signature,
                    norm2: b.norm2,
                    before: 0,
                    doc: 7,
                };
                sieve.scan([posting].into_iter(), |posting| passed += posting.doc);
                assert_eq!(passed, 7);
                assert!(sieve.lets_through(b.wide, b.norm2));
            }
        }
        assert!(near_pairs > 1000, "{near_pairs}");
    }

    #[test]
    fn near_bags_meet_at_the_beginning_of_a_list_whatever_is_rare() {
        let mut random = numbers(11);
        let mut near_pairs = 0;
        for _ in 0..60_000 {
            // Few words and many, most of them once, some often.
            let many = 4 + random() % [24, 24, 24, 24, 24, 24, 24, 120][random() as usize % 8];
            let mut a: Vec<u64> = (0..many).map(|_| word(random() % 200)).collect();
            let often = random() % 3;
            a.extend((0..often).map(|_| word(3)));
            let mut b = a.clone();
            for _ in 0..random() % 5 {
                let at = random() as usize % b.len();
                match random() % 3 {
                    0 => b[at] = word(random() % 200),
                    1 => b.push(word(random() % 200)),
                    _ => drop(b.remove(at)),
                }
            }
            let (a, b) = (bag(&a), bag(&b));
            let threshold = [0.5, 0.8, 0.9, 0.97, 1.0][random() as usize % 5];
            if cosine(&a, &b) < threshold {
                continue;
            }
            near_pairs += 1;
            let levels = 1 + random() % 200;
            let rarest = |bag: &Bag| {
                let words: Vec<_> = bag.words.iter().map(|(word, n)| (near_key(*word, 5), *n)).collect();
                let mut found = Vec::new();
                rarest_words(
                    &words,
                    bag.norm2,
                    threshold,
                    |key| (key % levels) as u8,
                    |word| found.push(word),
                );
                found
            };
            let (ours, theirs) = (rarest(&a), rarest(&b));
            let meet = ours.iter().any(|our| {
                let same = theirs.iter().find(|their| their.key == our.key);
                same.is_some_and(|their| their.share_before() <= our.before_max(threshold))
            });
            assert!(meet, "{a:?} {b:?} {threshold}");
        }
        assert!(near_pairs > 10_000, "{near_pairs}");
    }
}
