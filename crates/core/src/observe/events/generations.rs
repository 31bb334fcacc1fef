//! The generations of the event file: what was rotated away stays readable for a while.
//!
//! `hub-events.1.jsonl` is the youngest, as for every journal that is rotated. Rotated files are kept until they are [`KEPT_BYTES`]
//! together, so that the time for which a reader may be away does not depend on the size at which files are rotated. What a
//! live reader ([`super::readers`]) has not read is kept longer: the file is not rotated while that would remove such a generation, until
//! it has grown by [`UNREAD_BYTES_MAX`].

use std::path::{Path, PathBuf};

use crate::journal::{Disk, FileId, generation_path};

/// About so many bytes of rotated events are kept.
const KEPT_BYTES: u64 = 8 * 1024 * 1024;
/// How far the file grows beyond the size at which it is rotated, while a live reader is behind.
pub(super) const UNREAD_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Looking for a file among more than these would take its time.
const GENERATIONS_MAX: usize = 64;
/// How often files are looked for again that a rotation moves meanwhile.
const TRIES: usize = 64;

/// One of the event files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventFile {
    pub path: PathBuf,
    /// How often it was rotated; 0 for the file that is written to.
    pub age: usize,
    pub id: FileId,
    pub len: u64,
}

/// Returns the event files that there are, the youngest first, as they were at one moment.
pub(super) fn event_files(disk: &dyn Disk, path: &Path) -> Vec<EventFile> {
    let mut files = look_for_files(disk, path);
    for _ in 0..TRIES {
        let again = look_for_files(disk, path);
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

/// From the youngest on: a file that a rotation moves meanwhile is met later, or twice. A rotation that was killed leaves a hole, so that
/// the first missing generation is not the last.
fn look_for_files(disk: &dyn Disk, path: &Path) -> Vec<EventFile> {
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

/// Returns the age of the oldest generation that stays when the file is rotated next, as it is counted before that.
pub(super) fn kept_age(files: &[EventFile]) -> usize {
    let mut bytes = 0;
    let kept = files.iter().take_while(|file| {
        bytes += file.len;
        file.age == 0 || (bytes <= KEPT_BYTES && file.age < GENERATIONS_MAX)
    });
    kept.last().map_or(0, |file| file.age)
}

/// Makes room for the next rotation: generation n becomes n + 1 for n <= `kept`, older ones are deleted. When this fails, slow
/// readers may lose events, which they are told; the event to be written is never lost.
pub(super) fn make_room(disk: &dyn Disk, path: &Path, files: &[EventFile], kept: usize) {
    let rotated = || files.iter().filter(|file| file.age > 0);
    for old in rotated().filter(|file| file.age > kept) {
        let _ = disk.remove(&old.path);
    }
    // Files behind a hole stay where they are.
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
