//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009): a word scores
//! `rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * length / average))`, with `rarity = ln(1 + (N - n + .5) / (n + .5))`.

/// Term frequency saturation.
const K1: f32 = 1.2;
/// Length normalization.
const B: f32 = 0.75;
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
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
    }
}
