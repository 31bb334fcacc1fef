//! Keeping the parts few: long tails in one go, segments for the background, segments of other processes.

use std::io;
use std::sync::Arc;

use super::{FROZEN_MAX, Shelf, Shelved};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::index::catalog::{IndexJob, Slice, build_range};
use crate::index::chunk::Chunk;
use crate::index::segment::Segment;
use crate::journal::Journal;

/// Records that are appended at shorter distances than this come in a row.
const BUSY_MS: Millis = 100;
/// How many chunks come together then before they become a segment.
const BUSY_CHUNKS: usize = 4;

impl Shelf {
    /// Indexes a long tail, persisted where that is possible, in memory where not.
    pub(super) fn index_bulk(&mut self, journal: &Journal, upto: u64) -> Result<()> {
        let file = journal
            .disk()
            .open_read(journal.path())
            .map_err(Error::io("open", journal.path()))?;
        self.freeze();
        // A chunk between two segments would be out of order: the waiting ones become a segment first.
        self.absorb_frozen(journal)?;
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
                self.segments.push(Shelved::in_memory(segment, end));
            }
            self.cover(journal, end)?;
        }
        self.apply_segment_remarks(0);
        Ok(())
    }

    /// Turns the waiting chunks into a segment in memory.
    pub(super) fn absorb_frozen(&mut self, journal: &Journal) -> Result<()> {
        let Some(end) = self.frozen.last().map(Chunk::end) else {
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
            self.segments.push(Shelved::in_memory(segment, end));
            self.frozen.clear();
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

    /// Returns work for the background, when enough has come together. While one record follows the other, more has to
    /// come together: the work would take processor time and memory bandwidth from those who write.
    pub fn take_job(&mut self, journal: &Journal, now: Millis) -> Option<IndexJob> {
        let upto = self.frozen.last().map(Chunk::end)?;
        let waiting = self.frozen.iter().filter(|chunk| chunk.end() > self.job_upto).count();
        if waiting < if self.is_busy(now) { BUSY_CHUNKS } else { 1 } {
            return None;
        }
        self.job_upto = upto;
        self.job(journal, upto)
    }

    fn is_busy(&self, now: Millis) -> bool {
        now - self.appended_at < BUSY_MS && self.appended_at - self.appended_before < BUSY_MS
    }

    /// Returns the work that would bring the persisted segments up to date, when there is much of it.
    pub fn settling_job(&self, journal: &Journal, bytes_min: u64) -> Option<IndexJob> {
        if self.covered() < self.persisted_end() + bytes_min.max(1) {
            None
        } else {
            self.job(journal, self.covered())
        }
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

    /// Takes over the segments that a job, here or in another process, has made.
    ///
    /// # Errors
    /// `IO` when the journal cannot be read.
    pub fn adopt(&mut self, journal: &Journal) -> Result<()> {
        let (Some(catalog), Some(state)) = (&self.catalog, self.followed.seen()) else {
            return Ok(());
        };
        let file = match journal.disk().open_read(journal.path()) {
            Ok(file) => file,
            // Somebody has deleted it; the next refresh sees that.
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(Error::io("open", journal.path())(e)),
        };
        // Whatever was damaged has been made anew.
        self.damaged.clear();
        let found = catalog.open(file.as_ref(), self.threshold, &[]);
        let Some(end) = found.last().map(|(slice, _)| slice.end) else {
            return self.tidy(journal);
        };
        if end <= self.persisted_end() {
            return self.tidy(journal);
        }
        let Some(covered_chunks) = self.frozen.iter().position(|chunk| chunk.end() == end) else {
            // Somebody cut elsewhere: take their segments and read the rest again.
            self.reopen(journal, state)?;
            return self.catch_up(journal, state);
        };
        let old: u32 = self.parts()[..=self.segments.len() + covered_chunks]
            .iter()
            .map(|part| part.docs())
            .sum();
        if old != found.iter().map(|(slice, _)| slice.docs).sum::<u32>() {
            // They are of another file than the chunks.
            self.reopen(journal, state)?;
            return self.catch_up(journal, state);
        }
        // The same records in the same order: what is laid over them by number stays where it is. What a chunk knew of
        // its own records is between two segments now when they are cut elsewhere.
        self.frozen.drain(..=covered_chunks);
        // Segments that were here already stay, with all that the system has mapped of them and all that they have said.
        let stays = |(own, (slice, _)): &(&Shelved, &(Slice, _))| own.name.as_ref() == Some(&slice.name);
        let kept = self.segments.iter().zip(&found).take_while(stays).count();
        self.segments.truncate(kept);
        self.segments.extend(found.into_iter().skip(kept).map(Shelved::of));
        self.apply_segment_remarks(kept);
        Ok(())
    }

    /// Keeps memory in bounds where nothing can be persisted.
    pub(super) fn tidy(&mut self, journal: &Journal) -> Result<()> {
        if self.frozen.len() >= FROZEN_MAX {
            self.absorb_frozen(journal)?;
        }
        Ok(())
    }
}
