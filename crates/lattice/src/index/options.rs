//! The options of a run, and its outcome.

use std::collections::BTreeMap;

use crate::budget::Limit;

/// The scope and the limits of a run.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Restricts the run to these files and folders; all files when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Restricts the run to files that differ from this revision.
    pub since: Option<String>,
    /// The time limit in seconds.
    pub max_seconds: Option<f64>,
    /// The memory limit in MiB.
    pub max_memory_mb: Option<f64>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexOutcome {
    /// The number of files in the index.
    pub files_indexed: usize,
    /// How many of them were parsed by this run.
    pub files_changed: usize,
    /// How many files were removed from the index.
    pub files_removed: usize,
    /// The number of files without facts, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// The number of chunks.
    pub chunks: usize,
    /// The number of edges.
    pub edges: usize,
    /// The limit that was reached, when something was left out; the next run catches up.
    pub limit: Option<Limit>,
}

impl IndexOutcome {
    /// Returns the number of files without facts.
    pub fn files_skipped(&self) -> usize {
        self.skipped.values().sum()
    }
}
