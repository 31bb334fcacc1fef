//! The statistics of passes, and the state of the queue according to the settlement log.

use schemars::JsonSchema;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::compared::Compared;
use super::drain::Drain;
use super::settled::{DrainState, last_state};
use super::{LastError, Pause, SETTLED_FILE};
use crate::clock::{Millis, format_iso, parse_iso};
use crate::error::Result;
use crate::journal::{Disk, FileId, read_file};
use crate::model::encode::encode;
use crate::project::layout::Layout;
use crate::project::ownership::Checker;

/// The file of statistics is rotated at this size.
const STATS_BYTES_MAX: u64 = 1024 * 1024;

/// One pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(
    rename = "DrainStats",
    extend("required" = ["source", "attempted", "delivered", "deferred", "dlq", "durationMs"])
)]
pub struct DrainPass {
    /// When it ended; set by `record`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub timestamp: String,
    /// The caller that started it.
    pub source: String,
    /// Records that were tried.
    pub attempted: u64,
    /// Records that are done.
    pub delivered: u64,
    /// Records that wait for another attempt.
    pub deferred: u64,
    /// New dead letters.
    pub dlq: u64,
    /// Records that the store failed on alone.
    pub failed: u64,
    /// How long it took.
    #[serde(rename = "durationMs")]
    pub duration_ms: u64,
}

/// A pass as its line in the file has it.
#[derive(Serialize)]
struct PassLine<'a> {
    #[serde(rename = "_v")]
    version: u32,
    #[serde(flatten)]
    pass: &'a DrainPass,
}

/// The state of the queue according to the log, as far as counting needs it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Unsettled {
    state: DrainState,
}

/// Reads the end of the settlement log.
pub(crate) fn read_unsettled(layout: &Layout, check: &Checker) -> Unsettled {
    let mut log = layout.journal_under_own_lock(SETTLED_FILE);
    let state = last_state(&mut log, check).ok().flatten().unwrap_or_default();
    Unsettled { state }
}

/// Returns how far the raw log was compared with the outbox.
pub(super) fn last_comparison(layout: &Layout, check: &Checker) -> Compared {
    read_unsettled(layout, check).state.compared
}

impl Unsettled {
    /// Returns how many lines of this queue file are settled: pending ones, and those marked as delivered and failed.
    pub fn done_in(&self, queue: Option<FileId>) -> (u64, u64, u64) {
        let state = &self.state;
        if queue.is_none() || state.queue != queue {
            return (0, 0, 0);
        }
        let moved = state.moved_delivered + state.moved_failed;
        (
            state.done.saturating_sub(moved),
            state.moved_delivered,
            state.moved_failed,
        )
    }

    /// Returns how many lines of this queue file wait according to the log only.
    pub fn waiting_in(&self, queue: Option<FileId>) -> u64 {
        if queue.is_some() && self.state.queue == queue {
            self.state.waiting
        } else {
            0
        }
    }

    /// Returns on how many of them the store failed alone.
    pub fn failing_in(&self, queue: Option<FileId>) -> u64 {
        if self.waiting_in(queue) > 0 {
            self.state.failing
        } else {
            0
        }
    }

    /// Returns why the drain is paused.
    pub fn paused(&self) -> Option<&Pause> {
        self.state.paused.as_ref()
    }

    /// Returns until when the drain waits.
    pub fn back_off_until(&self) -> Option<Millis> {
        self.state.back_off.map(|back_off| back_off.until)
    }

    /// Returns the last failure.
    pub fn last_error(&self) -> Option<&LastError> {
        self.state.last_error.as_ref()
    }
}

impl Drain {
    /// Counts a pass.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the file cannot take it.
    pub fn record(&mut self, mut pass: DrainPass, now: Millis) -> Result<()> {
        pass.timestamp = format_iso(now);
        let mut line = encode(&PassLine {
            version: 1,
            pass: &pass,
        })?;
        line.push(b'\n');
        self.stats.append_lines_rotating(STATS_BYTES_MAX, &line)?;
        Ok(())
    }
}

/// Returns the last pass of the statistics.
pub(crate) fn last_pass(disk: &dyn Disk, path: &Path) -> Option<DrainPass> {
    let bytes = read_file(disk, path).ok()??;
    let lines = bytes.split(|byte| *byte == b'\n').rev();
    let mut passes = lines.filter_map(|line| serde_json::from_slice::<DrainPass>(line.trim_ascii()).ok());
    passes.find(|pass| parse_iso(&pass.timestamp).is_some())
}
