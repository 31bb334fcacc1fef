//! Adding up the scores of a part's records, a window of them at a time: the sums of a window stay in the processor's
//! nearest cache, whatever the size of the part. Lists whose words cannot bring a record among the best any more find
//! none, they only weigh what the others find (Turtle & Flood, "Query Evaluation: Strategies and Optimizations", 1995).

use super::Part;
use super::postings::{Cursor, Postings};

/// How soon further occurrences of a word stop counting.
const K1: f32 = 1.2;
/// How much longer texts are discounted.
const B: f32 = 0.75;
/// The most that a word is worth in any text, as a multiple of its rarity, and room for rounding beside it.
const SHARE_MAX: f32 = K1 + 1.0;
const SLACK: f32 = 1e-4;
/// How many records a window has: their sums take 32 KiB.
const WINDOW: u32 = 4096;

/// A list and how much its word counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighted<'a> {
    pub postings: Postings<'a>,
    pub weight: f32,
    /// The bit of its word in the query.
    pub word: u32,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    weight: f32,
    word: u32,
    /// The most that this list and all behind it can be worth.
    reach: f32,
}

/// Buffers that are kept from query to query.
#[derive(Debug, Default)]
pub struct Windows {
    /// Sum, and which words of the query; no word means that nothing was added.
    sums: Vec<(f32, u32)>,
    touched: Vec<u32>,
}

impl Windows {
    /// Calls `visit` with number, score and words of the records that reach `floor`; it answers the floor from then on.
    /// `lists` are those that find, the weightiest first, and those that only weigh.
    pub(super) fn sweep(
        &mut self,
        part: Part<'_>,
        lists: (&[Weighted<'_>], &[Weighted<'_>]),
        shares: &Shares,
        mut floor: f32,
        mut visit: impl FnMut(u32, f32, u32) -> f32,
    ) {
        self.sums.resize(WINDOW as usize, (0.0, 0));
        let (docs, lengths) = (part.docs(), part.lengths());
        let mut readers = readers_of(lists);
        let mut finding = lists.0.len();
        loop {
            while finding > 0 && readers[finding - 1].reach < floor {
                finding -= 1;
            }
            let (finders, weighers) = readers.split_at_mut(finding);
            let Some(start) = finders.iter().map(|reader| reader.cursor.doc()).min() else {
                return;
            };
            if start >= docs {
                return;
            }
            let end = start.saturating_add(WINDOW).min(docs);
            let (sums, touched) = (&mut self.sums, &mut self.touched);
            for Reader {
                cursor, weight, word, ..
            } in finders
            {
                cursor.each_below(end, |doc, times| {
                    let sum = &mut sums[(doc - start) as usize];
                    if sum.1 == 0 {
                        touched.push(doc - start);
                    }
                    sum.0 += *weight * shares.of(lengths.at(doc), times);
                    sum.1 |= *word;
                });
            }
            for Reader {
                cursor, weight, word, ..
            } in weighers
            {
                cursor.each_below(end, |doc, times| {
                    let Some(sum) = doc.checked_sub(start).map(|at| &mut sums[at as usize]) else {
                        return;
                    };
                    if sum.1 != 0 {
                        sum.0 += *weight * shares.of(lengths.at(doc), times);
                        sum.1 |= *word;
                    }
                });
            }
            for at in touched.drain(..) {
                let (score, words) = std::mem::take(&mut sums[at as usize]);
                if score >= floor {
                    floor = visit(start + at, score, words);
                }
            }
        }
    }
}

fn readers_of<'a>((finding, weighing): (&[Weighted<'a>], &[Weighted<'a>])) -> Vec<Reader<'a>> {
    let mut readers: Vec<Reader<'a>> = finding
        .iter()
        .chain(weighing)
        .map(|list| Reader {
            cursor: list.postings.cursor(),
            weight: list.weight,
            word: list.word,
            reach: 0.0,
        })
        .collect();
    let mut weights = 0.0;
    for reader in readers.iter_mut().rev() {
        weights += reader.weight;
        reader.reach = weights * SHARE_MAX * (1.0 + SLACK);
    }
    readers
}

/// What occurrences in a text of some length are worth, once computed for the usual case of one occurrence.
pub(super) struct Shares {
    average_length: f32,
    once: [f32; 256],
}

impl Shares {
    pub fn new(average_length: f32) -> Self {
        let mut shares = Shares {
            average_length,
            once: [0.0; 256],
        };
        for length in 0..256_u16 {
            shares.once[usize::from(length)] = shares.compute(length, 1);
        }
        shares
    }

    #[inline]
    fn of(&self, length: u16, times: u16) -> f32 {
        match self.once.get(usize::from(length)) {
            Some(share) if times == 1 => *share,
            _ => self.compute(length, times),
        }
    }

    fn compute(&self, length: u16, times: u16) -> f32 {
        let (times, length) = (f32::from(times), f32::from(length) / self.average_length);
        times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length))
    }
}
