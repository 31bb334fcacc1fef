//! Reachable files: the transitive closure of includes and re-exports, by breadth-first search.
//!
//! Following every path through a graph of includes takes exponential time. Here each file is visited once, nearest first,
//! and the list is cached for all lookups. The limits below bound the work for graphs that are made to be expensive.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of listed files, nearest first.
pub(super) const FILES_MAX: usize = 1000;
/// The maximum number of includes that are followed for one list.
pub(super) const STEPS_MAX: usize = 50_000;
/// The maximum number of cached entries (of 16 bytes) in all lists; further lists are computed on every use.
const KEPT_MAX: usize = 8_000_000;
/// The maximum number of candidate files per module that are examined.
pub(super) const ALIKE_MAX: usize = 32;

/// The files whose definitions a file exports: itself, and the files that it includes or re-exports.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Distance rank and file, nearest first. The candidate files of one import share a rank.
    pub(super) order: Vec<(u32, u32)>,
    /// File and rank, by file.
    pub(super) by_file: Vec<(u32, u32)>,
    /// Rank and file of those with named re-exports or a default export.
    pub(super) special: Vec<(u32, u32)>,
    /// The files whose facts the list depends on.
    pub(super) visited: Vec<u32>,
}

impl Reach {
    pub(super) fn rank(&self, file: u32) -> Option<u32> {
        let at = self.by_file.partition_point(|(other, _)| *other < file);
        self.by_file
            .get(at)
            .filter(|(other, _)| *other == file)
            .map(|(_, rank)| *rank)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ReachBudget(AtomicUsize);

impl ReachBudget {
    pub(super) fn takes(&self, count: usize) -> bool {
        self.0.fetch_add(count, Ordering::Relaxed) + count <= KEPT_MAX
    }
}
