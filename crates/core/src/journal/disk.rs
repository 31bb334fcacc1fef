//! What a journal needs of the file system, as a trait, so that tests can make every single operation fail.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use super::state::{FileState, glance_at, glance_at_path, state_at, state_of};

/// An open file: appended to at its end, read at any offset.
pub trait DiskFile: Send + Sync + Debug {
    /// Appends once and returns how many bytes went in.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Reads at `offset` into `buffer`; fewer bytes than asked only at the end of the file.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// Hands all written bytes to the disk itself.
    fn sync(&self) -> io::Result<()>;
    /// Tells which file this is, how long it is and when it was changed.
    fn state(&self) -> io::Result<FileState>;
    /// Tells the same, but need not tell when it was changed; see [`FileState::modified_ns`].
    fn glance(&self) -> io::Result<FileState> {
        self.state()
    }
}

/// An open lock file. The operating system drops the lock when the process dies.
pub trait DiskLock: Send + Sync + Debug {
    /// Takes the lock if nobody has it.
    fn try_lock(&self) -> io::Result<bool>;
    /// Gives the lock back.
    fn unlock(&self) -> io::Result<()>;
    /// Tells whether the file still has a name, so that others find the same one.
    fn is_named(&self) -> io::Result<bool> {
        Ok(true)
    }
}

/// The file system, as far as journals use it.
pub trait Disk: Send + Sync + Debug {
    /// Looks at the file a path leads to.
    fn stat(&self, path: &Path) -> io::Result<FileState>;
    /// Looks likewise, but need not tell when the file was changed; see [`FileState::modified_ns`].
    fn glance(&self, path: &Path) -> io::Result<FileState> {
        self.stat(path)
    }
    /// Opens for appending and reading, creating it for its owner only.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens for reading.
    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens or creates a lock file.
    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>>;
    /// Moves a file over another, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder and its parents, for their owner only.
    fn make_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes renames and new files in a folder durable, where the system can.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// The real file system.
#[derive(Debug, Default, Clone, Copy)]
pub struct OsDisk;

impl DiskFile for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match read_once_at(self, offset + filled as u64, &mut buffer[filled..]) {
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

    fn glance(&self) -> io::Result<FileState> {
        glance_at(self)
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
        Ok(glance_at(self)?.links > 0)
    }
}

impl Disk for OsDisk {
    fn stat(&self, path: &Path) -> io::Result<FileState> {
        state_at(path)
    }

    fn glance(&self, path: &Path) -> io::Result<FileState> {
        glance_at_path(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        owner_only_file(&mut options);
        Ok(Box::new(options.open(path)?))
    }

    fn open_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File::open(path)?))
    }

    fn open_lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        owner_only_file(&mut options);
        Ok(Box::new(options.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_dir(&self, path: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Windows has no such call: NTFS journals its own metadata.
        if cfg!(unix) {
            File::open(path)?.sync_all()
        } else {
            Ok(())
        }
    }
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
