//! The records of a drain about itself: the settlement log, so that a pass does not rewrite the queue, and the statistics of its
//! passes.
//!
//! Every settlement is one append of two lines to the log: the settled and waiting records, and the state of the drain afterwards (a
//! checkpoint). Records are identified by a hash of their line, so entries have no effect on another queue file.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::files::Compared;
use super::{Key, SETTLED_FILE};
use crate::clock::{Millis, format_iso, parse_iso};
use crate::error::Result;
use crate::journal::{Disk, FileId, FileState, Journal, Span, read_file};
use crate::model::encode::encode;
use crate::project::layout::Layout;
use crate::project::ownership::{Checker, Marks};

/// How many bytes from the end of the log are read for the last state.
const STATE_BYTES: u64 = 16 * 1024;

/// Why delivery is paused until a setting is corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DrainPause")]
pub struct Pause {
    /// The message of the store.
    pub reason: String,
    /// When.
    pub since: String,
}

/// The last failure of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DrainFailure")]
pub struct LastError {
    /// The message of the store.
    pub message: String,
    /// When.
    pub at: String,
}

/// The back-off of the whole drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BackOff {
    pub passes: u32,
    /// Milliseconds since the epoch.
    pub until: Millis,
}

/// The drain after a settlement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DrainState {
    /// The queue file to which `from` refers.
    pub queue: Option<FileId>,
    /// Every line before this offset is settled, waiting in this log, or not a record.
    pub from: u64,
    /// A hash of the bytes before `from`.
    pub tail: u64,
    /// The bytes and the number of settled lines of the queue.
    #[serde(rename = "doneBytes")]
    pub done_bytes: u64,
    pub done: u64,
    /// Of these, lines that another tool had settled, by its status.
    #[serde(rename = "movedDelivered")]
    pub moved_delivered: u64,
    #[serde(rename = "movedFailed")]
    pub moved_failed: u64,
    /// How many records wait for a later attempt, and on how many of them the store failed alone.
    pub waiting: u64,
    pub failing: u64,
    pub paused: Option<Pause>,
    #[serde(rename = "backOff")]
    pub back_off: Option<BackOff>,
    #[serde(rename = "lastError")]
    pub last_error: Option<LastError>,
    /// How far the raw log was compared with the outbox.
    pub compared: Compared,
}

impl DrainState {
    /// True if its offsets refer to this file, which the queue has open.
    pub fn is_about(&self, queue: &Journal, file: FileState) -> Result<bool> {
        let is_anchor = |bytes: &[u8]| xxh3_64(bytes) == self.tail;
        Ok(queue.is_continued(self.queue, self.from, file, is_anchor)?)
    }
}

/// A record that waits for a later attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WaitingLine {
    pub key: String,
    pub at: u64,
    pub len: u64,
    /// The thoughts that it stores or deletes, and its name in older tools.
    pub ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    #[serde(rename = "_attempts")]
    pub attempts: u32,
    #[serde(rename = "_nextAttemptAt")]
    pub next_attempt_at: String,
    #[serde(rename = "_lastError")]
    pub last_error: Option<String>,
}

impl WaitingLine {
    pub fn span(&self) -> Span {
        Span {
            offset: self.at,
            len: self.len,
        }
    }

    pub fn due(&self) -> Millis {
        parse_iso(&self.next_attempt_at).unwrap_or(0)
    }
}

/// A line of the log.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct LogLine {
    #[serde(rename = "_v")]
    pub version: u32,
    pub at: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingLine>,
    /// Set on the second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<DrainState>,
}

/// The contents of a log.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub done: FxHashSet<Key>,
    pub waiting: FxHashMap<Key, WaitingLine>,
    pub state: DrainState,
}

pub(super) fn write_key(key: Key) -> String {
    let mut text = String::with_capacity(32);
    // Digit by digit: called twice per record, and `format!` would dominate the cost.
    for shift in (0..128).step_by(4).rev() {
        text.push(char::from_digit((key >> shift) as u32 & 15, 16).unwrap_or('0'));
    }
    text
}

pub(super) fn read_key(text: &str) -> Option<Key> {
    if text.len() != 32 {
        return None;
    }
    let add = |key: Key, digit: char| Some(key << 4 | Key::from(digit.to_digit(16)?));
    text.chars().try_fold(0, add)
}

/// Returns the two lines of a settlement with marks: a log that came with a copy of the project is ignored.
pub(super) fn lines_of(mut settlement: LogLine, state: &DrainState, marks: &Marks) -> Result<Vec<u8>> {
    settlement.version = 1;
    let second = LogLine {
        version: 1,
        at: settlement.at.clone(),
        state: Some(state.clone()),
        ..LogLine::default()
    };
    let mut lines = Vec::new();
    if !(settlement.done.is_empty() && settlement.waiting.is_empty()) {
        lines = sealed(&settlement, marks)?;
    }
    lines.extend(sealed(&second, marks)?);
    Ok(lines)
}

