//! Reading whole files that others may have written: regular files only, no links, and no more bytes than expected.

use std::io::{self, ErrorKind};
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile, read_bounded};

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

fn require_regular(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.lstat(path)? {
        Some(_) => Ok(()),
        None => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}
