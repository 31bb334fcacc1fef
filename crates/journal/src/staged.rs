//! Atomic replacement of whole files: write to a temporary file, `fsync`, `rename`. A reader sees either the old bytes or
//! the new ones.

use std::io;
use std::path::{Path, PathBuf};

use super::{Disk, DiskFile, FileState, temporary_path, write_whole};
use crate::error::{Error, Result};

/// A complete file under a temporary name. It is deleted when this is dropped before [`Staged::place`].
#[derive(Debug)]
pub struct Staged<'d> {
    disk: &'d dyn Disk,
    temporary: PathBuf,
    path: PathBuf,
    is_placed: bool,
}

impl Staged<'_> {
    /// Returns the state of the file, which the rename does not change.
    ///
    /// # Errors
    /// `IO` when it cannot be read.
    pub fn state(&self) -> Result<FileState> {
        self.disk
            .stat(&self.temporary)
            .map_err(Error::io("inspect", &self.temporary))
    }

    /// Renames the file over its target.
    ///
    /// # Errors
    /// `IO`; the old file is unchanged then.
    pub fn place(mut self) -> Result<()> {
        self.disk
            .rename(&self.temporary, &self.path)
            .map_err(Error::io("replace", &self.path))?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = self.disk.remove(&self.temporary);
        }
    }
}

/// Writes the parts of a file under a temporary name, so that several files can be placed one right after the other.
///
/// # Errors
/// `IO`; the old file is unchanged then.
pub fn stage_file<'d>(disk: &'d dyn Disk, path: &Path, parts: &[&[u8]]) -> Result<Staged<'d>> {
    stage_with(disk, path, SyncMode::Synced, |file| write_parts(file, parts))
}

/// True if a staged file is synced before it is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMode {
    /// It is durable before the rename.
    Synced,
    /// It may be damaged after a power failure, which readers detect by a checksum: for caches.
    Unsynced,
}

/// Writes a file under a temporary name with the given function.
///
/// # Errors
/// `IO`; the old file is unchanged then.
pub fn stage_with<'d>(
    disk: &'d dyn Disk,
    path: &Path,
    mode: SyncMode,
    write: impl FnOnce(&mut dyn DiskFile) -> io::Result<()>,
) -> Result<Staged<'d>> {
    if let Some(folder) = path.parent() {
        disk.make_dir(folder).map_err(Error::io("create", folder))?;
    }
    let staged = Staged {
        disk,
        temporary: temporary_path(path),
        path: path.to_path_buf(),
        is_placed: false,
    };
    let temporary = &staged.temporary;
    let mut file = disk.open_append(temporary).map_err(Error::io("create", temporary))?;
    write(file.as_mut()).map_err(Error::io("write", temporary))?;
    if mode == SyncMode::Synced {
        file.sync().map_err(Error::io("sync", temporary))?;
    }
    drop(file);
    Ok(staged)
}

/// Replaces a file to which no other process appends: temporary file, sync, rename.
///
/// # Errors
/// `IO`; the old file is untouched then.
pub fn write_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    stage_file(disk, path, &[bytes])?.place()
}

/// Writes parts one after the other; small ones are combined into one write.
///
/// # Errors
/// The disk's error.
pub fn write_parts(file: &mut dyn DiskFile, parts: &[&[u8]]) -> io::Result<()> {
    const BUFFER_BYTES: usize = 256 * 1024;
    let mut waiting = Vec::new();
    for part in parts {
        if waiting.len() + part.len() > BUFFER_BYTES {
            write_whole(file, &waiting)?;
            waiting.clear();
        }
        if part.len() > BUFFER_BYTES / 4 {
            write_whole(file, &waiting)?;
            waiting.clear();
            write_whole(file, part)?;
        } else {
            waiting.extend_from_slice(part);
        }
    }
    write_whole(file, &waiting)
}
