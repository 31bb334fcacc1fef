//! Files that are looked at as a whole.

use std::io;
use std::path::Path;

use super::Disk;
use crate::error::{Error, Result};

/// Reads a whole file; nothing when there is none.
///
/// # Errors
/// `IO` when it is there but cannot be read.
pub(crate) fn read_file(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match disk.open_read(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("open", path)(e)),
    };
    let len = file.state().map_err(Error::io("look at", path))?.len;
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let got = file.read_at(0, &mut bytes).map_err(Error::io("read", path))?;
    bytes.truncate(got);
    Ok(Some(bytes))
}
