//! Reads whole files, bounded in size.

use std::io;
use std::path::Path;

use super::disk::unsafe_path;
use super::{Disk, DiskFile};
use crate::error::{Error, Result};

/// Reads a whole file; `None` when it does not exist.
///
/// # Errors
/// `IO` when it exists but cannot be read.
pub fn read_file(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match disk.open_read(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("open", path)(e)),
    };
    read_open(file.as_ref(), u64::MAX)
        .map(Some)
        .map_err(Error::io("read", path))
}

/// Reads a whole file of at most `bytes_max` bytes.
///
/// # Errors
/// The disk's error, `NotFound` included. A larger file is refused, and `OutOfMemory` is returned when it does not fit.
pub fn read_bounded(disk: &dyn Disk, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_open(disk.open_read(path)?.as_ref(), bytes_max)
}

fn read_open(file: &dyn DiskFile, bytes_max: u64) -> io::Result<Vec<u8>> {
    let len = file.state()?.len;
    if len > bytes_max {
        return Err(unsafe_path(format!("it has {len} bytes; at most {bytes_max} are read")));
    }
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(len, 0);
    let got = file.read_at(0, &mut bytes)?;
    bytes.truncate(got);
    Ok(bytes)
}

/// The maximum size of settings, manifests and the files of git.
const TEXT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads a small file as text, without its byte order mark.
///
/// # Errors
/// The disk's error, `NotFound` included; `InvalidData` when it is not UTF-8.
pub fn read_text(disk: &dyn Disk, path: &Path) -> io::Result<String> {
    let bytes = read_bounded(disk, path, TEXT_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
