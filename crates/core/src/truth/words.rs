//! Word sets with a bitmap filter (a one-hash Bloom filter of 128 bits): nearly all lookups fail, and most fail on the bit test alone.

/// A hash of a word below 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign(u8);

impl Sign {
    /// Returns the sign of a word.
    pub const fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        let mixed = match bytes {
            [] => 0,
            [only] => *only as usize,
            [first, last] => *first as usize * 31 + *last as usize * 7,
            [first, second, .., last] => *first as usize * 31 + *second as usize * 17 + *last as usize * 7,
        };
        Sign(((mixed + bytes.len() * 5) & 127) as u8)
    }

    const fn bit(self) -> u128 {
        1 << self.0
    }
}

/// A set of words. [`words!`] makes one at compile time.
#[derive(Debug)]
pub(super) struct Words {
    list: &'static [&'static str],
    /// The bitmap: one bit per hash value of a word in the set.
    signs: u128,
}

impl Words {
    /// Returns a set of words.
    pub const fn of(list: &'static [&'static str]) -> Self {
        let mut signs = 0;
        let mut rest = list;
        while let [word, others @ ..] = rest {
            let sign = Sign::of(word);
            signs |= sign.bit();
            rest = others;
        }
        Words { list, signs }
    }

    /// Returns whether the set contains a word, given its hash.
    #[inline]
    pub fn has(&self, word: &str, sign: Sign) -> bool {
        self.may_contain(sign) && self.list.contains(&word)
    }

    /// Returns whether the set may contain a word with this hash.
    #[inline]
    pub fn may_contain(&self, sign: Sign) -> bool {
        self.signs & sign.bit() != 0
    }
}

/// Returns a set of lower-case words that is built at compile time.
macro_rules! words {
    ($($word:literal),+ $(,)?) => {
        const { &$crate::truth::words::Words::of(&[$($word),+]) }
    };
}
pub(super) use words;
