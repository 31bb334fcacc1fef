//! Copies of the records in a work tree of git, which `git stash`, `checkout` or `clean` may take away: every line is kept a second time, in the
//! user's own folder, so that a missing one is noticed and can be brought back.
//!
//! A linked work tree with a committed memory goes as a whole (`git worktree remove --force`), with the records that are not committed yet. So the
//! next command in the repository brings back those of a removed tree by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::environment::{Environment, InMain};
use super::files::{CAPTURES_FILE, PATTERNS_FILE};
use super::git::{common_folder, git_folder, values_in};
use forge_memory_journal::{Disk, Journal, LockFile, read_file};
use forge_memory_record::error::{Error, Result};
use forge_memory_record::model::thought::is_type_file;

/// The folder of the copies of linked work trees in the user's own folder: one folder for each repository, and in it one for each work tree.
const OF_TREES: &str = "worktrees";
/// The folder of all other copies, one folder for each project.
const OF_PROJECTS: &str = "copies";

#[derive(Debug, Clone)]
pub(crate) struct Copies {
    home: PathBuf,
    /// Their folder, relative to the user's own.
    name: String,
    tree: Tree,
    /// True if the whole memory goes with its work tree, so that nothing is acknowledged without its copy.
    is_of_tree: bool,
}

/// The identity of a work tree: another one at the same path was made at another time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    top: PathBuf,
    /// The project's folder in it, relative to its top.
    below: String,
    /// When git made it, by a file that it writes once.
    made_ns: i64,
}

impl Copies {
    /// Returns where copies of a project are kept; `None` outside of the work trees of git.
    pub fn of(environment: &Environment) -> Option<Self> {
        let (disk, memory_dir) = (environment.disk.as_ref(), environment.memory_dir());
        let is_of_tree = matches!(environment.main, InMain::Branch { .. });
        let top = memory_dir.ancestors().find(|folder| disk.has(&folder.join(".git")))?;
        let tree = Tree::at(disk, top, &path_below(top, memory_dir))?;
        let folder = if is_of_tree {
            format!("{OF_TREES}/{}", Repository::of(disk, top, memory_dir).ok()??.name)
        } else {
            OF_PROJECTS.to_owned()
        };
        Some(Copies {
            home: environment.home.clone(),
            name: format!("{folder}/{}", digest(&[&tree.head()])),
            tree,
            is_of_tree,
        })
    }

    /// Returns the top of the work tree and the project's folder in it.
    pub fn tree(&self) -> (&Path, PathBuf) {
        (&self.tree.top, self.tree.below.split('/').collect())
    }

    /// True if a file of `.forge/` has a copy. The files of types can be rebuilt, where the log stays.
    pub fn has(&self, file: &str) -> bool {
        file == CAPTURES_FILE || file == PATTERNS_FILE || (self.is_of_tree && is_type_file(file))
    }

    /// Returns the path of the copy of a file.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.home.join(&self.name).join(file)
    }

    /// Keeps a copy of everything that is appended to a file.
    pub fn follow(&self, file: &str, journal: &mut Journal) {
        let disk = journal.disk();
        let copy = Journal::under(
            Arc::clone(disk),
            self.path_of(file),
            lock_of(&self.home, &self.name, disk),
        );
        journal.set_copy(copy, self.tree.head(), self.is_of_tree);
    }
}

impl Tree {
    fn at(disk: &dyn Disk, top: &Path, below: &str) -> Option<Self> {
        let top = disk.real_path(top).ok()?;
        let git = top.join(".git");
        // Git writes `.git` once where it is a file, else `description` in it. Without that time, another repository at the same path would get the
        // copies of this one.
        let once = if disk.has_folder(&git) {
            git.join("description")
        } else {
            git
        };
        let made_ns = disk.stat(&once).ok()?.modified_ns;
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
    /// True if this work tree gets the records of removed work trees: it is the main one, or there is no main one.
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
        Ok(Some(Repository {
            is_receiver: !is_linked || is_bare(),
            name: digest(&[common.as_os_str().as_encoded_bytes()]),
            below: path_below(top, project),
        }))
    }
}

fn path_below(top: &Path, folder: &Path) -> String {
    let below = folder.strip_prefix(top).unwrap_or(Path::new(""));
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The copies of one work tree that was removed.
#[derive(Debug)]
pub struct Removed {
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
pub fn removed_trees(
    disk: &Arc<dyn Disk>,
    home: &Path,
    project: &Path,
    files: impl Iterator<Item = &'static str> + Clone,
) -> Result<Vec<Removed>> {
    let copies = home.join(OF_TREES);
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
        let name = format!("{OF_TREES}/{}/{}", repository.name, entry.name.to_string_lossy());
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
    let file = format!("{}.lock", name.replace('/', "-"));
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
