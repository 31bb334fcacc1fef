//! Texts as sets of words of content. Which words those are, and whether two texts of the same words say the same, is the rule
//! of docs/duplicates.md, which the package's core applies; which pairs are near is found here, without its index.

use forge_memory_core::text::Statement;
use rustc_hash::FxHashMap;

/// The words of one text.
pub struct Bag {
    /// Their numbers, sorted.
    pub words: Vec<u32>,
    /// What the text says.
    pub statement: Statement,
    /// The text without case.
    folded: String,
}

/// Turns texts into bags; the number of a word is its place in the order of first sight, or after
/// [`Bags::order_by_rarity`] its place by rarity, rarest first.
#[derive(Default)]
pub struct Bags {
    numbers: FxHashMap<u64, u32>,
    /// One bag a text, in the order of [`Bags::add`].
    pub list: Vec<Bag>,
}

impl Bags {
    /// Adds the bag of a text.
    pub fn add(&mut self, text: &str) {
        let statement = Statement::of(text);
        let mut words = Vec::with_capacity(statement.words().len());
        for word in statement.words() {
            let next = self.numbers.len() as u32;
            words.push(*self.numbers.entry(*word).or_insert(next));
        }
        words.sort_unstable();
        let folded = text.to_lowercase();
        self.list.push(Bag { words, statement, folded });
    }

    /// Renumbers the words: those in the fewest bags get the lowest numbers.
    pub fn order_by_rarity(&mut self) {
        let mut spread = vec![(0_u32, 0_u32); self.numbers.len()];
        for (number, entry) in spread.iter_mut().enumerate() {
            entry.1 = number as u32;
        }
        for word in self.list.iter().flat_map(|bag| &bag.words) {
            spread[*word as usize].0 += 1;
        }
        spread.sort_unstable();
        let mut places = vec![0; spread.len()];
        for (place, entry) in spread.iter().enumerate() {
            places[entry.1 as usize] = place as u32;
        }
        for bag in &mut self.list {
            bag.words.iter_mut().for_each(|word| *word = places[*word as usize]);
            bag.words.sort_unstable();
        }
        for number in self.numbers.values_mut() {
            *number = places[*number as usize];
        }
    }

    /// How many different words there are.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.numbers.len()
    }
}

/// Returns how many words two bags share.
#[must_use]
pub fn shared(left: &Bag, right: &Bag) -> usize {
    let mut others = right.words.iter().peekable();
    let is_shared = |word: &&u32| {
        while others.next_if(|other| other < word).is_some() {}
        others.next_if(|other| other == word).is_some()
    };
    left.words.iter().filter(is_shared).count()
}

/// Is the cosine at least 0.9? Exact: both sides squared and in whole numbers. Long texts need more.
#[must_use]
pub fn may_be_near(shared: usize, left: &Bag, right: &Bag) -> bool {
    shared > 0 && 100 * shared * shared >= 81 * left.words.len() * right.words.len()
}

/// Returns the cosine of two bags that say the same: exact duplicates, which differ in case only, and near ones.
#[must_use]
pub fn likeness(left: &Bag, right: &Bag) -> Option<f64> {
    if left.folded == right.folded {
        return Some(1.0);
    }
    left.statement.likeness(&right.statement, 0.9)
}

#[cfg(test)]
mod tests {
    use super::{Bags, likeness, may_be_near, shared};

    #[test]
    fn words_of_content_count_once() {
        let mut bags = Bags::default();
        bags.add("the cache of the parser caches tokens");
        bags.add("Parser cache: tokens!");
        bags.order_by_rarity();
        let (left, right) = (&bags.list[0], &bags.list[1]);
        assert_eq!(shared(left, right), 3);
        assert!(may_be_near(3, left, right));
        assert_eq!(likeness(left, right), Some(1.0));
    }
}
