//! Temporary projects, and readers of the index files.

pub mod snippets;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forge_memory_core::clock::{Clock, Millis};
use forge_memory_core::journal::{Disk, OsDisk};
use forge_memory_lattice::{IndexOptions, IndexOutcome, Lattice};
use serde_json::Value;

/// A clock that always returns the same time, far in the future, so that no file is "racy".
#[derive(Debug)]
pub struct Still;

impl Clock for Still {
    fn now_ms(&self) -> Millis {
        4_000_000_000_000
    }
}

/// A folder with files in it.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Self {
        Project {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn copy_of(folder: &Path) -> Self {
        let project = Project::new();
        copy(folder, project.folder.path());
        project
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn lattice_file(&self, name: &str) -> PathBuf {
        self.path(".forge/lattice").join(name)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a file with its own modification time, so that no two versions look alike to a coarse clock.
    pub fn write_at(&self, path: &str, text: impl AsRef<[u8]>, second: u64) {
        self.write(path, text);
        let file = fs::File::options().append(true).open(self.path(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + second))
            .unwrap();
    }

    pub fn lattice(&self) -> Lattice {
        self.lattice_on(Arc::new(OsDisk))
    }

    pub fn lattice_on(&self, disk: Arc<dyn Disk>) -> Lattice {
        Lattice::with(self.folder.path().to_path_buf(), disk, Arc::new(Still))
            .parsing_with(forge_memory_grammars::TABLE)
    }

    pub fn index(&self) -> IndexOutcome {
        self.lattice().index(&IndexOptions::default(), &|_, _| {}).unwrap()
    }

    pub fn index_paths(&self, paths: &[&str]) -> forge_memory_core::Result<IndexOutcome> {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let options = IndexOptions {
            paths: Some(paths),
            ..IndexOptions::default()
        };
        self.lattice().index(&options, &|_, _| {})
    }

    pub fn index_since(&self, revision: &str) -> forge_memory_core::Result<IndexOutcome> {
        self.lattice().index(
            &IndexOptions {
                since: Some(revision.to_owned()),
                ..IndexOptions::default()
            },
            &|_, _| {},
        )
    }

    /// The definitions: `path name`, without the files themselves.
    pub fn definitions(&self) -> Vec<String> {
        let chunks = read_lines(&self.lattice_file("chunks.jsonl"));
        let named = chunks.iter().filter(|chunk| chunk["kind"] != "file");
        named
            .map(|chunk| format!("{} {}", text(chunk, "filePath"), text(chunk, "name")))
            .collect()
    }

    pub fn git(&self, args: &[&str]) {
        let run = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(args)
            .current_dir(self.root())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Reads a JSON Lines file.
pub fn read_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a string field; empty when it is missing.
pub fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or("")
}
