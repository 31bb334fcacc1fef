//! Ownership of an index: a clone may contain one that misleads its readers. An index is trusted only while all its files
//! are those that this machine wrote, identified by file id, length and time in a list that this machine has authenticated
//! (HMAC).

use forge_memory_core::journal::{FileId, FileState, Staged};
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::IndexFolder;
use crate::contents::{META_BYTES_MAX, is_absent, open, read_if_there};

/// The purpose of the mark.
const NAME: &str = "lattice";

/// The files that this machine wrote: those in place, and those about to be placed.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Owned {
    files: Vec<Stamp>,
    /// True if a run found the files whole and synced them, so that no power failure damages them.
    #[serde(default)]
    is_synced: bool,
}

/// The identity of a file, which renaming does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    id: FileId,
    len: u64,
    modified_ns: i64,
}

impl From<FileState> for Stamp {
    fn from(state: FileState) -> Self {
        Stamp {
            id: state.id,
            len: state.len,
            modified_ns: state.modified_ns,
        }
    }
}

/// True if every file of the index was written by this machine. Without marks, every index is.
pub(crate) fn is_own(folder: &IndexFolder) -> Result<bool> {
    if folder.marks.is_none() {
        return Ok(true);
    }
    let known = owned(folder)?.files;
    Ok(present(folder)?.iter().all(|stamp| known.contains(stamp)))
}

/// True if the files of the index are all those that were found whole and synced, so that they need not be read to know that.
pub(crate) fn is_kept(folder: &IndexFolder) -> Result<bool> {
    let known = owned(folder)?;
    let present = present(folder)?;
    Ok(known.is_synced
        && present.len() == folder.paths.written().len()
        && present.iter().all(|stamp| known.files.contains(stamp)))
}

/// Syncs the files of the index, which its writers do not, once that is worth it: after a run that found them whole.
pub(crate) fn keep(folder: &IndexFolder) -> Result<()> {
    if folder.marks.is_none() || is_kept(folder)? {
        return Ok(());
    }
    for path in folder.paths.written() {
        let file = open(folder.disk.as_ref(), path);
        if file.and_then(|file| file.sync()).is_err() {
            // Where a file cannot be synced, as one open for reading on Windows, every run reads the files.
            return Ok(());
        }
    }
    let owned = Owned {
        files: present(folder)?,
        is_synced: true,
    };
    list(folder, &owned)
}

/// Places files of the index. They are listed as this machine's before, so that every file in place is on the list,
/// whenever the process dies.
pub(crate) fn place(folder: &IndexFolder, staged: Vec<Staged<'_>>) -> Result<()> {
    if folder.marks.is_some() {
        let known = owned(folder)?.files;
        let kept = present(folder)?.into_iter().filter(|stamp| known.contains(stamp));
        let mut files: Vec<Stamp> = kept.collect();
        for file in &staged {
            files.push(file.state()?.into());
        }
        let owned = Owned {
            files,
            is_synced: false,
        };
        list(folder, &owned)?;
    }
    Ok(staged.into_iter().try_for_each(Staged::place)?)
}

fn list(folder: &IndexFolder, owned: &Owned) -> Result<()> {
    let Some(marks) = &folder.marks else {
        return Ok(());
    };
    let mut line = serde_json::to_vec(owned).unwrap_or_default();
    marks.seal(NAME, &mut line)?;
    Ok(folder.stage_unsynced(&folder.paths.owned, &[&line])?.place()?)
}

fn owned(folder: &IndexFolder) -> Result<Owned> {
    let Some(marks) = &folder.marks else {
        return Ok(Owned::default());
    };
    let checker = marks.try_checker()?;
    let text = read_if_there(folder.disk.as_ref(), &folder.paths.owned, META_BYTES_MAX)?;
    let owned = text
        .filter(|text| checker.is_sealed(NAME, text))
        .and_then(|text| serde_json::from_slice(&text).ok());
    Ok(owned.unwrap_or_default())
}

/// Returns the files of the index that are in place.
fn present(folder: &IndexFolder) -> Result<Vec<Stamp>> {
    let mut stamps = Vec::new();
    for path in folder.paths.written() {
        match folder.disk.stat(path) {
            Ok(state) => stamps.push(Stamp::from(state)),
            Err(e) if is_absent(&e) => {}
            Err(e) => return Err(Error::io("inspect", path)(e)),
        }
    }
    Ok(stamps)
}