fn sealed(settlement: &LogLine, marks: &Marks) -> Result<Vec<u8>> {
    let mut line = encode(settlement)?;
    marks.seal(SETTLED_FILE, &mut line)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads a line that this machine wrote.
fn read(line: &[u8], check: &Checker) -> Option<LogLine> {
    serde_json::from_slice(line)
        .ok()
        .filter(|_| check.is_sealed(SETTLED_FILE, line))
}

impl Settled {
    /// Reads a log. A line that cannot be parsed leads to a repeated delivery, which the store deduplicates.
    pub fn load(log: &mut Journal, check: &Checker) -> Result<Self> {
        let mut settled = Settled::default();
        if let Some(file) = log.look()? {
            log.scan(0, file.len, &mut |line| settled.take(line.bytes, check))?;
        }
        Ok(settled)
    }

    fn take(&mut self, line: &[u8], check: &Checker) {
        let Some(settlement) = read(line, check) else {
            return;
        };
        for key in settlement.done.iter().filter_map(|key| read_key(key)) {
            self.waiting.remove(&key);
            self.done.insert(key);
        }
        for waiting in settlement.waiting {
            if let Some(key) = read_key(&waiting.key) {
                self.waiting.insert(key, waiting);
            }
        }
        if let Some(state) = settlement.state {
            self.state = state;
        }
    }
}

/// Reads the last state from the end of a log.
pub(super) fn last_state(log: &mut Journal, check: &Checker) -> Result<Option<DrainState>> {
    let Some(file) = log.look()? else { return Ok(None) };
    let from = file.len.saturating_sub(STATE_BYTES);
    let mut last = None;
    log.scan(from, file.len, &mut |line| {
        if let Some(settlement) = read(line.bytes, check) {
            last = settlement.state.or(last.take());
        }
    })?;
    Ok(last)
}

/// Returns a hash of the bytes before `at`.
pub(super) fn tail_hash(queue: &Journal, at: u64) -> Result<u64> {
    Ok(xxh3_64(&queue.anchor(at)?))
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

impl Unsettled {
    /// Returns how far the raw log was compared with the outbox.
    pub(super) fn compared(&self) -> Compared {
        self.state.compared
    }

    /// Returns its state, if it is about this queue file.
    fn about(&self, queue: Option<FileId>) -> Option<&DrainState> {
        Some(&self.state).filter(|state| queue.is_some() && state.queue == queue)
    }

    /// Returns how many lines of this queue file are settled: pending ones, and those marked as delivered and failed.
    pub fn done_in(&self, queue: Option<FileId>) -> (u64, u64, u64) {
        self.about(queue).map_or((0, 0, 0), |state| {
            let (delivered, failed) = (state.moved_delivered, state.moved_failed);
            (state.done.saturating_sub(delivered + failed), delivered, failed)
        })
    }

    /// Returns how many lines of this queue file wait according to the log only.
    pub fn waiting_in(&self, queue: Option<FileId>) -> u64 {
        self.about(queue).map_or(0, |state| state.waiting)
    }

    /// Returns on how many of them the store failed alone.
    pub fn failing_in(&self, queue: Option<FileId>) -> u64 {
        self.about(queue)
            .filter(|state| state.waiting > 0)
            .map_or(0, |state| state.failing)
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

/// The file of statistics is rotated at this size.
pub(super) const STATS_BYTES_MAX: u64 = 1024 * 1024;

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
    /// How long it took, in milliseconds; parts of one do not count.
    #[serde(rename = "durationMs", deserialize_with = "whole")]
    pub duration_ms: u64,
}

fn whole<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u64, D::Error> {
    f64::deserialize(from).map(|number| number.max(0.0) as u64)
}

/// A pass as its line in the file has it.
#[derive(Serialize)]
struct PassLine<'a> {
    #[serde(rename = "_v")]
    version: u32,
    #[serde(flatten)]
    pass: &'a DrainPass,
}

impl DrainPass {
    /// Returns its line in the file of statistics.
    pub(super) fn line(mut self, now: Millis) -> Result<Vec<u8>> {
        self.timestamp = format_iso(now);
        let mut line = encode(&PassLine {
            version: 1,
            pass: &self,
        })?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Returns the last pass of the statistics.
pub(crate) fn last_pass(disk: &dyn Disk, path: &Path) -> Option<DrainPass> {
    let bytes = read_file(disk, path).ok()??;
    let lines = bytes.split(|byte| *byte == b'\n').rev();
    let mut passes = lines.filter_map(|line| serde_json::from_slice::<DrainPass>(line.trim_ascii()).ok());
    passes.find(|pass| parse_iso(&pass.timestamp).is_some())
}
