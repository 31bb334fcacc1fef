//! The drain: lease and settle. The holder of its lock is the only process that delivers.
//!
//! Every line of the queue is in one state, which moves by the table of [`super::state`]: the scan reads lines, `lease` gives out those that are
//! due, `settle` writes their outcomes and then makes their steps. A compaction rewrites the queue without the settled lines. It costs O(live
//! bytes) and runs when settled >= live, so a record is rewritten about once (amortized, as in the copying of a semispace collector).

use std::collections::BTreeMap;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::backoff::{wait_of_drain, wait_of_record};
use super::dead::DeadLetters;
use super::files::{Files, rewrite_lines};
use super::known::{note_names, shared_names};
use super::line::{QueueLine, clip, key_of, quoted};
use super::lines::{Line, Lines, Reading};
use super::log::{
    BackOff, DrainState, LastError, LogLine, Pause, STATS_BYTES_MAX, WaitingLine, lines_of, read_key, tail_hash,
    write_key,
};
use super::settlement::{ARCHIVE_BYTES_MAX, Batch, Settlement};
use super::state::{LineEvent, LineState};
use super::{
    DRAIN_LOCK, DeliveryOutcome, DrainPass, Key, LeasedThought, OLDER_CAPTURES_FILE, OutcomeKind, SETTLED_FILE,
    STATS_FILE, SettleReport,
};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{Journal, LockGuard};
use crate::project::Project;
use crate::project::environment::Environment;
use crate::project::git::identity_of;
use crate::project::layout::Layout;
use crate::project::ownership::Marks;

/// The number of failures on a record alone after which it becomes a dead letter.
const ATTEMPTS_MAX: u32 = 5;

/// The minimum of settled bytes for a compaction while there is other work.
const DONE_BYTES_MIN: u64 = 8 * 1024 * 1024;
/// The same while the drain is idle.
const IDLE_BYTES_MIN: u64 = 16 * 1024;
/// A closing drain may always rewrite this much.
const CHEAP_BYTES: u64 = 64 * 1024;
/// The log is compacted when it has grown by at least this and to four times its compacted size.
const LOG_BYTES_MIN: u64 = 256 * 1024;

/// The drain of one project's queue. It holds the project's drain lock, which the system releases when the process ends.
#[derive(Debug)]
pub struct Drain {
    /// The names of the project, its present one first.
    pub(super) projects: Vec<String>,
    /// Former names of the project under which thoughts were delivered, as of the last lease.
    pub(super) renamed: Option<FxHashMap<u64, Vec<String>>>,
    pub(super) marks: Marks,
    layout: Layout,
    pub(super) files: Files,
    pub(super) log: Journal,
    stats: Journal,
    pub(super) reading: Reading,
    pub(super) lines: Lines,
    /// The state of the drain as a whole, according to the log.
    pub(super) state: DrainState,
    /// The length of the log after its last compaction.
    pub(super) log_base: u64,
    /// True when another tool uses the project too, which delivers every record in the queue.
    is_shared: bool,
    _lock: LockGuard,
}

