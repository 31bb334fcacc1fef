//! Files that several processes share, and the only way in which JSON Lines files are written. This crate knows nothing of
//! memories.
//!
//! [`Disk`] is the file system as the engine uses it; [`OsDisk`] is the real one, and [`ConfinedDisk`] does not leave a
//! project. [`LockFile`] excludes other processes, [`plain`] reads lines of JSON without a parser, and [`clock`] tells the
//! time.
//!
//! A journal is a log: it is only appended to, under an operating system lock on a side file, one record per line and one
//! `write` per record. [`JournalWriter::append`] first terminates a torn tail, so that a record is never joined to it.
//! [`Journal::replace`] is the only rewrite, and keeps records appended meanwhile. Readers take no lock: a line counts
//! once its line end is there.
//!
//! ```
//! use std::sync::Arc;
//!
//! use forge_memory_journal::{Disk, Journal, OsDisk};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let disk: Arc<dyn Disk> = Arc::new(OsDisk);
//! let mut journal = Journal::new(disk, folder.path().join("notes.jsonl"), folder.path().join("notes.lock"));
//! let span = journal.append(br#"{"id":1}"#)?;
//! assert_eq!((span.offset, span.len), (0, 9));
//!
//! let state = journal.look()?.ok_or("the file does not exist")?;
//! let mut lines = Vec::new();
//! journal.scan(0, state.len, &mut |line| lines.push(String::from_utf8_lossy(line.bytes).into_owned()))?;
//! assert_eq!(lines, [r#"{"id":1}"#]);
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]
// Every byte that is read here comes from outside.
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

mod bytes;
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

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use bytes::BytesDisk;
pub use confined::ConfinedDisk;
pub use disk::{Disk, DiskFile, DiskLock, Entry, OsDisk, UnsafePath};
pub use error::{Error, INVALID_INPUT_HINT, Result};
pub use follower::{Follower, count_lines};
pub use lines::{LINE_BYTES_MAX, Line, clean, each_line, halves, scan_lines};
pub use lock::{LockFile, LockGuard};
pub use metadata::{Access, FileKind, Metadata, has_modes, user_id};
pub use reader::DiskReader;
pub use rotate::{OnRotation, Rotation, generation_path, rotated_path};
pub use staged::{Staged, SyncMode, stage_file, stage_with, write_file, write_parts};
pub use state::{FileId, FileState, StatDetail};
pub use trusted::{ApprovalKind, approval_path, is_approved, is_folder_trusted};
pub use whole::{read_bounded, read_file, read_text};
pub use writer::JournalWriter;

/// How far a record has got when its append is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// In the operating system's cache: it survives the end of the process.
    #[default]
    Os,
    /// On the storage device: it survives a loss of power. Every append waits for the device.
    Disk,
}

/// The maximum offset. A damaged index may contain a larger one, at which systems refuse to read.
const OFFSET_MAX: u64 = 1 << 62;

/// The position of a record in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length in bytes, line end included.
    pub len: u64,
}

/// A JSON Lines file that several processes and threads append to.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    lock: LockFile,
    durability: Durability,
    copy: Option<Box<Copy>>,
    open: Option<Opened>,
    /// The length after our own last append. While the file has this length, its tail is known to be complete.
    whole_at: Option<u64>,
    /// The path is checked at every n-th append: n, and how many appends are left until then.
    path_check_every: u32,
    path_check_in: u32,
}

/// Where the lines of a journal are kept a second time.
#[derive(Debug)]
struct Copy {
    journal: Journal,
    head: Vec<u8>,
    is_required: bool,
}

impl Copy {
    /// Appends lines, after the first one. Without a copy that is not required, the journal itself is as good as ever.
    fn append(&mut self, lines: &[u8]) -> Result<()> {
        match self.append_after_head(lines) {
            Err(_) if !self.is_required => Ok(()),
            outcome => outcome,
        }
    }

