//! The index of one journal, kept in step with it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::catalog::{Catalog, IndexJob, Slice, build_range, remark_of};
use super::chunk::{Chunk, Remark, RemarkKind, confirmed_by, gone_by};
use super::entry::{Entry, Family};
use super::part::Part;
use super::segment::Segment;
use super::{CHUNK_DOCS, NEVER};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{FileId, FileState, Journal, Line, Span};
use crate::thought::{ActionKind, LineKind, read_line};

/// A tail longer than this is indexed in one go instead of record by record.
const BULK_BYTES: u64 = 2 << 20;
/// How many chunks wait to become a segment before memory is tidied without the disk.
const FROZEN_MAX: usize = 8;
/// How much of the journal's indexed end is remembered, to notice that somebody rewrote the file in place.
const TAIL_BYTES: usize = 64;

/// Where a record is on a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the part.
    pub part: usize,
    /// Number of the record within it.
    pub doc: u32,
}

#[derive(Debug, Clone, Copy)]
struct Overlay {
    gone: Millis,
    confirmed: Millis,
}

#[derive(Debug)]
struct Shelved {
    segment: Arc<Segment>,
    /// Offset behind the last line it covers.
    end: u64,
    persisted: bool,
}

impl Shelved {
    fn of((slice, segment): (Slice, Arc<Segment>)) -> Self {
        Shelved {
            segment,
            end: slice.end,
            persisted: true,
        }
    }
}

/// The index of one journal.
#[derive(Debug)]
pub struct Shelf {
    family: Family,
    threshold: f64,
    catalog: Option<Catalog>,
    segments: Vec<Shelved>,
    frozen: Vec<Chunk>,
    young: Chunk,
    /// Bytes of the journal that are indexed.
    covered: u64,
    seen: Option<FileState>,
    tail: Vec<u8>,
    /// What younger parts said about records of older ones.
    overlays: FxHashMap<u32, Overlay>,
    /// Remarks about records that have not come yet.
    early: Vec<Remark>,
    scratch: Entry,
    /// The end of the newest job that was handed out.
    job_upto: u64,
}

impl Shelf {
    /// Returns an empty shelf; [`Shelf::refresh`] fills it.
    pub fn new(family: Family, threshold: f64, catalog: Option<Catalog>) -> Self {
        Shelf {
            family,
            threshold,
            catalog,
            segments: Vec::new(),
            frozen: Vec::new(),
            young: Chunk::default(),
            covered: 0,
            seen: None,
            tail: Vec::new(),
            overlays: FxHashMap::default(),
            early: Vec::new(),
            scratch: Entry::default(),
            job_upto: 0,
        }
    }

    /// Returns how records of this journal are compared.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Tells whether the shelf has been brought in step with its journal before.
    pub fn is_open(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns how many bytes of the journal are indexed.
    pub fn covered(&self) -> u64 {
        self.covered
    }

    /// Returns how many bytes the persisted segments take.
    pub fn index_bytes(&self) -> u64 {
        self.catalog.as_ref().map_or(0, Catalog::bytes)
    }

    /// Returns the persisted segments' home.
    pub fn catalog(&self) -> Option<&Catalog> {
        self.catalog.as_ref()
    }

    /// Returns the parts, oldest first.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::with_capacity(self.segments.len() + self.frozen.len() + 1);
        parts.extend(self.segments.iter().map(|shelved| Part::Segment(&shelved.segment)));
        parts.extend(self.frozen.iter().map(Part::Chunk));
        parts.push(Part::Chunk(&self.young));
        parts
    }

    /// Brings the shelf in step with the journal. Reads only what is new, unless the file is not the one it was.
    ///
    /// # Errors
    /// `IO` when the journal is there but cannot be read.
    pub fn refresh(&mut self, journal: &mut Journal) -> Result<()> {
        match journal.look()? {
            Some(state) => self.refresh_to(journal, state),
            None => {
                self.clear();
                Ok(())
            }
        }
    }

    /// Does the same for a caller that has just looked at the file.
    ///
    /// # Errors
    /// As [`Shelf::refresh`].
    pub fn refresh_to(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        match self.seen {
            Some(seen) if seen == state => return Ok(()),
            Some(seen) if self.continues(journal, seen, state)? => {}
            _ => self.reopen(journal, state)?,
        }
        self.catch_up(journal, state)
    }

