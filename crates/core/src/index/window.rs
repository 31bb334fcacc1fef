//! Term-at-a-time scoring in windows of records, whose accumulators fit into the L1 cache, whatever the size of the part.
//!
//! *MaxScore* (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995): lists are in the order of their upper bounds;
//! the last ones whose bounds together stay below the score of the last of the best records, `sum(bound) < floor`, are *non-essential*:
//! a record that is in no other list cannot get in, so they only add to the scores of records that the essential ones find. Difference
//! from the paper: whole windows are scored list by list instead of record by record, so that sums stay in the cache.

use super::Part;
use super::postings::{Cursor, Postings};
use crate::text::bm25::{SHARE_MAX, Shares};

/// A tolerance for rounding, relative to a word's maximum contribution.
const SLACK: f32 = 1e-4;
/// The number of records per window, whose accumulators take 16 KiB: half of a small L1 cache, for the lists and lengths pass through it too.
const WINDOW: u32 = 2048;

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
    /// The upper bound of the contributions of this list and all following ones.
    bound: f32,
}

/// Buffers that are reused between queries.
#[derive(Debug, Default)]
pub struct Windows {
    /// The accumulator and the matched query words of each record; without a word, the record was not touched.
    sums: Vec<(f32, u32)>,
    /// The touched records of a window, in front of one more place: writing there always is quicker than a branch that is often mispredicted.
    touched: Vec<u32>,
    /// How many more records than wanted the last search had to look at, as the number of a step.
    pub(super) times: usize,
}

impl Windows {
    /// Calls `visit` with number, score and words of the records that reach `floor`; `visit` returns the new floor. `lists` are in
    /// descending order of weight.
    pub(super) fn sweep(
        &mut self,
        part: Part<'_>,
        lists: &[Weighted<'_>],
        shares: &Shares,
        mut floor: f32,
        mut visit: impl FnMut(u32, f32, u32) -> f32,
    ) {
        self.sums.resize(WINDOW as usize, (0.0, 0));
        self.touched.resize(WINDOW as usize + 1, 0);
        let (docs, lengths) = (part.docs(), part.lengths());
        let mut readers = readers_of(lists);
        let mut essential_count = lists.len();
        loop {
            while essential_count > 0
                && readers
                    .get(essential_count - 1)
                    .is_some_and(|reader| reader.bound < floor)
            {
                essential_count -= 1;
            }
            let (essential, non_essential) = readers.split_at_mut(essential_count);
            let Some(start) = essential.iter().map(|reader| reader.cursor.doc()).min() else {
                return;
            };
            if start >= docs {
                return;
            }
            let end = start.saturating_add(WINDOW).min(docs);
            let (sums, touched) = (&mut self.sums, &mut self.touched);
            let mut touched_count = 0;
            for Reader {
                cursor, weight, word, ..
            } in essential
            {
                cursor.each_below(end, |doc, times| {
                    let Some(sum) = sums.get_mut((doc - start) as usize) else {
                        return;
                    };
                    if let Some(place) = touched.get_mut(touched_count) {
                        *place = doc - start;
                    }
                    touched_count += usize::from(sum.1 == 0);
                    sum.0 += *weight * shares.of(lengths.at(doc), times);
                    sum.1 |= *word;
                });
            }
            for Reader {
                cursor, weight, word, ..
            } in non_essential
            {
                cursor.each_below(end, |doc, times| {
                    let Some(sum) = doc.checked_sub(start).and_then(|at| sums.get_mut(at as usize)) else {
                        return;
                    };
                    if sum.1 != 0 {
                        sum.0 += *weight * shares.of(lengths.at(doc), times);
                        sum.1 |= *word;
                    }
                });
            }
            for at in touched.iter().copied().take(touched_count) {
                let (score, words) = sums.get_mut(at as usize).map(std::mem::take).unwrap_or_default();
                if score >= floor {
                    floor = visit(start + at, score, words);
                }
            }
        }
    }
}

fn readers_of<'a>(lists: &[Weighted<'a>]) -> Vec<Reader<'a>> {
    let mut readers: Vec<Reader<'a>> = lists
        .iter()
        .map(|list| Reader {
            cursor: list.postings.cursor(),
            weight: list.weight,
            word: list.word,
            bound: 0.0,
        })
        .collect();
    let mut weights = 0.0;
    for reader in readers.iter_mut().rev() {
        weights += reader.weight;
        reader.bound = weights * SHARE_MAX * (1.0 + SLACK);
    }
    readers
}
