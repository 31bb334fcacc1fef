//! Linked work trees: the main checkout that one belongs to, and git's files in it, read without starting git.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::journal::{Disk, DiskReader};
use crate::project::git::{common_folder, configured_folder, git_folder, linked_folder, values_in};

/// The index and the names of files are far below that; a longer path is not one of a memory.
const PATH_BYTES_MAX: usize = 4096;
/// How the hashes of an empty file begin, by SHA-1 and by SHA-256.
const EMPTY: [[u8; 8]; 2] = [
    [0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43],
    [0x47, 0x3a, 0x0f, 0x4c, 0x3b, 0xe8, 0xa9, 0x36],
];

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

/// What the index says of a file of the work tree: how it was when git last looked at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stamp {
    /// Its size; 0 as well when the index does not say it, because the file was changed while the index was written.
    pub size: u64,
    /// When it was changed, in nanoseconds since the epoch; 0 when git has not looked at it.
    pub modified_ns: i64,
    /// True if git has an empty file in its place.
    pub is_empty: bool,
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

/// True if the index of a repository knows a file of a folder as it is: what git wrote about the files of a checkout shows whose it is. A few files
/// are enough, as all are there after a clone.
pub(super) fn has_file_of_index(disk: &dyn Disk, own: &Path, top: &Path) -> bool {
    const FILES_MAX: u32 = 256;
    let Ok(file) = disk.open_read(&own.join("index")) else {
        return false;
    };
    let hash_bytes = hash_bytes_of(disk, own);
    let mut index = IndexReader::new(BufReader::new(DiskReader::new(file)), hash_bytes);
    let Ok((version, count)) = index.head() else {
        return false;
    };
    for _ in 0..count.min(FILES_MAX) {
        let Ok(stamp) = index.next_path(version) else {
            return false;
        };
        let path = top.join(String::from_utf8_lossy(&index.path).as_ref());
        // Through a link, the file could be that of the true checkout.
        if disk.real_path(&path).is_ok_and(|real| real == path) && is_as_noted(disk, &path, stamp) {
            return true;
        }
    }
    false
}

fn is_as_noted(disk: &dyn Disk, path: &Path, stamp: Stamp) -> bool {
    const SECOND_NS: i64 = 1_000_000_000;
    let Ok(Some(state)) = disk.lstat(path) else {
        return false;
    };
    // Some programs note whole seconds.
    let is_whole = stamp.modified_ns % SECOND_NS == 0 && state.modified_ns / SECOND_NS == stamp.modified_ns / SECOND_NS;
    stamp.size > 0 && state.len == stamp.size && (is_whole || state.modified_ns == stamp.modified_ns)
}

fn prefix_of(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    format!("{}/", parts.join("/"))
}

/// Returns the length of the hashes of a repository.
pub(super) fn hash_bytes_of(disk: &dyn Disk, common: &Path) -> usize {
    let format = values_in(disk, &common.join("config"), "extensions", "objectformat");
    if format.iter().any(|format| format == "sha256") {
        32
    } else {
        20
    }
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

/// Journals of the memory are in its folder and in `memory/`; the code graph, for example, has files of its own.
fn is_journal(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"memory/").unwrap_or(name);
    name.ends_with(b".jsonl") && !name.contains(&b'/')
}

/// Reads the paths of an index (`gitformat-index`, versions 2 to 4).
struct IndexReader<R> {
    source: R,
    hash_bytes: usize,
    path: Vec<u8>,
}

impl<R: io::Read> IndexReader<R> {
    fn new(source: R, hash_bytes: usize) -> Self {
        IndexReader {
            source,
            hash_bytes,
            path: Vec::new(),
        }
    }

    fn each_journal_below(&mut self, prefix: &[u8], visit: &mut dyn FnMut(&[u8], Stamp) -> bool) -> io::Result<()> {
        let (version, count) = self.head()?;
        for _ in 0..count {
            let stamp = self.next_path(version)?;
            match self.path.strip_prefix(prefix) {
                Some(name) if is_journal(name) && !visit(name, stamp) => break,
                None if self.path.as_slice() > prefix => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the version, and how many paths follow.
    fn head(&mut self) -> io::Result<(u32, u32)> {
        let mut signature = [0; 4];
        self.source.read_exact(&mut signature)?;
        let (version, count) = (self.number()?, self.number()?);
        if &signature != b"DIRC" || !(2..=4).contains(&version) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok((version, count))
    }

    fn next_path(&mut self, version: u32) -> io::Result<Stamp> {
        // Ten numbers of four bytes about the file, its hash, the flags.
        let mut read = 40 + self.hash_bytes;
        let stamp = self.stamp()?;
        let flags = self.short()?;
        read += 2;
        if flags & 0x4000 != 0 {
            self.short()?;
            read += 2;
        }
        if version == 4 {
            let removed = self.varint()?;
            let kept = self.path.len().checked_sub(removed).ok_or(io::ErrorKind::InvalidData)?;
            self.path.truncate(kept);
            self.text()?;
            return Ok(stamp);
        }
        self.path.clear();
        read += self.text()? + 1;
        // Entries are padded with NUL bytes to a multiple of eight bytes; the first of them ends the path.
        let padding = (8 - read % 8) % 8;
        self.skip(padding)?;
        Ok(stamp)
    }

    fn stamp(&mut self) -> io::Result<Stamp> {
        self.skip(8)?;
        let (seconds, nanoseconds) = (self.number()?, self.number()?);
        self.skip(20)?;
        let size = self.number()?.into();
        let mut hash = [0; 32];
        for byte in hash.iter_mut().take(self.hash_bytes) {
            *byte = self.byte()?;
        }
        Ok(Stamp {
            size,
            modified_ns: i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds),
            is_empty: EMPTY.iter().any(|empty| hash.starts_with(empty)),
        })
    }

    fn skip(&mut self, bytes: usize) -> io::Result<()> {
        for _ in 0..bytes {
            self.byte()?;
        }
        Ok(())
    }

    /// Reads a text up to its NUL byte to the end of the path, and returns its length.
    fn text(&mut self) -> io::Result<usize> {
        let before = self.path.len();
        loop {
            match self.byte()? {
                0 => return Ok(self.path.len() - before),
                _ if self.path.len() >= PATH_BYTES_MAX => return Err(io::ErrorKind::InvalidData.into()),
                byte => self.path.push(byte),
            }
        }
    }

    /// Reads a number as `gitformat-pack` writes offsets.
    fn varint(&mut self) -> io::Result<usize> {
        let mut byte = self.byte()?;
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            let shifted = number.checked_add(1).and_then(|number| number.checked_mul(128));
            number = shifted.ok_or(io::ErrorKind::InvalidData)? + usize::from(byte & 0x7f);
        }
        Ok(number)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.source.read_exact(&mut byte)?;
        let [byte] = byte;
        Ok(byte)
    }

    fn short(&mut self) -> io::Result<u16> {
        let mut bytes = [0; 2];
        self.source.read_exact(&mut bytes)?;
        Ok(u16::from_be_bytes(bytes))
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.source.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::journal::OsDisk;

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
