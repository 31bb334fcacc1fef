//! Mutual exclusion between processes and threads: an advisory lock of the operating system (`flock`, `LockFileEx`) on a lock file
//! that is never deleted. The system releases it when the process dies. Waiting yields first, then sleeps with exponential
//! back-off.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::disk::{Disk, DiskLock};
use crate::error::{Error, Result};

/// How long a writer waits for the lock. Holders need microseconds; only a stopped process (in a debugger, on a suspended
/// machine) holds it longer, and its callers must not hang.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a waiting writer yields before it sleeps: most holders need less time than a sleep takes.
const YIELDS_MAX: u32 = 8;

/// A lock that every process opens under the same path.
///
/// Clones share one reentrant lock: taking it through a second clone only increments a counter, so that several journals can be
/// written under one lock. All clones belong to one owner and are used by one thread at a time; other threads, like other
/// processes, open their own.
#[derive(Debug, Clone)]
pub struct LockFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<Box<dyn DiskLock>>,
    /// How many clones hold it.
    depth: usize,
}

impl LockFile {
    /// Returns the lock at `path`; nothing is created before the first [`LockFile::acquire`].
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        LockFile {
            disk,
            path,
            state: Arc::default(),
        }
    }

    /// Takes the lock, waiting for its holder.
    ///
    /// # Errors
    /// `LOCKED` when the holder keeps it for over ten seconds, `IO` when the lock file cannot be made.
    pub fn acquire(&self) -> Result<()> {
        self.acquire_within(LOCK_TIMEOUT)
    }

    /// Takes the lock if it is free within `timeout`.
    ///
    /// # Errors
    /// As [`LockFile::acquire`].
    pub fn acquire_within(&self, timeout: Duration) -> Result<()> {
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(50);
        let mut yields = 0;
        loop {
            if self.try_acquire()? {
                return Ok(());
            }
            if yields < YIELDS_MAX {
                yields += 1;
                std::thread::yield_now();
                continue;
            }
            if waited >= timeout {
                let waited_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
                return Err(Error::Locked {
                    path: self.path.clone(),
                    waited_ms,
                });
            }
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_micros(400));
        }
    }

    /// Takes the lock if it is free at this moment.
    ///
    /// # Errors
    /// `IO` when the lock file cannot be made.
    pub fn try_acquire(&self) -> Result<bool> {
        let mut state = self.state();
        while state.depth == 0 {
            let file = match state.file.take() {
                Some(file) => file,
                None => self.open()?,
            };
            let taken = file.try_lock().map_err(Error::io("lock", &self.path))?;
            // The file may have been deleted: a lock on an unlinked file excludes no other process, so the next round opens
            // the file that the path leads to now.
            if file.is_named().map_err(Error::io("inspect", &self.path))? {
                state.file = Some(file);
                state.depth = usize::from(taken);
            } else if taken {
                continue;
            }
            return Ok(taken);
        }
        state.depth += 1;
        Ok(true)
    }

    /// Takes the lock until the returned guard is dropped.
    ///
    /// # Errors
    /// As [`LockFile::acquire`].
    pub fn guard(&self) -> Result<LockGuard> {
        self.guard_within(LOCK_TIMEOUT)
    }

    /// Takes the lock until the returned guard is dropped, if it becomes free within `timeout`.
    ///
    /// # Errors
    /// As [`LockFile::acquire`].
    pub fn guard_within(&self, timeout: Duration) -> Result<LockGuard> {
        self.acquire_within(timeout)?;
        Ok(LockGuard { lock: self.clone() })
    }

    /// Makes a guard of a lock that the caller has taken.
    pub fn into_guard(self) -> LockGuard {
        LockGuard { lock: self }
    }

    /// Releases the lock. If that fails, the lock ends when the file is closed.
    pub fn release(&self) {
        let mut state = self.state();
        state.depth = state.depth.saturating_sub(1);
        if state.depth == 0
            && let Some(file) = state.file.take()
            && file.unlock().is_ok()
        {
            state.file = Some(file);
        }
    }

    /// Takes the lock again, on the file that the path leads to now: the folder may have been deleted and created again. The
    /// caller holds the lock before and after.
    ///
    /// # Errors
    /// As [`LockFile::acquire`]; the lock is still counted as held then, and [`LockFile::release`] ends it.
    pub fn renew(&self) -> Result<()> {
        let depth = std::mem::take(&mut self.state().depth);
        self.state().file = None;
        let outcome = self.acquire();
        self.state().depth = depth;
        outcome
    }

    /// Returns the path of the lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

/// A lock that is held until this value is dropped.
#[derive(Debug)]
pub struct LockGuard {
    lock: LockFile,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.lock.release();
    }
}
