//! Persists a settlement: dead letters, then the archive, then the settlement log.

use rustc_hash::FxHashSet;

use super::Key;
use super::drain::Drain;
use super::rows::{ARCHIVE_BYTES_MAX, Rows};
use super::settled::{DrainState, Settlement, WaitingLine, lines_of, read_key, tail_hash, write_key};
use crate::clock::{Millis, format_iso};
use crate::error::Result;

impl Drain {
    /// Moves lines that do not have to be delivered to the archive or the dead letters.
    pub(super) fn settle_undeliverable(&mut self, now: Millis) -> Result<()> {
        if self.undeliverable.is_empty() {
            return Ok(());
        }
        let mut rows = Rows::new(now);
        let mut state = self.state.clone();
        let undeliverable = std::mem::take(&mut self.undeliverable);
        for line in &undeliverable {
            rows.take_undeliverable(line, &mut state);
        }
        self.write_rows(&mut rows, &mut state, now)?;
        self.take_rows(rows, state);
        for line in undeliverable {
            self.close_names(&line.names, line.span.offset);
        }
        Ok(())
    }

    /// Writes the rows of a settlement, and waiting records that the log does not contain.
    pub(super) fn write_rows(&mut self, rows: &mut Rows, state: &mut DrainState, now: Millis) -> Result<()> {
        let settled: FxHashSet<Key> = rows
            .done
            .iter()
            .map(|(key, _)| *key)
            .chain(rows.waiting.iter().filter_map(|line| read_key(&line.key)))
            .collect();
        let unlogged = self.unlogged.iter().filter(|key| !settled.contains(key));
        rows.waiting
            .extend(unlogged.filter_map(|key| self.waiting.get(key).cloned()));
        state.done += rows.done.len() as u64;
        state.done_bytes += rows.done.iter().map(|(_, len)| len).sum::<u64>();
        state.queue = self.file;
        state.from = self.floor(&settled);
        state.tail = tail_hash(&self.queue, state.from)?;
        (state.waiting, state.failing) = self.count_waiting(rows);
        if !rows.dead.is_empty() {
            self.dead.append_lines(&rows.dead)?;
        }
        if !rows.archive.is_empty() {
            self.archive.append_lines_rotating(ARCHIVE_BYTES_MAX, &rows.archive)?;
        }
        let settlement = Settlement {
            at: format_iso(now),
            done: rows.done.iter().map(|(key, _)| write_key(*key)).collect(),
            waiting: rows.waiting.clone(),
            ..Settlement::default()
        };
        let lines = lines_of(settlement, state, &self.marks)?;
        self.log.append_lines(&lines)?;
        Ok(())
    }

    fn count_waiting(&self, rows: &Rows) -> (u64, u64) {
        let is_new = |line: &&WaitingLine| read_key(&line.key).is_some_and(|key| !self.waiting.contains_key(&key));
        let known = self.waiting.values().chain(self.remembered.values());
        let all = known.chain(rows.waiting.iter().filter(is_new));
        all.fold((0, 0), |(waiting, failing), line| {
            (waiting + 1, failing + u64::from(line.attempts > 0))
        })
    }
}
