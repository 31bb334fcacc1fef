//! The files that git ignores in a project: the ignore files of every folder on the path, and the exclusions of the
//! clone.
//!
//! The patterns are untrusted, so they are matched in linear time (finite automata of the `ignore` crate): a backtracking
//! matcher takes exponential time for a pattern with twenty stars.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use forge_memory_core::journal::{ConfinedDisk, Disk};
use forge_memory_core::{Error, Result};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use crate::contents::{is_absent, read};

/// The maximum size of an ignore file; each pattern costs memory and time.
const LIST_BYTES_MAX: u64 = 128 * 1024;

/// The ignore files of a project, each read once.
#[derive(Debug)]
pub struct Ignored {
    root: PathBuf,
    disk: Arc<dyn Disk>,
    names: &'static [&'static str],
    lists: Mutex<FxHashMap<String, Option<Arc<Gitignore>>>>,
}

impl Ignored {
    /// Returns the rules of git.
    pub fn by_git(root: PathBuf) -> Self {
        let disk = Arc::new(ConfinedDisk::of_project(root.clone()));
        Ignored::by(disk, root, &[".gitignore"])
    }

    /// Returns the rules of git, and of `.ignore` files.
    pub(crate) fn by_all(disk: Arc<dyn Disk>, root: PathBuf) -> Self {
        Ignored::by(disk, root, &[".gitignore", ".ignore"])
    }

    fn by(disk: Arc<dyn Disk>, root: PathBuf, names: &'static [&'static str]) -> Self {
        Ignored {
            disk,
            root,
            names,
            lists: Mutex::default(),
        }
    }

    /// Forgets all rules, because an ignore file has changed.
    pub fn clear(&self) {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// True if a path in the project (with forward slashes), or a folder above it, is ignored.
    pub fn has(&self, path: &str, is_folder: bool) -> bool {
        let folders = path
            .match_indices('/')
            .filter_map(|(at, _)| Some((path.get(..at)?, true)));
        let mut all = folders.chain(std::iter::once((path, is_folder)));
        all.any(|(path, is_folder)| self.is_listed(path, is_folder).unwrap_or(false))
    }

    /// Does the same when no folder above is ignored. The nearest ignore file with a match decides, and in it the last
    /// matching line.
    fn is_listed(&self, path: &str, is_folder: bool) -> Result<bool> {
        let mut folder = path;
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let inner = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
            let Some(list) = self.list_of(folder)? else { continue };
            match list.matched(inner, is_folder) {
                Match::Ignore(_) => return Ok(true),
                Match::Whitelist(_) => return Ok(false),
                Match::None => {}
            }
        }
        Ok(false)
    }

    fn list_of(&self, folder: &str) -> Result<Option<Arc<Gitignore>>> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lists.get(folder) {
            return Ok(known.clone());
        }
        let list = self.read(folder)?.map(Arc::new);
        lists.insert(folder.to_owned(), list.clone());
        Ok(list)
    }

    fn read(&self, folder: &str) -> Result<Option<Gitignore>> {
        let folder_path = self.root.join(folder);
        let exclusions = folder.is_empty().then(|| self.root.join(".git/info/exclude"));
        let files = exclusions
            .into_iter()
            .chain(self.names.iter().map(|name| folder_path.join(name)));
        let mut builder = GitignoreBuilder::new(".");
        let mut is_any = false;
        for path in files {
            let bytes = match read(self.disk.as_ref(), &path, LIST_BYTES_MAX) {
                Ok(bytes) => bytes,
                Err(e) if is_passed_over(&e) => continue,
                Err(e) => return Err(Error::io("read", &path)(e)),
            };
            for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
                // Git, too, skips lines that are not valid patterns.
                is_any |= builder.add_line(None, line).is_ok();
            }
        }
        Ok(is_any.then(|| builder.build().ok()).flatten())
    }
}

/// True if git would skip the file or folder: it is missing, not a regular one, or not readable by this user.
fn is_passed_over(error: &io::Error) -> bool {
    is_absent(error) || error.kind() == io::ErrorKind::PermissionDenied
}

/// Lists the files in a folder and below it that are not ignored, without following links.
///
/// # Errors
/// `IO` when the disk fails: files that cannot be seen must not count as deleted.
pub(super) fn walk(disk: &Arc<dyn Disk>, root: &Path) -> Result<Vec<String>> {
    let ignored = Ignored::by_all(Arc::clone(disk), root.to_path_buf());
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let entries = match disk.list(&full) {
            Ok(entries) => entries,
            Err(e) if is_passed_over(&e) => continue,
            Err(e) => return Err(Error::io("list", &full)(e)),
        };
        for entry in entries {
            let name = entry.name.to_string_lossy();
            if entry.is_folder && matches!(&*name, ".git" | ".forge") {
                continue;
            }
            let path = if folder.is_empty() {
                name.into_owned()
            } else {
                format!("{folder}/{name}")
            };
            if ignored.is_listed(&path, entry.is_folder)? {
                continue;
            }
            if entry.is_folder {
                folders.push(path);
            } else if entry.is_file {
                files.push(path);
            }
        }
    }
    Ok(files)
}
