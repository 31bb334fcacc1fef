//! Reads repository, work tree and branch of a checkout from the files of git, without starting git, which would dominate the run
//! time of a hook.

mod remote;

use std::path::{Path, PathBuf};

use crate::clock::Millis;
use crate::journal::{Disk, read_text};

/// Longer files are not read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// As much of a log is read as its first line needs.
const LOG_LINE_MAX: usize = 4096;

/// The checkout that a linked work tree belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainCheckout {
    /// Its name: that of its folder, or of the bare repository.
    pub name: String,
    /// Its folder; a bare repository has none.
    pub folder: Option<PathBuf>,
}

/// Returns the main checkout of a linked work tree, given the top of the work tree. `None` for every other folder,
/// for submodules, which are repositories of their own, and when the files are not as git writes them.
pub fn main_checkout(disk: &dyn Disk, top: &Path) -> Option<MainCheckout> {
    let common = common_folder(disk, &linked_folder(disk, top)?)?;
    if let Some(folder) = configured_folder(disk, &common) {
        return named(folder);
    }
    let name = common.file_name()?.to_string_lossy().into_owned();
    // `project/.git`, and `project/.bare` beside the work trees of a bare repository.
    if name.starts_with('.') {
        return named(common.parent()?.to_path_buf());
    }
    let name = name.strip_suffix(".git").unwrap_or(&name).to_owned();
    Some(MainCheckout { name, folder: None })
}

/// Returns the name of the repository that the checkout at `top` was cloned from: all its clones and work trees
/// share it. `None` without a remote.
pub fn repository_name(disk: &dyn Disk, top: &Path) -> Option<String> {
    let own = git_folder(disk, top)?;
    let common = common_folder(disk, &own).unwrap_or(own);
    remote::repository_in(&read(disk, &common.join("config"))?)
}

/// Returns the current branch of the checkout of a folder. `None` outside of git and with a detached HEAD.
pub fn branch(disk: &dyn Disk, folder: &Path) -> Option<String> {
    let top = folder.ancestors().find(|folder| disk.has(&folder.join(".git")))?;
    let git = git_folder(disk, top)?;
    let head = read(disk, &git.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    // Branch names do not begin with a dot; repositories with the reftable format have `.invalid` there.
    (!branch.starts_with('.')).then(|| branch.to_owned())
}

/// Returns when a checkout was cloned: what it had then has that time. Nothing where it was not cloned, or git does not say.
pub fn cloned_at(disk: &dyn Disk, top: &Path) -> Option<Millis> {
    let log = git_folder(disk, top)?.join("logs/HEAD");
    let mut first = vec![0; LOG_LINE_MAX];
    let read = disk.open_read(&log).ok()?.read_at(0, &mut first).ok()?;
    let line = String::from_utf8_lossy(first.get(..read)?).lines().next()?.to_owned();
    let (who, what) = line.split_once('\t')?;
    let seconds: Millis = who.rsplit(' ').nth(1)?.parse().ok()?;
    what.starts_with("clone:").then(|| seconds.saturating_mul(1000))
}

/// Returns when the `HEAD` of a checkout last moved, in nanoseconds since the epoch. Nothing where git keeps no log of that.
pub fn moved_at_ns(disk: &dyn Disk, top: &Path) -> Option<i64> {
    let state = disk.stat(&git_folder(disk, top)?.join("logs/HEAD")).ok()?;
    Some(state.modified_ns)
}

/// The folder with a checkout's own `HEAD`.
fn git_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if disk.has_folder(&git) {
        return Some(git);
    }
    linked_folder(disk, top)
}

/// The repository that the own folder of a linked work tree belongs to. Nothing for every other folder.
fn common_folder(disk: &dyn Disk, own: &Path) -> Option<PathBuf> {
    let own = disk.real_path(own).ok()?;
    let named = read(disk, &own.join("commondir"))?;
    let common = disk.real_path(&own.join(named.trim())).ok()?;
    // Git keeps the folder of a work tree there only, so a forged file cannot lead to another project.
    (own.parent()? == common.join("worktrees")).then_some(common)
}

