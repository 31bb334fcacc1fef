//! Compaction of the parts: bulk indexing of long tails, background jobs, and loading segments of other processes.

use std::io;
use std::sync::Arc;

use super::{IMMUTABLE_MAX, JournalIndex, LoadedSegment};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::catalog::{IndexJob, Slice, build_range};
use crate::index::memory_segment::MemorySegment;
use crate::index::segment::Segment;
use crate::journal::Journal;

/// Appends at shorter intervals count as a burst.
const BUSY_MS: Millis = 100;
/// The number of in-memory segments that are written together during a burst.
const BUSY_CHUNKS: usize = 4;
/// The tail that every process reads again when it opens a memory: at most this many records, or bytes, stay unwritten.
const TAIL_RECORDS: u32 = 256;
const TAIL_BYTES: u64 = 256 * 1024;

impl JournalIndex {
    /// Indexes a long tail in bulk, in files if possible, otherwise in memory.
    pub(super) fn index_bulk(&mut self, journal: &Journal, upto: u64) -> Result<()> {
        let file = journal
            .disk()
            .open_read(journal.path())
            .map_err(Error::io("open", journal.path()))?;
        self.freeze();
        // An in-memory segment between two segments would be out of order, so the pending ones become a segment first.
        self.absorb_immutable(journal)?;
        while self.covered() < upto {
            let older: Vec<_> = self
                .segments
                .iter()
                .map(|shelved| Arc::clone(&shelved.segment))
                .collect();
            let (builder, end) = build_range(file.as_ref(), self.family, &older, self.covered(), upto)
                .map_err(Error::io("read", journal.path()))?;
            if end == self.covered() {
                break;
            }
            if let Some(segment) = Segment::from_bytes(builder.finish(self.threshold)) {
                self.segments.push(LoadedSegment::in_memory(segment, end));
            }
            self.cover(journal, end)?;
        }
        self.apply_segment_mutations(0);
        Ok(())
    }

    /// Merges the pending in-memory segments into an immutable segment in memory.
    pub(super) fn absorb_immutable(&mut self, journal: &Journal) -> Result<()> {
        let Some(end) = self.immutable_memtables.last().map(MemorySegment::end) else {
            return Ok(());
        };
        let start = self.segments_end();
        let file = journal
            .disk()
            .open_read(journal.path())
            .map_err(Error::io("open", journal.path()))?;
        let older: Vec<_> = self
            .segments
            .iter()
            .map(|shelved| Arc::clone(&shelved.segment))
            .collect();
        let (builder, _) =
            build_range(file.as_ref(), self.family, &older, start, end).map_err(Error::io("read", journal.path()))?;
        if let Some(segment) = Segment::from_bytes(builder.finish(self.threshold)) {
            self.segments.push(LoadedSegment::in_memory(segment, end));
            self.immutable_memtables.clear();
        }
        Ok(())
    }

    pub(super) fn segments_end(&self) -> u64 {
        self.segments.last().map_or(0, |shelved| shelved.end)
    }

    pub(super) fn persisted_end(&self) -> u64 {
        self.segments
            .iter()
            .filter(|shelved| shelved.name.is_some())
            .map(|shelved| shelved.end)
            .max()
            .unwrap_or(0)
    }

    /// Returns a background job when there is enough work, whoever has read it: the next process would read it again. During a burst more
    /// is required, because the job would take CPU time and memory bandwidth from writers.
    pub fn take_job(&mut self, journal: &Journal, now: Millis) -> Option<IndexJob> {
        let is_busy = self.is_busy(now);
        if !is_busy && self.is_tail_long(self.job_upto) {
            self.freeze();
        }
        let upto = self
            .immutable_memtables
            .last()
            .map_or_else(|| self.segments_end(), MemorySegment::end);
        let waiting = self
            .immutable_memtables
            .iter()
            .filter(|memtable| memtable.end() > self.job_upto)
            .count();
        let is_due = if is_busy {
            waiting >= BUSY_CHUNKS
        } else {
            self.is_tail_long(self.job_upto)
        };
        if !is_due || upto <= self.persisted_end().max(self.job_upto) {
            return None;
        }
        self.job_upto = upto;
        self.job(journal, upto)
    }

