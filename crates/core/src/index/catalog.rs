//! The catalog of a journal's segments: lists them in a manifest, verifies that they match the journal, and builds new ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::Part;
use super::build::Builder;
use super::entry::{Entry, Family};
use super::memory_segment::{Mutation, MutationKind};
use super::paged::trailer_of;
use super::ruled::HashedRuling;
use super::segment::{FORMAT, Segment};
use super::tiers::count_kept;
use super::versions::remove_abandoned;
use crate::error::{Error, FileError, Result};
use crate::journal::{
    Disk, DiskFile, FileId, FileState, Line, LockFile, Span, SyncMode, read_file, scan_lines, stage_file, stage_with,
    write_file, write_parts,
};
use crate::model::lineage::ring_lineage_in;
use crate::model::thought::NEVER;
use crate::model::thought::{ActionKind, LineKind, Ruling, id_hash, read_line};
use crate::project::ownership::Marks;

/// The part of a journal that one segment covers, in bytes: building it takes several times as much memory, and merging to larger ones
/// gains little. The smallest tier is the amount that a process writes at a time.
const SEGMENT_BYTES_MAX: u64 = 16 << 20;
const SMALLEST_TIER_BYTES: u64 = 256 << 10;
/// Journals up to this size are compared byte for byte with the indexed bytes, larger ones by samples.
const COMPARE_BYTES_MAX: u64 = 8 << 20;
const SAMPLE_BYTES: u64 = 4096;

/// The folder of a journal's segments.
#[derive(Debug, Clone)]
pub struct Catalog {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    lock_path: PathBuf,
    /// Distinguishes segments of this machine from those of a copied project; `None` accepts all.
    marks: Option<Arc<Marks>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Slice {
    /// File name within the folder.
    pub name: String,
    /// The offset of the first byte of the journal that it covers.
    pub start: u64,
    /// The offset after the last one.
    pub end: u64,
    /// The number of its records.
    pub docs: u32,
    /// The hash of the covered bytes of the journal.
    pub source_hash: u64,
    /// The hash of the last of these bytes.
    pub tail_hash: u64,
    /// The checksum of the segment's own bytes, computed from those of its pages.
    pub hash: u64,
    /// The state of the segment's file when it was written. While it is unchanged, the file is not read as a whole to verify it.
    #[serde(default)]
    file: FileStamp,
}

/// The metadata by which a change of a file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct FileStamp {
    id: FileId,
    len: u64,
    modified_ns: i64,
}

impl From<FileState> for FileStamp {
    fn from(state: FileState) -> Self {
        FileStamp {
            id: state.id,
            len: state.len,
            modified_ns: state.modified_ns,
        }
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    threshold: f64,
    source: FileId,
    pub segments: Vec<Slice>,
}

/// A job that brings the segments of a journal up to date. It holds no locks and can run on any thread.
#[derive(Debug, Clone)]
pub struct IndexJob {
    pub(super) catalog: Catalog,
    pub(super) source: PathBuf,
    pub(super) family: Family,
    pub(super) threshold: f64,
    pub(super) upto: u64,
}

impl IndexJob {
    /// Runs the job. Returns true if there are new segments; `false` also when another process is running one.
    pub fn run(&self) -> Result<bool> {
        self.catalog.extend(self, false)
    }

    /// Runs the job once no other process or thread runs one.
    ///
    /// # Errors
    /// As [`IndexJob::run`], and `LOCKED` when the other one takes too long.
    pub fn run_after_others(&self) -> Result<bool> {
        self.catalog.extend(self, true)
    }
}

impl Catalog {
    /// Returns the catalog in `folder`; nothing is created before the first segment.
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf, lock_path: PathBuf) -> Self {
        Catalog {
            disk,
            folder,
            lock_path,
            marks: None,
        }
    }

