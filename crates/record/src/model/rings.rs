//! Cycles of revisions: records of which each supersedes the next, and the last one the first. Only manual edits or hostile
//! files produce them. Taken literally, they would hide each other, so the links of a cycle are ignored.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// Which record supersedes which, by id. Of several lines with one id, the last one counts.
pub struct Links<I>(FxHashMap<I, I>);

impl<I> Default for Links<I> {
    fn default() -> Self {
        Links(FxHashMap::default())
    }
}

impl<I: Hash + Eq + Clone> Links<I> {
    /// Records that `newer` supersedes `older`.
    pub fn add(&mut self, newer: I, older: I) {
        self.0.insert(newer, older);
    }

    /// Returns the records in cycles. Each link is followed once.
    pub fn in_rings(&self) -> FxHashSet<I> {
        let mut walked: FxHashMap<&I, usize> = FxHashMap::default();
        let mut rings = FxHashSet::default();
        for (walk, start) in self.0.keys().enumerate() {
            let mut at = start;
            while let Some(older) = self.0.get(at) {
                match walked.insert(at, walk) {
                    None => at = older,
                    Some(earlier) => {
                        // A record that this walk visited before is in a cycle; one that an earlier
                        // walk visited is known.
                        if earlier == walk {
                            self.add_ring(at, &mut rings);
                        } else {
                            walked.insert(at, earlier);
                        }
                        break;
                    }
                }
            }
        }
        rings
    }

    fn add_ring(&self, start: &I, rings: &mut FxHashSet<I>) {
        let mut at = start;
        while rings.insert(at.clone()) {
            match self.0.get(at) {
                Some(older) => at = older,
                None => break,
            }
        }
    }
}

/// True if a link is part of a cycle; links into or out of one count.
pub fn is_of_ring<I: Hash + Eq>(rings: &FxHashSet<I>, newer: &I, older: &I) -> bool {
    rings.contains(newer) && rings.contains(older)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(links: &[(u32, u32)], rings: &[u32]) {
        let mut all = Links::default();
        links.iter().for_each(|(newer, older)| all.add(*newer, *older));
        let mut found: Vec<u32> = all.in_rings().into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, rings);
    }

    #[test]
    fn only_a_closed_chain_is_a_cycle() {
        check(&[], &[]);
        check(&[(2, 1), (3, 2), (4, 2)], &[]);
        check(&[(1, 1)], &[1]);
        check(&[(1, 2), (2, 1)], &[1, 2]);
        check(&[(1, 2), (2, 3), (3, 1), (9, 1), (8, 9), (5, 4)], &[1, 2, 3]);
        check(&[(1, 2), (2, 1), (3, 4), (4, 3), (7, 3)], &[1, 2, 3, 4]);
    }

    #[test]
    fn a_long_chain_is_walked_once() {
        let mut links = Links::default();
        (0..1_000_000_u32).for_each(|id| links.add(id + 1, id));
        assert!(links.in_rings().is_empty());
        links.add(0, 1_000_000);
        assert_eq!(links.in_rings().len(), 1_000_001);
    }
}
