//! All pairs of bags that say the same, with a cosine of at least 0.9, found in two ways that must agree.

use std::thread;

use crate::bag::{Bag, Bags, likeness, may_be_near, shared};

/// A near pair: the later bag, the earlier bag, their cosine. Positions are places in the list of bags.
pub type Pair = (u32, u32, f64);

const THREADS: usize = 2;

/// Compares every bag with every earlier one. Slow and obviously right.
#[must_use]
pub fn by_brute_force(bags: &Bags) -> Vec<Pair> {
    on_threads(bags.list.len(), |later, found, _| {
        for earlier in 0..later {
            compare(&bags.list, later, earlier, found);
        }
    })
}

/// Compares only bags that share one of their rarest words and whose sketches do not rule the pair out.
///
/// Words are taken from the rarest on until what is left of a bag carries less than 81 % of its squared length: these
/// are its prefix. If the first word (in this order) that two bags share lies after the prefix of one of them, all that
/// they share lies in that one's rest, and by the inequality of Cauchy and Schwarz their cosine is below 0.9. So every near
/// pair shares a word that is in both prefixes. The numbers of the words must be ordered by rarity.
#[must_use]
pub fn by_prefix(bags: &Bags) -> Vec<Pair> {
    let mut holders = vec![Vec::new(); bags.vocabulary()];
    for (position, bag) in bags.list.iter().enumerate() {
        for number in prefix(bag) {
            holders[number as usize].push(position as u32);
        }
    }
    let sketches: Vec<Sketch> = bags.list.iter().map(Sketch::of).collect();
    on_threads(bags.list.len(), |later, found, compared| {
        compared.resize(bags.list.len(), u32::MAX);
        for number in prefix(&bags.list[later]) {
            let earlier_holders = holders[number as usize]
                .iter()
                .take_while(|&&position| (position as usize) < later);
            for &earlier in earlier_holders {
                let is_possible = sketches[later].may_be_near(&sketches[earlier as usize]);
                if is_possible && std::mem::replace(&mut compared[earlier as usize], later as u32) != later as u32 {
                    compare(&bags.list, later, earlier as usize, found);
                }
            }
        }
    })
}

fn prefix(bag: &Bag) -> impl Iterator<Item = u32> {
    let count = bag.words.len();
    let needed = move |(at, _): &(usize, &u32)| 100 * (count - at) >= 81 * count;
    bag.words.iter().enumerate().take_while(needed).map(|(_, word)| *word)
}

/// A bag boiled down to 16 bytes: one bit of 64 for every word (words may share a bit), and the squared length.
struct Sketch {
    bits: u64,
    square: u64,
}

impl Sketch {
    fn of(bag: &Bag) -> Self {
        let bits = bag
            .words
            .iter()
            .fold(0, |bits, word| bits | 1 << (word.wrapping_mul(0x9E37_79B1) >> 26));
        Self {
            bits,
            square: bag.words.len() as u64,
        }
    }

    /// A bit that only one side has stands for at least one word that the other side lacks, and such a word adds at least
    /// one to the squared length without adding to the dot product. Never false for a near pair.
    fn may_be_near(&self, other: &Self) -> bool {
        let shared_at_most = self.square - u64::from((self.bits & !other.bits).count_ones());
        let others_at_most = other.square - u64::from((other.bits & !self.bits).count_ones());
        100 * shared_at_most * others_at_most >= 81 * self.square * other.square
    }
}

fn compare(list: &[Bag], later: usize, earlier: usize, found: &mut Vec<Pair>) {
    let (left, right) = (&list[later], &list[earlier]);
    if may_be_near(shared(left, right), left, right)
        && let Some(cosine) = likeness(left, right)
    {
        found.push((later as u32, earlier as u32, cosine));
    }
}

/// Runs the search for every position, positions dealt out in turn, and returns the pairs in order. The last argument of
/// the search is scratch space that stays with the thread.
fn on_threads(count: usize, search: impl Fn(usize, &mut Vec<Pair>, &mut Vec<u32>) + Sync) -> Vec<Pair> {
    let run = |first: usize| {
        let (mut found, mut scratch) = (Vec::new(), Vec::new());
        for position in (first..count).step_by(THREADS) {
            search(position, &mut found, &mut scratch);
        }
        found
    };
    let mut pairs = thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS).map(|first| scope.spawn(move || run(first))).collect();
        let mut pairs = run(0);
        for thread in threads {
            pairs.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        pairs
    });
    pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
    pairs
}