    /// Accepts only a manifest that this machine sealed, because a forged segment could hide records.
    #[must_use]
    pub fn owned_by(mut self, marks: Arc<Marks>) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Returns the size of the segments in bytes.
    pub fn bytes(&self) -> u64 {
        let entries = self.disk.list(&self.folder).unwrap_or_default();
        entries.iter().map(|entry| entry.len).sum()
    }

    /// Returns the segments that are unchanged and whose range of the journal is unchanged, oldest first, up to the first one whose file
    /// is in `damaged`.
    pub(super) fn open(
        &self,
        journal: &dyn DiskFile,
        threshold: f64,
        damaged: &[String],
    ) -> Vec<(Slice, Arc<Segment>)> {
        let mut opened = Vec::new();
        // Another process may replace segments between reading the manifest and opening a file.
        for _ in 0..3 {
            let Some(manifest) = self.load(threshold) else {
                return Vec::new();
            };
            let trusted = manifest
                .segments
                .iter()
                .take_while(|slice| !damaged.contains(&slice.name));
            let kept = count_fitting(&manifest, journal).min(trusted.count());
            opened = manifest
                .segments
                .iter()
                .take(kept)
                .map_while(|slice| Some((slice.clone(), self.open_segment(slice)?)))
                .collect();
            if opened.len() == kept {
                if kept == manifest.segments.len() {
                    self.follow_to(journal, manifest);
                }
                break;
            }
        }
        opened
    }

    /// Notes that a large journal, as a copy, was compared as a whole: the next process compares samples. Without that, it compares all again.
    fn follow_to(&self, journal: &dyn DiskFile, mut manifest: Manifest) {
        let Ok(state) = journal.state() else { return };
        if manifest.source == state.id || state.len <= COMPARE_BYTES_MAX {
            return;
        }
        let lock = LockFile::new(Arc::clone(&self.disk), self.lock_path.clone());
        let is_same = || self.load(manifest.threshold).is_some_and(|now| now == manifest);
        if lock.try_acquire().is_ok_and(|acquired| acquired) && is_same() {
            manifest.source = state.id;
            let _ = self.write_manifest(&manifest);
        }
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let path = self.manifest_path();
        let mut text = serde_json::to_vec(manifest).map_err(|e| Error::io("encode", &path)(io::Error::other(e)))?;
        if let Some(marks) = &self.marks {
            marks.seal(&self.name(), &mut text)?;
        }
        Ok(write_file(self.disk.as_ref(), &path, &text)?)
    }

    /// Opens a segment if its checksum matches the manifest. Its pages are verified when they are read.
    fn open_segment(&self, slice: &Slice) -> Option<Arc<Segment>> {
        let file = self.disk.open_read(&self.folder.join(&slice.name)).ok()?;
        Segment::open_file(file, slice.hash).map(Arc::new)
    }

    /// Returns true if a segment is reusable. Its file may be a copy; after it was verified once, its new state is recorded, so that it
    /// need not be read as a whole again.
    fn recognise(&self, slice: &mut Slice) -> bool {
        let stamp = self.disk.stat(&self.folder.join(&slice.name)).map(FileStamp::from);
        match stamp {
            Ok(stamp) if stamp == slice.file => self.open_segment(slice).is_some(),
            Ok(stamp) if self.is_sound(slice) => {
                slice.file = stamp;
                true
            }
            _ => false,
        }
    }

    /// Returns true if all bytes of a segment match its checksum.
    fn is_sound(&self, slice: &Slice) -> bool {
        self.open_segment(slice).is_some_and(|segment| segment.is_sound())
    }

    fn load(&self, threshold: f64) -> Option<Manifest> {
        let bytes = read_file(self.disk.as_ref(), &self.manifest_path()).ok()??;
        let is_foreign = |marks: &Arc<Marks>| !marks.checker().is_sealed(&self.name(), &bytes);
        if self.marks.as_ref().is_some_and(is_foreign) {
            return None;
        }
        let manifest: Manifest = serde_json::from_slice(&bytes).ok()?;
        let contiguous = manifest
            .segments
            .iter()
            .try_fold(0, |at, s| (s.start == at && s.end >= at).then_some(s.end));
        let plain = manifest
            .segments
            .iter()
            .all(|s| Path::new(&s.name).components().count() == 1);
        (manifest.format == FORMAT && manifest.threshold <= threshold && contiguous.is_some() && plain)
            .then_some(manifest)
    }

