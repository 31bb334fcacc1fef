//! The real file system with an observer.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_journal::{Disk, DiskFile, DiskLock, Entry, FileState, Metadata, OsDisk};

/// The operations of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
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

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 16] = {
        use Operation::*;
        [
            Stat, OpenAppend, OpenRead, OpenLock, Rename, Remove, List, CopyMode, MakeDir, SyncDir, Append, Read, Sync,
            State, TryLock, Unlock,
        ]
    };

    /// True if it changes the disk.
    pub fn writes(self) -> bool {
        use Operation::{Append, CopyMode, MakeDir, OpenAppend, Remove, Rename};
        matches!(self, OpenAppend | Rename | Remove | CopyMode | MakeDir | Append)
    }
}

/// An observer of a disk. By default, no method has an effect.
pub trait Watch: Send + Sync + Debug {
    /// Called before every operation except an append. The operation fails with the returned error.
    fn before(&self, operation: Operation, path: &Path) -> io::Result<()> {
        let _ = (operation, path);
        Ok(())
    }

    /// Called before an append. An error comes with the number of bytes that are written nevertheless.
    fn before_append(&self, path: &Path, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        self.before(Operation::Append, path)
            .map_err(|error| (bytes.len() / 2, error))
    }

    /// Called when a file was opened for appending. Returns the number that identifies the file in [`Watch::appended`]
    /// and [`Watch::synced`].
    fn opened(&self, path: &Path, existed: bool) -> u64 {
        let _ = (path, existed);
        0
    }

    /// Called after bytes were appended.
    fn appended(&self, file: u64, bytes: &[u8]) {
        let _ = (file, bytes);
    }

    /// Called after a file was synced.
    fn synced(&self, file: u64) {
        let _ = file;
    }

    /// Called after bytes were read.
    fn has_read(&self, bytes: usize) {
        let _ = bytes;
    }

    /// Called after an operation on `path`; a rename also has its target.
    fn done(&self, operation: Operation, path: &Path, to: Option<&Path>) {
        let _ = (operation, path, to);
    }
}

/// The real file system with an observer. A sync does not wait for the device: only its result matters.
#[derive(Debug)]
pub struct WatchedDisk<W>(pub Arc<W>);

impl<W> Clone for WatchedDisk<W> {
    fn clone(&self) -> Self {
        WatchedDisk(Arc::clone(&self.0))
    }
}

impl<W: Watch> WatchedDisk<W> {
    /// Returns the real file system observed by `watch`.
    pub fn new(watch: W) -> Self {
        WatchedDisk(Arc::new(watch))
    }
}

#[derive(Debug)]
struct WatchedFile<W> {
    inner: Box<dyn DiskFile>,
    path: PathBuf,
    file: u64,
    watch: Arc<W>,
}

#[derive(Debug)]
struct WatchedLock<W> {
    inner: Box<dyn DiskLock>,
    path: PathBuf,
    watch: Arc<W>,
}

impl<W: Watch + 'static> WatchedDisk<W> {
    fn act<T>(&self, operation: Operation, path: &Path, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.0.before(operation, path)?;
        let answer = work()?;
        self.0.done(operation, path, None);
        Ok(answer)
    }

    fn file(&self, inner: Box<dyn DiskFile>, path: &Path, file: u64) -> Box<dyn DiskFile> {
        Box::new(WatchedFile {
            inner,
            path: path.to_path_buf(),
            file,
            watch: Arc::clone(&self.0),
        })
    }
}

impl<W: Watch + 'static> Disk for WatchedDisk<W> {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        self.act(Operation::Stat, path, || OsDisk.stat(path))
    }

    fn lstat(&self, path: &Path) -> io::Result<Option<FileState>> {
        self.act(Operation::Stat, path, || OsDisk.lstat(path))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.act(Operation::Stat, path, || OsDisk.metadata(path))
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.act(Operation::Stat, path, || OsDisk.link_metadata(path))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.act(Operation::Stat, path, || OsDisk.real_path(path))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.0.before(Operation::OpenAppend, path)?;
        let existed = OsDisk.stat(path).is_ok();
        let inner = OsDisk.open_append(path)?;
        let file = self.0.opened(path, existed);
        Ok(self.file(inner, path, file))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let inner = self.act(Operation::OpenRead, path, || OsDisk.open_read(path))?;
        Ok(self.file(inner, path, 0))
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let inner = self.act(Operation::OpenLock, path, || OsDisk.open_lock(path))?;
        Ok(Box::new(WatchedLock {
            inner,
            path: path.to_path_buf(),
            watch: Arc::clone(&self.0),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.before(Operation::Rename, from)?;
        OsDisk.rename(from, to)?;
        self.0.done(Operation::Rename, from, Some(to));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.act(Operation::Remove, path, || OsDisk.remove(path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.act(Operation::Stat, path, || OsDisk.resolve(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.act(Operation::Remove, path, || OsDisk.remove_folder(path))
    }

    fn remove_empty_folder(&self, path: &Path) -> io::Result<()> {
        self.act(Operation::Remove, path, || OsDisk.remove_empty_folder(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.act(Operation::List, folder, || OsDisk.list(folder))
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act(Operation::CopyMode, to, || OsDisk.copy_mode(from, to))
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.act(Operation::MakeDir, path, || OsDisk.make_dir(path))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.act(Operation::SyncDir, path, || {
            assert!(path.is_dir(), "{} is not a folder", path.display());
            Ok(())
        })
    }
}

impl<W: Watch> DiskFile for WatchedFile<W> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (kept, failure) = match self.watch.before_append(&self.path, bytes) {
            Ok(()) => (bytes, None),
            Err((kept, error)) => (&bytes[..kept], Some(error)),
        };
        let count = if kept.is_empty() { 0 } else { self.inner.append(kept)? };
        self.watch.appended(self.file, &kept[..count]);
        failure.map_or(Ok(count), Err)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.before(Operation::Read, &self.path)?;
        let got = self.inner.read_at(offset, buffer)?;
        self.watch.has_read(got);
        Ok(got)
    }

    fn sync(&self) -> io::Result<()> {
        self.watch.before(Operation::Sync, &self.path)?;
        self.watch.synced(self.file);
        Ok(())
    }

    fn state(&self) -> io::Result<FileState> {
        self.watch.before(Operation::State, &self.path)?;
        self.inner.state()
    }
}

impl<W: Watch> DiskLock for WatchedLock<W> {
    fn try_lock(&self) -> io::Result<bool> {
        self.watch.before(Operation::TryLock, &self.path)?;
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.watch.before(Operation::Unlock, &self.path)?;
        self.inner.unlock()
    }

    fn is_named(&self) -> io::Result<bool> {
        self.watch.before(Operation::State, &self.path)?;
        self.inner.is_named()
    }
}
