//! Reachable files: the transitive closure of includes and re-exports, by breadth-first search.
//!
//! Following every path through a graph of includes takes exponential time; here each file is visited once, nearest first, and the
//! list is kept for all lookups. The bounds below hold for graphs that were made to be expensive.

use std::sync::atomic::{AtomicUsize, Ordering};

/// So many files are within reach at most; of larger graphs the nearest ones.
pub(super) const FILES_MAX: usize = 1000;
/// So many includes are looked at for one list.
pub(super) const STEPS_MAX: usize = 50_000;
/// So many places of files are kept for all lists together (16 bytes each); lists beyond are made again when they are needed.
const KEPT_MAX: usize = 8_000_000;
/// Of a module that may be more files than these, the first are looked into.
pub(super) const ALIKE_MAX: usize = 32;

/// The files whose names a file offers: its own, and those of the files that it includes or hands on.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Distance rank and file, nearest first; files that one import may mean share a rank.
    pub(super) order: Vec<(u32, u32)>,
    /// File and rank, by file.
    pub(super) by_file: Vec<(u32, u32)>,
    /// Rank and file of those that hand on single names, or have a default.
    pub(super) special: Vec<(u32, u32)>,
    /// The files whose facts the list rests on.
    pub(super) visited: Vec<u32>,
}

impl Reach {
    /// Returns the rank of a file.
    pub(super) fn rank(&self, file: u32) -> Option<u32> {
        let at = self.by_file.partition_point(|(other, _)| *other < file);
        self.by_file
            .get(at)
            .filter(|(other, _)| *other == file)
            .map(|(_, rank)| *rank)
    }
}

/// How many places the lists of a run have that are kept.
#[derive(Debug, Default)]
pub(crate) struct ReachBudget(AtomicUsize);

impl ReachBudget {
    pub(super) fn takes(&self, count: usize) -> bool {
        self.0.fetch_add(count, Ordering::Relaxed) + count <= KEPT_MAX
    }
}
