//! Reads whole files that others may have written: nothing but regular files, and no more bytes than are expected.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use forge_memory_core::journal::{Disk, DiskFile};

/// Larger files of an index are not this program's: it ends a run before they grow so large.
pub(crate) const INDEX_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// `meta.json` has a few hundred bytes.
pub(crate) const META_BYTES_MAX: u64 = 1024 * 1024;

/// Opens a regular file for reading: opening a FIFO waits for its other end.
pub(crate) fn open(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "no regular file"));
    }
    disk.open_read(path)
}

/// Reads a regular file of at most so many bytes. The bytes are copied: a file that is mapped into memory and then cut
/// short ends the process with a signal.
pub(crate) fn read(disk: &dyn Disk, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open(disk, path)?;
    let len = file.state()?.len;
    if len > bytes_max {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "more bytes than are expected"));
    }
    let len = usize::try_from(len).map_err(|_| io::Error::from(ErrorKind::FileTooLarge))?;
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
    bytes.resize(len, 0);
    let got = file.read_at(0, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}