    /// Returns true if much is indexed after a place in the journal that is in no file yet.
    fn is_tail_long(&self, started: u64) -> bool {
        let from = self.persisted_end().max(started);
        let segments = self.segments.iter().filter(|shelved| shelved.end > from);
        let segments = segments.map(|shelved| shelved.segment.docs());
        let memtables = self.immutable_memtables.iter().chain([&self.active_memtable]);
        let memtables = memtables
            .filter(|memtable| memtable.end() > from)
            .map(MemorySegment::docs);
        segments.chain(memtables).sum::<u32>() >= TAIL_RECORDS || self.covered() >= from + TAIL_BYTES
    }

    fn is_busy(&self, now: Millis) -> bool {
        now - self.appended_at < BUSY_MS && self.appended_at - self.appended_before < BUSY_MS
    }

    /// Returns the job that brings the written segments up to date, when there is much work.
    pub fn settling_job(&self, journal: &Journal) -> Option<IndexJob> {
        self.whole_job(journal).filter(|_| self.is_tail_long(0))
    }

    /// Returns the job that brings the written segments up to date, however little there is to do.
    pub fn whole_job(&self, journal: &Journal) -> Option<IndexJob> {
        let job = self.job(journal, self.covered());
        job.filter(|job| job.upto > self.persisted_end())
    }

    pub(super) fn job(&self, journal: &Journal, upto: u64) -> Option<IndexJob> {
        let catalog = self.catalog.clone()?;
        Some(IndexJob {
            catalog,
            source: journal.path().to_path_buf(),
            family: self.family,
            threshold: self.threshold,
            upto,
        })
    }

    /// Loads the segments that a job in this or another process has built.
    pub fn adopt(&mut self, journal: &Journal) -> Result<()> {
        let (Some(catalog), Some(state)) = (&self.catalog, self.followed.seen()) else {
            return Ok(());
        };
        let file = match journal.disk().open_read(journal.path()) {
            Ok(file) => file,
            // The journal was deleted; the next refresh notices that.
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(Error::io("open", journal.path())(e)),
        };
        // Damaged segments have been rebuilt.
        self.damaged.clear();
        let found = catalog.open(file.as_ref(), self.threshold, &[]);
        let Some(end) = found.last().map(|(slice, _)| slice.end) else {
            return self.tidy(journal);
        };
        if end <= self.persisted_end() {
            return self.tidy(journal);
        }
        let Some(covered_memtables) = self
            .immutable_memtables
            .iter()
            .position(|memtable| memtable.end() == end)
        else {
            // Another process chose other segment borders: load its segments and index the rest again.
            self.reopen(journal, state)?;
            return self.catch_up(journal, state);
        };
        let covered = self.each_part().take(self.segments.len() + covered_memtables + 1);
        let old: u64 = covered.map(|part| u64::from(part.docs())).sum();
        let new: u64 = found.iter().map(|(slice, _)| u64::from(slice.docs)).sum();
        if old != new {
            // They belong to another file than the in-memory segments.
            self.reopen(journal, state)?;
            return self.catch_up(journal, state);
        }
        // The same records in the same order, so overlays by record number stay valid. With other borders, mutations inside one in-memory
        // segment are now between two segments.
        self.immutable_memtables.drain(..=covered_memtables);
        // Segments that are loaded already are kept, with their pages and overlays.
        let stays = |(own, (slice, _)): &(&LoadedSegment, &(Slice, _))| own.name.as_ref() == Some(&slice.name);
        let kept = self.segments.iter().zip(&found).take_while(stays).count();
        self.segments.truncate(kept);
        self.segments
            .extend(found.into_iter().skip(kept).map(LoadedSegment::of));
        self.apply_segment_mutations(kept);
        Ok(())
    }

    /// Bounds memory when nothing can be written.
    pub(super) fn tidy(&mut self, journal: &Journal) -> Result<()> {
        if self.immutable_memtables.len() >= IMMUTABLE_MAX {
            self.absorb_immutable(journal)?;
        }
        Ok(())
    }
}
