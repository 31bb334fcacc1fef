//! The folder of a journal's index, with the version of its format in the name. Two versions of this program that use one project at the
//! same time each keep their own index; with a common folder each would delete and rebuild the other's, at every capture.

use std::path::{Path, PathBuf};

use super::segment::FORMAT;
use crate::journal::{Disk, LockFile};

const FOLDER: &str = "index";
/// After so long without a write by the version that uses it, an index of another format is removed.
const ABANDONED_AFTER_NS: i64 = 30 * 24 * 3600 * 1_000_000_000;

/// Returns the folder with the index of a journal below `root`, in the format of this version.
pub fn index_folder(root: &Path, journal: &str) -> PathBuf {
    root.join(FOLDER).join(format!("{journal}.{FORMAT}"))
}

/// Returns the lock of those who write that index.
pub fn index_lock(root: &Path, journal: &str) -> PathBuf {
    lock_in(root, &format!("{journal}.{FORMAT}"))
}

fn lock_in(root: &Path, folder: &str) -> PathBuf {
    root.join("locks").join(format!("{FOLDER}-{folder}.lock"))
}

/// Removes the indexes of the same journal in other formats that nobody has written for a month before `manifest`, which was written now.
pub(super) fn remove_abandoned(disk: &std::sync::Arc<dyn Disk>, manifest: &Path) {
    let Some(own) = manifest.parent() else { return };
    let (Some(indexes), Ok(written)) = (own.parent(), disk.stat(manifest)) else {
        return;
    };
    let Some(root) = indexes.parent() else { return };
    let own_name = own.file_name().unwrap_or_default().to_string_lossy();
    let Some((journal, _)) = own_name.rsplit_once('.') else {
        return;
    };
    for entry in disk.list(indexes).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        if name == own_name || !is_index_of(journal, &name) {
            continue;
        }
        let folder = indexes.join(&entry.name);
        let is_old = |state: crate::journal::FileState| written.modified_ns - state.modified_ns > ABANDONED_AFTER_NS;
        if !disk.stat(&folder.join("manifest.json")).is_ok_and(is_old) {
            continue;
        }
        let lock = LockFile::new(disk.clone(), lock_in(root, &name));
        if lock.try_acquire().is_ok_and(|acquired| acquired) {
            // A folder that Windows does not remove because it is open is removed another time.
            let _ = disk.remove_folder(&folder);
        }
    }
}

/// True if a folder is an index of this journal; the first formats had no number in its name.
fn is_index_of(journal: &str, folder: &str) -> bool {
    let rest = folder.strip_prefix(journal);
    rest.is_some_and(|rest| {
        rest.is_empty()
            || rest
                .strip_prefix('.')
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}
