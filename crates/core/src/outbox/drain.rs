//! The drain: lease and settle. The holder of its lock is the only process that delivers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::backoff::{wait_of_drain, wait_of_record};
use super::known::{note_names, shared_names};
use super::lease::{Leased, names_of};
use super::line::clip;
use super::rows::{Rows, Undeliverable};
use super::settled::{BackOff, DrainState, LastError, Pause, WaitingLine, read_key, write_key};
use super::{
    ARCHIVE_FILE, DEAD_LETTER_FILE, DeliveryOutcome, Key, LeasedThought, OLDER_CAPTURES_FILE, OutcomeKind, QUEUE_FILE,
    SETTLED_FILE, STATS_FILE, SettleReport,
};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{FileId, Journal, LockFile, LockGuard, Span};
use crate::project::Project;
use crate::project::config::Config;
use crate::project::environment::Environment;
use crate::project::git::identity_of;
use crate::project::layout::{CAPTURES_FILE, Layout, lock_in};
use crate::project::ownership::{Checker, Marks};

/// The drain's own lock, in the folder of locks.
const DRAIN_LOCK: &str = "openbrain-drain";

/// The drain of one project's queue. It holds the project's drain lock, which the system releases when the process ends.
#[derive(Debug)]
pub struct Drain {
    /// The names of the project, its present one first.
    pub(super) projects: Vec<String>,
    pub(super) marks: Marks,
    /// Checks which lines are own, as of the last scan of the queue.
    pub(super) check: Checker,
    /// Former names of the project under which thoughts were delivered, as of that scan.
    pub(super) renamed: Option<FxHashMap<u64, Vec<String>>>,
    pub(super) forge: PathBuf,
    /// The raw log.
    pub(super) captures: Journal,
    pub(super) queue: Journal,
    pub(super) archive: Journal,
    pub(super) dead: Journal,
    pub(super) stats: Journal,
    pub(super) log: Journal,
    /// The queue file to which the offsets refer; `None` before the first scan and after a foreign change.
    pub(super) file: Option<FileId>,
    /// The offset up to which the queue was scanned, and a hash of the bytes before it.
    pub(super) cursor: u64,
    pub(super) tail: u64,
    /// The length of the queue at the last complete scan.
    pub(super) seen: u64,
    /// Lines before this offset are due at once, whatever their back-off says: the user asked for a retry.
    pub(super) retry_before: u64,
    /// Set when a span belonged to another line: the spans in the log are then ignored.
    pub(super) distrusts_spans: bool,
    /// Whether settled lines are counted during the scan.
    pub(super) counts_done: bool,
    pub(super) done: FxHashSet<Key>,
    /// Log entries about lines that were not scanned yet.
    pub(super) remembered: FxHashMap<Key, WaitingLine>,
    pub(super) waiting: FxHashMap<Key, WaitingLine>,
    /// Waiting lines that the log does not contain yet.
    pub(super) unlogged: FxHashSet<Key>,
    pub(super) due: BinaryHeap<Reverse<(Millis, u64, Key)>>,
    /// Lines that are blocked by an earlier line about the same thought, by offset.
    pub(super) held: BTreeMap<u64, Span>,
    /// The blocked lines of each thought, and those that may be unblocked.
    pub(super) blocked: FxHashMap<u64, Vec<u64>>,
    pub(super) freed: BTreeSet<u64>,
    /// The offsets of the unsettled lines about each thought.
    pub(super) open: FxHashMap<u64, Vec<u64>>,
    pub(super) leased: FxHashMap<Key, Leased>,
    pub(super) undeliverable: Vec<Undeliverable>,
    pub(super) state: DrainState,
    /// The length of the log after its last compaction.
    pub(super) log_base: u64,
    /// True when another tool uses the project too, which delivers every record in the queue.
    pub(super) is_shared: bool,
    _lock: LockGuard,
}

/// The number of failures on a record alone after which it becomes a dead letter.
pub(super) const ATTEMPTS_MAX: u32 = 5;

