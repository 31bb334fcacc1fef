//! The index of one journal, kept up to date with it.

mod intake;
mod overlays;
mod rings;
mod standings;
mod upkeep;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use self::rings::Rings;
use super::catalog::{Catalog, Slice};
use super::entry::{Entry, Family};
use super::memory_segment::{MemorySegment, Mutation};
use super::part::Part;
use super::segment::Segment;
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{FileState, Follower, Journal, Span, StatDetail};
use crate::judgement::standing::Standings;
use crate::model::thought::{ActionKind, LineKind, RulingKind, id_hash};
use crate::project::ownership::Marks;

/// A longer tail, in bytes, is indexed in bulk instead of record by record.
const BULK_BYTES: u64 = 2 << 20;
/// Whoever must answer at once, and has no time for what is in no index, reads at most this much of it: the newest lines.
const NEWEST_BYTES: u64 = 4 << 20;
/// The number of pending in-memory segments at which they are merged in memory, when nothing can be written.
const IMMUTABLE_MAX: usize = 8;
/// A change of the file this long after our own append began is not ours; a writer may have waited for the lock.
const OWN_CHANGE_MS: Millis = 15_000;

/// The place of a record in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The number of its part.
    pub part: usize,
    /// The number of the record within its part.
    pub doc: u32,
}

#[derive(Debug, Clone, Copy)]
struct Overlay {
    gone: Millis,
    confirmed: Millis,
}

#[derive(Debug)]
struct LoadedSegment {
    segment: Arc<Segment>,
    /// The offset after the last covered line.
    end: u64,
    /// Its file, whose name is never reused; `None` when it is in memory only.
    name: Option<String>,
}

impl LoadedSegment {
    fn of((slice, segment): (Slice, Arc<Segment>)) -> Self {
        LoadedSegment {
            segment,
            end: slice.end,
            name: Some(slice.name),
        }
    }

    fn in_memory(segment: Segment, end: u64) -> Self {
        LoadedSegment {
            segment: Arc::new(segment),
            end,
            name: None,
        }
    }
}

/// The index of one journal.
#[derive(Debug)]
pub struct JournalIndex {
    family: Family,
    threshold: f64,
    catalog: Option<Catalog>,
    segments: Vec<LoadedSegment>,
    immutable_memtables: Vec<MemorySegment>,
    active_memtable: MemorySegment,
    /// The record of a last line without line end, which is read again whenever the file changes.
    unended: MemorySegment,
    /// The position up to which the journal is indexed.
    followed: Follower,
    /// When our own last two appends began.
    appended_at: Millis,
    appended_before: Millis,
    /// The effects of mutations in newer parts on records of older ones.
    overlays: FxHashMap<u32, Overlay>,
    /// Mutations whose records were not read yet, by the hash of their ids.
    early: FxHashMap<u64, Vec<Mutation>>,
    rings: Rings,
    /// The combined effect of rulings on records, by the hashes of their ids.
    standings: Standings<u64>,
    scratch: Entry,
    /// The end of the newest job that was started.
    job_upto: u64,
    /// The sum of the hashes of what newer lines say about older records.
    effects: u64,
    /// The files of damaged segments, which are not opened again until they were rebuilt.
    damaged: Vec<String>,
    /// How many bytes without an index a search has the time to read; all when it is `None`.
    hurry: Option<u64>,
    /// Whether only the newest lines are known, for lack of time.
    is_partial: bool,
}

impl JournalIndex {
    /// Returns an empty index; [`JournalIndex::refresh`] fills it.
    pub fn new(family: Family, threshold: f64, catalog: Option<Catalog>) -> Self {
        JournalIndex {
            family,
            threshold,
            catalog,
            segments: Vec::new(),
            immutable_memtables: Vec::new(),
            active_memtable: MemorySegment::default(),
            unended: MemorySegment::default(),
            followed: Follower::default(),
            appended_at: 0,
            appended_before: 0,
            overlays: FxHashMap::default(),
            early: FxHashMap::default(),
            rings: Rings::default(),
            standings: Standings::default(),
            scratch: Entry::default(),
            job_upto: 0,
            effects: 0,
            damaged: Vec::new(),
            hurry: None,
            is_partial: false,
        }
    }

