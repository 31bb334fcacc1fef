//! Linked work trees: the main checkout that one belongs to, and git's files in it, read without starting git.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::git::{IndexReader, Stamp, common_folder, configured_folder, git_folder, hash_bytes_of, linked_folder};
use forge_memory_journal::{Disk, DiskReader};
use forge_memory_record::error::{Error, Result};

/// Returns the folder that has the uncommitted memory of a linked work tree: the main checkout, or the bare repository. `None` for every
/// other folder, and unless the repository itself names this work tree.
pub(super) fn main_folder(disk: &dyn Disk, top: &Path) -> Result<Option<PathBuf>> {
    let Some(own) = linked_folder(disk, top)? else {
        return Ok(None);
    };
    let Some(common) = common_folder(disk, &own)? else {
        return Ok(None);
    };
    if let Some(folder) = configured_folder(disk, &common)? {
        return Ok(Some(folder));
    }
    let is_hidden = common
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'));
    Ok(match common.parent() {
        // `project/.git`, and `project/.bare` beside the work trees of a bare repository.
        Some(parent) if is_hidden => Some(parent.to_path_buf()),
        _ => Some(common),
    })
}

/// True if git tracks a journal of the memory in a folder of a work tree, given relative to its top. The index is sorted by path, so
/// that reading it ends at the first path after the folder.
///
/// # Errors
/// `IO` when the index is there but cannot be read, `CORRUPT` when it is not as git writes it.
pub(super) fn has_tracked_journal(disk: &dyn Disk, top: &Path, folder: &Path) -> Result<bool> {
    let Some(own) = git_folder(disk, top)? else {
        return Ok(false);
    };
    let common = common_folder(disk, &own)?.unwrap_or_else(|| own.clone());
    let (prefix, hash_bytes) = (prefix_of(folder), hash_bytes_of(disk, &common));
    let files = std::iter::once(own.join("index")).chain(shared_indexes(disk, &own));
    for path in files {
        let mut is_tracked = false;
        each_journal(disk, &path, (&prefix, hash_bytes), &mut |_, _| {
            is_tracked = true;
            false
        })?;
        if is_tracked {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns what an index says of the journals of the memory in a folder of a work tree, by their names in it. What it says in the other file
/// of a split index is not among it.
pub(super) fn tracked_journals(
    disk: &dyn Disk,
    own: &Path,
    (folder, hash_bytes): (&Path, usize),
) -> Result<Vec<(Vec<u8>, Stamp)>> {
    let mut found = Vec::new();
    let mut take = |name: &[u8], stamp: Stamp| {
        found.push((name.to_vec(), stamp));
        true
    };
    each_journal(disk, &own.join("index"), (&prefix_of(folder), hash_bytes), &mut take)?;
    Ok(found)
}

fn prefix_of(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    format!("{}/", parts.join("/"))
}

/// With a split index, most entries are in the shared file beside it.
pub(super) fn shared_indexes(disk: &dyn Disk, own: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = disk.list(own).unwrap_or_default().into_iter();
    let shared = entries.filter(|entry| entry.name.to_string_lossy().starts_with("sharedindex."));
    let own = own.to_path_buf();
    shared.map(move |entry| own.join(entry.name))
}

/// Visits the journals below a prefix in an index, while `visit` wants more.
fn each_journal(
    disk: &dyn Disk,
    path: &Path,
    (prefix, hash_bytes): (&str, usize),
    visit: &mut dyn FnMut(&[u8], Stamp) -> bool,
) -> Result<()> {
    let file = match disk.open_read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file.map_err(Error::io("read", path))?,
    };
    let mut index = IndexReader::new(BufReader::new(DiskReader::new(file)), hash_bytes);
    index
        .each_journal_below(prefix.as_bytes(), visit)
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Error::Corrupt {
                path: path.to_path_buf(),
                reason: "it is not an index of git".into(),
            },
            _ => Error::io("read", path)(error),
        })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use forge_memory_journal::OsDisk;

    fn git(folder: &Path, args: &[&str]) {
        let options = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done = Command::new("git")
            .current_dir(folder)
            .args(options)
            .args(args)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    #[test]
    fn what_git_tracks_is_read_from_every_kind_of_index() {
        for (format, version) in [
            ("sha1", "2"),
            ("sha1", "3"),
            ("sha1", "4"),
            ("sha256", "2"),
            ("sha256", "4"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let top = root.path();
            git(top, &["init", "-q", "--object-format", format]);
            let has = |folder: &str| has_tracked_journal(&OsDisk, top, Path::new(folder)).unwrap();
            assert!(!has(".forge"), "without an index");
            for name in [
                ".forge/lessons.jsonl",
                ".forged/x",
                ".a",
                "packages/api/.forge/memory/project.jsonl",
                "packages/web/.forge/.gitignore",
                "packages/web/.forge/lattice/chunks.jsonl",
                "packages/api/src/x",
                "z",
            ] {
                fs::create_dir_all(top.join(name).parent().unwrap()).unwrap();
                fs::write(top.join(name), "x").unwrap();
            }
            git(
                top,
                &[
                    "update-index",
                    "--index-version",
                    version,
                    "--add",
                    ".forged/x",
                    ".a",
                    "z",
                ],
            );
            assert!(!has(".forge"), "{format} {version}");
            git(top, &["add", "-A"]);
            // An entry with extended flags makes it version 3.
            fs::write(top.join("later"), "x").unwrap();
            git(top, &["add", "--intent-to-add", "later"]);
            let found = [
                ".forge",
                "packages/api/.forge",
                "packages/.forge",
                "packages/web/.forge",
                "z/.forge",
            ]
            .map(has);
            assert_eq!(found, [true, true, false, false, false], "{format} {version}");
            git(top, &["update-index", "--split-index"]);
            git(top, &["rm", "-q", "--cached", "z"]);
            assert!(has(".forge") && has("packages/api/.forge"), "split, {format} {version}");
        }
    }

    #[test]
    fn an_index_that_is_none_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        git(root.path(), &["init", "-q"]);
        for bytes in [
            &b"DIRC\0\0\0\x09\0\0\0\x01"[..],
            b"DIRC\0\0\0\x02\0\0\0\x01",
            b"",
            b"nothing at all",
        ] {
            fs::write(root.path().join(".git/index"), bytes).unwrap();
            let found = has_tracked_journal(&OsDisk, root.path(), Path::new(".forge"));
            assert_eq!(found.unwrap_err().code(), "CORRUPT");
        }
    }

    #[test]
    fn a_work_tree_has_the_memory_of_the_repository_that_names_it() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| fs::canonicalize(root.path()).unwrap().join(name);
        fs::create_dir_all(at("shop")).unwrap();
        git(&at("shop"), &["init", "-q"]);
        git(&at("shop"), &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&at("shop"), &["worktree", "add", "-q", "--detach", "../tree"]);
        git(root.path(), &["clone", "-q", "--bare", "shop", "bare.git"]);
        git(&at("bare.git"), &["worktree", "add", "-q", "--detach", "../of-bare"]);
        let main = |name: &str| main_folder(&OsDisk, &at(name)).unwrap();
        assert_eq!(
            (main("shop"), main("tree"), main("of-bare")),
            (None, Some(at("shop")), Some(at("bare.git")))
        );
        // A folder from elsewhere that claims to be that work tree.
        fs::create_dir_all(at("forged")).unwrap();
        fs::copy(at("tree/.git"), at("forged/.git")).unwrap();
        assert_eq!(main("forged"), None);
        fs::rename(at("shop/.git/worktrees"), at("gone")).unwrap();
        assert_eq!(main("tree"), None);
    }
}
