//! Reads files of git, of which none need be there.

use std::io;
use std::path::{Path, PathBuf};

use forge_memory_journal::{Disk, read_text};
use forge_memory_record::error::{Error, Result};

const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Reads a text; `None` when there is none, or it is too long for a file of git's.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> Result<Option<String>> {
    let text = unless_absent(read_text(disk, path)).map_err(Error::io("read", path))?;
    Ok(text.filter(|text| text.len() as u64 <= FILE_BYTES_MAX))
}

/// Returns the real path of a file or folder that exists.
pub(crate) fn real_path(disk: &dyn Disk, path: &Path) -> Result<Option<PathBuf>> {
    unless_absent(disk.real_path(path)).map_err(Error::io("find the real path of", path))
}

/// Maps a missing or malformed file to `None`; an unreadable one is an error.
pub(super) fn unless_absent<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{InvalidData, InvalidFilename, InvalidInput, NotADirectory, NotFound};
    match found {
        Ok(found) => Ok(Some(found)),
        Err(e)
            if matches!(
                e.kind(),
                NotFound | NotADirectory | InvalidData | InvalidInput | InvalidFilename
            ) =>
        {
            Ok(None)
        }
        Err(e) => Err(e),
    }
}