    /// Lets searches look at the newest lines alone while more bytes than these are in no index. What is written is compared with everything.
    pub(crate) fn hurry(&mut self, most: u64) {
        self.hurry = Some(most);
    }

    /// Returns the rule of duplicates for this journal.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Returns true if the index was refreshed before.
    pub fn is_open(&self) -> bool {
        self.followed.seen().is_some()
    }

    /// Returns the state of the journal's file when it was last read.
    pub(in crate::index) fn seen(&self) -> Option<FileState> {
        self.followed.seen()
    }

    /// Returns the number of indexed bytes of the journal.
    pub fn covered(&self) -> u64 {
        self.followed.covered()
    }

    /// Returns the size of the written segments in bytes.
    pub fn index_bytes(&self) -> u64 {
        self.catalog.as_ref().map_or(0, Catalog::bytes)
    }

    /// Accepts only segments that this machine wrote.
    pub(crate) fn own_by(&mut self, marks: &Arc<Marks>) {
        self.catalog = self.catalog.take().map(|catalog| catalog.owned_by(Arc::clone(marks)));
    }

    /// Returns the catalog of the written segments.
    pub fn catalog(&self) -> Option<&Catalog> {
        self.catalog.as_ref()
    }

    /// Returns a hash that changes, in any process, whenever the counts of the segments may: with other segments, and after decisions about records.
    pub(super) fn segments_state(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for shelved in &self.segments {
            hasher.update(shelved.name.as_deref().unwrap_or_default().as_bytes());
            hasher.update(&shelved.end.to_le_bytes());
        }
        hasher.update(&self.effects.to_le_bytes());
        hasher.digest()
    }

    /// True if all segments are in files, so that other processes have the same.
    pub(super) fn is_kept(&self) -> bool {
        self.segments.iter().all(|shelved| shelved.name.is_some()) && !self.rings.has_any()
    }

    /// Returns the number of records.
    pub fn records(&self) -> usize {
        let segments = self.segments.iter().map(|shelved| shelved.segment.docs());
        let memtables = self
            .immutable_memtables
            .iter()
            .chain([&self.active_memtable, &self.unended])
            .map(MemorySegment::docs);
        segments.chain(memtables).map(|docs| docs as usize).sum()
    }

