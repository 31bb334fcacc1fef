//! How many records a memory has. Every surface takes its numbers from here.

use crate::clock::{DAY_MS, Millis};
use crate::journal::FileState;
use crate::model::scope::{Scope, ScopeFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What expires within this time is told.
pub(super) const SOON_MS: Millis = 14 * DAY_MS;

/// The fate of a record.
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

/// The numbers of records by their state. Memories are the current ones: those that searches return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordCounts {
    /// The current records of the project and those for all projects; copies of one text count once.
    pub memories: usize,
    /// How many of the memories are for all projects.
    pub global: usize,
    /// How many of the memories expire within fourteen days.
    pub expiring: usize,
    /// Records whose place another one took; earlier texts of edited ones are not counted.
    pub retired: usize,
    /// What waits for a decision: proposals, requests, and records that sessions found wrong.
    pub waiting: usize,
    /// Findings of past sessions that waited for thirty days, and do not any more.
    pub lapsed: usize,
    /// Rejected proposals.
    pub rejected: usize,
    /// Expired records.
    pub expired: usize,
    /// Forgotten records whose lines compaction has not removed yet.
    pub forgotten: usize,
}

impl RecordCounts {
    /// Returns the number of memories of a scope.
    pub fn within(&self, scope: ScopeFilter) -> usize {
        let of = |one, count| if scope.admits(one) { count } else { 0 };
        of(Scope::Project, self.memories - self.global) + of(Scope::Global, self.global)
    }
}

/// The number of current texts of the segments, and the state that it holds for. Many are counted once, and the next processes read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptCount {
    /// The segments of each journal, and the later decisions about their records.
    pub of: Vec<u64>,
    /// When the next of these records expires.
    pub until: Millis,
    pub at: Millis,
    pub project: usize,
    /// Those of the records for all projects.
    pub global: usize,
}

impl KeptCount {
    /// True if nothing has changed since.
    pub fn holds(&self, of: &[u64], now: Millis) -> bool {
        self.of == of && (self.at..self.until).contains(&now)
    }
}

/// The last count, and the state that it holds for.
#[derive(Debug)]
pub(super) struct Counted {
    pub of: Vec<(Option<FileState>, u64, usize)>,
    /// When the next of the current records expires, or will soon.
    pub until: Millis,
    pub at: Millis,
    pub counts: RecordCounts,
}
