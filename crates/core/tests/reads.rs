//! What is read to show, edit or forget one record among many, its own line and not the whole journal, and to import many.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{Workshop, lesson};
use forge_memory_core::EditInput;
use forge_memory_core::clock::parse_iso;
use forge_memory_core::journal::{Disk, DiskFile, DiskLock, Entry, FileState, OsDisk};
use forge_memory_core::transfer::ImportOptions;

const RECORDS: usize = 1500;
/// The lines of a record and its revisions, several times over.
const BYTES_MAX: u64 = 8 * 1024;

/// A file system that counts the bytes that are read.
#[derive(Debug, Default)]
struct CountingDisk(Arc<AtomicU64>);

#[derive(Debug)]
struct CountingFile(Box<dyn DiskFile>, Arc<AtomicU64>);

impl DiskFile for CountingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.0.read_at(offset, buffer)?;
        self.1.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
    fn state(&self) -> io::Result<FileState> {
        self.0.state()
    }
}

impl Disk for CountingDisk {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        OsDisk.stat(path)
    }
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(CountingFile(OsDisk.open_append(path)?, Arc::clone(&self.0))))
    }
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(CountingFile(OsDisk.open_read(path)?, Arc::clone(&self.0))))
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

#[test]
fn one_record_among_many_is_shown_edited_and_forgotten_without_reading_the_others() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let read = Arc::new(AtomicU64::new(0));
    let mut memory = workshop.open_on(Arc::new(CountingDisk(Arc::clone(&read))));
    let ids: Vec<String> = (0..RECORDS)
        .map(|n| memory.capture(lesson(n)).unwrap().thought.id)
        .collect();
    let journal = workshop.raw_log().metadata().unwrap().len();
    assert!(journal > 50 * BYTES_MAX);
    let counted = |what: &str, work: &mut dyn FnMut()| {
        read.store(0, Ordering::Relaxed);
        work();
        let bytes = read.load(Ordering::Relaxed);
        assert!(bytes <= BYTES_MAX, "{what}: {bytes} of {journal} bytes");
    };
    let mut edited = String::new();
    counted("showing", &mut || {
        assert_eq!(memory.history(&ids[3]).unwrap().unwrap().current().id, ids[3]);
    });
    counted("editing", &mut || {
        let changes = EditInput {
            confidence: Some(0.9),
            ..EditInput::default()
        };
        edited = memory.edit(&ids[700], changes).unwrap().id;
    });
    counted("showing a revision", &mut || {
        let history = memory.history(&edited).unwrap().unwrap();
        let shown: Vec<&str> = history.revisions.iter().map(|revision| revision.id.as_str()).collect();
        assert_eq!(shown, [&ids[700], &edited]);
        assert_eq!(history.revisions[0].ended_ms, Some(history.current().created_ms));
    });
    counted("forgetting", &mut || assert!(memory.forget(&ids[RECORDS - 1]).unwrap()));
}

#[test]
fn records_that_are_years_old_are_imported_without_reading_the_journal_again_for_each() {
    let older = Workshop::at(parse_iso("2020-05-01T10:00:00.000Z").unwrap());
    let mut source = older.open();
    (0..RECORDS).for_each(|n| assert!(source.capture(lesson(n)).unwrap().captured));
    let workshop = Workshop::new();
    let read = Arc::new(AtomicU64::new(0));
    let mut memory = workshop.open_on(Arc::new(CountingDisk(Arc::clone(&read))));
    let report = memory.import(&older.raw_log(), &ImportOptions::default()).unwrap();
    assert_eq!(report.imported, RECORDS as u64);
    let (bytes, source) = (read.load(Ordering::Relaxed), older.raw_log().metadata().unwrap().len());
    assert!(bytes <= 10 * source, "{bytes} bytes were read to import {source}");
}