    /// Returns the parts, oldest first.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::with_capacity(self.segments.len() + self.immutable_memtables.len() + 2);
        parts.extend(self.each_part());
        parts
    }

    fn each_part(&self) -> impl Iterator<Item = Part<'_>> {
        let segments = self.segments.iter().map(|shelved| Part::Segment(&shelved.segment));
        let unended = Some(&self.unended).filter(|unended| unended.docs() > 0);
        let memtables = self
            .immutable_memtables
            .iter()
            .chain([&self.active_memtable])
            .chain(unended);
        segments.chain(memtables.map(Part::Memory))
    }

    /// Returns the part of a place, and the number of records in the parts before it.
    fn locate(&self, place: Place) -> Option<(Part<'_>, u32)> {
        let mut base = 0;
        for (number, part) in self.each_part().enumerate() {
            if number == place.part {
                return Some((part, base));
            }
            base += part.docs();
        }
        None
    }

    /// Brings the index up to date for a search. Reads only new lines, unless the file was replaced.
    pub fn refresh(&mut self, journal: &mut Journal) -> Result<()> {
        let outcome = match journal.look() {
            Ok(Some(state)) => self.refresh_in_files(journal, state),
            Ok(None) => {
                if self.is_open() || !self.segments.is_empty() {
                    self.clear();
                }
                Ok(())
            }
            Err(error) => Err(error.into()),
        };
        // Indexed records are searched, even when the rest cannot be read.
        self.analyse();
        outcome
    }

    /// Makes all records findable by their terms.
    pub(crate) fn analyse(&mut self) {
        let active_memtable = [&mut self.active_memtable, &mut self.unended];
        self.immutable_memtables
            .iter_mut()
            .chain(active_memtable)
            .for_each(MemorySegment::analyse);
    }

    /// Brings the index up to date for a caller that has just examined the file and only looks up duplicates.
    pub fn refresh_to(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        if self.is_partial {
            self.hurry = None;
            return self.refresh_in_files(journal, state);
        }
        if self.is_damaged() {
            self.reopen(journal, state)?;
            return self.catch_up(journal, state);
        }
        match self.followed.seen() {
            Some(seen) if seen == state => return Ok(()),
            Some(seen) if self.continues(journal, seen, state)? => {}
            _ => self.reopen(journal, state)?,
        }
        self.catch_up(journal, state)
    }

    /// Brings the index up to date before the lock for an append is taken.
    pub fn refresh_for_writing(&mut self, journal: &mut Journal) -> Result<()> {
        self.hurry = None;
        match journal.look()? {
            Some(state) => self.refresh_in_files(journal, state),
            None => self.refresh(journal),
        }
    }

    /// Writes segments for a long unindexed tail first, so that this work is done once, and not by every process in its memory.
    fn refresh_in_files(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        if self.is_partial && self.hurry.is_some() && self.followed.seen() == Some(state) {
            return Ok(());
        }
        let mut is_opened = self.is_partial || self.followed.file() != Some(state.id);
        if is_opened {
            self.reopen(journal, state)?;
        }
        if let Some(most) = self.hurry
            && state.len.saturating_sub(self.covered()) > most
        {
            return self.take_newest(journal, state, NEWEST_BYTES.min(most / 2));
        }
        if state.len.saturating_sub(self.covered()) > BULK_BYTES
            && let Some(job) = self.job(journal, state.len)
            && job.run().unwrap_or(false)
        {
            // An index that cannot be written only costs time.
            self.reopen(journal, state)?;
            is_opened = true;
        }
        if is_opened {
            self.catch_up(journal, state)
        } else {
            self.refresh_to(journal, state)
        }
    }

    /// Indexes the newest lines alone, in memory: what was decided about their records stands behind them.
    fn take_newest(&mut self, journal: &Journal, state: FileState, len: u64) -> Result<()> {
        self.clear();
        let span = Span {
            offset: state.len - len,
            len,
        };
        let newest = journal.read(span)?;
        let begun = newest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at as u64 + 1);
        self.cover(journal, span.offset + begun)?;
        self.is_partial = true;
        self.catch_up(journal, state)
    }

    /// Rebuilds the index from the journal.
    pub fn rebuild(&mut self, journal: &mut Journal) -> Result<()> {
        self.clear();
        self.refresh(journal)
    }

    /// Returns how thoroughly the file has to be examined: shortly after our own append, a change is assumed to be ours.
    pub fn stat_detail(&self, now: Millis) -> StatDetail {
        match self.followed.seen() {
            Some(seen) if seen.modified_ns == 0 && now - self.appended_at < OWN_CHANGE_MS => StatDetail::WithoutTimes,
            _ => StatDetail::Full,
        }
    }

    /// Returns true if the file is the known one, with appended lines.
    fn continues(&self, journal: &Journal, seen: FileState, state: FileState) -> Result<bool> {
        if seen.id == state.id && state.len == seen.len {
            // After our own append the modification time was not read. A much later change is by another writer.
            let later_ms = state.modified_ns / 1_000_000 - self.appended_at;
            return Ok(seen.modified_ns == 0 && later_ms < OWN_CHANGE_MS);
        }
        Ok(self.followed.continues_in(journal, state)?)
    }

    /// Returns true if a segment turned out to be damaged, so that the last answer may be incomplete. The next refresh drops it.
    pub fn is_damaged(&self) -> bool {
        self.segments.iter().any(|shelved| shelved.segment.is_damaged())
    }

    /// Reads all segments and returns true if they are undamaged.
    pub fn is_sound(&self) -> bool {
        self.segments.iter().all(|shelved| shelved.segment.is_sound())
    }

    /// Drops damaged segments. Returns true if there were any; the caller then repeats its query.
    pub fn heal(&mut self, journal: &Journal, state: FileState) -> Result<bool> {
        let is_damaged = self.is_damaged();
        if is_damaged {
            self.refresh_to(journal, state)?;
        }
        Ok(is_damaged)
    }

    fn clear(&mut self) {
        let catalog = self.catalog.take();
        let mut damaged = std::mem::take(&mut self.damaged);
        let found = self.segments.iter().filter(|shelved| shelved.segment.is_damaged());
        damaged.extend(found.filter_map(|shelved| shelved.name.clone()));
        let hurry = self.hurry;
        *self = JournalIndex::new(self.family, self.threshold, catalog);
        (self.damaged, self.hurry) = (damaged, hurry);
    }

    fn reopen(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        self.open_segments(journal, state)?;
        // Opening reads a part of every segment. Each round drops at least one more of them.
        while self.is_damaged() {
            self.open_segments(journal, state)?;
        }
        Ok(())
    }

    fn open_segments(&mut self, journal: &Journal, state: FileState) -> Result<()> {
        self.clear();
        if let Some(catalog) = &self.catalog
            && state.len > 0
        {
            let file = journal
                .disk()
                .open_read(journal.path())
                .map_err(Error::io("open", journal.path()))?;
            let found = catalog.open(file.as_ref(), self.threshold, &self.damaged);
            let covered = found.last().map_or(0, |(slice, _)| slice.end);
            self.segments = found.into_iter().map(LoadedSegment::of).collect();
            self.cover(journal, covered)?;
            self.apply_segment_mutations(0);
        }
        Ok(())
    }

    /// True if what a line says is known: its record, or what it decides about one.
    pub(crate) fn knows(&self, line: &LineKind<'_>, now: Millis) -> bool {
        let is_unless = |id: &str, is_known: &dyn Fn(Place) -> bool| self.find_id(id_hash(id)).is_none_or(is_known);
        match line {
            LineKind::Record(fields) => self.find_id(id_hash(&fields.id)).is_some(),
            LineKind::Action(action) if action.kind == ActionKind::Delete => {
                is_unless(&action.id, &|place| !self.is_live(place, now))
            }
            LineKind::Ruling(ruling) => is_unless(&ruling.id, &|_| {
                let id = id_hash(&ruling.id);
                let latest = match ruling.kind {
                    RulingKind::Retire | RulingKind::Keep => self.standings.latest(&id),
                    RulingKind::Conflict | RulingKind::Hold => {
                        let other = id_hash(ruling.other.as_deref().unwrap_or_default());
                        self.standings.latest_between(&id, &other, ruling.kind)
                    }
                    RulingKind::Request => return true,
                    _ => self.standings.latest_of_review(&id),
                };
                latest >= Some(ruling.at_ms)
            }),
            LineKind::Action(_) | LineKind::Other | LineKind::Unparsable => true,
        }
    }

    /// Finds a record by the hash of its id.
    pub fn find_id(&self, id: u64) -> Option<Place> {
        let parts = self.parts();
        find_newest(&parts, 0..parts.len(), id)
    }
}

/// Finds the newest record with this id in some of the parts.
fn find_newest(parts: &[Part<'_>], within: Range<usize>, id: u64) -> Option<Place> {
    within
        .rev()
        .find_map(|part| parts.get(part)?.find_id(id).map(|doc| Place { part, doc }))
}

#[cfg(test)]
mod tests;
