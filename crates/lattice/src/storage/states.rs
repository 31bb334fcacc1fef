//! `states.bin`: size and time of every file when it was last inspected, by which unchanged files are recognised without
//! reading them.

use std::path::Path;

use forge_memory_core::Result;
use forge_memory_core::journal::Disk;
use serde::{Deserialize, Serialize};

use super::sealed::{sealed, unsealed};
use crate::contents::{INDEX_BYTES_MAX, read_if_there};

const MAGIC: &[u8; 4] = b"FMLS";

/// The properties by which a change of a file is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileState {
    /// Its length.
    pub size: u64,
    /// When it was last changed, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// The states of all files, in the order of the facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct States {
    /// The hash of the tree of files.
    pub tree: u64,
    /// When the files were inspected, in milliseconds since the epoch.
    pub looked_ms: i64,
    /// The path and state of each file.
    pub files: Vec<(String, FileState)>,
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

impl States {
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