    /// Returns what this machine has written beside the segments.
    pub(super) fn read_beside(&self, file: &str) -> Option<Vec<u8>> {
        let bytes = read_file(self.disk.as_ref(), &self.folder.join(file)).ok()??;
        let is_own = |marks: &Arc<Marks>| marks.checker().is_sealed(&format!("{}/{file}", self.name()), &bytes);
        self.marks.as_ref().is_some_and(is_own).then_some(bytes)
    }

    pub(super) fn write_beside(&self, file: &str, mut text: Vec<u8>) -> Result<()> {
        if let Some(marks) = &self.marks {
            marks.seal(&format!("{}/{file}", self.name()), &mut text)?;
            let path = self.folder.join(file);
            let write = |file: &mut dyn DiskFile| write_parts(file, &[&text]);
            stage_with(self.disk.as_ref(), &path, SyncMode::Unsynced, write)?.place()?;
        }
        Ok(())
    }

    /// The domain of the manifest's seal, so that the manifest of one journal is not valid for another.
    fn name(&self) -> String {
        self.folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    fn manifest_path(&self) -> PathBuf {
        self.folder.join("manifest.json")
    }

    /// Builds segments for the part of the journal up to `job.upto` that none covers yet.
    fn extend(&self, job: &IndexJob, waits: bool) -> Result<bool> {
        match self.write_missing(job, waits) {
            // A repair in another process has removed the folder, and writes the index itself.
            Err(Error::File(FileError::Io { source, .. })) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            outcome => outcome,
        }
    }

    fn write_missing(&self, job: &IndexJob, waits: bool) -> Result<bool> {
        let lock = LockFile::new(Arc::clone(&self.disk), self.lock_path.clone());
        let _held = if waits { Some(lock.guard()?) } else { None };
        if !waits && !lock.try_acquire()? {
            return Ok(false);
        }
        let journal = match self.disk.open_read(&job.source) {
            Ok(journal) => journal,
            // Deleted since the job was made: there is nothing to index.
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(Error::io("open", &job.source)(e)),
        };
        let state = journal.state().map_err(Error::io("inspect", &job.source))?;
        let mut manifest = self.load(job.threshold).unwrap_or_default();
        let fitting = count_fitting(&manifest, journal.as_ref());
        let sound = manifest
            .segments
            .iter_mut()
            .take(fitting)
            .map_while(|slice| self.recognise(slice).then_some(()))
            .count();
        manifest.segments.truncate(sound);
        let upto = job.upto.min(state.len);
        let end = manifest.segments.last().map_or(0, |slice| slice.end);
        if upto <= end {
            return Ok(false);
        }
        manifest.segments.truncate(keep_before(&manifest.segments, upto - end));
        let mut at = manifest.segments.last().map_or(0, |slice| slice.end);
        while at < upto {
            let slice = self.write_segment(job, journal.as_ref(), &manifest.segments, at, upto)?;
            if slice.end == at {
                break;
            }
            at = slice.end;
            manifest.segments.push(slice);
        }
        manifest.format = FORMAT;
        manifest.threshold = job.threshold;
        manifest.source = state.id;
        self.write_manifest(&manifest)?;
        self.sweep(&manifest);
        remove_abandoned(&self.disk, &self.manifest_path());
        Ok(true)
    }

    /// Indexes the journal from `start` on, at most [`SEGMENT_BYTES_MAX`] and not beyond `upto`.
    fn write_segment(
        &self,
        job: &IndexJob,
        journal: &dyn DiskFile,
        older: &[Slice],
        start: u64,
        upto: u64,
    ) -> Result<Slice> {
        let older: Vec<_> = older.iter().filter_map(|slice| self.open_segment(slice)).collect();
        let (builder, end) =
            build_range(journal, job.family, &older, start, upto).map_err(Error::io("read", &job.source))?;
        let docs = builder.docs();
        let bytes = builder.finish(job.threshold);
        let (trailer, hash) = trailer_of(&bytes);
        let name = format!("{start:012x}-{end:012x}-{hash:016x}.seg");
        let path = self.folder.join(&name);
        stage_file(self.disk.as_ref(), &path, &[&bytes, &trailer])?.place()?;
        let file = self.disk.stat(&path).map_err(Error::io("inspect", &path))?.into();
        let (source_hash, tail_hash) = hash_range(journal, start, end).map_err(Error::io("read", &job.source))?;
        Ok(Slice {
            name,
            start,
            end,
            docs,
            source_hash,
            tail_hash,
            hash,
            file,
        })
    }

    fn sweep(&self, manifest: &Manifest) {
        for entry in self.disk.list(&self.folder).unwrap_or_default() {
            let name = entry.name.to_string_lossy().into_owned();
            // Temporary files are left from a killed process, because only the holder of the lock writes here.
            let is_left = name.ends_with(".tmp");
            if is_left || (name.ends_with(".seg") && manifest.segments.iter().all(|slice| slice.name != name)) {
                // An open file cannot be removed on Windows; the next sweep removes it.
                let _ = self.disk.remove(&self.folder.join(&entry.name));
            }
        }
    }

    /// Returns the damaged segments.
    pub fn find_damage(&self) -> Vec<PathBuf> {
        let Some(manifest) = self.load(1.0) else {
            return Vec::new();
        };
        let damaged = |slice: &&Slice| !self.is_sound(slice);
        manifest
            .segments
            .iter()
            .filter(damaged)
            .map(|slice| self.folder.join(&slice.name))
            .collect()
    }
}

/// Indexes a range of a journal; returns the builder and the offset after the last indexed line.
pub(super) fn build_range(
    journal: &dyn DiskFile,
    family: Family,
    older: &[Arc<Segment>],
    start: u64,
    upto: u64,
) -> io::Result<(Builder, u64)> {
    let mut builder = Builder::default();
    let mut entry = Entry::default();
    let mut end = start;
    let mut full = false;
    let behind = scan_lines(journal, start, upto, &mut |line: Line<'_>| {
        if full {
            return;
        }
        take_line(&mut builder, &mut entry, family, older, &line);
        end = line.offset + line.span;
        full = end - start >= SEGMENT_BYTES_MAX;
    })?;
    // Blank lines at the end belong to the range as well.
    Ok((builder, if full { end } else { behind }))
}

