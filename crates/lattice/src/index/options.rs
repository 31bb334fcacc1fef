//! What a run is asked to do, and its outcome.

use std::collections::BTreeMap;

use crate::budget::Limit;

/// What to index, and at what cost.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Only files in or under these; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision.
    pub since: Option<String>,
    /// How many seconds the run takes at most.
    pub max_seconds: Option<f64>,
    /// How much memory it takes at most, in MiB.
    pub max_memory_mb: Option<f64>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexOutcome {
    /// How many files the index has now.
    pub files_indexed: usize,
    /// How many of them were parsed.
    pub files_changed: usize,
    /// How many were removed from it.
    pub files_removed: usize,
    /// How many have no facts, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// How many chunks there are.
    pub chunks: usize,
    /// How many edges there are.
    pub edges: usize,
    /// The limit that was reached, when something was left out; the next run catches up.
    pub limit: Option<Limit>,
}

impl IndexOutcome {
    /// Returns how many files have no facts.
    pub fn files_skipped(&self) -> usize {
        self.skipped.values().sum()
    }
}
