//! What the files of git tell about a checkout. Git itself is never started: that takes longer than all the rest of a hook.

mod remote;

use std::path::{Path, PathBuf};

use crate::journal::{Disk, read_text};

/// Longer files are not read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The checkout that a linked work tree belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainCheckout {
    /// What it is called: its folder, or the bare repository.
    pub name: String,
    /// Its folder; a bare repository has none.
    pub folder: Option<PathBuf>,
}

/// Returns the main checkout of a linked work tree, given the top of the work tree. Nothing for every other folder, for
/// submodules, which are repositories of their own, and when the files of git are not what git writes.
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

/// Returns the name of the repository that the checkout at `top` was cloned from: all clones of it, and their work trees, have
/// the same one. Nothing where no remote is known.
pub fn repository_name(disk: &dyn Disk, top: &Path) -> Option<String> {
    let own = git_folder(disk, top)?;
    let common = common_folder(disk, &own).unwrap_or(own);
    remote::repository_in(&read(disk, &common.join("config"))?)
}

/// Returns the branch that the checkout of a folder is on. Nothing outside of git and on no branch.
pub fn branch(disk: &dyn Disk, folder: &Path) -> Option<String> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    let git = git_folder(disk, top)?;
    let head = read(disk, &git.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    // No branch begins with a dot; repositories whose branches are not files have `.invalid` there.
    (!branch.starts_with('.')).then(|| branch.to_owned())
}

/// The folder with a checkout's own `HEAD`.
fn git_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    linked_folder(disk, top)
}

/// The repository that the own folder of a linked work tree belongs to. Nothing for every other folder.
fn common_folder(disk: &dyn Disk, own: &Path) -> Option<PathBuf> {
    let own = own.canonicalize().ok()?;
    let named = read(disk, &own.join("commondir"))?;
    let common = own.join(named.trim()).canonicalize().ok()?;
    // Git keeps the folder of a work tree there only, so a forged file cannot lead to another project.
    (own.parent()? == common.join("worktrees")).then_some(common)
}

/// The folder that the file `.git` of a work tree or a submodule names.
fn linked_folder(disk: &dyn Disk, top: &Path) -> Option<PathBuf> {
    let text = read(disk, &top.join(".git"))?;
    let target = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    // A relative path would lead through the folder of the checkout, and out of it again.
    top.join(Some(target).filter(|target| !target.is_empty())?)
        .canonicalize()
        .ok()
}

/// The folder that `core.worktree` names: submodules have their repository elsewhere.
fn configured_folder(disk: &dyn Disk, common: &Path) -> Option<PathBuf> {
    let settings = read(disk, &common.join("config"))?;
    let found = remote::settings_in(&settings)
        .into_iter()
        .rfind(|setting| setting.is("core", "", "worktree"))?;
    common.join(found.value).canonicalize().ok()
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
    fn submodules_checkouts_and_what_git_did_not_write_belong_to_nobody_else() {
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
        // A folder elsewhere that says it is one of the repository's.
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
