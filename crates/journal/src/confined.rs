//! Path confinement: files below a folder that came from outside (a clone, an archive) are opened without ever leaving it.
//!
//! The threat is a repository that holds links: `.forge/lessons.jsonl -> ~/.bashrc` would let a capture write a command into the
//! start file of a shell. Every component of the path below the project is checked before a file is opened:
//!
//! - Below `.forge` and below the user's own folder no link is followed. `.forge` itself may be a link once the user has
//!   approved where it leads (see [`super::trusted`]).
//! - Elsewhere a link may lead to another place inside of the project, but not into `.git`, where git would run files found there.
//! - Anything but a regular file is refused by [`OsDisk`]: opening a FIFO blocks, and a device does not keep written bytes.
//!
//! The checks precede the open (TOCTOU), so they do not protect against another program of the same user that swaps folders at
//! that moment; such a program has all rights of the user anyway. `lib/shared/confined.ts` has the same rules.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::disk::{Disk, DiskFile, DiskLock, Entry, OsDisk, unsafe_path};
use super::metadata::Metadata;
use super::state::FileState;
use super::trusted::is_folder_trusted;

/// The folder of the memory: no link is followed below it.
const STORE: &str = ".forge";
/// Git runs hooks and filters from this folder.
const REPOSITORY: &str = ".git";

/// The real file system, confined to a project and the user's own folder. A path outside of both was named by the user, and
/// only the rule of [`OsDisk`] applies to it.
#[derive(Debug, Clone)]
pub struct ConfinedDisk {
    project: PathBuf,
    /// The folder with the project's memory, when that is another one.
    memory: Option<PathBuf>,
    /// `None` where no file of the user's own folder is opened.
    home: Option<PathBuf>,
}

/// A folder below which paths are confined.
struct Root<'a> {
    folder: &'a Path,
    /// True for the user's own folder, below which no link is followed at all.
    is_store: bool,
}

impl ConfinedDisk {
    /// Returns the file system of one project and the user's own folder; both paths are absolute.
    pub fn new(project: PathBuf, home: PathBuf) -> Self {
        ConfinedDisk {
            project,
            memory: None,
            home: Some(home),
        }
    }

    /// Returns the same for a project whose memory is in the `.forge` of another folder.
    #[must_use]
    pub fn with_memory(self, folder: PathBuf) -> Self {
        let memory = Some(folder);
        ConfinedDisk { memory, ..self }
    }

    /// Returns the file system of one project, for files outside of its memory.
    pub fn of_project(project: PathBuf) -> Self {
        ConfinedDisk {
            project,
            memory: None,
            home: None,
        }
    }

    /// Returns the path to open: `path` itself, or the target of a link inside of the project.
    fn confine(&self, path: &Path) -> io::Result<PathBuf> {
        let Some((root, below)) = self.root_of(path) else {
            return Ok(path.to_path_buf());
        };
        let parts: Vec<_> = below.components().collect();
        if parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(unsafe_path("is not a path below its folder"));
        }
        let in_store = root.is_store || parts.first().is_some_and(|part| part.as_os_str() == STORE);
        let mut at = root.folder.to_path_buf();
        for (depth, part) in parts.iter().enumerate() {
            at.push(part);
            match fs::symlink_metadata(&at) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => break,
                Err(e) => return Err(e),
                Ok(found) if !found.is_symlink() => {}
                Ok(_) if !in_store => return follow_inside(root.folder, path),
                Ok(_) if depth == 0 && !root.is_store => self.require_trust(root.folder, &at)?,
                Ok(_) if at == path => return Err(unsafe_path("it is a link")),
                Ok(_) => return Err(unsafe_path(format!("it is below the link {}", at.display()))),
            }
        }
        Ok(path.to_path_buf())
    }

    /// Checks the folders above a path, whose last component is replaced or removed and never followed.
    fn confine_parent(&self, path: &Path) -> io::Result<PathBuf> {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => Ok(self.confine(folder)?.join(name)),
            _ => Ok(path.to_path_buf()),
        }
    }

    /// Reports a broken link as an error: readers treat a missing file as empty.
    fn unless_missing(&self, path: &Path, found: io::Result<FileState>) -> io::Result<FileState> {
        if found.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            self.confine(path)?;
        }
        found
    }

    fn root_of<'a>(&'a self, path: &'a Path) -> Option<(Root<'a>, &'a Path)> {
        let home = self.home.iter().map(|home| (home, true));
        let projects = [&self.project]
            .into_iter()
            .chain(&self.memory)
            .map(|folder| (folder, false));
        let found = home.chain(projects).filter_map(|(folder, is_store)| {
            let below = path.strip_prefix(folder).ok()?;
            Some((Root { folder, is_store }, below))
        });
        found.max_by_key(|(root, _)| root.folder.as_os_str().len())
    }

    fn require_trust(&self, project: &Path, link: &Path) -> io::Result<()> {
        let target = fs::canonicalize(link).map_err(|_| unsafe_path(leads_nowhere(link)))?;
        let home = self.home.as_deref();
        if home.is_some_and(|home| is_folder_trusted(home, project, &target)) {
            return Ok(());
        }
        Err(unsafe_path(format!(
            "{} is a link to {}; if you made it yourself, forge-memory trust --folder approves it on this machine",
            link.display(),
            target.display()
        )))
    }
}

fn leads_nowhere(link: &Path) -> String {
    format!("{} is a broken link", link.display())
}

/// Follows links outside of the store, as long as they stay inside of the project.
fn follow_inside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(path).map_err(|_| unsafe_path(leads_nowhere(path)))?;
    let below = fs::canonicalize(root)?;
    let Ok(below) = real.strip_prefix(&below) else {
        return Err(unsafe_path(format!(
            "it leads out of the project, to {}",
            real.display()
        )));
    };
    let forbidden = |part: Component<'_>| part.as_os_str() == REPOSITORY;
    if below.components().any(forbidden) || below.starts_with(STORE) {
        return Err(unsafe_path(format!("it leads to {}", real.display())));
    }
    Ok(real)
}

impl Disk for ConfinedDisk {
    // `stat` follows links: its result is only compared with the file that was opened.
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        self.unless_missing(path, OsDisk.stat(path))
    }

    fn peek(&self, path: &Path) -> io::Result<FileState> {
        OsDisk.stat(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Option<FileState>> {
        OsDisk.lstat(path)
    }

    fn stat_untimed(&self, path: &Path) -> io::Result<FileState> {
        self.unless_missing(path, OsDisk.stat_untimed(path))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        OsDisk.metadata(path)
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        OsDisk.link_metadata(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        OsDisk.real_path(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        OsDisk.open_append(&self.confine(path)?)
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        OsDisk.open_read(&self.confine(path)?)
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        OsDisk.open_lock(&self.confine(path)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        OsDisk.rename(&self.confine_parent(from)?, &self.confine(to)?)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        OsDisk.resolve(&self.confine(path)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove(&self.confine_parent(path)?)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove_folder(&self.confine_parent(path)?)
    }

    fn remove_empty_folder(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove_empty_folder(&self.confine_parent(path)?)
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.make_dir(&self.confine(path)?)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.sync_dir(&self.confine(path)?)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        OsDisk.list(&self.confine(folder)?)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        OsDisk.copy_mode(&self.confine(from)?, &self.confine(to)?)
    }
}
