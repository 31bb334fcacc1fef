//! How rare the words of a text are in a memory, without a search.

use rustc_hash::FxHashSet;

use super::JournalIndex;
use super::part::Part;
use crate::text::bm25::rarity_of;
use crate::text::{QueryWord, TermHash};

/// The parts whose records are counted.
#[derive(Debug)]
pub struct Rarities<'a> {
    parts: Vec<Part<'a>>,
    docs: f32,
    /// The terms of a record that does not count.
    left_out: FxHashSet<TermHash>,
}

impl<'a> Rarities<'a> {
    /// Counts in these indexes.
    pub fn new(journal_indexes: &[&'a JournalIndex]) -> Self {
        let parts = journal_indexes.iter().flat_map(|journal_index| journal_index.parts());
        let parts: Vec<Part<'a>> = parts.filter(|part| part.docs() > 0).collect();
        Rarities {
            docs: parts.iter().map(|part| part.docs()).sum::<u32>() as f32,
            parts,
            left_out: FxHashSet::default(),
        }
    }

    /// Leaves a record out that is in one of the indexes, by its terms.
    #[must_use]
    pub fn without(mut self, terms: FxHashSet<TermHash>) -> Self {
        self.docs -= 1.0;
        self.left_out = terms;
        self
    }

    /// Returns the inverse document frequency of a word that a single record has.
    pub fn highest(&self) -> f32 {
        rarity_of(1.0, self.docs)
    }

    /// Returns the inverse document frequency of a word, times its weight in a query.
    pub fn of(&self, word: &QueryWord) -> f32 {
        let lists = word
            .stems
            .iter()
            .flat_map(|term| self.parts.iter().filter_map(|part| part.postings(*term)));
        let with: u32 = lists.map(|postings| postings.count()).sum();
        let left_out = word.stems.iter().any(|term| self.left_out.contains(term));
        let with = with.saturating_sub(u32::from(left_out));
        word.weight * rarity_of(with as f32, self.docs)
    }
}
