//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009): a word scores
//! `rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * length / average))`, with `rarity = ln(1 + (N - n + .5) / (n + .5))`.
//!
//! Difference from the paper: a text that is longer than [`LENGTH_MAX`] averages counts as a passage of that length, with its
//! share of the occurrences. Otherwise a line in a long log would count for nothing.

/// Term frequency saturation.
const K1: f32 = 1.2;
/// Length normalization.
const B: f32 = 0.75;
/// The length of the longest passage, as a multiple of the average length.
const LENGTH_MAX: f32 = 3.0;
/// The upper bound of a word's contribution, as a multiple of its rarity.
pub const SHARE_MAX: f32 = K1 + 1.0;

/// Returns the inverse document frequency of a word that occurs in `with` of `docs` records.
pub fn rarity_of(with: f32, docs: f32) -> f32 {
    (1.0 + (docs - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// The contributions of words by length and count, precomputed for the common case of one occurrence.
#[derive(Debug)]
pub struct Shares {
    average_length: f32,
    once: [f32; 256],
}

impl Shares {
    /// Returns the contributions for a collection with this average length.
    pub fn new(average_length: f32) -> Self {
        let mut shares = Shares {
            average_length,
            once: [0.0; 256],
        };
        shares.once = std::array::from_fn(|length| shares.compute(length as u16, 1.0));
        shares
    }

    /// Returns the contribution of a word with this count in a text of this length, as a multiple of its rarity.
    #[inline]
    pub fn of(&self, length: u16, times: u16) -> f32 {
        match self.once.get(usize::from(length)) {
            Some(share) if times == 1 => *share,
            _ => self.compute(length, f32::from(times)),
        }
    }

    /// Returns the same for a fractional count.
    pub fn compute(&self, length: u16, times: f32) -> f32 {
        let length = f32::from(length) / self.average_length;
        let passages = (length / LENGTH_MAX).max(1.0);
        let length = length / passages;
        // A word that occurs is in one of them as a whole.
        let times = (times / passages).max(times.min(1.0));
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
    }
}

#[cfg(test)]
mod tests {
    use super::Shares;

    #[test]
    fn a_text_above_three_averages_counts_as_one_of_its_passages() {
        let shares = Shares::new(20.0);
        assert!(shares.of(60, 1) < shares.of(20, 1), "length still counts up to there");
        assert_eq!(shares.of(6000, 1), shares.of(60, 1), "and no further");
        assert_eq!(
            shares.of(600, 20),
            shares.of(60, 2),
            "with its share of the occurrences"
        );
        assert!(
            shares.of(6000, 30) < shares.of(60, 2),
            "a word spread over a long text is not frequent in it"
        );
    }
}
