//! Files, and the one way to write a JSON Lines file. This crate knows nothing of memories.
//!
//! [`Disk`] is all that the engine asks of a file system; [`OsDisk`] is the real one and [`ConfinedDisk`] does not leave a
//! project. Beside them stand what several processes need to share files ([`LockFile`]), what is read of a line of JSON
//! without a parser ([`plain`]) and the [`clock`].
//!
//! A journal is only ever appended to, under an operating system lock on a side file, one record a line, one `write`
//! a record. [`JournalWriter::append`] never glues a record to a torn tail; [`Journal::replace`] is the only rewrite, and it
//! keeps what was appended meanwhile. Readers take no lock: a line counts once its line end is there.

#![deny(unsafe_code)]
// Every byte that is read here comes from outside.
#![warn(clippy::indexing_slicing)]

pub mod clock;
mod confined;
mod disk;
mod error;
mod follower;
mod lines;
mod lock;
mod metadata;
pub mod plain;
mod reader;
mod rotate;
mod staged;
mod state;
mod trusted;
mod whole;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use confined::{ConfinedDisk, UnsafePath};
pub use disk::{Disk, DiskFile, DiskLock, Entry, OsDisk};
pub use error::{Error, INVALID_INPUT_HINT, Result};
pub use follower::{Follower, count_lines};
pub use lines::{LINE_BYTES_MAX, Line, clean, each_line, halves, scan_lines};
pub use lock::{LockFile, LockGuard};
pub use metadata::{Access, FileKind, Metadata};
pub use reader::DiskReader;
pub use rotate::{OnRotation, Rotation, generation_path, rotated_path};
pub use staged::{Staged, SyncMode, stage_file, stage_with, write_file, write_parts};
pub use state::{FileId, FileState, StatDetail};
pub use whole::{read_bounded, read_file, read_text};
pub use writer::JournalWriter;

/// Whether an acknowledged record has reached the operating system or the disk itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Survives the death of the process.
    #[default]
    Os,
    /// Survives the loss of power as well; every append waits for the disk.
    Disk,
}

/// No file reaches that far; a damaged index may say so, and systems refuse to read there.
const OFFSET_MAX: u64 = 1 << 62;

/// Where a record stands in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes, line end included.
    pub len: u64,
}

/// A JSON Lines file that several processes and threads append to.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    lock: LockFile,
    durability: Durability,
    open: Option<Opened>,
    /// The length behind our own last append: when the file is still this long, its tail is known to be whole.
    whole_at: Option<u64>,
    /// The path is checked at every so many appends; how many are left until then.
    path_check_every: u32,
    path_check_in: u32,
}

#[derive(Debug)]
struct Opened {
    file: Box<dyn DiskFile>,
    id: FileId,
    appendable: bool,
}