impl Drain {
    /// Takes the drain lock of a project.
    ///
    /// # Errors
    /// `LOCKED` when another process drains it, `IO` when the lock cannot be made.
    pub fn open(environment: &Environment) -> Result<Self> {
        let (layout, disk) = (Layout::new(environment), &environment.disk);
        let mut project = Project::open(environment.clone());
        let lock = layout.lock_of(DRAIN_LOCK);
        lock.acquire_within(Duration::ZERO)?;
        let marks = Marks::new(disk, &environment.home, environment.memory_dir());
        let mut files = Files::of(&layout, marks.try_checker()?);
        let mut log = layout.journal_under_own_lock(SETTLED_FILE);
        let mut stats = layout.journal_under_own_lock(STATS_FILE);
        for journal in [
            &mut files.queue,
            &mut files.archive,
            &mut files.dead,
            &mut log,
            &mut stats,
        ] {
            journal.set_durability(project.config().settings.durability);
        }
        // Delivered under another name, records would belong to another project.
        identity_of(disk.as_ref(), &environment.project_dir, &environment.git_settings)?;
        note_names(&mut project);
        Ok(Drain {
            projects: shared_names(&project),
            renamed: None,
            is_shared: layout.has(OLDER_CAPTURES_FILE),
            layout,
            files,
            marks,
            log,
            stats,
            reading: Reading::default(),
            lines: Lines::default(),
            state: DrainState::default(),
            log_base: 0,
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
        if !self.files.check.has_key()
            || self.state.paused.is_some()
            || self.state.back_off.is_some_and(|back_off| back_off.until > now)
        {
            return Ok(Vec::new());
        }
        if self.files.may_miss_records(&self.state.compared)? {
            if let Some((compared, is_news)) = self.files.queue_missing(&self.state.compared, now)? {
                self.state.compared = compared;
                if is_news {
                    self.commit(Settlement::new(&self.state, now))?;
                }
            }
            len = self.refresh()?;
        }
        let mut batch = Batch {
            max,
            given: Vec::with_capacity(max.min(1024)),
            settlement: Settlement::new(&self.state, now),
        };
        let mut outcome = self.gather(len, now, &mut batch);
        let Batch { given, settlement, .. } = batch;
        if settlement.is_empty() {
            self.state = settlement.state
        } else {
            outcome = outcome.and_then(|()| self.commit(settlement))
        }
        if let Err(error) = outcome {
            // The gathered records are not leased: the next scan starts over.
            for (key, _) in given {
                self.lines.step(key, LineEvent::Returned);
            }
            self.reading.file = None;
            return Err(error);
        }
        if given.is_empty() {
            let _ = self.compact_if_idle(now);
        }
        Ok(given.into_iter().map(|(_, given)| given).collect())
    }

    /// Settles the outcomes of leased records. After an error the caller may pass the same outcomes again: settling is
    /// idempotent.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the settlement cannot be written, `INVALID_INPUT` for a record that is named twice.
    pub fn settle(&mut self, outcomes: &[DeliveryOutcome], now: Millis) -> Result<SettleReport> {
        self.refresh()?;
        let mut settlement = Settlement::new(&self.state, now);
        let bytes = self.lines.leased().map(|line| line.bytes.len()).sum();
        settlement.reserve(outcomes.len(), bytes);
        let mut report = SettleReport::default();
        let mut seen = FxHashSet::default();
        for outcome in outcomes {
            let leased = read_key(&outcome.key).and_then(|key| Some((key, self.lines.get(key)?)));
            let Some((key, line)) = leased.filter(|(_, line)| line.is_leased()) else {
                report.unknown += 1;
                continue;
            };
            if !seen.insert(key) {
                return Err(Error::invalid(
                    "outcomes",
                    format!("{} is settled more than once", outcome.key),
                ));
            }
            take_outcome((key, line), outcome, &mut settlement, &mut report, now);
        }
        back_off(&mut settlement.state, outcomes, &report, now);
        self.commit(settlement)?;
        report.paused = self.state.paused.as_ref().map(|pause| pause.reason.clone());
        // Everything is settled: a failed compaction is retried after the next settlement.
        let _ = self.compact_if_half_done(now);
        report.next_due_at = self.next_due_at(now).unwrap_or(Some(now)).map(format_iso);
        Ok(report)
    }

    /// Writes a settlement, with the entries that the log does not have yet: dead letters, then the archive, then the log. Then makes its steps.
    fn commit(&mut self, settlement: Settlement) -> Result<()> {
        let steps = settlement.steps;
        let moving: FxHashSet<Key> = steps.iter().map(|step| step.key).collect();
        let done = steps.iter().filter(|step| step.entry.is_none());
        let done = done.map(|step| write_key(step.key)).collect();
        let mut waiting: Vec<WaitingLine> = steps.iter().filter_map(|step| step.entry.clone()).collect();
        let is_failing = |line: &WaitingLine| u64::from(line.attempts > 0);
        let mut state = settlement.state;
        (state.waiting, state.failing) = (waiting.len() as u64, waiting.iter().map(is_failing).sum());
        state.from = self.reading.cursor;
        for (key, line) in self.lines.all() {
            let is_moving = moving.contains(key);
            if line.state == LineState::Held || (line.is_leased() && !line.is_logged && !is_moving) {
                state.from = state.from.min(line.entry.at);
            }
            if line.has_waited() && !line.is_leased() && !is_moving {
                state.waiting += 1;
                state.failing += is_failing(&line.entry);
                if !line.is_logged {
                    waiting.push(line.entry.clone());
                }
            }
        }
        state.tail = tail_hash(&self.files.queue, state.from)?;
        state.queue = self.reading.file;
        if !settlement.dead.is_empty() {
            self.files.dead.append_lines(&settlement.dead)?;
        }
        if !settlement.archive.is_empty() {
            let archive = &mut self.files.archive;
            archive.append_lines_rotating(ARCHIVE_BYTES_MAX, &settlement.archive)?;
        }
        let at = settlement.at;
        let entry = LogLine {
            at,
            done,
            waiting,
            ..LogLine::default()
        };
        self.log.append_lines(&lines_of(entry, &state, &self.marks)?)?;
        self.lines.commit(steps);
        self.state = state;
        Ok(())
    }

    /// Ends a pause and every back-off: all waiting records become due.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the log cannot be written.
    pub fn resume(&mut self, now: Millis) -> Result<()> {
        self.reading.retry_before = self.refresh()?;
        let mut settlement = Settlement::new(&self.state, now);
        for (key, line) in self.lines.all().filter(|(_, line)| line.has_waited()) {
            if line.state.after(LineEvent::Resumed).is_some() {
                let next_attempt_at = format_iso(now);
                let entry = WaitingLine {
                    next_attempt_at,
                    ..line.entry.clone()
                };
                settlement.put_off(*key, LineEvent::Resumed, entry);
            }
        }
        if self.state.paused.is_none() && self.state.back_off.is_none() && settlement.is_empty() {
            return Ok(());
        }
        (settlement.state.paused, settlement.state.back_off) = (None, None);
        self.commit(settlement)
    }

    /// Returns when the next record is due; `None` when nothing waits or the drain is paused.
    ///
    /// # Errors
    /// `IO` when the queue cannot be read.
    pub fn next_due_at(&mut self, now: Millis) -> Result<Option<Millis>> {
        let len = self.refresh()?;
        if self.state.paused.is_some() || !self.files.check.has_key() {
            return Ok(None);
        }
        let next = if len > self.reading.seen {
            Some(now)
        } else {
            self.lines.due_at(now)
        };
        let until = self.state.back_off.map_or(now, |back_off| back_off.until);
        Ok(next.map(|next| next.max(now).max(until)))
    }

    /// Counts a pass.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the file cannot take it.
    pub fn record(&mut self, pass: DrainPass, now: Millis) -> Result<()> {
        self.stats.append_lines_rotating(STATS_BYTES_MAX, &pass.line(now)?)?;
        Ok(())
    }

    /// Puts all dead letters back into the queue, once when a worker starts. Returns their number.
    ///
    /// # Errors
    /// `IO` or `LOCKED` when the files cannot be written.
    pub fn replay_dead_letters(&mut self, now: Millis) -> Result<u64> {
        let mut letters = DeadLetters::of(&self.layout, &self.marks)?;
        Ok(letters.retry(None, &mut self.files.queue, now)?.retried)
    }

    /// Compacts the queue where that is cheap. Leased records become pending again.
    pub fn close(mut self, now: Millis) {
        self.lines.return_all();
        // The next drain does it.
        let _ = self.refresh().and_then(|_| self.compact_at_end(now));
    }

    fn compact_if_half_done(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        let is_seen_by_others = self.is_shared && done > 0 && self.lines.leased().next().is_none();
        if is_seen_by_others || (done >= DONE_BYTES_MIN && done >= left) {
            return self.compact(now);
        }
        let len = self.log.look()?.map_or(0, |file| file.len);
        if len > LOG_BYTES_MIN && len > self.log_base.saturating_mul(4) {
            self.rewrite_log(now)?;
        }
        Ok(())
    }

    /// For an idle drain.
    fn compact_if_idle(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if self.lines.leased().next().is_none() && done >= IDLE_BYTES_MIN && done >= left {
            return self.compact(now);
        }
        Ok(())
    }

    /// For a closing drain: other tools then find only pending records in the queue.
    fn compact_at_end(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if done > 0 && (self.is_shared || left <= done.max(CHEAP_BYTES)) {
            return self.compact(now);
        }
        Ok(())
    }

    fn done_and_left(&mut self) -> Result<(u64, u64)> {
        let len = self.files.queue.look()?.map_or(0, |file| file.len);
        let done = self.state.done_bytes.min(len);
        Ok((done, len - done))
    }

    /// Rewrites the queue without the settled lines. The retry state of waiting records moves from the log into their lines.
    fn compact(&mut self, now: Millis) -> Result<()> {
        let _lock = self.files.captures.guard()?;
        let lines = &self.lines;
        self.files.queue.replace::<Error>(|old| {
            let fresh = rewrite_lines(old, |line| {
                let key = key_of(line);
                if lines.settled.contains(&key) {
                    return Ok(Some(Vec::new()));
                }
                let waits = lines.get(key).filter(|line| line.has_waited() && !line.is_leased());
                Ok(waits.and_then(|waits| rewritten(line, &waits.entry)))
            });
            Ok(fresh?.or_else(|| Some(old.to_vec())))
        })?;
        // The log refers to lines by their hash, so entries about removed lines have no effect.
        self.reading.file = None;
        self.lines.keep_leases();
        self.state = DrainState {
            paused: self.state.paused.take(),
            back_off: self.state.back_off.take(),
            last_error: self.state.last_error.take(),
            compared: self.state.compared.with_queue(&mut self.files.queue)?,
            ..DrainState::default()
        };
        self.rewrite_log(now)
    }

    /// Rewrites the log with the entries that still apply.
    fn rewrite_log(&mut self, now: Millis) -> Result<()> {
        let waiting = self.lines.all().filter(|(_, line)| line.has_waited());
        let waiting: BTreeMap<Key, &WaitingLine> = waiting.map(|(key, line)| (*key, &line.entry)).collect();
        let mut done: Vec<Key> = self.lines.settled.iter().copied().collect();
        done.sort_unstable();
        let entry = LogLine {
            at: format_iso(now),
            done: done.into_iter().map(write_key).collect(),
            waiting: waiting.into_values().cloned().collect(),
            ..LogLine::default()
        };
        let lines = lines_of(entry, &self.state, &self.marks)?;
        self.log_base = lines.len() as u64;
        self.log.replace(|_| Ok(Some(lines))).map(|_| ())
    }
}

/// Notes the consequences of an outcome for a leased line, and for the drain.
fn take_outcome(
    (key, line): (Key, &Line),
    outcome: &DeliveryOutcome,
    settlement: &mut Settlement,
    report: &mut SettleReport,
    now: Millis,
) {
    let (before, state) = (line.entry.attempts, &mut settlement.state);
    let tried = before.saturating_add(1);
    let event = match outcome.kind {
        OutcomeKind::Delivered => LineEvent::Stored,
        OutcomeKind::Gone => LineEvent::Needless,
        OutcomeKind::Rejected => LineEvent::Rejected,
        OutcomeKind::Busy => LineEvent::Busy,
        OutcomeKind::Failed if tried >= ATTEMPTS_MAX => LineEvent::Exhausted,
        OutcomeKind::Failed => LineEvent::Failed,
        OutcomeKind::Misconfigured => LineEvent::Misconfigured,
    };
    let reason = outcome.reason.as_deref().map(clip);
    let or_else = |default: &str| reason.clone().unwrap_or_else(|| default.to_owned());
    let reason = match event {
        LineEvent::Stored => None,
        LineEvent::Needless => Some(or_else("there was nothing left to do")),
        _ => {
            let (message, at) = (or_else("the store gave no reason"), format_iso(now));
            state.last_error = Some(LastError { message, at });
            Some(or_else("the store gave no reason"))
        }
    };
    let (attempts, due) = match event {
        LineEvent::Rejected | LineEvent::Failed | LineEvent::Exhausted => (tried, now + wait_of_record(key, tried)),
        // An outage does not count as an attempt; its duration sets the back-off.
        LineEvent::Busy => {
            let passes = state.back_off.map_or(0, |back_off| back_off.passes) + 1;
            (before, now + wait_of_record(key, passes))
        }
        _ => (before, now),
    };
    if event == LineEvent::Misconfigured {
        let (reason, since) = (reason.clone().unwrap_or_default(), format_iso(now));
        state.paused.get_or_insert(Pause { reason, since });
    }
    report.failed += u64::from(outcome.kind == OutcomeKind::Failed);
    match line.state.after(event) {
        Some(LineState::Delivered) => report.delivered += 1,
        Some(LineState::Dead) => report.dead += 1,
        _ => {
            report.deferred += 1;
            let entry = WaitingLine {
                attempts,
                next_attempt_at: format_iso(due),
                last_error: reason,
                ..line.entry.clone()
            };
            return settlement.put_off(key, event, entry);
        }
    }
    let bytes = (line.bytes.as_slice(), line.entry.len);
    settlement.settle((key, line.state, event), bytes, attempts, reason.as_deref());
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

/// Returns the line with the retry state of a waiting record, and its end.
fn rewritten(line: &[u8], waits: &WaitingLine) -> Option<Vec<u8>> {
    let mut changes = vec![
        ("_attempts", Some(waits.attempts.to_string())),
        ("_nextAttemptAt", quoted(&waits.next_attempt_at)),
    ];
    if let Some(error) = &waits.last_error {
        changes.push(("_lastError", quoted(error)));
    }
    let mut line = QueueLine::read(line)?.with(&changes);
    line.push(b'\n');
    Some(line)
}
