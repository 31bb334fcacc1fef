//! The folders in which git keeps what belongs to a checkout.

use std::path::{Path, PathBuf};

use crate::journal::{Disk, read_text};

/// Longer files are none of those that are read here.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The folder with a checkout's own `HEAD`.
pub(super) fn git_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    linked_folder(disk, top)
}

/// The repository that the own folder of a linked work tree belongs to. Nothing for every other folder.
pub(super) fn common_folder(disk: &dyn Disk, own: &Path) -> Option<PathBuf> {
    let own = own.canonicalize().ok()?;
    let named = read(disk, &own.join("commondir"))?;
    let common = own.join(named.trim()).canonicalize().ok()?;
    // Git keeps a work tree's own folder there and nowhere else: a file that somebody made up leads to no other project.
    (own.parent()? == common.join("worktrees")).then_some(common)
}

/// The folder that the file `.git` of a work tree or a submodule names.
pub(super) fn linked_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let text = read(disk, &top.join(".git"))?;
    let target = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    // A relative path would lead through the folder of the checkout, and out of it again.
    top.join(Some(target).filter(|target| !target.is_empty())?)
        .canonicalize()
        .ok()
}

/// Reads a file of git, unless it is too long to be one of those.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> Option<String> {
    read_text(disk, path)
        .ok()
        .filter(|text| text.len() as u64 <= FILE_BYTES_MAX)
}
