//! Edit distance with insertions, deletions, substitutions and transpositions (optimal string alignment; Damerau, "A
//! technique for computer detection and correction of spelling errors", 1964), up to a small bound.
//!
//! Only cells within the bound of the diagonal are computed (Ukkonen 1985). Spellings are sorted, so that the rows of the
//! prefix shared with the previous spelling are reused, and spellings are skipped whose prefix is already too far away.

/// A word that is compared with a sorted list of spellings.
#[derive(Debug)]
pub struct EditDistance {
    wanted: Vec<char>,
    max: usize,
    /// The rows of the table, one per letter of the spelling, after the row of the empty prefix.
    rows: Vec<Vec<u8>>,
    letters: Vec<char>,
    /// The end of each letter in bytes.
    ends: Vec<usize>,
}

/// A distance beyond every bound.
const FAR: u8 = u8::MAX / 2;

impl EditDistance {
    /// Prepares a word; distances above `max` are not computed.
    pub fn new(wanted: &str, max: usize) -> Self {
        let wanted: Vec<char> = wanted.chars().collect();
        let first = (0..=wanted.len()).map(|at| if at <= max { at as u8 } else { FAR });
        EditDistance {
            rows: vec![first.collect()],
            wanted,
            max,
            letters: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the distance of a spelling that shares its first `shared` bytes with the previous one; `None` when it
    /// exceeds the bound.
    pub fn of(&mut self, spelling: &str, shared: usize) -> Option<usize> {
        let kept = self.ends.partition_point(|end| *end <= shared);
        self.letters.truncate(kept);
        self.ends.truncate(kept);
        self.rows.truncate(kept + 1);
        if self.is_far() {
            return None;
        }
        let start = self.ends.last().copied().unwrap_or(0);
        for (at, letter) in spelling.get(start..).unwrap_or_default().char_indices() {
            self.push(letter, start + at + letter.len_utf8());
            if self.is_far() {
                return None;
            }
        }
        let distance = self.cell(self.letters.len(), self.wanted.len());
        (usize::from(distance) <= self.max).then_some(usize::from(distance))
    }

    /// True if every continuation exceeds the bound; a transposition looks back two rows.
    fn is_far(&self) -> bool {
        let far = |row: &&Vec<u8>| row.iter().all(|cell| usize::from(*cell) > self.max);
        self.rows.len() > 2 && self.rows.iter().rev().take(2).all(|row| far(&row))
    }

    fn cell(&self, row: usize, at: usize) -> u8 {
        self.rows.get(row).and_then(|row| row.get(at)).copied().unwrap_or(FAR)
    }

    fn push(&mut self, letter: char, end: usize) {
        let before = self.letters.len();
        let row = before + 1;
        let mut cells = vec![FAR; self.wanted.len() + 1];
        if row <= self.max {
            cells.iter_mut().take(1).for_each(|cell| *cell = row as u8);
        }
        let last = (row + self.max).min(self.wanted.len());
        for at in row.saturating_sub(self.max).max(1)..=last {
            let wanted = self.wanted.get(at - 1).copied();
            let changed = u8::from(wanted != Some(letter));
            let left = cells.get(at - 1).copied().unwrap_or(FAR);
            let mut least = (self.cell(before, at - 1) + changed)
                .min(self.cell(before, at) + 1)
                .min(left + 1);
            let is_exchange = at > 1
                && before > 0
                && wanted == self.letters.get(before - 1).copied()
                && self.wanted.get(at - 2).copied() == Some(letter);
            if is_exchange {
                least = least.min(self.cell(before - 1, at - 2) + 1);
            }
            if let Some(cell) = cells.get_mut(at) {
                *cell = least.min(FAR);
            }
        }
        self.rows.push(cells);
        self.letters.push(letter);
        self.ends.push(end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The complete table of the textbook algorithm.
    fn by_the_book(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let mut least = (table[i - 1][j] + 1)
                            .min(table[i][j - 1] + 1)
                            .min(table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                        if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                            least = least.min(table[i - 2][j - 2] + 1);
                        }
                        least
                    }
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn typing_mistakes_have_a_small_distance() {
        for (typed, meant, distance) in [
            ("databse", "database", 1),
            ("dependancies", "dependencies", 1),
            ("recieve", "receive", 1),
            ("größe", "grösse", 2),
            ("same", "same", 0),
        ] {
            assert_eq!(EditDistance::new(typed, 2).of(meant, 0), Some(distance), "{typed}");
        }
        assert_eq!(EditDistance::new("cache", 1).of("catch", 0), None);
    }

    proptest! {
        #[test]
        fn a_sorted_list_has_the_distances_of_the_textbook(
            wanted in "[abcä]{1,8}",
            mut list in prop::collection::vec("[abcä]{0,9}", 1..60),
            max in 1_usize..3,
        ) {
            list.sort_unstable();
            list.dedup();
            let mut distance = EditDistance::new(&wanted, max);
            let mut before = String::new();
            for spelling in list {
                let mut shared = before.bytes().zip(spelling.bytes()).take_while(|(a, b)| a == b).count();
                while !spelling.is_char_boundary(shared) {
                    shared -= 1;
                }
                let truth = by_the_book(&wanted, &spelling);
                prop_assert_eq!(distance.of(&spelling, shared), (truth <= max).then_some(truth), "{} {}", wanted, spelling);
                before = spelling;
            }
        }
    }
}