impl Drain {
    /// Takes the drain lock of a project.
    ///
    /// # Errors
    /// `LOCKED` when another process drains it, `IO` when the lock cannot be made.
    pub fn open(environment: &Environment) -> Result<Self> {
        let layout = Layout::new(environment);
        let config = Config::load(environment.disk.as_ref(), &layout.settings_file());
        let forge = layout.forge().to_path_buf();
        let disk = &environment.disk;
        let lock = LockFile::new(Arc::clone(disk), forge.join("locks").join(format!("{DRAIN_LOCK}.lock")));
        lock.acquire_within(Duration::ZERO)?;
        let own = |file: &str| {
            let mut journal = Journal::under(Arc::clone(disk), forge.join(file), lock_in(&forge, file, disk));
            journal.set_durability(config.durability);
            journal
        };
        let captures_lock = lock_in(&forge, CAPTURES_FILE, disk);
        let under = |file: &str| Journal::under(Arc::clone(disk), forge.join(file), captures_lock.clone());
        let mut queue = under(QUEUE_FILE);
        queue.set_durability(config.durability);
        let marks = Marks::new(disk, &environment.home, environment.memory_dir());
        // Delivered under another name, records would belong to another project.
        identity_of(disk.as_ref(), &environment.project_dir, &environment.git_settings)?;
        let mut project = Project::open(environment.clone());
        note_names(&mut project);
        let projects = shared_names(&project);
        Ok(Drain {
            check: marks.try_checker()?,
            marks,
            renamed: None,
            projects,
            captures: under(CAPTURES_FILE),
            queue,
            archive: own(ARCHIVE_FILE),
            dead: own(DEAD_LETTER_FILE),
            stats: own(STATS_FILE),
            log: own(SETTLED_FILE),
            file: None,
            cursor: 0,
            tail: 0,
            seen: 0,
            retry_before: 0,
            distrusts_spans: false,
            counts_done: false,
            done: FxHashSet::default(),
            remembered: FxHashMap::default(),
            waiting: FxHashMap::default(),
            unlogged: FxHashSet::default(),
            due: BinaryHeap::new(),
            held: BTreeMap::new(),
            blocked: FxHashMap::default(),
            freed: BTreeSet::new(),
            open: FxHashMap::default(),
            leased: FxHashMap::default(),
            undeliverable: Vec::new(),
            state: DrainState::default(),
            log_base: 0,
            is_shared: disk.stat(&forge.join(OLDER_CAPTURES_FILE)).is_ok(),
            forge,
            _lock: lock.into_guard(),
        })
    }

    /// Leases at most `max` due records, oldest first. No record of the batch depends on another one of it.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files of the queue cannot be used; nothing is leased then.
    pub fn lease(&mut self, max: usize, now: Millis) -> Result<Vec<LeasedThought>> {
        let mut len = self.refresh()?;
        self.renamed = None;
        // Without a key no line is own, so no line may be skipped for good.
        if !self.check.has_key()
            || self.state.paused.is_some()
            || self.state.back_off.is_some_and(|back_off| back_off.until > now)
        {
            return Ok(Vec::new());
        }
        if self.may_miss_records()? {
            self.queue_missing(now)?;
            len = self.refresh()?;
        }
        let mut batch = Vec::with_capacity(max.min(1024));
        let outcome = self
            .gather(max, len, now, &mut batch)
            .and_then(|()| self.settle_undeliverable(now));
        if let Err(error) = outcome {
            // The gathered records are not leased: the next scan starts over.
            for (key, _) in batch {
                self.leased.remove(&key);
            }
            self.file = None;
            return Err(error);
        }
        if batch.is_empty() {
            let _ = self.compact_if_idle(now);
        }
        Ok(batch.into_iter().map(|(_, given)| given).collect())
    }

    /// Settles the outcomes of leased records. After an error the caller may pass the same outcomes again: settling is
    /// idempotent.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the settlement cannot be written, `INVALID_INPUT` for a record that is named twice.
    pub fn settle(&mut self, outcomes: &[DeliveryOutcome], now: Millis) -> Result<SettleReport> {
        self.refresh()?;
        let mut rows = Rows::new(now);
        let bytes = self.leased.values().map(|leased| leased.bytes.len()).sum();
        rows.reserve(outcomes.len().min(self.leased.len()), bytes);
        let mut report = SettleReport::default();
        let mut state = self.state.clone();
        let mut seen = FxHashSet::default();
        for outcome in outcomes {
            let key = read_key(&outcome.key).filter(|key| self.leased.contains_key(key));
            let Some((key, leased)) = key.and_then(|key| Some((key, self.leased.get(&key)?))) else {
                report.unknown += 1;
                continue;
            };
            if !seen.insert(key) {
                return Err(Error::invalid(
                    "outcomes",
                    format!("{} is settled more than once", outcome.key),
                ));
            }
            take_outcome(&mut rows, &mut report, &mut state, key, leased, outcome, now);
        }
        back_off(&mut state, outcomes, &report, now);
        self.write_rows(&mut rows, &mut state, now)?;
        for line in &rows.waiting {
            if read_key(&line.key).is_some_and(|key| seen.contains(&key)) {
                self.open_names(&names_of(line), line.at);
            }
        }
        for key in seen {
            self.close_lease(key);
        }
        self.take_rows(rows, state);
        report.paused = self.state.paused.as_ref().map(|pause| pause.reason.clone());
        // Everything is settled: a failed compaction is retried after the next settlement.
        let _ = self.compact_if_half_done(now);
        report.next_due_at = self.next_due_at(now).unwrap_or(Some(now)).map(format_iso);
        Ok(report)
    }

