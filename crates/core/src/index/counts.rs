//! How many records a memory has. Every surface that says a number takes it from here.

use crate::clock::Millis;
use crate::journal::FileState;
use crate::model::scope::{Scope, ScopeFilter};

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Searches return it.
    Current,
    /// Another record took its place, or a ruling says that it no longer holds.
    Retired,
    /// It is proposed, and waits for a decision.
    Waiting,
    /// It was proposed, and a person has rejected it.
    Rejected,
    /// It has expired.
    Expired,
    /// It was forgotten.
    Forgotten,
}

/// The number of records by their fate. *Memories* are the current ones, of which copies of one text count once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// The current records of the project.
    pub project: usize,
    /// The current records for all projects.
    pub global: usize,
    /// Records that others have replaced.
    pub retired: usize,
    /// Proposed records.
    pub waiting: usize,
    /// Rejected proposals.
    pub rejected: usize,
    /// Expired records.
    pub expired: usize,
    /// Forgotten records, as far as compaction has not removed them.
    pub forgotten: usize,
}

impl RecordCounts {
    /// Returns the number of memories: of the current records.
    pub fn memories(&self) -> usize {
        self.project + self.global
    }

    /// Returns the number of memories of a scope.
    pub fn within(&self, scope: ScopeFilter) -> usize {
        let of = |one, count| if scope.admits(one) { count } else { 0 };
        of(Scope::Project, self.project) + of(Scope::Global, self.global)
    }
}

/// The current texts of the segments as they were counted last, and what the count holds for.
#[derive(Debug)]
pub(super) struct KeptTexts {
    pub of: Vec<SegmentsState>,
    /// When the next of these records expires.
    pub until: Millis,
    pub at: Millis,
    /// The hashes of exact duplicates in the project, each once and in order: of a hundred thousand, a set takes three times as long.
    pub project: Vec<u64>,
    /// Those of the records for all projects.
    pub global: Vec<u64>,
}

/// By which a change of what the segments of a journal count is noticed: the number of changes of older records, and the segments.
pub(super) type SegmentsState = (u64, usize, u64);

/// The last count, and what it holds for.
#[derive(Debug)]
pub(super) struct Counted {
    pub of: Vec<(Option<FileState>, u64, usize)>,
    /// When the next of the current records expires.
    pub until: Millis,
    pub at: Millis,
    pub counts: RecordCounts,
}
