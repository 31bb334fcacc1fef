//! A disk on which one operation fails, and all that follow if that is what the test asks for.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use forge_memory_core::journal::{Disk, DiskFile, DiskLock, Entry, FileState, OsDisk};

/// What a journal asks of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Stat,
    OpenAppend,
    OpenRead,
    OpenLock,
    Rename,
    Remove,
    List,
    CopyMode,
    MakeDir,
    SyncDir,
    Append,
    Read,
    Sync,
    State,
    TryLock,
    Unlock,
}

/// How much of the bytes an append that fails leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Torn {
    Half,
    AllButLast,
    All,
}

/// Which operation fails, and how.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its number, from 1 on; 0 for none.
    pub at: usize,
    pub torn: Torn,
    /// Whether the process is dead then: nothing succeeds any more.
    pub dead: bool,
}

/// A disk that only counts.
pub const NO_FAULT: Fault = Fault {
    at: 0,
    torn: Torn::Half,
    dead: false,
};

#[derive(Debug)]
struct Tape {
    fault: Fault,
    done: Mutex<Vec<Operation>>,
    repaired: AtomicBool,
}

impl Tape {
    /// Counts an operation; true when it is to fail.
    fn fails(&self, operation: Operation) -> bool {
        if self.repaired.load(Ordering::Relaxed) {
            return false;
        }
        let mut done = self.done.lock().unwrap();
        done.push(operation);
        let number = done.len();
        number == self.fault.at || (self.fault.dead && self.fault.at > 0 && number > self.fault.at)
    }

    fn pass(&self, operation: Operation) -> io::Result<()> {
        if self.fails(operation) { Err(fault()) } else { Ok(()) }
    }

    /// True for the very operation that fails, false for those behind it.
    fn is_at_fault(&self) -> bool {
        self.done.lock().unwrap().len() == self.fault.at
    }
}

fn fault() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "made to fail")
}

#[derive(Debug, Clone)]
pub struct FaultyDisk(Arc<Tape>);

impl FaultyDisk {
    pub fn new(fault: Fault) -> Self {
        FaultyDisk(Arc::new(Tape {
            fault,
            done: Mutex::new(Vec::new()),
            repaired: AtomicBool::new(false),
        }))
    }

    /// From now on everything succeeds and nothing is counted.
    pub fn repair(&self) {
        self.0.repaired.store(true, Ordering::Relaxed);
    }

    /// Returns the operations so far, the failed one included.
    pub fn operations(&self) -> Vec<Operation> {
        self.0.done.lock().unwrap().clone()
    }

    /// Tells whether the fault has come.
    pub fn has_failed(&self) -> bool {
        self.0.fault.at > 0 && self.0.done.lock().unwrap().len() >= self.0.fault.at
    }
}

#[derive(Debug)]
struct FaultyFile {
    inner: Box<dyn DiskFile>,
    tape: Arc<Tape>,
}

#[derive(Debug)]
struct FaultyLock {
    inner: Box<dyn DiskLock>,
    tape: Arc<Tape>,
}

impl FaultyDisk {
    fn file(&self, inner: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        let tape = Arc::clone(&self.0);
        Box::new(FaultyFile { inner, tape })
    }
}

impl Disk for FaultyDisk {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        self.0.pass(Operation::Stat)?;
        OsDisk.stat(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.0.pass(Operation::OpenAppend)?;
        Ok(self.file(OsDisk.open_append(path)?))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.0.pass(Operation::OpenRead)?;
        Ok(self.file(OsDisk.open_read(path)?))
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        self.0.pass(Operation::OpenLock)?;
        let (inner, tape) = (OsDisk.open_lock(path)?, Arc::clone(&self.0));
        Ok(Box::new(FaultyLock { inner, tape }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.pass(Operation::Rename)?;
        OsDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.pass(Operation::Remove)?;
        OsDisk.remove(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.pass(Operation::Stat)?;
        OsDisk.resolve(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.0.pass(Operation::Remove)?;
        OsDisk.remove_folder(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.0.pass(Operation::List)?;
        OsDisk.list(folder)
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.pass(Operation::CopyMode)?;
        OsDisk.copy_mode(from, to)
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.0.pass(Operation::MakeDir)?;
        OsDisk.make_dir(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.0.pass(Operation::SyncDir)?;
        assert!(path.is_dir());
        Ok(())
    }
}

impl DiskFile for FaultyFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.tape.fails(Operation::Append) {
            return self.inner.append(bytes);
        }
        if self.tape.is_at_fault() {
            let kept = match self.tape.fault.torn {
                Torn::Half => bytes.len() / 2,
                Torn::AllButLast => bytes.len() - 1,
                Torn::All => bytes.len(),
            };
            self.inner.append(&bytes[..kept])?;
        }
        Err(fault())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.tape.pass(Operation::Read)?;
        self.inner.read_at(offset, buffer)
    }

    fn sync(&self) -> io::Result<()> {
        // What the disk itself has is not for a test to find out: only the answer counts, and the wait is spared.
        self.tape.pass(Operation::Sync)
    }

    fn state(&self) -> io::Result<FileState> {
        self.tape.pass(Operation::State)?;
        self.inner.state()
    }
}

impl DiskLock for FaultyLock {
    fn try_lock(&self) -> io::Result<bool> {
        self.tape.pass(Operation::TryLock)?;
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.tape.pass(Operation::Unlock)?;
        self.inner.unlock()
    }

    fn is_named(&self) -> io::Result<bool> {
        self.tape.pass(Operation::State)?;
        self.inner.is_named()
    }
}