    /// Ends a pause and every back-off: all waiting records become due.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the log cannot be written.
    pub fn resume(&mut self, now: Millis) -> Result<()> {
        let len = self.refresh()?;
        let is_waiting = !(self.waiting.is_empty() && self.remembered.is_empty());
        self.retry_before = len;
        if self.state.paused.is_none() && self.state.back_off.is_none() && !is_waiting {
            return Ok(());
        }
        let mut rows = Rows::new(now);
        let mut state = self.state.clone();
        (state.paused, state.back_off) = (None, None);
        let at = format_iso(now);
        let due_now = |line: &WaitingLine| WaitingLine {
            next_attempt_at: at.clone(),
            ..line.clone()
        };
        let lines = self.waiting.values().chain(self.remembered.values());
        rows.waiting = lines.map(due_now).collect();
        self.write_rows(&mut rows, &mut state, now)?;
        for line in self.remembered.values_mut() {
            line.next_attempt_at.clone_from(&at);
        }
        let unseen: FxHashSet<String> = self.remembered.keys().copied().map(write_key).collect();
        rows.waiting.retain(|line| !unseen.contains(&line.key));
        self.due.clear();
        self.waiting.clear();
        self.unlogged.clear();
        self.take_rows(rows, state);
        Ok(())
    }

    /// Returns when the next record is due; `None` when nothing waits or the drain is paused.
    ///
    /// # Errors
    /// `IO` when the queue cannot be read.
    pub fn next_due_at(&mut self, now: Millis) -> Result<Option<Millis>> {
        let len = self.refresh()?;
        if self.state.paused.is_some() || !self.check.has_key() {
            return Ok(None);
        }
        let is_ready = len > self.seen || !self.freed.is_empty();
        let next = match self.due.peek() {
            _ if is_ready => Some(now),
            Some(Reverse((due, ..))) => Some((*due).max(now)),
            None => None,
        };
        let until = self.state.back_off.map_or(now, |back_off| back_off.until);
        Ok(next.map(|next| next.max(until)))
    }

    /// Compacts the queue where that is cheap. Leased records become pending again.
    pub fn close(mut self, now: Millis) {
        self.leased.clear();
        // The next drain does it.
        let _ = self.refresh().and_then(|_| self.compact_at_end(now));
    }

    /// Applies a settlement to the state in memory.
    pub(super) fn take_rows(&mut self, rows: Rows, state: DrainState) {
        for line in rows.waiting {
            if let Some(key) = read_key(&line.key) {
                // Lines that only the log did not contain are in the heap already.
                if !self.unlogged.remove(&key) {
                    self.due.push(Reverse((line.due(), line.at, key)));
                }
                self.waiting.insert(key, line);
            }
        }
        self.done.extend(rows.done.iter().map(|(key, _)| *key));
        self.state = state;
    }

    /// Ends the lease of a record; lines that it blocked may become due.
    fn close_lease(&mut self, key: Key) {
        if let Some(leased) = self.leased.remove(&key) {
            self.close_names(&leased.names, leased.open_at);
        }
    }
}

fn take_outcome(
    rows: &mut Rows,
    report: &mut SettleReport,
    state: &mut DrainState,
    key: Key,
    leased: &Leased,
    outcome: &DeliveryOutcome,
    now: Millis,
) {
    let reason = outcome.reason.as_deref().map(clip);
    let reason_text = || reason.clone().unwrap_or_else(|| "the store gave no reason".into());
    if !matches!(outcome.kind, OutcomeKind::Delivered | OutcomeKind::Gone) {
        state.last_error = Some(LastError {
            message: reason_text(),
            at: format_iso(now),
        });
    }
    match outcome.kind {
        OutcomeKind::Delivered => {
            report.delivered += 1;
            rows.archive(key, leased, None);
        }
        OutcomeKind::Gone => {
            report.delivered += 1;
            rows.archive(
                key,
                leased,
                Some(&reason.unwrap_or_else(|| "there was nothing left to do".into())),
            );
        }
        OutcomeKind::Rejected => {
            report.dead += 1;
            rows.push_dead_letter(key, leased, &reason_text());
        }
        OutcomeKind::Busy => {
            report.deferred += 1;
            // An outage does not count as an attempt; its duration sets the back-off.
            let passes = state.back_off.map_or(0, |back_off| back_off.passes) + 1;
            rows.defer(
                key,
                leased,
                leased.attempts,
                now + wait_of_record(key, passes),
                Some(reason_text()),
            );
        }
        OutcomeKind::Failed => {
            report.failed += 1;
            let attempts = leased.attempts.saturating_add(1);
            if attempts >= ATTEMPTS_MAX {
                report.dead += 1;
                rows.push_dead_letter(key, leased, &reason_text());
            } else {
                report.deferred += 1;
                rows.defer(
                    key,
                    leased,
                    attempts,
                    now + wait_of_record(key, attempts),
                    Some(reason_text()),
                );
            }
        }
        OutcomeKind::Misconfigured => {
            report.deferred += 1;
            let since = format_iso(now);
            state.paused.get_or_insert(Pause {
                reason: reason_text(),
                since,
            });
            rows.defer(key, leased, leased.attempts, now, Some(reason_text()));
        }
    }
}

/// A store that accepts nothing is tried again after a while with one batch, not with the whole queue (circuit breaker).
fn back_off(state: &mut DrainState, outcomes: &[DeliveryOutcome], report: &SettleReport, now: Millis) {
    if report.delivered + report.dead > 0 {
        state.back_off = None;
    } else if outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Busy) {
        let passes = state.back_off.map_or(0, |back_off| back_off.passes).saturating_add(1);
        let until = now + wait_of_drain(passes);
        state.back_off = Some(BackOff { passes, until });
    }
}
