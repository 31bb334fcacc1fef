//! Files of the user's own folder, which only their owner can read.

use std::fs::OpenOptions;
use std::io::{self, Write};
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

/// Makes a file of its own: of several processes that make one at a time, one succeeds. Missing folders are created.
pub(crate) fn create(home: &Path, path: &Path, text: &str) -> std::result::Result<(), io::ErrorKind> {
    refuse_links(home, path).map_err(|_| io::ErrorKind::Other)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            OsDisk.make_dir(path.parent().unwrap_or(home))?;
            options.open(path)
        }
        _ => Err(error),
    });
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| error.kind())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_that_make_a_file_at_a_time_one_succeeds() {
        let home = std::env::temp_dir().join(format!("claims-{}", std::process::id()));
        let path = home.join("hook-later/work.claim");
        let made = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| create(&home, &path, "x").is_ok()))
                .collect();
            makers
                .into_iter()
                .map(|maker| maker.join().unwrap())
                .filter(|made| *made)
                .count()
        });
        assert_eq!((made, std::fs::read_to_string(&path).unwrap().as_str()), (1, "x"));
        std::fs::remove_dir_all(home).unwrap();
    }
}
