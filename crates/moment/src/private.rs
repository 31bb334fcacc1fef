//! Files of the user's own folder, which only their owner can read.

use std::io;
use std::path::{Path, PathBuf};

use forge_memory_core::journal::{Disk, OsDisk, SyncMode, read_bounded, stage_with, write_parts};
use forge_memory_core::{Error, Result};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const BYTES_MAX: u64 = 4 << 20;

/// Returns an error when a path below a folder is a link, or a folder on the way is one.
pub(crate) fn refuse_links(folder: &Path, path: &Path) -> Result<()> {
    let mut at = folder.to_path_buf();
    let below = path.strip_prefix(folder).unwrap_or(Path::new(""));
    for part in below {
        at.push(part);
        match std::fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let error = io::Error::other(format!("{} is a link; it was not opened", at.display()));
                return Err(Error::io("open", path)(error));
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// Replaces a file. Missing folders are created.
pub(crate) fn write(home: &Path, path: &Path, text: &str) -> Result<()> {
    refuse_links(home, path)?;
    stage_with(&OsDisk, path, SyncMode::Unsynced, |file| {
        write_parts(file, &[text.as_bytes()])
    })?
    .place()?;
    Ok(())
}

/// Reads a file of JSON; `None` when there is none, or when it cannot be read.
pub(crate) fn read<T: DeserializeOwned>(home: &Path, path: &Path) -> Option<T> {
    refuse_links(home, path).ok()?;
    serde_json::from_slice(&read_bounded(&OsDisk, path, BYTES_MAX).ok()?).ok()
}

/// Appends lines to a file, and creates it.
pub(crate) fn append(home: &Path, path: &Path, text: &str) -> Result<()> {
    refuse_links(home, path)?;
    if let Some(folder) = path.parent() {
        OsDisk.make_dir(folder).map_err(Error::io("create", folder))?;
    }
    let mut file = OsDisk.open_append(path).map_err(Error::io("open", path))?;
    file.append(text.as_bytes()).map_err(Error::io("write", path))?;
    Ok(())
}

/// Makes a folder that only its owner can enter, if that is possible.
pub(crate) fn make_folder(home: &Path, folder: &Path) {
    if refuse_links(home, folder).is_ok() {
        let _ = OsDisk.make_dir(folder);
    }
}

pub(crate) fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// Lists the names in a folder; none when it cannot be read.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Removes the files of a folder that are older than so many milliseconds.
pub(crate) fn clear_older(folder: &Path, ms: u128) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry
            .metadata()
            .and_then(|found| found.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age.as_millis() > ms) {
            remove(&entry.path());
        }
    }
}

/// Returns the first digits of the SHA-256 of a text: text from outside never becomes a part of a path.
pub(crate) fn digest(text: &str, digits: usize) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let mut hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(digits);
    hex
}

/// Returns the path of a file that is named by a hash.
pub(crate) fn hashed(home: &Path, folder: &str, name: &str, ending: &str) -> PathBuf {
    home.join(folder).join(format!("{}.{ending}", digest(name, 32)))
}
