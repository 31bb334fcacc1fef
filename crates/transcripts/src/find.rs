//! Finds session files. Only regular files that the user owns are opened. A link is followed while its target is below the home folder
//! or below a store that a variable names. Everything that is skipped is reported.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use forge_memory_journal::{Disk, DiskFile, FileKind, FileState, Metadata};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::places::Places;

/// The maximum depth of folders below the root of a store.
const DEPTH_MAX: usize = 8;
/// The maximum number of files read per store; more are reported.
const FILES_MAX: usize = 200_000;

/// A file or folder that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "BackfillProblem")]
pub struct Problem {
    /// Its path.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// Why it was skipped.
    pub reason: String,
}

/// Writes a path as people read it.
pub(crate) fn shown<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// Walks stores.
#[derive(Debug)]
pub(crate) struct Finder<'a> {
    disk: &'a dyn Disk,
    /// The owner of the home folder; files of other users are not opened.
    owner: Option<u32>,
    bounds: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(disk: &'a dyn Disk, places: &Places) -> Self {
        let owner = disk
            .metadata(&places.home)
            .ok()
            .and_then(|found| found.access)
            .map(|access| access.owner);
        let named = places.variables.values().filter(|path| path.is_absolute());
        let bounds = std::iter::once(&places.home).chain(named);
        Finder {
            disk,
            owner,
            bounds: bounds.filter_map(|path| disk.real_path(path).ok()).collect(),
            problems: Vec::new(),
        }
    }

    /// Returns the files below a store that `accepts` selects, sorted by path, with their lengths in bytes.
    pub(crate) fn files(&mut self, root: &Path, accepts: &dyn Fn(&Path) -> bool) -> Vec<(PathBuf, u64)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        if self.disk.link_metadata(root).is_ok() {
            self.walk(root, root, 0, accepts, &mut seen, &mut found);
        }
        found.sort();
        found
    }

    /// Returns the length in bytes of one file below a store, if it may be opened.
    pub(crate) fn file(&mut self, root: &Path, path: &Path, accepts: &dyn Fn(&Path) -> bool) -> Option<u64> {
        let real = self.disk.real_path(path).ok()?;
        if !self.bounds.iter().any(|bound| real.starts_with(bound)) {
            self.note(path, "is a link that leads out of the home folder");
            return None;
        }
        let (kind, len) = self.look(root, path, accepts)?;
        (kind == FileKind::File).then_some(len)
    }

    /// Returns the length in bytes of a file that a list names, if it may be opened and is really below `folder`, which may be anywhere.
    pub(crate) fn listed(&mut self, folder: &Path, path: &Path) -> Option<u64> {
        let bound = self.disk.real_path(folder).ok()?;
        let real = self.disk.real_path(path).ok()?;
        if !real.starts_with(&bound) {
            self.note(path, "is a link that leads out of its folder");
            return None;
        }
        let (kind, len) = self.look(&real, &real, &|_| true)?;
        (kind == FileKind::File).then_some(len)
    }

    fn walk(
        &mut self,
        root: &Path,
        at: &Path,
        depth: usize,
        accepts: &dyn Fn(&Path) -> bool,
        seen: &mut BTreeSet<PathBuf>,
        found: &mut Vec<(PathBuf, u64)>,
    ) {
        let Some((kind, len)) = self.look(root, at, accepts) else {
            return;
        };
        match kind {
            FileKind::Folder if depth <= DEPTH_MAX => {
                let is_new = self.disk.real_path(at).is_ok_and(|real| seen.insert(real));
                if !is_new {
                    return;
                }
                match self.disk.list(at) {
                    Ok(entries) => {
                        for entry in entries {
                            self.walk(root, &at.join(entry.name), depth + 1, accepts, seen, found);
                        }
                    }
                    Err(error) => self.note(at, &format!("cannot be listed: {error}")),
                }
            }
            FileKind::File if accepts(at.strip_prefix(root).unwrap_or(at)) => match found.len() {
                FILES_MAX => self.note(root, "has more files than are read"),
                _ => found.push((at.to_path_buf(), len)),
            },
            _ => {}
        }
    }

    /// Returns the type and length of the file or folder at a path, if it may be opened.
    fn look(&mut self, root: &Path, at: &Path, accepts: &dyn Fn(&Path) -> bool) -> Option<(FileKind, u64)> {
        let is_wanted = at == root || accepts(at.strip_prefix(root).unwrap_or(at));
        let found = match self.disk.link_metadata(at) {
            Ok(found) if found.kind == FileKind::Link => self.follow(at)?,
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.note(at, &format!("cannot be looked at: {error}"));
                return None;
            }
        };
        if found.kind == FileKind::Other {
            if is_wanted {
                self.note(at, "is a FIFO, a socket or a device");
            }
            return None;
        }
        if is_foreign(self.owner, &found) {
            if is_wanted || found.kind == FileKind::Folder {
                self.note(at, "belongs to another user");
            }
            return None;
        }
        Some((found.kind, found.len))
    }

    fn follow(&mut self, link: &Path) -> Option<Metadata> {
        let target = self.disk.real_path(link).ok();
        match target {
            Some(target) if self.bounds.iter().any(|bound| target.starts_with(bound)) => {
                self.disk.metadata(&target).ok()
            }
            Some(_) => {
                self.note(link, "is a link that leads out of the home folder");
                None
            }
            None => {
                self.note(link, "is a broken link");
                None
            }
        }
    }

    fn note(&mut self, path: &Path, reason: &str) {
        self.problems.push(Problem {
            path: path.to_path_buf(),
            reason: reason.to_owned(),
        });
    }
}

/// Ownership is compared rather than readability, because root may read everything.
fn is_foreign(owner: Option<u32>, found: &Metadata) -> bool {
    matches!((owner, found.access), (Some(owner), Some(access)) if access.owner != owner)
}

/// Opens a regular file and verifies by its file id that it was not replaced between the check and the opening (a TOCTOU race).
pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<(Box<dyn DiskFile>, FileState)> {
    let real = disk.real_path(path)?;
    let before = disk
        .lstat(&real)?
        .ok_or_else(|| io::Error::other("is not a regular file"))?;
    let file = disk.open_read(&real)?;
    let state = file.state()?;
    if state.id != before.id {
        return Err(io::Error::other("was replaced while it was opened"));
    }
    Ok((file, state))
}