impl Journal {
    /// Returns the journal at `path` with its lock at `lock_path`; nothing is created before the first append.
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf, lock_path: PathBuf) -> Self {
        let lock = LockFile::new(Arc::clone(&disk), lock_path);
        Journal::under(disk, path, lock)
    }

    /// Returns the journal at `path` with a lock that it shares with others.
    pub fn under(disk: Arc<dyn Disk>, path: PathBuf, lock: LockFile) -> Self {
        Journal {
            disk,
            path,
            lock,
            durability: Durability::Os,
            open: None,
            whole_at: None,
            path_check_every: 1,
            path_check_in: 0,
        }
    }

    /// Checks the path at every `appends`-th append only. Rewrites by this tool are noticed at once anyway; when another program
    /// renames the file, up to that many records are appended to the renamed one. Use this for files that can be rebuilt.
    pub fn check_path_every(&mut self, appends: u32) {
        self.path_check_every = appends.max(1);
    }

    /// Sets whether an append waits for `fsync`.
    pub fn set_durability(&mut self, durability: Durability) {
        self.durability = durability;
    }

    /// Tells what an acknowledged append has reached.
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file system the journal lives on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Reads the state of the file that the path leads to and makes reads go to it; `None` when the file does not exist.
    ///
    /// # Errors
    /// `IO` when the file exists but cannot be opened.
    pub fn look(&mut self) -> Result<Option<FileState>> {
        let state = match self.disk.stat(&self.path) {
            Ok(state) => state,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.open = None;
                return Ok(None);
            }
            Err(e) => return Err(Error::io("inspect", &self.path)(e)),
        };
        if self.open.as_ref().is_none_or(|open| open.id != state.id) {
            let file = self.disk.open_read(&self.path).map_err(Error::io("open", &self.path))?;
            let state = file.state().map_err(Error::io("inspect", &self.path))?;
            self.open = Some(Opened {
                file,
                id: state.id,
                appendable: false,
            });
            self.whole_at = None;
            return Ok(Some(state));
        }
        Ok(Some(state))
    }

    /// Calls `visit` for the complete lines in `from..to` and returns the offset behind the last one. Call
    /// [`Journal::look`] first.
    ///
    /// # Errors
    /// `IO` when the file cannot be read.
    pub fn scan(&self, from: u64, to: u64, visit: &mut dyn FnMut(Line<'_>)) -> Result<u64> {
        let Some(open) = &self.open else { return Ok(from) };
        scan_lines(open.file.as_ref(), from, to, visit).map_err(Error::io("read", &self.path))
    }

    /// Reads the bytes at `span`; fewer when the file ends before it does.
    ///
    /// # Errors
    /// `IO` when the file cannot be read.
    pub fn read(&self, span: Span) -> Result<Vec<u8>> {
        if span.offset > OFFSET_MAX {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; usize::try_from(span.len).unwrap_or(LINE_BYTES_MAX).min(LINE_BYTES_MAX)];
        let got = match &self.open {
            Some(open) => open
                .file
                .read_at(span.offset, &mut bytes)
                .map_err(Error::io("read", &self.path))?,
            None => 0,
        };
        bytes.truncate(got);
        Ok(bytes)
    }

    /// Takes the journal's lock, creating folder and file where they are missing.
    ///
    /// # Errors
    /// `LOCKED`, or `IO` when folder, lock or file cannot be made.
    pub fn writer(&mut self) -> Result<JournalWriter<'_>> {
        self.writer_with(StatDetail::Full)
    }

    /// Takes the journal's lock, reading as much of the file's state as the caller needs.
    ///
    /// # Errors
    /// As [`Journal::writer`].
    pub fn writer_with(&mut self, detail: StatDetail) -> Result<JournalWriter<'_>> {
        self.lock.acquire()?;
        match self.open_for_append(detail) {
            Ok(state) => Ok(JournalWriter { journal: self, state }),
            Err(e) => {
                self.forget_handles();
                Err(e)
            }
        }
    }

    /// Takes the journal's lock until the guard is dropped, to make several reads and appends atomic.
    ///
    /// # Errors
    /// `LOCKED`, or `IO` when the lock cannot be made.
    pub fn guard(&self) -> Result<LockGuard> {
        self.lock.guard()
    }

    /// Appends one record.
    ///
    /// # Errors
    /// As [`Journal::writer`] and [`JournalWriter::append`].
    pub fn append(&mut self, record: &[u8]) -> Result<Span> {
        self.writer_with(StatDetail::WithoutTimes)?.append(record)
    }

    /// Appends complete lines, each with its line end.
    ///
    /// # Errors
    /// As [`Journal::writer`] and [`JournalWriter::append_lines`].
    pub fn append_lines(&mut self, lines: &[u8]) -> Result<Span> {
        self.writer_with(StatDetail::WithoutTimes)?.append_lines(lines)
    }

    /// Rewrites the journal atomically. `rewrite` gets the current bytes and returns the new ones, or `None` to leave the file
    /// as it is; bytes that other programs append in between are copied over. Returns whether the file was replaced.
    ///
    /// # Errors
    /// `LOCKED`, `IO`, or whatever `rewrite` answers; the old file is untouched then.
    pub fn replace<E: From<Error>>(
        &mut self,
        rewrite: impl FnOnce(&[u8]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<bool, E> {
        let writer = self.writer()?;
        let len = writer.len();
        let old = writer.journal.read_range(0, len)?;
        let Some(fresh) = rewrite(&old)? else { return Ok(false) };
        let temporary = temporary_path(&writer.journal.path);
        let outcome = writer.journal.write_over(&temporary, &fresh, len);
        if outcome.is_err() {
            // A failure is ignored: the name is unique, and `doctor` finds the leftover.
            let _ = writer.journal.disk.remove(&temporary);
        }
        let carried = match outcome {
            Ok(taken) => writer.journal.carry_late(taken),
            Err(error) => Err(error),
        };
        writer.journal.open = None;
        writer.journal.whole_at = None;
        carried?;
        Ok(true)
    }

    /// Appends to the new file what programs that know nothing of the lock have appended to the old one after it was read: they
    /// had opened it before the rename. `taken` is how much of it the new one has.
    fn carry_late(&self, taken: u64) -> Result<()> {
        let Some(open) = &self.open else { return Ok(()) };
        let len = open.file.state().map_err(Error::io("inspect", &self.path))?.len;
        if len <= taken {
            return Ok(());
        }
        let late = self.read_range(taken, len)?;
        let mut file = self
            .disk
            .open_append(&self.path)
            .map_err(Error::io("open", &self.path))?;
        write_whole(file.as_mut(), &late).map_err(Error::io("append to", &self.path))
    }

    fn read_range(&self, from: u64, to: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
        let Some(open) = &self.open else { return Ok(Vec::new()) };
        let got = open
            .file
            .read_at(from, &mut bytes)
            .map_err(Error::io("read", &self.path))?;
        bytes.truncate(got);
        Ok(bytes)
    }

    /// Puts the new bytes in the place of the file, and returns how much of the old file they take the place of.
    fn write_over(&self, temporary: &Path, fresh: &[u8], seen_len: u64) -> Result<u64> {
        let mut file = self
            .disk
            .open_append(temporary)
            .map_err(Error::io("create", temporary))?;
        write_whole(file.as_mut(), fresh).map_err(Error::io("write", temporary))?;
        // Programs that do not take the lock may have appended since the read.
        let now_len = self
            .disk
            .stat(&self.path)
            .map_err(Error::io("inspect", &self.path))?
            .len;
        if now_len > seen_len {
            let meanwhile = self.read_range(seen_len, now_len)?;
            write_whole(file.as_mut(), &meanwhile).map_err(Error::io("write", temporary))?;
        }
        file.sync().map_err(Error::io("sync", temporary))?;
        drop(file);
        self.disk
            .rename(temporary, &self.path)
            .map_err(Error::io("replace", &self.path))?;
        if let Some(folder) = self.path.parent() {
            self.disk.sync_dir(folder).map_err(Error::io("sync", folder))?;
        }
        Ok(now_len.max(seen_len))
    }

    /// Opens the file for appending unless it is open already, and returns its state.
    fn open_for_append(&mut self, detail: StatDetail) -> Result<FileState> {
        if let Some(state) = self.state_unless_due() {
            return Ok(state);
        }
        self.path_check_in = self.path_check_every;
        let found = match detail {
            StatDetail::Full => self.disk.stat(&self.path),
            StatDetail::WithoutTimes => self.disk.stat_untimed(&self.path),
        };
        match found {
            Ok(state)
                if self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.appendable && open.id == state.id) =>
            {
                return Ok(state);
            }
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                // The folder may have been deleted together with the lock file.
                self.lock.renew()?;
                if let Some(folder) = self.path.parent() {
                    self.disk.make_dir(folder).map_err(Error::io("create", folder))?;
                }
            }
            Err(e) => return Err(Error::io("inspect", &self.path)(e)),
        }
        self.reopen_for_append()
    }

    /// Returns the state of the open file; `None` when the path has to be checked, or the file was unlinked.
    fn state_unless_due(&mut self) -> Option<FileState> {
        self.path_check_in = self.path_check_in.saturating_sub(1);
        let open = self
            .open
            .as_ref()
            .filter(|open| open.appendable && self.path_check_in > 0)?;
        open.file.stat_untimed().ok().filter(|state| state.links > 0)
    }

    fn reopen_for_append(&mut self) -> Result<FileState> {
        let file = self
            .disk
            .open_append(&self.path)
            .map_err(Error::io("open", &self.path))?;
        let state = file.state().map_err(Error::io("inspect", &self.path))?;
        if state.len == 0 && self.durability == Durability::Disk {
            self.sync_folders()?;
        }
        self.open = Some(Opened {
            file,
            id: state.id,
            appendable: true,
        });
        self.whole_at = None;
        Ok(state)
    }

    /// Syncs the folders of a new file, so that its name survives a power failure. A new folder is durable once its parent is
    /// synced; the first folder that this tool does not create is the parent of the one that contains file and lock.
    fn sync_folders(&self) -> Result<()> {
        for folder in self.path.ancestors().skip(1) {
            self.disk.sync_dir(folder).map_err(Error::io("sync", folder))?;
            if !self.lock.path().starts_with(folder) {
                continue;
            }
            return match folder.parent() {
                Some(above) => self.disk.sync_dir(above).map_err(Error::io("sync", above)),
                None => Ok(()),
            };
        }
        Ok(())
    }

    fn forget_handles(&mut self) {
        self.lock.release();
        self.open = None;
        self.whole_at = None;
    }
}

/// Writes all of `bytes`, repeating partial writes.
///
/// # Errors
/// What the disk says.
pub fn write_whole(file: &mut dyn DiskFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.append(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Returns a unique temporary path in the folder of `path`.
pub fn temporary_path(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!(".{name}.{}-{count}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests;
