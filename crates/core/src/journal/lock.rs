//! Mutual exclusion between processes and threads: an operating system lock on a side file that is never deleted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::disk::{Disk, DiskLock};
use crate::error::{Error, Result};

/// How long a writer waits for another one before it gives up. Holders need microseconds; only a stopped process
/// (a debugger, a suspended laptop) keeps a lock for this long, and its caller must not hang with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// A lock that every process opens under the same path.
#[derive(Debug)]
pub struct LockFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Option<Box<dyn DiskLock>>,
}

impl LockFile {
    /// Returns the lock at `path`; nothing is created before the first [`LockFile::acquire`].
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        LockFile { disk, path, file: None }
    }

    /// Takes the lock, waiting for its holder.
    ///
    /// # Errors
    /// `LOCKED` when the holder keeps it for over ten seconds, `IO` when the lock file cannot be made.
    pub fn acquire(&mut self) -> Result<()> {
        self.acquire_within(PATIENCE)
    }

    /// Takes the lock if it is free within `patience`.
    ///
    /// # Errors
    /// As [`LockFile::acquire`].
    pub fn acquire_within(&mut self, patience: Duration) -> Result<()> {
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(20);
        loop {
            if self.try_acquire()? {
                return Ok(());
            }
            if waited >= patience {
                let waited_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
                return Err(Error::Locked {
                    path: self.path.clone(),
                    waited_ms,
                });
            }
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }

    /// Takes the lock if it is free at this moment.
    ///
    /// # Errors
    /// `IO` when the lock file cannot be made.
    pub fn try_acquire(&mut self) -> Result<bool> {
        let file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        let taken = file.try_lock().map_err(Error::io("lock", &self.path))?;
        self.file = Some(file);
        Ok(taken)
    }

    /// Gives the lock back; a failure only means that it ends with the file.
    pub fn release(&mut self) {
        if let Some(file) = self.file.take()
            && file.unlock().is_ok()
        {
            self.file = Some(file);
        }
    }

    /// Forgets the open file, so that the next [`LockFile::acquire`] looks up the path again.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Returns where the lock is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(&self) -> Result<Box<dyn DiskLock>> {
        if let Ok(file) = self.disk.open_lock(&self.path) {
            return Ok(file);
        }
        if let Some(folder) = self.path.parent() {
            self.disk.make_dir(folder).map_err(Error::io("create", folder))?;
        }
        self.disk.open_lock(&self.path).map_err(Error::io("open", &self.path))
    }
}