    /// Persists a long unindexed tail first, so that a writer does that work once and not in memory only.
    ///
    /// # Errors
    /// As [`Shelf::refresh`].
    pub fn refresh_for_writing(&mut self, journal: &mut Journal) -> Result<()> {
        let Some(state) = journal.look()? else {
            return self.refresh(journal);
        };
        if self.seen.is_none_or(|seen| seen.id != state.id) {
            self.reopen(journal, state)?;
        }
        if state.len.saturating_sub(self.covered) > BULK_BYTES
            && let Some(job) = self.job(journal, state.len)
            && job.run().unwrap_or(false)
        {
            // An index that cannot be written costs time, not records.
            self.reopen(journal, state)?;
        }
        self.refresh_to(journal, state)
    }

    /// Forgets everything and reads the journal again.
    ///
    /// # Errors
    /// As [`Shelf::refresh`].
    pub fn rebuild(&mut self, journal: &mut Journal) -> Result<()> {
        self.clear();
        self.refresh(journal)
    }

    /// Tells whether the file is the one we know, with more at its end.
    fn continues(&self, journal: &Journal, seen: FileState, state: FileState) -> Result<bool> {
        if seen.id != state.id || state.len < self.covered {
            return Ok(false);
        }
        if state.len == seen.len {
            // After our own append the time of the change was not looked up.
            return Ok(seen.modified_ns == 0);
        }
        let from = self.covered - self.tail.len() as u64;
        Ok(journal.read(Span {
            offset: from,
            len: self.tail.len() as u64,
        })? == self.tail)
    }

    fn clear(&mut self) {
        let catalog = self.catalog.take();
        *self = Shelf::new(self.family, self.threshold, catalog);
    }

    fn reopen(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        self.clear();
        if let Some(catalog) = &self.catalog
            && state.len > 0
        {
            let file = journal
                .disk()
                .open_read(journal.path())
                .map_err(Error::io("open", journal.path()))?;
            let found = catalog.open(file.as_ref(), self.threshold);
            self.covered = found.last().map_or(0, |(slice, _)| slice.end);
            self.segments = found.into_iter().map(Shelved::of).collect();
            self.young.advance(self.covered);
            self.apply_segment_remarks();
        }
        Ok(())
    }

    /// Lays what the segments say about each other's records over them.
    fn apply_segment_remarks(&mut self) {
        let segments: Vec<_> = self
            .segments
            .iter()
            .map(|shelved| Arc::clone(&shelved.segment))
            .collect();
        for (at, segment) in segments.iter().enumerate() {
            segment.remarks().for_each(|remark| self.overlay(remark, at));
        }
    }

    /// Reads what the journal has beyond the covered bytes.
    fn catch_up(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        if state.len - self.covered.min(state.len) > BULK_BYTES {
            self.index_bulk(journal, state.len)?;
        }
        if state.len > self.covered {
            let from = self.covered;
            let mut scratch = std::mem::take(&mut self.scratch);
            let end = journal.scan(from, state.len, &mut |line| self.take_line(&line, &mut scratch))?;
            self.scratch = scratch;
            self.cover(journal, end)?;
        }
        self.seen = Some(state);
        Ok(())
    }

    fn cover(&mut self, journal: &Journal, end: u64) -> Result<()> {
        self.covered = end;
        self.young.advance(end);
        let from = end.saturating_sub(TAIL_BYTES as u64);
        self.tail = journal.read(Span {
            offset: from,
            len: end - from,
        })?;
        Ok(())
    }

    /// Indexes a long tail, persisted where that is possible, in memory where not.
    fn index_bulk(&mut self, journal: &Journal, upto: u64) -> Result<()> {
        let file = journal
            .disk()
            .open_read(journal.path())
            .map_err(Error::io("open", journal.path()))?;
        self.freeze();
        while self.covered < upto {
            let older: Vec<_> = self
                .segments
                .iter()
                .map(|shelved| Arc::clone(&shelved.segment))
                .collect();
            let (builder, end) = build_range(file.as_ref(), self.family, &older, self.covered, upto)
                .map_err(Error::io("read", journal.path()))?;
            if end == self.covered {
                break;
            }
            // A chunk between two segments would be out of order: the frozen ones go into this segment's place.
            if let Some(segment) = Segment::from_bytes(builder.finish(self.threshold)) {
                self.absorb_frozen(journal)?;
                self.segments.push(Shelved {
                    segment: Arc::new(segment),
                    end,
                    persisted: false,
                });
            }
            self.cover(journal, end)?;
        }
        self.apply_segment_remarks();
        Ok(())
    }

