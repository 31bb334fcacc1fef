//! Every access to files goes through `Disk`, so that fault injection reaches it. This test reads the sources and reports
//! each line that bypasses it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The sources that are checked: the crates that access files, and the binding.
const SOURCES: [&str; 12] = [
    "crates/core/src",
    "crates/embed/src",
    "crates/journal/src",
    "crates/lattice/src",
    "crates/project/src",
    "crates/ralph/src",
    "crates/record/src",
    "crates/redact/src",
    "crates/sqlite-store/src",
    "crates/text/src",
    "crates/transcripts/src",
    "src",
];

/// The expressions that bypass `Disk`.
const DIRECT: [&str; 17] = [
    "fs::",
    " File::open",
    "OpenOptions",
    "OsDisk.",
    "open_regular(",
    "canonicalize(",
    "symlink_metadata",
    ".metadata()",
    "read_dir(",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".is_symlink()",
    "Command::new(",
    "Connection::open",
    "WalkBuilder",
    "tempfile::",
];

/// The files that may bypass it, with the reason.
const EXCEPTIONS: [(&str, &str); 12] = [
    ("crates/journal/src/disk.rs", "the disk itself"),
    ("crates/journal/src/metadata.rs", "the disk itself"),
    ("crates/journal/src/state.rs", "the disk itself"),
    (
        "crates/journal/src/confined.rs",
        "the disk itself: the looks before a path is let through",
    ),
    (
        "crates/journal/src/trusted.rs",
        "the disk itself: what the user let through, read before anything is",
    ),
    (
        "crates/project/src/committed.rs",
        "what commits of other branches have, asked of git where records are missing",
    ),
    (
        "src/moment.rs",
        "where a call of a host is and which program answers it, before a memory is opened",
    ),
    (
        "crates/sqlite-store/src/database.rs",
        "SQLite reads and writes its files itself, under locks of its own",
    ),
    (
        "crates/transcripts/src/database.rs",
        "SQLite reads its files itself, under locks of its own",
    ),
    (
        "crates/transcripts/src/history/storage.rs",
        "SQLite reads and writes its files itself, under locks of its own",
    ),
    (
        "crates/embed/src/tiny.rs",
        "compiled for tests only: it writes the models that they install",
    ),
    (
        "crates/lattice/src/scan/listing.rs",
        "git, a program, lists its own files",
    ),
];

/// Returns the expression in a line that bypasses `Disk`.
fn direct_access(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default().trim();
    let is_import = code.starts_with("use ") || code.contains("rustix::fs");
    let found = || DIRECT.into_iter().find(|access| code.contains(access));
    if is_import { None } else { found() }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Returns the lines of a source, outside of its tests, that bypass `Disk`.
fn lines_around(shown: &str, text: &str) -> Vec<String> {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    let around = code.enumerate().filter_map(|(number, line)| {
        let access = direct_access(line)?;
        Some(format!("{shown}:{}: {access} in `{}`", number + 1, line.trim()))
    });
    around.collect()
}

#[test]
fn no_file_access_bypasses_the_disk() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let (mut around, mut idle) = (Vec::new(), Vec::new());
    for name in SOURCES {
        let mut files = Vec::new();
        sources(&root.join(name), &mut files);
        assert!(!files.is_empty(), "{name} has sources");
        for file in files {
            let shown = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            let lines = lines_around(&shown, &fs::read_to_string(&file).unwrap());
            let is_exception = EXCEPTIONS.iter().any(|(path, _)| *path == shown);
            if is_exception && lines.is_empty() {
                idle.push(shown);
            } else if !is_exception {
                around.extend(lines);
            }
        }
    }
    assert_eq!(
        around,
        Vec::<String>::new(),
        "go through `Disk`, or name the file and the reason above"
    );
    assert_eq!(idle, Vec::<String>::new(), "exceptions without need of one");
    for (path, _) in EXCEPTIONS {
        assert!(root.join(path).is_file(), "{path} is excepted and not there");
    }
}

#[test]
fn an_access_that_bypasses_the_disk_is_found() {
    for line in [
        "    let text = std::fs::read_to_string(path)?;",
        "    if path.exists() {",
        "    let file = File::open(path)?;",
        "    OsDisk.open_read(path)",
        "    let real = path.canonicalize()?;",
        "    let len = file.metadata()?.len();",
        "    let mut command = Command::new(\"git\");",
    ] {
        assert!(direct_access(line).is_some(), "{line}");
    }
    for line in [
        "use std::fs;",
        "// fs::read is what others do",
        "    let file = disk.open_read(path)?;",
        "    let found = disk.metadata(path)?;",
        "    pub fn new(disk: Arc<dyn Disk>) -> Self {",
    ] {
        assert!(direct_access(line).is_none(), "{line}");
    }
}
