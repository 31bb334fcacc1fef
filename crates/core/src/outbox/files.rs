//! The files of an outbox, and earlier deliveries, read from its archive: the ids and projects under which a thought reached the store.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::line::{QueueLine, is_own};
use super::{ARCHIVE_FILE, DEAD_LETTER_FILE, QUEUE_FILE};
use crate::clock::Millis;
use crate::error::{Error, Result};
use crate::journal::{Disk, FileId, FileState, Journal, clean, rotated_path, scan_lines};
use crate::model::thought::id_hash;
use crate::project::layout::{CAPTURES_FILE, Layout};
use crate::project::ownership::Checker;

/// How far a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    pub file: Option<FileId>,
    pub upto: u64,
    /// A hash of the bytes before that.
    tail: u64,
}

impl Place {
    pub fn is_in(&self, journal: &Journal, state: FileState) -> Result<bool> {
        let is_anchor = |bytes: &[u8]| xxh3_64(bytes) == self.tail;
        Ok(self.file.is_some() && journal.is_continued(self.file, self.upto, state, is_anchor)?)
    }

    pub fn at(journal: &Journal, state: FileState, upto: u64) -> Result<Self> {
        Ok(Place {
            file: Some(state.id),
            upto,
            tail: xxh3_64(&journal.anchor(upto)?),
        })
    }
}

/// How far the raw log was compared with the outbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Compared {
    pub log: Place,
    pub queue: Place,
    /// The time of the newest own record. In another file, as after a merge, older ones were compared before.
    pub newest: Millis,
}

impl Compared {
    /// True if the raw log has grown since, or the queue is another file.
    pub fn is_outdated(&self, log: FileState, queue: Option<FileState>) -> bool {
        let is_other = self.queue.file.is_some()
            && queue.is_none_or(|queue| self.queue.file != Some(queue.id) || queue.len < self.queue.upto);
        is_other || self.log.file != Some(log.id) || self.log.upto != log.len
    }

    /// The same after the drain itself has rewritten the queue or appended to it.
    pub fn with_queue(mut self, queue: &mut Journal) -> Result<Self> {
        self.queue = match queue.look()? {
            Some(state) => Place::at(queue, state, state.len)?,
            None => Place::default(),
        };
        Ok(self)
    }
}

/// The files through which a record travels, and the checker that tells which of their lines are of this machine.
#[derive(Debug)]
pub(super) struct Files {
    /// The raw log. It and the queue are under the lock of captures.
    pub captures: Journal,
    pub queue: Journal,
    pub archive: Journal,
    pub dead: Journal,
    pub check: Checker,
}

/// Both generations of an archive, the older one first.
pub(super) fn generations(archive: &Path) -> [PathBuf; 2] {
    [rotated_path(archive), archive.to_path_buf()]
}

/// Visits the lines of those files that exist, or of the last bytes of each, where the first line may be cut and does not parse.
pub(super) fn each_line_in(
    disk: &dyn Disk,
    paths: impl IntoIterator<Item = PathBuf>,
    tail: Option<u64>,
    mut visit: impl FnMut(&[u8]),
) -> Result<()> {
    for path in paths {
        let Ok(file) = disk.open_read(&path) else { continue };
        let io = |source| Error::io("read", &path)(source);
        let len = file.state().map_err(io)?.len;
        let from = tail.map_or(0, |tail| len.saturating_sub(tail));
        scan_lines(file.as_ref(), from, len, &mut |line| visit(line.bytes)).map_err(io)?;
    }
    Ok(())
}

/// Rewrites a file line by line; `change` returns the replacement of a line, with its end, or `None` where it stays. A last line without an end
/// may still be in the middle of being written, and stays. Returns `None` when all stay.
pub(super) fn rewrite_lines(
    old: &[u8],
    mut change: impl FnMut(&[u8]) -> Result<Option<Vec<u8>>>,
) -> Result<Option<Vec<u8>>> {
    let mut fresh = Vec::with_capacity(old.len() + old.len() / 8);
    let mut is_changed = false;
    for raw in old.split_inclusive(|byte| *byte == b'\n') {
        match raw.ends_with(b"\n").then(|| change(clean(raw))).transpose()?.flatten() {
            Some(line) => {
                fresh.extend_from_slice(&line);
                is_changed = true;
            }
            None => fresh.extend_from_slice(raw),
        }
    }
    Ok(is_changed.then_some(fresh))
}

impl Files {
    pub fn of(layout: &Layout, check: Checker) -> Self {
        Files {
            captures: layout.journal_of_captures(CAPTURES_FILE),
            queue: layout.journal_of_captures(QUEUE_FILE),
            archive: layout.journal_under_own_lock(ARCHIVE_FILE),
            dead: layout.journal_under_own_lock(DEAD_LETTER_FILE),
            check,
        }
    }

    /// Finds deliveries in the archive that were made under a name of the older tools.
    pub fn delivered_under(&self, name: &str) -> Result<Vec<String>> {
        let mut ids = FxHashSet::default();
        self.each_delivered(|line| {
            if line.text("key").is_some_and(|key| key == name) {
                ids.insert(line.id());
            }
        })?;
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Finds the thoughts that were delivered under another name of the project than these: the names of each.
    pub fn delivered_elsewhere(&self, own: &[String]) -> Result<FxHashMap<u64, Vec<String>>> {
        let mut renamed: FxHashMap<u64, Vec<String>> = FxHashMap::default();
        self.each_delivered(|line| {
            if let Some(project) = line
                .text("project")
                .filter(|project| own.iter().all(|own| own != project))
            {
                let names = renamed.entry(id_hash(&line.id())).or_default();
                if names.iter().all(|name| *name != project) {
                    names.push(project.into_owned());
                }
            }
        })?;
        Ok(renamed)
    }

    /// Visits the thoughts in the archive that this machine delivered.
    fn each_delivered(&self, mut take: impl FnMut(&QueueLine<'_>)) -> Result<()> {
        let paths = generations(self.archive.path());
        each_line_in(self.archive.disk().as_ref(), paths, None, |line| {
            if let Some(read) = QueueLine::read(line)
                && read.text("_action").is_none()
                && is_own(line, &self.check)
            {
                take(&read);
            }
        })
    }
}
