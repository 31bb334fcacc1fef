//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009): a word scores
//! `rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * length / average))`, with `rarity = ln(1 + (N - n + .5) / (n + .5))`.

/// How soon further occurrences of a word stop counting.
const K1: f32 = 1.2;
/// How much longer texts are discounted.
const B: f32 = 0.75;
/// The most that a word is worth in any text, as a multiple of its rarity.
pub const SHARE_MAX: f32 = K1 + 1.0;

/// Returns how much a word that `with` of `docs` records have tells about one of them.
pub fn rarity_of(with: f32, docs: f32) -> f32 {
    (1.0 + (docs - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// What occurrences in a text of some length are worth, once computed for the usual case of one occurrence.
#[derive(Debug)]
pub struct Shares {
    average_length: f32,
    once: [f32; 256],
}

impl Shares {
    /// Returns the shares in a collection whose texts have so many words on average.
    pub fn new(average_length: f32) -> Self {
        let mut shares = Shares {
            average_length,
            once: [0.0; 256],
        };
        shares.once = std::array::from_fn(|length| shares.compute(length as u16, 1.0));
        shares
    }

    /// Returns what a word that a text of this length has so often is worth, as a multiple of its rarity.
    #[inline]
    pub fn of(&self, length: u16, times: u16) -> f32 {
        match self.once.get(usize::from(length)) {
            Some(share) if times == 1 => *share,
            _ => self.compute(length, f32::from(times)),
        }
    }

    /// Returns the same for a count that need not be whole.
    pub fn compute(&self, length: u16, times: f32) -> f32 {
        let length = f32::from(length) / self.average_length;
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
    }
}
