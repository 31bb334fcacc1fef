//! `states.bin`: size and time of every file when it was last inspected, by which unchanged files are recognised without
//! reading them.

use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::journal::Disk;
use serde::{Deserialize, Serialize};

use super::sealed::{sealed, unsealed};
use crate::contents::{INDEX_BYTES_MAX, read_if_there};
use crate::facts::Skip;

const MAGIC: &[u8; 4] = b"FMLT";

/// The properties by which a change of a file is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileState {
    /// Its length.
    pub size: u64,
    /// When it was last changed, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// A file when it was last inspected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    /// The path from the project's folder, with forward slashes.
    pub path: String,
    /// Its state.
    pub state: FileState,
    /// The number of its language.
    pub language: u8,
    /// Why it has no facts.
    pub skip: Skip,
}

/// The states of all files, in the order of the facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct States {
    /// The hash of the tree of files.
    pub tree: u64,
    /// When the files were inspected, in milliseconds since the epoch.
    pub looked_ms: i64,
    /// The files.
    pub files: Vec<KnownFile>,
}

impl FileState {
    /// Returns the state of a file.
    pub fn of(found: &forge_memory_core::journal::FileState) -> Self {
        FileState {
            size: found.len,
            modified_ns: found.modified_ns,
        }
    }
}

/// The granularity of file times. A file that changed this shortly before it was inspected may change again with the same
/// time (git's "racy" problem).
const COARSE_MS: i64 = 2000;

impl States {
    /// True if a file with this state has not changed since the inspection.
    pub(crate) fn holds(&self, known: &KnownFile, state: FileState, language: u8) -> bool {
        known.state == state
            && known.language == language
            && !known.skip.is_passing()
            && state.modified_ns / 1_000_000 < self.looked_ms - COARSE_MS
    }

    /// True if a file changed so shortly before it was inspected that a later change may have the same time.
    pub(crate) fn has_young(&self) -> bool {
        let oldest = self.looked_ms - COARSE_MS;
        self.files
            .iter()
            .any(|file| file.state.modified_ns / 1_000_000 >= oldest)
    }

    /// Returns a copy with a tree hash that no files have. An unfinished index gets it, so that the next run builds a
    /// new one.
    pub fn unfinished(&self) -> Self {
        States {
            tree: !self.tree,
            ..self.clone()
        }
    }
}

/// Writes states.
pub fn encode_states(states: &States) -> Vec<u8> {
    sealed(MAGIC, states, states.files.len() * 64)
}

/// Reads states; `None` when they are missing or damaged.
pub fn read_states(disk: &dyn Disk, path: &Path) -> Result<Option<States>> {
    let bytes = read_if_there(disk, path, INDEX_BYTES_MAX)?;
    Ok(bytes.and_then(|bytes| unsealed(MAGIC, &bytes)))
}
