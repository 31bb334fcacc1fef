//! Checks files of the project, and caches their hashes by file state.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::journal::{Disk, FileState};
use crate::model::hallmark::{hash_source, relative_name};

/// The maximum number of bytes read per answer; a file beyond that is compared by its time.
const READ_BYTES_MAX: u64 = 256 * 1024;
const LOOKS_MAX: usize = 64;
const HASHES_MAX: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Look {
    /// A regular file.
    File(FileState),
    /// A folder, or something that must not be opened.
    Other,
    /// Nothing.
    Missing,
    /// Unknown: it is outside of the project, not accessible, or beyond the limit of checks.
    Unknown,
}

/// The hash of a file, with the state in which it was read.
#[derive(Debug)]
struct Known {
    state: FileState,
    hash: String,
}

/// A file, and the range of bytes in it.
type Extract = (String, Option<[u64; 2]>);

#[derive(Debug)]
pub(super) struct Files {
    project: PathBuf,
    disk: Arc<dyn Disk>,
    hashes: FxHashMap<Extract, Known>,
    /// For one answer: the result for each name, and the real path of each folder.
    seen: FxHashMap<String, Look>,
    folders: FxHashMap<PathBuf, Option<PathBuf>>,
    /// For one answer: which names exist directly in the project's folder.
    tops: FxHashMap<String, bool>,
    left_to_read: u64,
}

impl Files {
    pub fn new(project: &Path, disk: Arc<dyn Disk>) -> Self {
        Files {
            project: project.to_path_buf(),
            disk,
            hashes: FxHashMap::default(),
            seen: FxHashMap::default(),
            folders: FxHashMap::default(),
            tops: FxHashMap::default(),
            left_to_read: 0,
        }
    }

    pub fn begin(&mut self) {
        self.seen.clear();
        self.folders.clear();
        self.tops.clear();
        self.left_to_read = READ_BYTES_MAX;
    }

    pub fn disk(&self) -> &dyn Disk {
        self.disk.as_ref()
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Checks a name below the project, once per answer.
    pub fn look(&mut self, name: &str) -> Look {
        if let Some(seen) = self.seen.get(name) {
            return *seen;
        }
        if self.seen.len() >= LOOKS_MAX {
            return Look::Unknown;
        }
        let found = match relative_name(name, &self.project) {
            Some(relative) => self.look_at(&relative),
            None => Look::Unknown,
        };
        self.seen.insert(name.to_owned(), found);
        found
    }

    fn look_at(&mut self, relative: &str) -> Look {
        let path = self.project.join(relative);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Look::Unknown;
        };
        if !self.has_top_of(relative) {
            return Look::Missing;
        }
        let Some(folder) = self.real_folder(folder) else {
            return Look::Unknown;
        };
        match self.disk.lstat(&folder.join(name)) {
            Ok(Some(state)) => Look::File(state),
            Ok(None) => self.look_behind(&path),
            Err(e) if is_absent(&e) => Look::Missing,
            Err(_) => Look::Unknown,
        }
    }

    /// True if the first component of a name exists in the project. Most missing names fail there, which costs
    /// one check for everything in a folder.
    fn has_top_of(&mut self, relative: &str) -> bool {
        let Some((top, _)) = relative.split_once('/') else {
            return true;
        };
        if let Some(is_there) = self.tops.get(top) {
            return *is_there;
        }
        let is_there = !self.disk.lstat(&self.project.join(top)).is_err_and(|e| is_absent(&e));
        self.tops.insert(top.to_owned(), is_there);
        is_there
    }

    /// Follows a link as long as it stays inside of the project.
    fn look_behind(&self, path: &Path) -> Look {
        let Ok(real) = self.disk.resolve(path) else {
            return Look::Unknown;
        };
        match self.disk.lstat(&real) {
            Ok(Some(state)) => Look::File(state),
            Ok(None) => Look::Other,
            Err(_) => Look::Unknown,
        }
    }

    /// Returns the real path of a folder; `None` when it is outside of the project.
    fn real_folder(&mut self, folder: &Path) -> Option<PathBuf> {
        if folder == self.project {
            return Some(folder.to_path_buf());
        }
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let found = match self.disk.resolve(folder) {
            Ok(real) => Some(real),
            Err(e) if is_absent(&e) => Some(folder.to_path_buf()),
            Err(_) => None,
        };
        self.folders.insert(folder.to_path_buf(), found.clone());
        found
    }

    /// True if the parent folder of a file exists.
    pub fn has_folder_of(&mut self, name: &str) -> bool {
        let parent = name.trim_end_matches('/').rsplit_once('/').map(|(parent, _)| parent);
        parent.is_some_and(|parent| self.look(parent) == Look::Other)
    }

    /// Returns the hash of a file or of a range of its bytes; `None` when it is too large to be read for this answer.
    pub fn hash(&mut self, name: &str, range: Option<[u64; 2]>, state: FileState) -> Option<String> {
        let key = (name.to_owned(), range);
        if let Some(known) = self.hashes.get(&key).filter(|known| known.state == state) {
            return Some(known.hash.clone());
        }
        let relative = relative_name(name, &self.project)?;
        let [start, end] = range.unwrap_or([0, state.len]);
        let len = end.saturating_sub(start);
        self.left_to_read = self.left_to_read.checked_sub(len)?;
        // A range beyond the end of the file is not the stamped one.
        let hash = hash_source(self.disk.as_ref(), &self.project, &relative, range).unwrap_or_default();
        if self.hashes.len() >= HASHES_MAX {
            self.hashes.clear();
        }
        let known = Known {
            state,
            hash: hash.clone(),
        };
        self.hashes.insert(key, known);
        Some(hash)
    }
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
