//! Every access to files goes through `Disk`, so that the tests which make a disk fail reach it. This reads the sources and
//! names each line that goes around it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose files are meant, and what is theirs to access directly.
const CRATES: [&str; 4] = ["core", "journal", "ralph", "sqlite-store"];

/// What goes around `Disk` when it stands in a line.
const DIRECT: [&str; 11] = [
    "fs::",
    " File::open",
    "OpenOptions",
    "OsDisk.",
    "canonicalize(",
    "symlink_metadata",
    "read_dir(",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".is_symlink()",
];

/// Files that may, by the end of their path, and why.
const EXCEPTIONS: [(&str, &str); 18] = [
    ("journal/src/disk.rs", "the disk itself"),
    ("journal/src/state.rs", "the disk itself"),
    (
        "journal/src/confined.rs",
        "the disk itself, and the looks that confine it",
    ),
    ("journal/src/trusted.rs", "read before the disk lets anything through"),
    ("/git.rs", "what git keeps, read for the name of a checkout"),
    (
        "/config.rs",
        "which folder is the project is found before there is a disk for it",
    ),
    ("/hallmark.rs", "source files of the project, read for a hash"),
    ("/sync/mod.rs", "where an output that somebody named really lies"),
    ("/transfer/export.rs", "where an output that somebody named really lies"),
    (
        "/transfer/read/mod.rs",
        "a source that somebody named, wherever it lies",
    ),
    (
        "/transfer/read/basic_memory.rs",
        "a source that somebody named, wherever it lies",
    ),
    (
        "/transfer/read/claude_mem.rs",
        "a source that somebody named, read by SQLite",
    ),
    (
        "/report/doctor.rs",
        "permissions of the folder, which a disk does not tell",
    ),
    (
        "/report/reachable.rs",
        "permissions of files and folders, which a disk does not tell",
    ),
    (
        "/audit.rs",
        "which rotated files there are; each is read through the disk",
    ),
    ("/repair.rs", "whether a file is there; it is read through the disk"),
    ("/layout.rs", "whether a file is there; it is read through the disk"),
    (
        "/report/conflicts.rs",
        "whether a file is there; it is read through the disk",
    ),
];

/// Tells what goes around `Disk` in a line.
fn direct_access(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default().trim();
    let is_import = code.starts_with("use ") || code.contains("rustix::fs");
    // Whether there is anything in a tally is no question to a disk.
    let is_tally = code.contains("tally.exists()") || code.contains(" t.exists()");
    let found = || DIRECT.into_iter().find(|access| code.contains(access));
    if is_import || is_tally { None } else { found() }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_is_accessed_around_the_disk() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut around = Vec::new();
    for name in CRATES {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        assert!(!files.is_empty(), "{name} has sources");
        for file in files {
            let shown = file.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
            if EXCEPTIONS.iter().any(|(end, _)| shown.ends_with(end)) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
            around.extend(code.enumerate().filter_map(|(number, line)| {
                let access = direct_access(line)?;
                Some(format!("{shown}:{}: {access} in `{}`", number + 1, line.trim()))
            }));
        }
    }
    assert_eq!(
        around,
        Vec::<String>::new(),
        "go through `Disk`, or name the file and the reason above"
    );
}

#[test]
fn an_access_around_the_disk_is_seen() {
    for line in [
        "    let text = std::fs::read_to_string(path)?;",
        "    if path.exists() {",
        "    let file = File::open(path)?;",
        "    OsDisk.open_read(path)",
        "    let real = path.canonicalize()?;",
    ] {
        assert!(direct_access(line).is_some(), "{line}");
    }
    for line in [
        "use std::fs;",
        "// fs::read is what others do",
        "    let file = disk.open_read(path)?;",
        "    pub fn new(disk: Arc<dyn Disk>) -> Self {",
    ] {
        assert!(direct_access(line).is_none(), "{line}");
    }
}
