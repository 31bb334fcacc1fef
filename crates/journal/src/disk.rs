//! The operations of the file system that the engine uses, as a trait, so that tests can make each of them fail (fault
//! injection).

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File, FileType, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::metadata::{FileKind, Metadata};
use super::state::{FileState, file_state, file_state_untimed, path_state_untimed, state_at, state_of};

/// Why a path was not opened.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct UnsafePath {
    /// The reason, as the rest of a sentence about the path.
    pub reason: String,
}

/// Returns the error of a path that is not opened.
pub(super) fn unsafe_path(reason: impl Into<String>) -> io::Error {
    io::Error::other(UnsafePath { reason: reason.into() })
}

/// An open file: appended at its end, read at any offset.
pub trait DiskFile: Send + Sync + Debug {
    /// Appends with one call and returns the number of bytes written, which may be fewer.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Reads at `offset` into `buffer`. Returns fewer bytes than its length only at the end of the file.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// Flushes all written bytes to the storage device (`fsync`).
    fn sync(&self) -> io::Result<()>;
    /// Returns the identity, length and time of change of the file.
    fn state(&self) -> io::Result<FileState>;
    /// Returns the same without the time of change, where that is cheaper; see [`FileState::modified_ns`].
    fn stat_untimed(&self) -> io::Result<FileState> {
        self.state()
    }
}

/// An open lock file. The operating system drops the lock when the process dies.
pub trait DiskLock: Send + Sync + Debug {
    /// Takes the lock unless it is held.
    fn try_lock(&self) -> io::Result<bool>;
    /// Releases the lock.
    fn unlock(&self) -> io::Result<()>;
    /// True if the file is still linked, so that other processes open the same one.
    fn is_named(&self) -> io::Result<bool> {
        Ok(true)
    }
}

/// A directory entry; links are not followed.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The name within the folder.
    pub name: OsString,
    /// True if it is a regular file.
    pub is_file: bool,
    /// True if it is a folder.
    pub is_folder: bool,
    /// Its length in bytes.
    pub len: u64,
}

/// The file system, as far as the engine uses it.
pub trait Disk: Send + Sync + Debug {
    /// Returns the state of the file at a path, following links.
    fn stat(&self, path: &Path) -> io::Result<FileState>;
    /// Returns the same without the time of change, where that is cheaper; see [`FileState::modified_ns`].
    fn stat_untimed(&self, path: &Path) -> io::Result<FileState> {
        self.stat(path)
    }
    /// Returns the state of the file at a path to compare it with an earlier one: no check is made of the path.
    fn peek(&self, path: &Path) -> io::Result<FileState> {
        self.stat(path)
    }
    /// Returns the state of a file without following a link in the last component; `None` for anything but a regular file.
    fn lstat(&self, path: &Path) -> io::Result<Option<FileState>> {
        let folder = path.parent().unwrap_or(path);
        let entry = self
            .list(folder)?
            .into_iter()
            .find(|entry| path.file_name() == Some(&entry.name));
        match entry {
            Some(entry) if entry.is_file => self.stat(path).map(Some),
            Some(_) => Ok(None),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
    /// Opens for appending and reading, creating it for its owner only.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens for reading.
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens or creates a lock file.
    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>>;
    /// Returns the kind and permissions of the file or folder at a path, following links; `NotFound` when there is none.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Returns the same without following a link in the last component.
    fn link_metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Returns the absolute path without links; `NotFound` when nothing exists there.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;
    /// Renames a file over another one atomically.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Returns the canonical path, or the path itself when nothing exists there.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// Removes a folder recursively; links in it are removed, not followed.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_empty_folder(&self, path: &Path) -> io::Result<()>;
    /// Lists the entries of a folder, in no particular order.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;
    /// Copies the permissions of a file to another one.
    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Creates a folder and its parents, for their owner only.
    fn make_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes renames and new files in a folder durable (`fsync` of the folder), where the system supports it.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

impl dyn Disk + '_ {
    /// True if anything exists at a path, following links. What cannot be inspected counts as missing.
    pub fn has(&self, path: &Path) -> bool {
        self.metadata(path).is_ok()
    }

    /// True if a regular file exists at a path, following links.
    pub fn has_file(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::File)
    }

    /// True if a folder exists at a path, following links.
    pub fn has_folder(&self, path: &Path) -> bool {
        self.metadata(path).is_ok_and(|found| found.kind == FileKind::Folder)
    }
}

/// The real file system. Only regular files are opened: opening a FIFO blocks, and devices and sockets do not keep written bytes.
#[derive(Debug, Default, Clone, Copy)]
pub struct OsDisk;

impl DiskFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match read_once_at(self, offset + filled as u64, rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(filled)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn state(&self) -> io::Result<FileState> {
        state_of(self)
    }

    fn stat_untimed(&self) -> io::Result<FileState> {
        file_state_untimed(self)
    }
}

impl DiskLock for File {
    fn try_lock(&self) -> io::Result<bool> {
        match File::try_lock(self) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        File::unlock(self)
    }

    fn is_named(&self) -> io::Result<bool> {
        Ok(file_state_untimed(self)?.links > 0)
    }
}

impl Disk for OsDisk {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        state_at(path)
    }

    fn stat_untimed(&self, path: &Path) -> io::Result<FileState> {
        path_state_untimed(path)
    }

    fn lstat(&self, path: &Path) -> io::Result<Option<FileState>> {
        let found = fs::symlink_metadata(path)?;
        found.is_file().then(|| file_state(path, &found)).transpose()
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        owner_only_file(&mut options);
        Ok(Box::new(open_with(&mut options, path)?))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(open_regular(path)?))
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        owner_only_file(&mut options);
        Ok(Box::new(open_with(&mut options, path)?))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(Metadata::from(&fs::metadata(path)?))
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(Metadata::from(&fs::symlink_metadata(path)?))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        match self.real_path(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(path.to_path_buf()),
            found => found,
        }
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn remove_empty_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let entries = fs::read_dir(folder)?.map(|entry| {
            let entry = entry?;
            let found = entry.metadata()?;
            Ok(Entry {
                name: entry.file_name(),
                is_file: found.is_file(),
                is_folder: found.is_dir(),
                len: found.len(),
            })
        });
        // Another process may have removed the entry since it was listed.
        let is_gone = |entry: &io::Result<Entry>| entry.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
        entries.filter(|entry| !is_gone(entry)).collect()
    }

    fn copy_mode(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Windows has no such call: NTFS journals its metadata.
        if cfg!(unix) {
            File::open(path)?.sync_all()
        } else {
            Ok(())
        }
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// The system's error; `UnsafePath` for anything but a regular file.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        // Checked before opening, because opening a device can have side effects.
        Ok(found) if !found.is_file() => return Err(unsafe_path(not_a_file(found.file_type()))),
        _ => {}
    }
    never_wait(options);
    let file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        return Ok(file);
    }
    Err(unsafe_path(not_a_file(found.file_type())))
}

#[cfg(unix)]
fn never_wait(options: &mut OpenOptions) {
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    // The flags are those of the system's own header.
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.cast_signed());
}

#[cfg(not(unix))]
fn never_wait(_options: &mut OpenOptions) {}

/// Names the type of something that is not a regular file.
fn not_a_file(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a folder has the name of the file";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "it is a FIFO, not a regular file";
        }
        if found.is_socket() {
            return "it is a socket, not a regular file";
        }
    }
    "it is a device, not a regular file"
}

#[cfg(unix)]
fn owner_only_file(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn owner_only_file(_options: &mut OpenOptions) {}

#[cfg(unix)]
fn read_once_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
