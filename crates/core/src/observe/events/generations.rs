//! Retention of rotated event files (generations), as in a segmented log.
//!
//! `hub-events.1.jsonl` is the newest generation. Generations are kept while their total size is at most
//! [`KEPT_BYTES`], so that the time for which a reader may be disconnected does not depend on the rotation size. A
//! generation that a live reader ([`super::readers`]) has not read is kept longer: rotation is postponed until the file
//! has grown by [`UNREAD_BYTES_MAX`].

use std::path::{Path, PathBuf};

use crate::journal::{Disk, FileId, generation_path};

/// The approximate size of the rotated events that are kept.
const KEPT_BYTES: u64 = 8 * 1024 * 1024;
/// How far the file grows beyond the size at which it is rotated, while a live reader is behind.
pub(super) const UNREAD_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The maximum number of generations: each costs a lookup.
const GENERATIONS_MAX: usize = 64;
/// How often the list is read again when a concurrent rotation moves files.
const TRIES: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventFile {
    pub path: PathBuf,
    /// Its generation; 0 for the file that is written to.
    pub age: usize,
    pub id: FileId,
    pub len: u64,
}

/// Returns a consistent snapshot of the event files, the youngest first.
pub(super) fn event_files(disk: &dyn Disk, path: &Path) -> Vec<EventFile> {
    let mut files = list_files(disk, path);
    for _ in 0..TRIES {
        let again = list_files(disk, path);
        let is_same =
            files.len() == again.len() && files.iter().zip(&again).all(|(a, b)| (a.age, a.id) == (b.age, b.id));
        files = again;
        if is_same {
            break;
        }
        std::thread::yield_now();
    }
    files
}

/// From the youngest on, so that a file that a concurrent rotation moves is seen later or twice, and never missed. A rotation that
/// was killed leaves a gap in the numbers, so a missing generation is not the last one.
fn list_files(disk: &dyn Disk, path: &Path) -> Vec<EventFile> {
    let at = |age| match age {
        0 => path.to_path_buf(),
        age => generation_path(path, age),
    };
    let found = (0..=GENERATIONS_MAX).filter_map(|age| {
        let path = at(age);
        let state = disk.stat(&path).ok()?;
        Some(EventFile {
            path,
            age,
            id: state.id,
            len: state.len,
        })
    });
    found.collect()
}

/// Returns the age of the oldest generation that the next rotation keeps, counted before that rotation.
pub(super) fn kept_age(files: &[EventFile]) -> usize {
    let mut bytes = 0;
    let kept = files.iter().take_while(|file| {
        bytes += file.len;
        file.age == 0 || (bytes <= KEPT_BYTES && file.age < GENERATIONS_MAX)
    });
    kept.last().map_or(0, |file| file.age)
}

/// Makes room for the next rotation: generation n becomes n + 1 for n <= `kept`, older ones are deleted. When this fails, slow
/// readers may lose events, which is reported to them; the event to be written is never lost.
pub(super) fn make_room(disk: &dyn Disk, path: &Path, files: &[EventFile], kept: usize) {
    let rotated = || files.iter().filter(|file| file.age > 0);
    for old in rotated().filter(|file| file.age > kept) {
        let _ = disk.remove(&old.path);
    }
    // Files beyond a gap keep their number.
    let in_a_row = rotated().zip(1..).take_while(|(file, age)| file.age == *age).count();
    for age in (1..=in_a_row.min(kept)).rev() {
        if disk
            .rename(&generation_path(path, age), &generation_path(path, age + 1))
            .is_err()
        {
            return;
        }
    }
}
