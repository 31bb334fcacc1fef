//! Reading whole files that others may have written: regular files only, no links, and no more bytes than expected.

use std::io::{self, ErrorKind};
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile, read_bounded};
use forge_memory_core::{Error, Result};

/// An index file is never larger: a run reaches its memory limit before.
pub(crate) const INDEX_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// `meta.json` has a few hundred bytes.
pub(crate) const META_BYTES_MAX: u64 = 1024 * 1024;

/// Opens a regular file for reading; a link is refused, wherever it leads.
pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    require_regular(disk, path)?;
    disk.open_read(path)
}

/// Reads a regular file of at most `bytes_max` bytes. The bytes are copied: when a file that is mapped into memory is
/// truncated, the process dies of a signal.
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

/// Tells whether an error means that there is no such file, or none that may be read, rather than that the disk fails.
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