fn take_line(builder: &mut Builder, entry: &mut Entry, family: Family, older: &[Arc<Segment>], line: &Line<'_>) {
    match read_line(line.bytes) {
        LineKind::Record(fields) => {
            entry.take_words(&fields, family);
            if let Some(target) = entry.supersedes {
                builder.mutation(Mutation {
                    target,
                    at: entry.created,
                    kind: MutationKind::Gone,
                });
            }
            builder.add(entry, span_of(line));
            let older = older.iter().rev().map(Part::Segment);
            if let Some((gone, confirmed)) = older
                .into_iter()
                .find_map(|part| part.find_id(entry.id).map(|doc| (part.gone(doc), part.confirmed(doc))))
            {
                let repeated = Mutation {
                    target: entry.id,
                    at: entry.created,
                    kind: MutationKind::Repeated,
                };
                builder.repeat_newest(repeated, gone, confirmed);
            }
        }
        LineKind::Action(action) => builder.mutation(mutation_of(action.kind, &action.id, action.at_ms)),
        LineKind::Ruling(ruling) => {
            builder.rule(HashedRuling::of(&ruling, span_of(line)));
            renewal_by(&ruling)
                .into_iter()
                .for_each(|renewal| builder.mutation(renewal));
        }
        LineKind::Other => builder.keep(trace_of_ring(line.bytes)),
        LineKind::Unparsable => {}
    }
}

