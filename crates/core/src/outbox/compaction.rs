//! Rewriting the queue without what is done. It costs what is left, and it comes when at least as much is done: over
//! all passes a record is rewritten about once.

use std::collections::BTreeMap;

use super::Key;
use super::drain::Drain;
use super::line::{QueueLine, key_of, quoted};
use super::settled::{DrainState, Settlement, WaitingLine, lines_of};
use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::clean;

/// Less than this is not worth a rewrite, and its syncs, while there is other work.
const DONE_BYTES_MIN: u64 = 8 * 1024 * 1024;
/// Nor less than this while the drain only waits for the next capture.
const IDLE_BYTES_MIN: u64 = 16 * 1024;
/// As much may always be rewritten by a drain that ends.
const CHEAP_BYTES: u64 = 64 * 1024;
/// The log is compacted when it has grown by at least this and to four times its compacted size.
const LOG_BYTES_MIN: u64 = 256 * 1024;

impl Drain {
    pub(super) fn compact_if_half_done(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if done >= DONE_BYTES_MIN && done >= left {
            return self.compact(now);
        }
        let len = self.log.look()?.map_or(0, |file| file.len);
        if len > LOG_BYTES_MIN && len > self.log_base.saturating_mul(4) {
            self.rewrite_log(now)?;
        }
        Ok(())
    }

    /// For a drain that has nothing else to do.
    pub(super) fn compact_if_idle(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if self.leased.is_empty() && done >= IDLE_BYTES_MIN && done >= left {
            return self.compact(now);
        }
        Ok(())
    }

    /// For a drain that ends: other tools see a queue of what is really pending.
    pub(super) fn compact_at_end(&mut self, now: Millis) -> Result<()> {
        let (done, left) = self.done_and_left()?;
        if done > 0 && left <= done.max(CHEAP_BYTES) {
            return self.compact(now);
        }
        Ok(())
    }

    fn done_and_left(&mut self) -> Result<(u64, u64)> {
        let len = self.queue.look()?.map_or(0, |file| file.len);
        let done = self.state.done_bytes.min(len);
        Ok((done, len - done))
    }

    /// Rewrites the queue without what is done. What waits carries its bookkeeping in its own line from then on.
    fn compact(&mut self, now: Millis) -> Result<()> {
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
        // Whatever happens to the log now: it names lines by what they are, and these are gone.
        self.file = None;
        self.done.clear();
        self.waiting.clear();
        self.remembered.clear();
        let kept = DrainState {
            paused: self.state.paused.take(),
            back_off: self.state.back_off.take(),
            last_error: self.state.last_error.take(),
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

/// Returns the line with the bookkeeping of a record that waits.
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