/// The folder that the file `.git` of a work tree or a submodule names.
fn linked_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let text = read(disk, &top.join(".git"))?;
    let target = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    // A relative path could lead out of the folder of the checkout.
    disk.real_path(&top.join(Some(target).filter(|target| !target.is_empty())?))
        .ok()
}

/// The folder that `core.worktree` names: submodules have their repository elsewhere.
fn configured_folder(disk: &dyn Disk, common: &Path) -> Option<PathBuf> {
    let settings = read(disk, &common.join("config"))?;
    let found = remote::settings_in(&settings)
        .into_iter()
        .rfind(|setting| setting.is("core", "", "worktree"))?;
    disk.real_path(&common.join(found.value)).ok()
}

fn named(folder: PathBuf) -> Option<MainCheckout> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(MainCheckout {
        name,
        folder: Some(folder),
    })
}

fn read(disk: &dyn Disk, path: &Path) -> Option<String> {
    read_text(disk, path)
        .ok()
        .filter(|text| text.len() as u64 <= FILE_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal::OsDisk;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A work tree `tree` of the repository folder `common`, as git lays it out.
    fn link(root: &Path, common: &str) -> PathBuf {
        let own = root.join(common).join("worktrees/tree");
        write(&own.join("commondir"), "../..\n");
        write(&own.join("HEAD"), "ref: refs/heads/fix/auth\n");
        write(
            &root.join("tree/.git"),
            &format!("gitdir: ../{common}/worktrees/tree\n"),
        );
        root.join("tree")
    }

    #[test]
    fn a_work_tree_belongs_to_its_main_checkout() {
        for (common, name) in [
            ("shop/.git", "shop"),
            ("shop/.bare", "shop"),
            ("shop.git", "shop"),
            ("shop", "shop"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let tree = link(root.path(), common);
            assert_eq!(main_checkout(&OsDisk, &tree).unwrap().name, name, "{common}");
            assert_eq!(branch(&OsDisk, &tree.join("src")).as_deref(), Some("fix/auth"));
        }
    }

    #[test]
    fn a_work_tree_of_a_submodule_belongs_to_the_submodule() {
        let root = tempfile::tempdir().unwrap();
        let tree = link(root.path(), "super/.git/modules/libs/one");
        write(
            &root.path().join("super/.git/modules/libs/one/config"),
            "[remote]\n\tworktree = x\n[core]\n\tworktree = ../../../../libs/renamed\n",
        );
        fs::create_dir_all(root.path().join("super/libs/renamed")).unwrap();
        assert_eq!(main_checkout(&OsDisk, &tree).unwrap().name, "renamed");
    }

    #[test]
    fn submodules_checkouts_and_forged_files_do_not_belong_to_another_project() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().join("top");
        assert_eq!(main_checkout(&OsDisk, &top), None);
        write(&top.join(".git/HEAD"), "ref: refs/heads/.invalid\n");
        assert_eq!((main_checkout(&OsDisk, &top), branch(&OsDisk, &top)), (None, None));
        let module = root.path().join("module");
        write(&root.path().join("top/.git/modules/module/HEAD"), "0123456789\n");
        write(&module.join(".git"), "gitdir: ../top/.git/modules/module\n");
        assert_eq!(
            (main_checkout(&OsDisk, &module), branch(&OsDisk, &module)),
            (None, None)
        );
        // A folder elsewhere that claims to belong to the repository.
        write(&root.path().join("evil/commondir"), "../top/.git\n");
        let broken = root.path().join("broken");
        for text in [
            "gitdir: ../evil",
            "gitdir:",
            "",
            "gitdir: /no/such",
            "\u{0}\u{1}",
            "[core]",
        ] {
            write(&broken.join(".git"), text);
            assert_eq!(
                (main_checkout(&OsDisk, &broken), branch(&OsDisk, &broken)),
                (None, None),
                "{text:?}"
            );
        }
        write(&broken.join(".git"), &"x".repeat(2 << 20));
        assert_eq!(main_checkout(&OsDisk, &broken), None);
    }
}