    /// Turns the waiting chunks into a segment in memory.
    fn absorb_frozen(&mut self, journal: &Journal) -> Result<()> {
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
            self.segments.push(Shelved {
                segment: Arc::new(segment),
                end,
                persisted: false,
            });
            self.frozen.clear();
        }
        Ok(())
    }

    fn segments_end(&self) -> u64 {
        self.segments.last().map_or(0, |shelved| shelved.end)
    }

    fn persisted_end(&self) -> u64 {
        self.segments
            .iter()
            .filter(|shelved| shelved.persisted)
            .map(|shelved| shelved.end)
            .max()
            .unwrap_or(0)
    }

    fn take_line(&mut self, line: &Line<'_>, scratch: &mut Entry) {
        match read_line(line.bytes) {
            LineKind::Record(fields) => {
                scratch.take(&fields, self.family);
                self.add_again(
                    scratch,
                    Span {
                        offset: line.offset,
                        len: line.span,
                    },
                );
            }
            LineKind::Action(action) => self.note(remark_of(action.kind, &action.id, action.at_ms)),
            LineKind::Other | LineKind::Unparsable => self.young.advance(line.offset + line.span),
        }
    }

    /// Takes in a record that may stand in an older part as well.
    fn add_again(&mut self, entry: &Entry, span: Span) {
        let older = self.find_older(entry.id);
        self.add(entry, span);
        if let Some((place, gone)) = older {
            let repeated = Remark {
                target: entry.id,
                at: entry.created,
                kind: RemarkKind::Repeated,
            };
            let newest = self
                .frozen
                .last_mut()
                .filter(|_| self.young.docs() == 0)
                .unwrap_or(&mut self.young);
            newest.remarks.push(repeated);
            newest.hide_newest(gone);
            self.lay_over(place, repeated);
        }
    }

    fn add(&mut self, entry: &Entry, span: Span) {
        if let Some(target) = entry.supersedes {
            self.note(Remark {
                target,
                at: entry.created,
                kind: RemarkKind::Gone,
            });
        }
        self.young.add(entry, span);
        if !self.early.is_empty() {
            let (now, later) = self
                .early
                .drain(..)
                .partition(|remark: &Remark| remark.target == entry.id);
            self.early = later;
            let now: Vec<Remark> = now;
            now.into_iter().for_each(|remark| self.young.remark(remark));
        }
        if self.young.docs() >= CHUNK_DOCS {
            self.freeze();
        }
    }

    fn freeze(&mut self) {
        if self.young.docs() > 0 {
            let end = self.young.end();
            self.frozen.push(std::mem::take(&mut self.young));
            self.young.advance(end);
        }
    }

    /// Finds the record with this id and from when on it is hidden.
    fn find_older(&self, id: u64) -> Option<(Place, Millis)> {
        let parts = self.parts();
        let (part, doc) = (0..parts.len())
            .rev()
            .find_map(|at| parts[at].find_id(id).map(|doc| (at, doc)))?;
        if part + 1 == parts.len() {
            // The youngest part keeps its own ids apart.
            return None;
        }
        let base = parts[..part].iter().map(|part| part.docs()).sum();
        Some((Place { part, doc }, self.gone_and_expires(parts[part], base, doc).0))
    }

    /// Takes in what happened to a record.
    fn note(&mut self, remark: Remark) {
        if self.young.find_id(remark.target).is_some() {
            self.young.remark(remark);
        } else {
            self.young.remarks.push(remark);
            self.overlay(remark, self.segments.len() + self.frozen.len());
        }
    }

    /// Lays a remark over the newest record before part `before` that it is about.
    fn overlay(&mut self, remark: Remark, before: usize) {
        let parts = self.parts();
        let within = if remark.kind == RemarkKind::Repeated {
            before.min(parts.len())
        } else {
            parts.len()
        };
        let place = (0..within)
            .rev()
            .find_map(|part| parts[part].find_id(remark.target).map(|doc| Place { part, doc }));
        match place {
            Some(place) => self.lay_over(place, remark),
            None => self.early.push(remark),
        }
    }

    fn lay_over(&mut self, place: Place, remark: Remark) {
        let number = self.number(place);
        let overlay = self.overlays.entry(number).or_insert(Overlay {
            gone: NEVER,
            confirmed: Millis::MIN,
        });
        overlay.gone = overlay.gone.min(gone_by(remark));
        overlay.confirmed = overlay.confirmed.max(confirmed_by(remark));
    }

    fn number(&self, place: Place) -> u32 {
        self.parts()[..place.part].iter().map(|part| part.docs()).sum::<u32>() + place.doc
    }

    /// Takes in a record that was just appended at `span`, whose line ends with `tail`. The shelf must have been
    /// refreshed under the same lock.
    pub fn append(&mut self, entry: &Entry, span: Span, line: &[u8], id: FileId) {
        self.add(entry, span);
        self.appended(span, line, id);
    }

    /// Takes in what just happened to a record, likewise.
    pub fn append_remark(&mut self, kind: ActionKind, target: &str, at: Millis, span: Span, line: &[u8], id: FileId) {
        self.note(remark_of(kind, target, at));
        self.appended(span, line, id);
    }

    fn appended(&mut self, span: Span, line: &[u8], id: FileId) {
        self.covered = span.offset + span.len;
        self.young.advance(self.covered);
        self.tail.clear();
        self.tail
            .extend_from_slice(&line[line.len().saturating_sub(TAIL_BYTES - 1)..]);
        self.tail.push(b'\n');
        // The time of the change is not looked up; 0 says so.
        self.seen = Some(FileState {
            id,
            len: self.covered,
            modified_ns: 0,
            links: 1,
        });
    }

    /// Finds a record by the hash of its id.
    pub fn find_id(&self, id: u64) -> Option<Place> {
        let parts = self.parts();
        (0..parts.len())
            .rev()
            .find_map(|part| parts[part].find_id(id).map(|doc| Place { part, doc }))
    }

    /// Returns a place from the number that [`Shelf::gone_and_expires`] and the overlays go by.
    pub fn gone_and_expires(&self, part: Part<'_>, base: u32, doc: u32) -> (Millis, Millis) {
        let (gone, confirmed) = match self.overlays.is_empty() {
            true => (NEVER, Millis::MIN),
            false => self
                .overlays
                .get(&(base + doc))
                .map_or((NEVER, Millis::MIN), |o| (o.gone, o.confirmed)),
        };
        (part.gone(doc).min(gone), part.expires(doc, confirmed))
    }

    /// Tells whether a record is seen at `now`.
    pub fn is_live(&self, place: Place, now: Millis) -> bool {
        let parts = self.parts();
        let base = parts[..place.part].iter().map(|part| part.docs()).sum();
        let (gone, expires) = self.gone_and_expires(parts[place.part], base, place.doc);
        gone == NEVER && expires > now
    }

    /// Returns work for the background, when enough has come together.
    pub fn take_job(&mut self, journal: &Journal) -> Option<IndexJob> {
        let upto = self.frozen.last().map(Chunk::end)?;
        if upto <= self.job_upto {
            return None;
        }
        self.job_upto = upto;
        self.job(journal, upto)
    }

    /// Returns the work that would bring the persisted segments up to date, when there is much of it.
    pub fn settling_job(&self, journal: &Journal, bytes_min: u64) -> Option<IndexJob> {
        if self.covered < self.persisted_end() + bytes_min.max(1) {
            None
        } else {
            self.job(journal, self.covered)
        }
    }

    fn job(&self, journal: &Journal, upto: u64) -> Option<IndexJob> {
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
        let (Some(catalog), Some(state)) = (&self.catalog, self.seen) else {
            return Ok(());
        };
        let file = journal
            .disk()
            .open_read(journal.path())
            .map_err(Error::io("open", journal.path()))?;
        let found = catalog.open(file.as_ref(), self.threshold);
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
        // The same records in the same order: what is laid over them by number stays where it is.
        self.frozen.drain(..=covered_chunks);
        self.segments = found.into_iter().map(Shelved::of).collect();
        Ok(())
    }

    /// Keeps memory in bounds where nothing can be persisted.
    fn tidy(&mut self, journal: &Journal) -> Result<()> {
        if self.frozen.len() >= FROZEN_MAX {
            self.absorb_frozen(journal)?;
        }
        Ok(())
    }
}
