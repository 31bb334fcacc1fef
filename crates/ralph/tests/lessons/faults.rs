//! Every operation of a write fails once, and once for good; the store is old or new, and a later write succeeds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forge_memory_core::Memory;
use forge_memory_core::journal::{Disk, DiskFile, DiskLock, Entry, FileState, OsDisk};
use forge_memory_ralph::{ClearOptions, GLOBAL_FILE, RalphAddInput, RalphFilter};

use crate::support::{EIGHT, HasLessons, Project};

#[derive(Debug)]
struct Tape {
    at: usize,
    for_good: bool,
    done: AtomicUsize,
}

impl Tape {
    fn step(&self) -> io::Result<()> {
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.at || (self.for_good && number > self.at) {
            return Err(io::Error::other("made to fail"));
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Failing(Arc<Tape>);

#[derive(Debug)]
struct FailingFile(Box<dyn DiskFile>, Arc<Tape>);

impl DiskFile for FailingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Half of it is on the disk when the machine stops.
        if let Err(e) = self.1.step() {
            self.0.append(&bytes[..bytes.len() / 2])?;
            return Err(e);
        }
        self.0.append(bytes)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.step()?;
        self.0.read_at(offset, buffer)
    }
    fn sync(&self) -> io::Result<()> {
        self.1.step()?;
        self.0.sync()
    }
    fn state(&self) -> io::Result<FileState> {
        self.1.step()?;
        self.0.state()
    }
}

impl Disk for Failing {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        self.0.step()?;
        OsDisk.stat(path)
    }
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.0.step()?;
        Ok(Box::new(FailingFile(OsDisk.open_append(path)?, Arc::clone(&self.0))))
    }
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.0.step()?;
        Ok(Box::new(FailingFile(OsDisk.open_read(path)?, Arc::clone(&self.0))))
    }
    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        self.0.step()?;
        OsDisk.open_lock(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.remove(path)
    }
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.step()?;
        OsDisk.resolve(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.remove_folder(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.0.step()?;
        OsDisk.list(folder)
    }
    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.copy_mode(from, to)
    }
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.make_dir(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.0.step()?;
        OsDisk.sync_dir(path)
    }
}

fn walk(write: impl Fn(&mut Memory) -> bool, allowed: &[usize]) {
    for for_good in [false, true] {
        for at in 1.. {
            let project = Project::with(EIGHT);
            let tape = Arc::new(Tape {
                at,
                for_good,
                done: AtomicUsize::new(0),
            });
            let mut surroundings = project.surroundings("2026-04-08T10:42:00Z");
            surroundings.disk = Arc::new(Failing(Arc::clone(&tape)));
            let acknowledged = write(&mut Memory::open(surroundings));
            let steps = tape.done.load(Ordering::Relaxed);
            let count = project.listed(RalphFilter::default()).len();
            assert!(allowed.contains(&count), "operation {at} left {count} entries");
            if acknowledged {
                assert_eq!(count, allowed[1], "operation {at}: it was said to be done");
            }
            assert!(write(&mut project.memory()), "operation {at}: the next write");
            assert_eq!(
                project.listed(RalphFilter::default()).len(),
                allowed[1],
                "operation {at}"
            );
            let folder = project.path(GLOBAL_FILE);
            let leftovers: Vec<_> = fs::read_dir(folder.parent().unwrap())
                .unwrap()
                .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp"))
                .collect();
            assert!(leftovers.is_empty(), "operation {at}: {leftovers:?}");
            if steps < at {
                assert!(at > 6, "the write has more operations than that");
                break;
            }
        }
    }
}

#[test]
fn an_add_that_fails_anywhere_leaves_the_old_store_or_the_new_one() {
    let add = |memory: &mut Memory| {
        let input = RalphAddInput {
            lesson: Some("a quite different lesson".into()),
            ..RalphAddInput::default()
        };
        memory.ralph_add(input).is_ok()
    };
    walk(add, &[8, 9]);
}

#[test]
fn a_clear_that_fails_anywhere_leaves_the_old_store_or_the_new_one() {
    let clear = |memory: &mut Memory| {
        let options = ClearOptions {
            store: Some("global".into()),
            ..ClearOptions::default()
        };
        memory.ralph_clear(&options).is_ok()
    };
    walk(clear, &[8, 0]);
}

#[test]
fn a_program_that_ignores_the_lock_is_merged_with() {
    /// Writes to the store behind our back, at the first temporary file.
    #[derive(Debug)]
    struct Meddling(std::path::PathBuf, AtomicUsize);
    impl Disk for Meddling {
        fn stat(&self, path: &Path) -> io::Result<FileState> {
            OsDisk.stat(path)
        }
        fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
            if self.1.fetch_add(1, Ordering::Relaxed) == 0 {
                fs::write(
                    &self.0,
                    EIGHT.replacen('[', "[{\"id\":\"mem_theirs\",\"lesson\":\"theirs\"},", 1),
                )?;
            }
            OsDisk.open_append(path)
        }
        fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
            OsDisk.open_read(path)
        }
        fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
            OsDisk.open_lock(path)
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            OsDisk.rename(from, to)
        }
        fn remove(&self, path: &Path) -> io::Result<()> {
            OsDisk.remove(path)
        }
        fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
            OsDisk.resolve(path)
        }
        fn remove_folder(&self, path: &Path) -> io::Result<()> {
            OsDisk.remove_folder(path)
        }
        fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
            OsDisk.list(folder)
        }
        fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
            OsDisk.copy_mode(from, to)
        }
        fn make_dir(&self, path: &Path) -> io::Result<()> {
            OsDisk.make_dir(path)
        }
        fn sync_dir(&self, path: &Path) -> io::Result<()> {
            OsDisk.sync_dir(path)
        }
    }
    let project = Project::with(EIGHT);
    let mut surroundings = project.surroundings("2026-04-08T10:42:00Z");
    surroundings.disk = Arc::new(Meddling(project.path(GLOBAL_FILE), AtomicUsize::new(0)));
    let input = RalphAddInput {
        lesson: Some("ours".into()),
        ..RalphAddInput::default()
    };
    let ours = Memory::open(surroundings).ralph_add(input).unwrap().entry.id;
    let ids = project.listed(RalphFilter::default());
    assert_eq!(ids.len(), 10);
    assert!(ids.contains(&ours) && ids.contains(&"mem_theirs".to_owned()));
}
