//! Files that are looked at as a whole.

use std::io;
use std::path::Path;

use super::Disk;
use super::confined::unsafe_path;
use crate::error::{Error, Result};

/// Reads a whole file; nothing when there is none.
///
/// # Errors
/// `IO` when it is there but cannot be read.
pub fn read_file(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>> {
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

/// Settings, manifests and the files of git are small; what is larger is not one of them.
const TEXT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads a small file as text, without a byte order mark.
///
/// # Errors
/// What the disk says, `NotFound` included; `InvalidData` for what is not UTF-8.
pub fn read_text(disk: &dyn Disk, path: &Path) -> io::Result<String> {
    let file = disk.open_read(path)?;
    let len = file.state()?.len;
    if len > TEXT_BYTES_MAX {
        return Err(unsafe_path(format!("it has {len} bytes, more than a file of its kind")));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let got = file.read_at(0, &mut bytes)?;
    bytes.truncate(got);
    let text = String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
