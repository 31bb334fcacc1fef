//! Every step of writing fails once: the old index or the new one answers afterwards, never a mixture.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use forge_memory_core::journal::{Disk, DiskFile, DiskLock, Entry, FileState, OsDisk};
use forge_memory_lattice::{IndexOptions, QueryOptions};
use support::Project;

/// Stops working after so many operations, as if the process had died: half of the last write is done.
#[derive(Debug)]
struct Dying {
    left: Arc<AtomicI64>,
}

impl Dying {
    fn step(&self) -> io::Result<()> {
        if self.left.fetch_sub(1, Ordering::SeqCst) > 0 {
            Ok(())
        } else {
            Err(io::Error::other("dead"))
        }
    }
}

#[derive(Debug)]
struct DyingFile {
    file: Box<dyn DiskFile>,
    left: Arc<AtomicI64>,
}

impl DiskFile for DyingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => self.file.append(bytes),
            0 => {
                self.file.append(&bytes[..bytes.len() / 2])?;
                Err(io::Error::other("dead"))
            }
            _ => Err(io::Error::other("dead")),
        }
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, buffer)
    }
    fn sync(&self) -> io::Result<()> {
        if self.left.fetch_sub(1, Ordering::SeqCst) > 0 {
            Ok(())
        } else {
            Err(io::Error::other("dead"))
        }
    }
    fn state(&self) -> io::Result<FileState> {
        self.file.state()
    }
}

impl Disk for Dying {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        OsDisk.stat(path)
    }
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.step()?;
        Ok(Box::new(DyingFile {
            file: OsDisk.open_append(path)?,
            left: Arc::clone(&self.left),
        }))
    }
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        OsDisk.open_read(path)
    }
    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        OsDisk.open_lock(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        OsDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        OsDisk.remove(path)
    }
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        OsDisk.resolve(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        OsDisk.remove_folder(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        OsDisk.list(folder)
    }
    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        OsDisk.copy_mode(from, to)
    }
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.make_dir(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.sync_dir(path)
    }
}

/// What is defined, as queries see it.
fn answers(project: &Project) -> Vec<String> {
    let all = project.lattice().query(&QueryOptions::default()).unwrap();
    all.chunks
        .into_iter()
        .map(|chunk| chunk.name)
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn a_death_at_any_step_leaves_the_old_index_or_the_new_one() {
    let mut survived = 0;
    for steps in 0.. {
        let project = Project::new();
        project.write_at("a.js", "function old() { helper() }\nfunction helper() {}\n", 1);
        project.index();
        project.write_at("a.js", "function fresh() {}\n", 2);
        project.write_at("b.js", "function more() {}\n", 2);
        let disk = Arc::new(Dying {
            left: Arc::new(AtomicI64::new(steps)),
        });
        let outcome = project.lattice_on(disk).index(&IndexOptions::default(), &|_, _| {});
        let seen = answers(&project);
        assert!(
            seen == ["old", "helper"] || seen == ["fresh", "more"],
            "after {steps} steps: {seen:?}"
        );
        // The next run puts everything right, and a fresh one makes the same.
        project.index();
        assert_eq!(answers(&project), ["fresh", "more"], "after {steps} steps");
        assert_eq!(
            project.definitions(),
            ["a.js fresh", "b.js more"],
            "after {steps} steps"
        );
        if outcome.is_ok() {
            break;
        }
        survived += 1;
    }
    assert!(survived > 15, "only {survived} steps were seen to fail");
}
