//! Ownership of an index: a clone may contain one that misleads its readers. An index is trusted only while all its files
//! are those that this machine wrote, identified by file id, length and time in a list that this machine has authenticated
//! (HMAC).

use forge_memory_core::journal::{FileId, FileState, Staged, SyncMode, stage_with, write_parts};
use forge_memory_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::IndexFolder;
use crate::contents::{META_BYTES_MAX, is_absent, read_if_there};

/// The purpose of the mark.
const NAME: &str = "lattice";

/// The files that this machine wrote: those in place, and those about to be placed.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Owned {
    files: Vec<Stamp>,
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

/// Places files of the index. They are listed as this machine's before, so that every file in place is on the list,
/// whenever the process dies.
pub(crate) fn place(folder: &IndexFolder, staged: Vec<Staged<'_>>) -> Result<()> {
    if let Some(marks) = &folder.marks {
        let known = owned(folder)?.files;
        let kept = present(folder)?.into_iter().filter(|stamp| known.contains(stamp));
        let mut files: Vec<Stamp> = kept.collect();
        for file in &staged {
            files.push(file.state()?.into());
        }
        let mut line = serde_json::to_vec(&Owned { files }).unwrap_or_default();
        marks.seal(NAME, &mut line)?;
        let write = |file: &mut dyn forge_memory_core::journal::DiskFile| write_parts(file, &[&line]);
        stage_with(folder.disk.as_ref(), &folder.paths.owned, SyncMode::Unsynced, write)?.place()?;
    }
    Ok(staged.into_iter().try_for_each(Staged::place)?)
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
