//! Exact k-nearest-neighbour search in one file (filter and refine): the bounds of the quantized codes select the
//! candidates, which are then compared precisely. The result equals that of comparing all vectors precisely.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::quantization::{CodedQuery, Range};
use super::vector_file::VectorFile;

/// Cosines are rounded to this many parts of one, so that differences in the rounding of processors do not show.
const COSINE_PARTS: f64 = 10_000.0;

/// A text with a passage near to the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The hash of the text.
    pub key: u64,
    /// The cosine similarity.
    pub cosine: f32,
}

impl Near {
    /// Orders by descending cosine, then by ascending key.
    fn order(&self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&self.cosine).then(self.key.cmp(&other.key))
    }
}

/// Keeps the nearest `count`, sorted by distance.
pub(super) fn keep_best(found: &mut Vec<Near>, count: usize) {
    found.sort_unstable_by(Near::order);
    found.truncate(count);
}

/// Returns the cosine similarity of a passage.
pub(super) fn cosine_of(file: &VectorFile, query: &CodedQuery, passage: usize) -> Option<f32> {
    let (codes, residual, scale) = file.close_row(passage)?;
    let product = query.product(codes, residual, scale.step);
    Some(in_parts(product.clamp(-1.0, 1.0))).filter(|cosine| cosine.is_finite())
}

/// Rounds a cosine.
pub(super) fn rounded(cosine: f32) -> f32 {
    in_parts(f64::from(cosine))
}

fn in_parts(cosine: f64) -> f32 {
    ((cosine * COSINE_PARTS).round() / COSINE_PARTS) as f32
}

/// The largest error of a rounded cosine.
const ROUNDING: f32 = (0.5 / COSINE_PARTS) as f32;

/// Returns for each query a superset of its nearest `count` passages of a file, unsorted. The codes are read once for all queries.
pub(super) fn nearest_in<const QUERIES: usize>(
    file: &VectorFile,
    queries: [&CodedQuery; QUERIES],
    count: usize,
) -> [Vec<Near>; QUERIES] {
    let mut searched = queries.map(|query| (query, Candidates::new(count, file.len())));
    for (passage, (codes, scale)) in file.rows().enumerate() {
        for (query, candidates) in &mut searched {
            candidates.offer(passage, query.range(codes, scale));
        }
    }
    searched.map(|(query, candidates)| {
        let near = candidates.passages().filter_map(|passage| {
            Some(Near {
                key: file.key(passage)?,
                cosine: cosine_of(file, query, passage)?,
            })
        });
        near.collect()
    })
}

/// The passages whose bounds allow them to be among the nearest ones.
struct Candidates {
    sure: Least,
    possible: Vec<(usize, f32)>,
}

impl Candidates {
    fn new(count: usize, passages: usize) -> Self {
        Candidates {
            sure: Least::new(count),
            possible: Vec::with_capacity(16 * count.min(passages)),
        }
    }

    fn offer(&mut self, passage: usize, range: Range) {
        if range.most + 2.0 * ROUNDING >= self.sure.least {
            self.possible.push((passage, range.most));
            self.sure.offer(range.least);
        }
    }

    fn passages(self) -> impl Iterator<Item = usize> {
        let least = self.sure.least;
        let can_be = move |(_, most): &(usize, f32)| *most + 2.0 * ROUNDING >= least;
        self.possible.into_iter().filter(can_be).map(|(passage, _)| passage)
    }
}

/// The k-th largest of the values so far: a bounded min-heap.
struct Least {
    count: usize,
    heap: BinaryHeap<Reverse<Ordered>>,
    least: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Least {
    fn new(count: usize) -> Self {
        Least {
            count,
            heap: BinaryHeap::new(),
            least: f32::NEG_INFINITY,
        }
    }

    fn offer(&mut self, value: f32) {
        if self.heap.len() < self.count {
            self.heap.push(Reverse(Ordered(value)));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && value > worst.0.0
        {
            *worst = Reverse(Ordered(value));
        }
        if self.heap.len() == self.count {
            self.least = self.heap.peek().map_or(self.least, |worst| worst.0.0);
        }
    }
}