    fn append_after_head(&mut self, lines: &[u8]) -> Result<()> {
        let mut held = self.journal.writer_with(StatDetail::WithoutTimes)?;
        if held.is_empty() {
            held.append(&self.head)?;
        }
        held.append_lines(lines)?;
        Ok(())
    }

    /// Removes the lines that a rewrite of the journal has removed, such as secrets, and adds those that it has added. Lines that the journal had
    /// lost before stay.
    fn follow(&mut self, old: &[u8], fresh: &[u8]) -> Result<()> {
        if self.journal.look()?.is_none() {
            return Ok(());
        }
        let lines = |bytes| each_line(bytes).map(|(_, line)| line).collect::<HashSet<&[u8]>>();
        let (before, kept) = (lines(old), lines(fresh));
        self.journal.replace::<Error>(|copied| {
            let (head, copied) = copied.split_at(memchr::memchr(b'\n', copied).map_or(copied.len(), |end| end + 1));
            let known = each_line(copied).filter(|(_, line)| kept.contains(line) || !before.contains(line));
            let added = each_line(fresh).filter(|(_, line)| !before.contains(line));
            let lines: Vec<&[u8]> = known.chain(added).map(|(raw, _)| raw).collect();
            Ok(Some([head, &lines.concat()].concat()))
        })?;
        Ok(())
    }
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

    /// Returns the journal at `path` under a lock that it shares with other journals.
    pub fn under(disk: Arc<dyn Disk>, path: PathBuf, lock: LockFile) -> Self {
        Journal {
            disk,
            path,
            lock,
            durability: Durability::Os,
            copy: None,
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

    /// Keeps appended lines in another journal as well, which begins with the line `head`. If that `is_required`, an append is acknowledged once
    /// both have it.
    pub fn set_copy(&mut self, journal: Journal, head: Vec<u8>, is_required: bool) {
        let copy = Copy {
            journal,
            head,
            is_required,
        };
        self.copy = Some(Box::new(copy));
    }

    /// Sets whether an append waits for `fsync`.
    pub fn set_durability(&mut self, durability: Durability) {
        self.durability = durability;
        if let Some(copy) = &mut self.copy {
            copy.journal.durability = durability;
        }
    }

    /// Returns how far an append has got when it is acknowledged.
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

    /// Opens the file that the path leads to now for the following reads, and returns its state; `None` when it does
    /// not exist.
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

    /// Calls `visit` for each complete line in the byte range `from..to`, and returns the offset after the last one.
    /// [`Journal::look`] must be called first.
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

    /// Takes the journal's lock, and reads as much of the file's state as the caller needs.
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

    /// Rewrites the journal atomically. `rewrite` gets the current bytes and returns the new ones, or `None` to leave
    /// the file unchanged; bytes that other programs append meanwhile are copied over. Returns true if the file was
    /// replaced.
    ///
    /// # Errors
    /// `LOCKED`, `IO`, or the error of `rewrite`; the old file is unchanged then.
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
            // A failure is ignored: the name is unique, and `doctor` finds the leftover file.
            let _ = writer.journal.disk.remove(&temporary);
        }
        let carried = match outcome {
            Ok(taken) => writer.journal.carry_late(taken),
            Err(error) => Err(error),
        };
        writer.journal.open = None;
        writer.journal.whole_at = None;
        carried?;
        if let Some(copy) = &mut writer.journal.copy {
            copy.follow(&old, &fresh)?;
        }
        Ok(true)
    }

    /// Copies lines that programs without the lock have appended to the old file after it was read: they had opened it before the rename. `taken`
    /// is the length that the new file already contains.
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

    /// Replaces the file by new bytes, and returns the length of the old file that they replace.
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
/// The errors of the disk.
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
    // Several libraries of one process may have this function, each with a count of its own at a place of its own.
    let library = &raw const COUNT as usize;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    path.with_file_name(format!(".{name}.{}-{library:x}-{count}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests;