pub(super) fn span_of(line: &Line<'_>) -> Span {
    Span {
        offset: line.offset,
        len: line.span,
    }
}

/// A record of a cycle that a compaction removed no longer hides anything; its mutation reports the cycle.
pub(super) fn trace_of_ring(line: &[u8]) -> Option<Mutation> {
    ring_lineage_in(line).map(|older| Mutation {
        target: id_hash(&older),
        at: NEVER,
        kind: MutationKind::Gone,
    })
}

/// Returns how a ruling restarts the lifetime of its record.
pub(super) fn renewal_by(ruling: &Ruling) -> Option<Mutation> {
    let renewal = mutation_of(ActionKind::Confirm, &ruling.id, ruling.at_ms);
    ruling.kind.renews().then_some(renewal)
}

pub(super) fn mutation_of(kind: ActionKind, id: &str, at: i64) -> Mutation {
    let kind = match kind {
        ActionKind::Confirm => MutationKind::Confirmed,
        ActionKind::Delete => MutationKind::Gone,
    };
    Mutation {
        target: id_hash(id),
        at,
        kind,
    }
}

/// Returns how many of the segments, from the first on, still match the journal.
fn count_fitting(manifest: &Manifest, journal: &dyn DiskFile) -> usize {
    let Ok(state) = journal.state() else { return 0 };
    let segments = &manifest.segments;
    let inside = segments.iter().take_while(|slice| slice.end <= state.len).count();
    let same_file = manifest.source == state.id && inside == segments.len();
    let by_samples = same_file && state.len > COMPARE_BYTES_MAX;
    segments
        .iter()
        .take(inside)
        .take_while(|slice| fits(slice, journal, by_samples).unwrap_or(false))
        .count()
}

fn fits(slice: &Slice, journal: &dyn DiskFile, by_samples: bool) -> io::Result<bool> {
    if by_samples {
        return Ok(hash_block(journal, tail_start(slice.start, slice.end), slice.end)? == slice.tail_hash);
    }
    Ok(hash_range(journal, slice.start, slice.end)? == (slice.source_hash, slice.tail_hash))
}

fn tail_start(start: u64, end: u64) -> u64 {
    end.saturating_sub(SAMPLE_BYTES).max(start)
}

fn hash_range(journal: &dyn DiskFile, start: u64, end: u64) -> io::Result<(u64, u64)> {
    let mut hasher = Xxh3::new();
    let mut block = vec![0; 1 << 18];
    let mut at = start;
    while at < end {
        let want = block.len().min(usize::try_from(end - at).unwrap_or(usize::MAX));
        let read = read_block(journal, at, block.get_mut(..want).unwrap_or_default())?;
        if read.is_empty() {
            break;
        }
        hasher.update(read);
        at += read.len() as u64;
    }
    Ok((hasher.digest(), hash_block(journal, tail_start(start, end), end)?))
}

fn hash_block(journal: &dyn DiskFile, start: u64, end: u64) -> io::Result<u64> {
    let mut block = vec![0; usize::try_from(end - start).unwrap_or(0)];
    Ok(xxh3_64(read_block(journal, start, &mut block)?))
}

/// Reads into a block; returns the part that was read.
fn read_block<'b>(journal: &dyn DiskFile, at: u64, block: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let got = journal.read_at(at, block)?;
    Ok(block.get(..got).unwrap_or_default())
}

/// Returns how many of the oldest segments are kept when new bytes are added; the others are merged into the new one.
fn keep_before(segments: &[Slice], new_bytes: u64) -> usize {
    let kib = |bytes: u64| u32::try_from(bytes >> 10).unwrap_or(u32::MAX);
    let sizes: Vec<u32> = segments.iter().map(|slice| kib(slice.end - slice.start)).collect();
    let (smallest, most) = (kib(SMALLEST_TIER_BYTES), kib(SEGMENT_BYTES_MAX));
    count_kept(&sizes, kib(new_bytes), smallest, most)
}
