//! Copies of what is captured in linked work trees whose memory is committed. Such a tree has the memory of its branch, and what is not
//! committed there yet goes with it when it is removed (`git worktree remove --force`). So every line is kept a second time, in the user's
//! own folder, and the next command in the repository brings back what a removed tree had.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::environment::{Environment, InMain};
use super::git::{common_folder, git_folder, values_in};
use crate::error::{Error, Result};
use crate::journal::{Disk, Journal, LockFile, read_file};

/// The folder of the copies in the user's own folder: one folder for each repository, and in it one for each work tree.
const FOLDER: &str = "worktrees";

/// The copies of one project in a work tree.
#[derive(Debug, Clone)]
pub(crate) struct Copies {
    home: PathBuf,
    name: String,
    tree: Tree,
}

/// What identifies a work tree: another one at the same path has another file `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    top: PathBuf,
    /// The project's folder in it, relative to its top.
    below: String,
    /// When its file `.git` was made.
    made_ns: i64,
}

impl Copies {
    /// Returns where copies of a project are kept; `None` when it is in no linked work tree with a committed memory.
    pub fn of(environment: &Environment) -> Option<Self> {
        let InMain::Branch { tree: top } = &environment.main else {
            return None;
        };
        let disk = environment.disk.as_ref();
        let repository = Repository::of(disk, top, &environment.project_dir).ok()??;
        let tree = Tree::at(disk, top, &repository.below)?;
        let name = digest(&[&tree.head()]);
        Some(Copies {
            home: environment.home.clone(),
            name: format!("{}/{name}", repository.name),
            tree,
        })
    }

    /// Returns the copy of a file.
    pub fn journal(&self, file: &str, disk: &Arc<dyn Disk>) -> Journal {
        let path = self.home.join(FOLDER).join(&self.name).join(file);
        Journal::under(Arc::clone(disk), path, lock_of(&self.home, &self.name, disk))
    }

    /// Returns the first line of every copy.
    pub fn head(&self) -> Vec<u8> {
        self.tree.head()
    }
}

impl Tree {
    fn at(disk: &dyn Disk, top: &Path, below: &str) -> Option<Self> {
        let top = disk.real_path(top).ok()?;
        let made_ns = disk.stat(&top.join(".git")).ok()?.modified_ns;
        Some(Tree {
            top,
            below: below.to_owned(),
            made_ns,
        })
    }

    fn head(&self) -> Vec<u8> {
        let Tree { top, below, made_ns } = self;
        let head = json!({ "_worktree": top.to_string_lossy(), "below": below, "madeNs": made_ns.to_string() });
        head.to_string().into_bytes()
    }

    fn read(line: &[u8]) -> Option<Self> {
        let head: Value = serde_json::from_slice(line).ok()?;
        let text = |name: &str| head.get(name)?.as_str().map(str::to_owned);
        Some(Tree {
            top: text("_worktree")?.into(),
            below: text("below")?,
            made_ns: text("madeNs")?.parse().ok()?,
        })
    }

    /// The project's folder, whose path was its identity.
    fn project(&self) -> PathBuf {
        let parts = self.below.split('/').filter(|part| !part.is_empty());
        parts.fold(self.top.clone(), |path, part| path.join(part))
    }
}

/// The repository of a project, and where the project is in it.
struct Repository {
    name: String,
    below: String,
    /// Whether what removed work trees had is brought back to this work tree: it is the main one, or there is no main one.
    is_receiver: bool,
}

impl Repository {
    fn of(disk: &dyn Disk, top: &Path, project: &Path) -> Result<Option<Self>> {
        let Some(own) = git_folder(disk, top)? else {
            return Ok(None);
        };
        let common = common_folder(disk, &own)?;
        let is_linked = common.is_some();
        let common = disk.real_path(common.as_ref().unwrap_or(&own));
        let common = common.map_err(Error::io("find the real path of", &own))?;
        let is_bare = || {
            values_in(disk, &common.join("config"), "core", "bare")
                .iter()
                .any(|value| value == "true")
        };
        let below = project.strip_prefix(top).unwrap_or(Path::new(""));
        let below: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        Ok(Some(Repository {
            is_receiver: !is_linked || is_bare(),
            name: digest(&[common.as_os_str().as_encoded_bytes()]),
            below: below.join("/"),
        }))
    }
}

/// The copies of one work tree that was removed.
#[derive(Debug)]
pub(crate) struct Removed {
    /// The project's folder in it.
    pub project: PathBuf,
    /// The folder of the copies.
    pub folder: PathBuf,
    /// Their lock.
    pub lock: LockFile,
}

/// Lists the copies of removed work trees of the repository that a project is in, for the project itself.
///
/// # Errors
/// `IO` when a file of git, or a copy, is there but cannot be read.
pub(crate) fn removed_trees(
    disk: &Arc<dyn Disk>,
    home: &Path,
    project: &Path,
    files: impl Iterator<Item = &'static str> + Clone,
) -> Result<Vec<Removed>> {
    let copies = home.join(FOLDER);
    if !disk.has_folder(&copies) {
        return Ok(Vec::new());
    }
    let Some(top) = project.ancestors().find(|folder| disk.has(&folder.join(".git"))) else {
        return Ok(Vec::new());
    };
    let Some(repository) = Repository::of(disk.as_ref(), top, project)?.filter(|repository| repository.is_receiver)
    else {
        return Ok(Vec::new());
    };
    let folder = copies.join(&repository.name);
    let mut removed = Vec::new();
    for entry in disk.list(&folder).unwrap_or_default() {
        let name = format!("{}/{}", repository.name, entry.name.to_string_lossy());
        let folder = folder.join(&entry.name);
        let Some(tree) = tree_of(disk.as_ref(), &folder, files.clone())?.filter(|tree| tree.below == repository.below)
        else {
            continue;
        };
        if Tree::at(disk.as_ref(), &tree.top, &tree.below).as_ref() != Some(&tree) {
            removed.push(Removed {
                project: tree.project(),
                folder,
                lock: lock_of(home, &name, disk),
            });
        }
    }
    Ok(removed)
}

/// The work tree that copies are of, by the first line of any of them.
fn tree_of(disk: &dyn Disk, folder: &Path, files: impl Iterator<Item = &'static str>) -> Result<Option<Tree>> {
    for file in files {
        let path = folder.join(file);
        let bytes = read_file(disk, &path)?.unwrap_or_default();
        if let Some(tree) = bytes.split(|byte| *byte == b'\n').next().and_then(Tree::read) {
            return Ok(Some(tree));
        }
    }
    Ok(None)
}

fn lock_of(home: &Path, name: &str, disk: &Arc<dyn Disk>) -> LockFile {
    let file = format!("{FOLDER}-{}.lock", name.replace('/', "-"));
    LockFile::new(Arc::clone(disk), home.join("locks").join(file))
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let hash = hash.finalize();
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
