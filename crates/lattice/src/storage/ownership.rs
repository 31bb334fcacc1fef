//! Whose index it is: a clone may bring an index along that leads its readers astray. One counts only while its files are those
//! that this machine wrote, told by where and when they were written, in a list that carries this machine's mark.

use forge_memory_core::Result;
use forge_memory_core::journal::{FileId, FileState, Lasting, Staged, stage_by, write_parts};
use serde::{Deserialize, Serialize};

use super::IndexFolder;
use crate::contents::{META_BYTES_MAX, read};

/// What the mark is for.
const NAME: &str = "lattice";

/// The files that this machine wrote: those that stand there, and those that are about to.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Owned {
    files: Vec<Stamp>,
}

/// What tells a file from every other one. Renaming it changes none of that.
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

/// Tells whether every file of the index was written by this machine. Without marks there is nobody else.
pub(crate) fn is_own(folder: &IndexFolder) -> bool {
    if folder.marks.is_none() {
        return true;
    }
    let known = owned(folder).files;
    standing(folder).iter().all(|stamp| known.contains(stamp))
}

/// Puts files of the index in their places, and says before that they are this machine's: whenever the process ends, what
/// stands there is on the list.
pub(crate) fn place(folder: &IndexFolder, staged: Vec<Staged<'_>>) -> Result<()> {
    if let Some(marks) = &folder.marks {
        let known = owned(folder).files;
        let kept = standing(folder).into_iter().filter(|stamp| known.contains(stamp));
        let mut files: Vec<Stamp> = kept.collect();
        for file in &staged {
            files.push(file.state()?.into());
        }
        let mut line = serde_json::to_vec(&Owned { files }).unwrap_or_default();
        marks.seal(NAME, &mut line)?;
        let write = |file: &mut dyn forge_memory_core::journal::DiskFile| write_parts(file, &[&line]);
        stage_by(folder.disk.as_ref(), &folder.paths.owned, Lasting::Unsynced, write)?.place()?;
    }
    Ok(staged.into_iter().try_for_each(Staged::place)?)
}

fn owned(folder: &IndexFolder) -> Owned {
    let is_sealed = |text: &Vec<u8>| {
        let marks = folder.marks.as_ref();
        marks.is_some_and(|marks| marks.checker().is_sealed(NAME, text))
    };
    let text = read(folder.disk.as_ref(), &folder.paths.owned, META_BYTES_MAX).ok();
    let text = text.filter(is_sealed);
    text.and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

fn standing(folder: &IndexFolder) -> Vec<Stamp> {
    let files = folder.paths.written();
    let states = files.iter().filter_map(|path| folder.disk.stat(path).ok());
    states.map(Stamp::from).collect()
}
