//! Live readers of the event log, and their positions (like consumer offsets): unread events are not rotated away.
//!
//! A process with readers holds one of [`SLOTS`] lock files and writes the event files of its readers to a small file beside it. The
//! operating system releases the lock when the process dies, and the small file is ignored then, so a dead reader retains nothing.
//! Without a free slot, or in a read-only folder, a reader works too, and events that are rotated away unread are reported as lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::generations::EventFile;
use crate::error::Result;
use crate::journal::{Disk, FileId, LockFile, LockGuard, SyncMode, read_text, stage_with, write_parts};

/// The maximum number of processes whose unread events are retained.
const SLOTS: usize = 32;
/// The entry of a reader that has not opened a file yet and may need all of them.
const UNKNOWN: FileId = FileId { volume: 0, index: 0 };

/// The live readers of a project's events: those of this process, and those of others as found on disk.
#[derive(Debug, Clone)]
pub(super) struct Readers {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    own: Arc<Mutex<OwnReaders>>,
}

#[derive(Debug, Default)]
struct OwnReaders {
    slot: Option<Slot>,
    files: BTreeMap<u64, FileId>,
    next: u64,
}

#[derive(Debug)]
struct Slot {
    number: usize,
    /// JournalWriter until this is dropped.
    _lock: LockGuard,
}

/// A live reader of this process, until it is dropped.
#[derive(Debug)]
pub(super) struct LiveReader {
    readers: Readers,
    number: u64,
}

impl Readers {
    /// Returns the readers of the event file at `path`.
    pub fn of(disk: Arc<dyn Disk>, path: &Path) -> Self {
        Readers {
            disk,
            folder: path.with_file_name("locks"),
            own: Arc::default(),
        }
    }

    /// Registers a reader that has not opened a file yet: from now on no event is rotated away before it was read.
    pub fn enter(&self) -> LiveReader {
        let number = {
            let mut own = self.own();
            own.next += 1;
            own.next
        };
        let reader = LiveReader {
            readers: self.clone(),
            number,
        };
        reader.stand_in(UNKNOWN);
        reader
    }

    /// Returns the age of the oldest file that a live reader has not finished; 0 when all are in the youngest one.
    pub fn oldest_needed(&self, files: &[EventFile]) -> usize {
        let oldest = files.last().map_or(0, |file| file.age);
        let age_of = |id: FileId| files.iter().find(|file| file.id == id).map_or(oldest, |file| file.age);
        (0..SLOTS)
            .filter(|number| self.is_held(*number))
            .map(|number| match self.positions(number) {
                Some(ids) => ids.into_iter().map(age_of).max().unwrap_or(0),
                // Just registered, or not readable.
                None => oldest,
            })
            .max()
            .unwrap_or(0)
    }

    fn is_held(&self, number: usize) -> bool {
        let path = self.lock_path(number);
        if self.disk.stat_untimed(&path).is_err() {
            return false;
        }
        // A separate handle: it conflicts with a lock that this process holds, too.
        let lock = LockFile::new(Arc::clone(&self.disk), path);
        match lock.try_acquire() {
            Ok(true) => {
                lock.release();
                false
            }
            Ok(false) => true,
            Err(_) => false,
        }
    }

    fn positions(&self, number: usize) -> Option<Vec<FileId>> {
        let text = read_text(self.disk.as_ref(), &self.place_path(number)).ok()?;
        text.lines().map(read_id).collect()
    }

    fn lock_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("events-reader-{number}.lock"))
    }

    fn place_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("events-reader-{number}.at"))
    }

    fn own(&self) -> MutexGuard<'_, OwnReaders> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot unless this process has one.
    fn take_slot(&self, own: &mut OwnReaders) {
        // `git clean -X` deletes lock files that are held; other processes cannot see such a lock.
        let is_named = |slot: &Slot| self.disk.stat_untimed(&self.lock_path(slot.number)).is_ok();
        own.slot = own.slot.take().filter(is_named);
        // Readers do not create folders before the first write.
        if own.slot.is_some() || self.disk.stat_untimed(&self.folder).is_err() {
            return;
        }
        own.slot = (0..SLOTS).find_map(|number| {
            let lock = LockFile::new(Arc::clone(&self.disk), self.lock_path(number));
            let is_taken = lock.try_acquire().unwrap_or(false);
            is_taken.then(|| Slot {
                number,
                _lock: lock.into_guard(),
            })
        });
    }

    fn write(&self, own: &OwnReaders) -> Result<()> {
        let Some(slot) = &own.slot else { return Ok(()) };
        let mut ids: Vec<FileId> = own.files.values().copied().collect();
        ids.sort_by_key(|id| (id.volume, id.index));
        ids.dedup();
        let text: String = ids.iter().map(|id| format!("{}:{}\n", id.volume, id.index)).collect();
        let path = self.place_path(slot.number);
        let write = |file: &mut dyn crate::journal::DiskFile| write_parts(file, &[text.as_bytes()]);
        // It is not needed after a power failure.
        Ok(stage_with(self.disk.as_ref(), &path, SyncMode::Unsynced, write)?.place()?)
    }
}

impl LiveReader {
    /// Notes which file the reader is in.
    pub fn stand_in(&self, id: FileId) {
        let mut own = self.readers.own();
        own.files.insert(self.number, id);
        self.readers.take_slot(&mut own);
        // On failure the old position stays: more is retained than needed.
        let _ = self.readers.write(&own);
    }
}

impl Drop for LiveReader {
    fn drop(&mut self) {
        let mut own = self.readers.own();
        own.files.remove(&self.number);
        if own.files.is_empty() {
            own.slot = None;
        } else {
            // As above.
            let _ = self.readers.write(&own);
        }
    }
}

fn read_id(line: &str) -> Option<FileId> {
    let (volume, index) = line.split_once(':')?;
    Some(FileId {
        volume: u64::from_str(volume).ok()?,
        index: u64::from_str(index).ok()?,
    })
}
