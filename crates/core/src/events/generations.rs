//! The generations of the event file: what was rotated away stays readable for a while, so that a follower that a busy machine
//! keeps from reading loses nothing that was acknowledged.
//!
//! `hub-events.1.jsonl` is the youngest, as for every journal that is rotated. Files that are rotated at a small size keep more
//! generations than one: altogether [`KEPT_BYTES`], so that the time that a follower has does not depend on that size.

use std::path::{Path, PathBuf};

use crate::journal::{Disk, FileId, generation_path, rotated_path};

/// About so many bytes of rotated events are kept; never less than one generation, never more than [`GENERATIONS_MAX`].
const KEPT_BYTES: u64 = 8 * 1024 * 1024;
/// Looking for a file among more than these would take its time.
const GENERATIONS_MAX: u64 = 64;

/// Makes room for the file that is rotated next: every generation becomes one older, and what is too old goes. An error costs
/// followers that are far behind some events, and never the event that is to be written.
pub(super) fn make_room(disk: &dyn Disk, path: &Path, bytes_max: u64) {
    let kept = (KEPT_BYTES / bytes_max.max(1)).clamp(1, GENERATIONS_MAX) as usize;
    let present = present(disk, path).len();
    for age in (1..=present.min(kept.saturating_sub(1))).rev() {
        if disk
            .rename(&generation_path(path, age), &generation_path(path, age + 1))
            .is_err()
        {
            return;
        }
    }
}

/// The generations that there are, the youngest first.
pub(super) fn present(disk: &dyn Disk, path: &Path) -> Vec<(PathBuf, FileId)> {
    let older = (2..=GENERATIONS_MAX as usize).map(|age| generation_path(path, age));
    let youngest = std::iter::once(rotated_path(path));
    let found = youngest.chain(older).map_while(|generation| {
        let id = disk.stat(&generation).ok()?.id;
        Some((generation, id))
    });
    found.collect()
}
