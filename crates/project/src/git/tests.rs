//! Tests with repositories as git lays them out, and with folders that only look like it.

use std::fs;
use std::process::Command;

use super::*;
use crate::worktree;
use forge_memory_journal::OsDisk;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A work tree `tree` of the repository folder `common`, as git lays it out.
fn link(root: &Path, common: &str) -> PathBuf {
    let own = root.join(common).join("worktrees/tree");
    write(&own.join("commondir"), "../..\n");
    write(&own.join("HEAD"), "ref: refs/heads/fix/auth\n");
    let back = root.join("tree/.git");
    write(&own.join("gitdir"), back.to_str().unwrap());
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
        assert_eq!(main_checkout(&OsDisk, &tree).unwrap().unwrap().name, name, "{common}");
        assert_eq!(branch(&OsDisk, &tree.join("src")).unwrap().as_deref(), Some("fix/auth"));
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
    assert_eq!(
        main_checkout(&OsDisk, &tree).unwrap(),
        Some(MainCheckout {
            name: "one".into(),
            folder: None
        }),
        "a folder that does not lead back"
    );
    let renamed = root.path().join("super/libs/renamed/.git");
    write(&renamed, "gitdir: ../../.git/modules/libs/one\n");
    assert_eq!(main_checkout(&OsDisk, &tree).unwrap().unwrap().name, "renamed");
}

#[test]
fn submodules_checkouts_and_forged_files_do_not_belong_to_another_project() {
    let root = tempfile::tempdir().unwrap();
    let top = root.path().join("top");
    assert_eq!(main_checkout(&OsDisk, &top).unwrap(), None);
    write(&top.join(".git/HEAD"), "ref: refs/heads/.invalid\n");
    assert_eq!(
        (main_checkout(&OsDisk, &top).unwrap(), branch(&OsDisk, &top).unwrap()),
        (None, None)
    );
    let module = root.path().join("module");
    write(&root.path().join("top/.git/modules/module/HEAD"), "0123456789\n");
    write(&module.join(".git"), "gitdir: ../top/.git/modules/module\n");
    assert_eq!(
        (
            main_checkout(&OsDisk, &module).unwrap(),
            branch(&OsDisk, &module).unwrap()
        ),
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
            (
                main_checkout(&OsDisk, &broken).unwrap(),
                branch(&OsDisk, &broken).unwrap()
            ),
            (None, None),
            "{text:?}"
        );
    }
    write(&broken.join(".git"), &"x".repeat(2 << 20));
    assert_eq!(main_checkout(&OsDisk, &broken).unwrap(), None);
}

#[test]
fn existing_but_unreadable_git_files_are_errors() {
    let root = tempfile::tempdir().unwrap();
    let tree = link(root.path(), "shop/.git");
    let top = root.path().join("shop");
    for (folder, file) in [
        (&top, "shop/.git/config"),
        (&tree, "shop/.git/worktrees/tree/commondir"),
    ] {
        let path = root.path().join(file);
        let before = fs::read(&path).ok();
        let _ = fs::remove_file(&path);
        fs::create_dir(&path).unwrap();
        let error = identity_of(&OsDisk, folder, &[]).unwrap_err();
        assert!(error.to_string().contains(file.rsplit('/').next().unwrap()), "{error}");
        assert!(main_checkout(&OsDisk, &tree).is_err());
        fs::remove_dir(&path).unwrap();
        if let Some(before) = before {
            fs::write(&path, before).unwrap();
        }
    }
    fs::create_dir(top.join(".git/HEAD")).unwrap();
    assert!(branch(&OsDisk, &top).is_err());
}

fn git(folder: &Path, args: &[&str]) {
    let options = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "protocol.file.allow=always",
    ];
    let done = Command::new("git")
        .current_dir(folder)
        .args(options)
        .args(args)
        .output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with an address, a linked work tree, a submodule, and one whose folder of git is elsewhere.
fn private(root: &Path) {
    git(root, &["init", "-q", "library"]);
    write(&root.join("library/file"), "x");
    git(&root.join("library"), &["add", "-A"]);
    git(&root.join("library"), &["commit", "-q", "-m", "first"]);
    git(root, &["clone", "-q", "library", "shop"]);
    let shop = root.join("shop");
    git(&shop, &["worktree", "add", "-q", "--detach", "../tree"]);
    git(&shop, &["submodule", "--quiet", "add", "../library", "libs/one"]);
    git(
        root,
        &["clone", "-q", "--separate-git-dir=apart.git", "library", "apart"],
    );
    for (folder, address) in [("shop", "shop"), ("shop/libs/one", "one"), ("apart", "apart")] {
        let address = format!("https://example.com/acme/{address}.git");
        git(&root.join(folder), &["remote", "set-url", "origin", &address]);
    }
}

