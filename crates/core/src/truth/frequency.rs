//! Document frequencies: in how many records of a memory the words of a new one occur.

/// The numbers of records, by word.
#[derive(Debug, Clone, Default)]
pub struct Frequency {
    /// Sorted by word.
    counts: Vec<(u64, u32)>,
}

impl Frequency {
    /// Returns the sums of counts: a word, the key of a list, and its length. A list counts once.
    pub fn of(mut lists: Vec<(u64, u64, u32)>) -> Self {
        lists.sort_unstable();
        lists.dedup();
        let sum = |lists: &[(u64, u64, u32)]| {
            let count = lists.iter().map(|(_, _, count)| *count).sum();
            lists.first().map(|(word, _, _)| (*word, count))
        };
        let counts = lists.chunk_by(|one, next| one.0 == next.0).filter_map(sum).collect();
        Frequency { counts }
    }

    /// Returns how much a shared word tells: 1 for a rare one. A word that was not counted is rare; one that was counted without a result is so
    /// frequent that no list is kept of it.
    pub(super) fn rarity(&self, word: u64) -> f32 {
        f32::from(self.tenths(word)) / 10.0
    }

    /// The rarity in tenths.
    pub(super) fn tenths(&self, word: u64) -> u8 {
        let count = match self.counts.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(at) => self.counts.get(at).map_or(1, |(_, count)| *count),
            Err(_) => 1,
        };
        match count {
            1..=8 => 10,
            9..=32 => 7,
            33..=128 => 4,
            _ => 2,
        }
    }
}
