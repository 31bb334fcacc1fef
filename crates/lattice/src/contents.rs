//! Reads whole files that others may have written: regular files only, no links, and no more bytes than expected.

use std::io::{self, ErrorKind};
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile, read_bounded};
use forge_memory_core::{Error, Result};

/// The maximum size of an index file. A run reaches its memory limit before.
pub(crate) const INDEX_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// The maximum size of `meta.json`, which has a few hundred bytes.
pub(crate) const META_BYTES_MAX: u64 = 1024 * 1024;

/// Opens a regular file for reading; a link is refused, whatever its target.
pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    require_regular(disk, path)?;
    disk.open_read(path)
}

/// Reads a regular file of at most `bytes_max` bytes. It is copied and not mapped into memory: when a mapped file is
/// truncated, the process is killed by SIGBUS.
pub(crate) fn read(disk: &dyn Disk, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    require_regular(disk, path)?;
    read_bounded(disk, path, bytes_max)
}

/// Reads a file of the index; `None` when it is missing or not one that an index has (a link, a FIFO, too large).
///
/// # Errors
/// `IO` when the disk fails, which says nothing about the file.
pub(crate) fn read_if_there(disk: &dyn Disk, path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>> {
    match read(disk, path, bytes_max) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if is_absent(&e) => Ok(None),
        Err(e) => Err(Error::io("read", path)(e)),
    }
}

/// True if an error means that the file is missing or may not be read, and not that the disk failed.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidInput | ErrorKind::Other
    )
}

fn require_regular(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.lstat(path)? {
        Some(_) => Ok(()),
        None => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}
