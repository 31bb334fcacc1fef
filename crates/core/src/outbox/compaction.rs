//! Compaction of the queue: rewrites it without the settled lines. It costs O(live bytes) and runs when settled >= live, so a record
//! is rewritten about once (amortized, as in the copying of a semispace collector).

use std::collections::BTreeMap;

use super::Key;
use super::drain::Drain;
use super::line::{QueueLine, key_of, quoted};
use super::settled::{DrainState, Settlement, WaitingLine, lines_of};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::clean;

/// The minimum of settled bytes for a compaction while there is other work.
const DONE_BYTES_MIN: u64 = 8 * 1024 * 1024;
/// The same while the drain is idle.
const IDLE_BYTES_MIN: u64 = 16 * 1024;
/// A closing drain may always rewrite this much.
const CHEAP_BYTES: u64 = 64 * 1024;
/// The log is compacted when it has grown by at least this and to four times its compacted size.
const LOG_BYTES_MIN: u64 = 256 * 1024;

impl Drain {
    pub(super) fn compact_if_half_done(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        let is_seen_by_others = self.is_shared && done > 0 && self.leased.is_empty();
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
    pub(super) fn compact_if_idle(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if self.leased.is_empty() && done >= IDLE_BYTES_MIN && done >= left {
            return self.compact(now);
        }
        Ok(())
    }

    /// For a closing drain: other tools then find only pending records in the queue.
    pub(super) fn compact_at_end(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if done > 0 && (self.is_shared || left <= done.max(CHEAP_BYTES)) {
            return self.compact(now);
        }
        Ok(())
    }

    fn done_and_left(&mut self) -> Result<(u64, u64)> {
        let len = self.queue.look()?.map_or(0, |file| file.len);
        let done = self.state.done_bytes.min(len);
        Ok((done, len - done))
    }

    /// Rewrites the queue without the settled lines. The retry state of waiting records moves from the log into their lines.
    fn compact(&mut self, now: Millis) -> Result<()> {
        let _lock = self.captures.guard()?;
        let (done, waiting, remembered) = (&self.done, &self.waiting, &self.remembered);
        let waits = |key: &Key| waiting.get(key).or_else(|| remembered.get(key));
        self.queue.replace::<Error>(|old| {
            let mut fresh = Vec::with_capacity(old.len() / 2);
            for raw in old.split_inclusive(|byte| *byte == b'\n') {
                let line = clean(raw);
                // A line without an end may still be in the middle of being written.
                let is_whole = raw.ends_with(b"\n");
                let key = key_of(line);
                if is_whole && done.contains(&key) {
                    continue;
                }
                match waits(&key)
                    .filter(|_| is_whole)
                    .and_then(|waits| rewritten(line, waits))
                {
                    Some(line) => {
                        fresh.extend_from_slice(&line);
                        fresh.push(b'\n');
                    }
                    None => fresh.extend_from_slice(raw),
                }
            }
            Ok(Some(fresh))
        })?;
        // The log refers to lines by their hash, so entries about removed lines have no effect.
        self.file = None;
        self.done.clear();
        self.waiting.clear();
        self.remembered.clear();
        let kept = DrainState {
            paused: self.state.paused.take(),
            back_off: self.state.back_off.take(),
            last_error: self.state.last_error.take(),
            compared: self.state.compared.with_queue(&mut self.queue)?,
            ..DrainState::default()
        };
        self.state = kept;
        self.rewrite_log(now)
    }

    /// Rewrites the log with the entries that still apply.
    fn rewrite_log(&mut self, now: Millis) -> Result<()> {
        let leased = self
            .leased
            .iter()
            .filter_map(|(key, leased)| Some((*key, leased.logged.as_ref()?)));
        let waiting = self
            .waiting
            .iter()
            .chain(&self.remembered)
            .map(|(key, line)| (*key, line));
        let all: BTreeMap<Key, &WaitingLine> = leased.chain(waiting).collect();
        let mut done: Vec<Key> = self.done.iter().copied().collect();
        done.sort_unstable();
        let settlement = Settlement {
            at: format_iso(now),
            done: done.into_iter().map(super::settled::write_key).collect(),
            waiting: all.into_values().cloned().collect(),
            ..Settlement::default()
        };
        let lines = lines_of(settlement, &self.state, &self.marks)?;
        self.log_base = lines.len() as u64;
        self.log.replace(|_| Ok(Some(lines))).map(|_| ())
    }
}

/// Returns the line with the retry state of a waiting record.
fn rewritten(line: &[u8], waits: &WaitingLine) -> Option<Vec<u8>> {
    let line = QueueLine::read(line)?;
    let mut changes = vec![
        ("_attempts", Some(waits.attempts.to_string())),
        ("_nextAttemptAt", quoted(&waits.next_attempt_at)),
    ];
    if let Some(error) = &waits.last_error {
        changes.push(("_lastError", quoted(error)));
    }
    Some(line.with(&changes))
}