fn name_of(folder: &Path) -> String {
    identity_of(&OsDisk, folder, &[]).unwrap().name
}

#[test]
fn a_checkout_whose_folder_of_git_is_elsewhere_has_the_name_of_its_repository() {
    let root = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(root.path()).unwrap();
    private(&root);
    let names = ["shop", "tree", "shop/libs/one", "apart"].map(|folder| name_of(&root.join(folder)));
    let address = |name: &str| format!("example.com/acme/{name}");
    assert_eq!(
        names,
        [address("shop"), address("shop"), address("one"), address("apart")]
    );
    // With settings for each work tree, git moves the way back of the submodule into another file.
    let one = root.join("shop/libs/one");
    git(&one, &["sparse-checkout", "set", "--no-cone", "/*"]);
    assert!(root.join("shop/.git/modules/libs/one/config.worktree").exists());
    assert_eq!(name_of(&one), address("one"));
    // A project with its folder of git under another name in it.
    fs::rename(root.join("shop/.git"), root.join("shop/.bare")).unwrap();
    write(&root.join("shop/.git"), "gitdir: ./.bare\n");
    assert_eq!(name_of(&root.join("shop")), address("shop"));
}

/// Every way in which a folder names a repository that does not name it.
#[test]
fn an_unpacked_archive_never_becomes_another_project() {
    let root = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(root.path()).unwrap();
    private(&root);
    let arch = root.join("arch");
    let own = arch.join(".x/worktrees/w");
    let targets = [
        "../shop/.git",
        "../shop/.git/worktrees/tree",
        "../shop/.git/modules/libs/one",
        "../apart.git",
        "../library/.git",
        ".x/worktrees/w",
        ".x",
        ".",
    ];
    let settings = [
        "../../shop",
        "../../tree",
        "../../shop/libs/one",
        "../../apart",
        "../../shop/.git",
    ];
    for target in targets {
        for worktree in settings {
            for file in ["config", "config.worktree"] {
                let _ = fs::remove_dir_all(&arch);
                write(&arch.join(".git"), &format!("gitdir: {target}\n"));
                write(&own.join("commondir"), "../..\n");
                write(&own.join("gitdir"), "../../../.git\n");
                write(&arch.join(".x/HEAD"), "ref: refs/heads/main\n");
                write(
                    &arch.join(".x").join(file),
                    &format!("[core]\n\tworktree = {worktree}\n"),
                );
                assert_is_itself(&arch, &format!("{target} {worktree} {file}"));
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_an_archive_never_makes_it_another_project() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(root.path()).unwrap();
    private(&root);
    let arch = root.join("arch");
    for target in [
        "../shop/.git",
        "../shop/.git/worktrees/tree",
        "../tree/.git",
        "../apart.git",
        "../apart/.git",
    ] {
        let _ = fs::remove_dir_all(&arch);
        fs::create_dir(&arch).unwrap();
        symlink(target, arch.join(".git")).unwrap();
        // The index of a repository knows this file, which is not in the archive.
        symlink("../apart/file", arch.join("file")).unwrap();
        assert_is_itself(&arch, target);
    }
    // Through a folder of the archive that leads out of it.
    let _ = fs::remove_dir_all(&arch);
    fs::create_dir(&arch).unwrap();
    symlink("../shop/.git", arch.join(".x")).unwrap();
    for target in [".x", ".x/worktrees/tree"] {
        write(&arch.join(".git"), &format!("gitdir: {target}\n"));
        assert_is_itself(&arch, target);
    }
}

fn assert_is_itself(arch: &Path, case: &str) {
    let name = name_of(arch);
    assert!(name.starts_with("local/") && name.ends_with("/arch"), "{case}: {name}");
    let main = main_checkout(&OsDisk, arch).unwrap().and_then(|main| main.folder);
    assert!(main.as_deref().is_none_or(|main| main == arch), "{case}: {main:?}");
    let memory = worktree::main_folder(&OsDisk, arch).unwrap();
    assert!(
        memory.as_deref().is_none_or(|memory| memory == arch),
        "{case}: {memory:?}"
    );
    let git = git_folder(&OsDisk, arch).unwrap();
    assert!(
        git.as_deref().is_none_or(|git| git.starts_with(arch)),
        "{case}: {git:?}"
    );
}
