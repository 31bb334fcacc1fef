//! Reads and rewrites the file of a store.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::contents::Contents;
use forge_memory_core::error::{Error, FileError, Result};
use forge_memory_journal::{Disk, FileState, LockFile, temporary_path, write_whole};

/// The maximum size of a file; 256 MiB are over half a million entries.
pub(super) const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The maximum number of attempts when a program without the lock changes the file.
const ATTEMPTS_MAX: u64 = 20;

/// Reads a store; `None` when the file does not exist.
pub(super) fn read_contents(disk: &dyn Disk, path: &Path) -> Result<Option<Contents>> {
    read_state(disk, path).map(|found| found.map(|(_, contents)| contents))
}

fn read_state(disk: &dyn Disk, path: &Path) -> Result<Option<(FileState, Contents)>> {
    let file = match disk.open_read(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("open", path)(e)),
    };
    let state = file.state().map_err(Error::io("inspect", path))?;
    if state.len > FILE_BYTES_MAX {
        let error = Error::Unsupported {
            what: format!("{} with {} MiB", path.display(), state.len >> 20),
            reason: format!("at most {} MiB are read", FILE_BYTES_MAX >> 20),
        };
        return Err(error.advised("move the file away, or split it"));
    }
    let len = usize::try_from(state.len).unwrap_or(0);
    let contents = Contents::read(file.as_ref(), len).map_err(Error::io("read", path))?;
    Ok(Some((state, contents)))
}

pub(super) fn text_of<'a>(contents: &'a Contents, path: &Path) -> Result<&'a str> {
    let text = contents.text();
    text.map_err(|e| corrupt(path, &format!("it is not valid JSON: {e}")))
}

pub(super) fn corrupt(path: &Path, reason: &str) -> Error {
    let error = Error::Corrupt {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    };
    error.advised("replace it with a JSON list, or move it away; nothing was changed")
}

/// Returns the error of a store that is not valid JSON.
pub(super) fn not_json(path: &Path, error: &serde_json::Error) -> Error {
    corrupt(path, &format!("it is not valid JSON: {error}"))
}

/// Rewrites a store under its lock. `change` gets the text, or `None` when there is no file, and returns the new text, or
/// `None` to leave the file unchanged. It is called again when another program has changed the file meanwhile.
///
/// # Errors
/// `LOCKED`, `IO`, or the error of `change`; the file is unchanged then.
pub(super) fn rewrite<T>(
    disk: &Arc<dyn Disk>,
    path: &Path,
    mut change: impl FnMut(Option<&str>) -> Result<(Option<String>, T)>,
) -> Result<T> {
    // A link stays a link, and all paths to the file share one lock.
    let path = &disk.resolve(path).map_err(Error::io("open", path))?;
    let lock = LockFile::new(Arc::clone(disk), lock_path(path));
    let _guard = lock.guard()?;
    if disk.stat(path).is_err() {
        // The folder, with the lock file, may have been deleted and created again while this process waited.
        lock.renew()?;
    }
    remove_leftovers(disk.as_ref(), path);
    for _ in 0..ATTEMPTS_MAX {
        let found = read_state(disk.as_ref(), path)?;
        let (seen, text) = match &found {
            Some((state, contents)) => (Some(*state), Some(text_of(contents, path)?)),
            None => (None, None),
        };
        let (fresh, answer) = change(text)?;
        let Some(fresh) = fresh else { return Ok(answer) };
        if replace(disk.as_ref(), path, fresh.as_bytes(), seen)? {
            return Ok(answer);
        }
    }
    Err(Error::File(FileError::Locked {
        path: path.clone(),
        waited_ms: 0,
    }))
}

/// Replaces the file atomically, unless it has changed since it was read (compare and swap).
fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8], seen: Option<FileState>) -> Result<bool> {
    let temporary = temporary_path(path);
    let outcome = (|| {
        let mut file = disk.open_append(&temporary).map_err(Error::io("create", &temporary))?;
        write_whole(file.as_mut(), bytes).map_err(Error::io("write", &temporary))?;
        if seen.is_some() {
            // Keep the permissions of the file. If that fails, only its owner can read the new one.
            let _ = disk.copy_mode(path, &temporary);
        }
        file.sync().map_err(Error::io("sync", &temporary))?;
        drop(file);
        if state_of(disk, path)? != seen {
            return Ok(false);
        }
        disk.rename(&temporary, path).map_err(Error::io("replace", path))?;
        Ok(true)
    })();
    if !matches!(outcome, Ok(true)) {
        let _ = disk.remove(&temporary);
    } else if let Some(folder) = path.parent() {
        disk.sync_dir(folder).map_err(Error::io("sync", folder))?;
    }
    outcome
}

fn state_of(disk: &dyn Disk, path: &Path) -> Result<Option<FileState>> {
    match disk.stat(path) {
        Ok(state) => Ok(Some(state)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("inspect", path)(e)),
    }
}

fn lock_path(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.lock", name_of(path)))
}

/// Removes temporary files of writers that were killed. No other process writes now, because the lock is held.
fn remove_leftovers(disk: &dyn Disk, path: &Path) {
    let prefix = format!(".{}.", name_of(path));
    let Some(folder) = path.parent() else { return };
    for entry in disk.list(folder).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        if name.starts_with(&prefix) && name.ends_with(".tmp") {
            // A failure is harmless: the file only uses space.
            let _ = disk.remove(&folder.join(&entry.name));
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
