//! Texts as bags of words, and the cosine between two of them in whole numbers.

use rustc_hash::FxHashMap;

/// A word's number and how often the text has it.
pub type Count = (u32, u32);

/// The words of one text.
pub struct Bag {
    /// Sorted by the word's number; every word once.
    pub counts: Vec<Count>,
    /// The sum of the squared counts.
    pub square: u64,
}

/// Turns texts into bags; the number of a word is its place in the order of first sight, or after
/// [`Bags::order_by_rarity`] its place by rarity, rarest first.
#[derive(Default)]
pub struct Bags {
    numbers: FxHashMap<String, u32>,
    /// One bag a text, in the order of [`Bags::add`].
    pub list: Vec<Bag>,
}

/// Yields the words: the longest runs of letters, digits and underscores, in lower case, of any script.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

impl Bags {
    /// Adds the bag of a text.
    pub fn add(&mut self, text: &str) {
        let mut counts: Vec<Count> = Vec::new();
        for word in words(text) {
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(word).or_insert(next);
            match counts.iter_mut().find(|count| count.0 == number) {
                Some(count) => count.1 += 1,
                None => counts.push((number, 1)),
            }
        }
        counts.sort_unstable();
        let square = counts.iter().map(|count| u64::from(count.1).pow(2)).sum();
        self.list.push(Bag { counts, square });
    }

    /// Renumbers the words: those in the fewest bags get the lowest numbers.
    pub fn order_by_rarity(&mut self) {
        let mut spread = vec![(0_u32, 0_u32); self.numbers.len()];
        for (number, entry) in spread.iter_mut().enumerate() {
            entry.1 = number as u32;
        }
        for count in self.list.iter().flat_map(|bag| &bag.counts) {
            spread[count.0 as usize].0 += 1;
        }
        spread.sort_unstable();
        let mut places = vec![0; spread.len()];
        for (place, entry) in spread.iter().enumerate() {
            places[entry.1 as usize] = place as u32;
        }
        for bag in &mut self.list {
            for count in &mut bag.counts {
                count.0 = places[count.0 as usize];
            }
            bag.counts.sort_unstable();
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

/// Returns the sum of the products of the counts of shared words.
#[must_use]
pub fn dot(left: &Bag, right: &Bag) -> u64 {
    let (mut sum, mut others) = (0, right.counts.iter().peekable());
    for &(number, count) in &left.counts {
        while others.next_if(|other| other.0 < number).is_some() {}
        if let Some(other) = others.next_if(|other| other.0 == number) {
            sum += u64::from(count) * u64::from(other.1);
        }
    }
    sum
}

/// Is the cosine at least 0.9? Exact: both sides squared and in whole numbers.
#[must_use]
pub fn is_near(dot: u64, left_square: u64, right_square: u64) -> bool {
    dot > 0 && 100 * dot * dot >= 81 * left_square * right_square
}

/// Returns the cosine as doubles give it.
#[must_use]
pub fn cosine(dot: u64, left: &Bag, right: &Bag) -> f64 {
    dot as f64 / ((left.square as f64).sqrt() * (right.square as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Bags, cosine, dot, is_near, words};

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores_of_any_script() {
        let found: Vec<String> = words("Читай src/core_x.ts:12, не ПИШИ!").collect();
        assert_eq!(found, ["читай", "src", "core_x", "ts", "12", "не", "пиши"]);
    }

    #[test]
    fn repeated_words_count_as_often_as_they_stand_there() {
        let mut bags = Bags::default();
        bags.add("a b b");
        bags.add("b a");
        bags.order_by_rarity();
        let (left, right) = (&bags.list[0], &bags.list[1]);
        assert_eq!(dot(left, right), 3);
        assert_eq!(cosine(3, left, right), 0.948_683_298_050_513_8);
    }

    #[test]
    fn exactly_nine_tenths_is_near() {
        assert!(is_near(18, 20, 20));
        assert!(!is_near(17, 20, 20));
    }
}
