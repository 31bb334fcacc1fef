//! The folder with the index of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::Result;
use forge_memory_core::journal::{Disk, DiskFile, Staged, SyncMode, stage_with, write_parts};
use forge_memory_core::ownership::Marks;

use super::paths::IndexPaths;

/// Where the index of a project is, and how it is accessed.
#[derive(Debug)]
pub(crate) struct IndexFolder {
    pub(crate) project: PathBuf,
    pub(crate) paths: IndexPaths,
    pub(crate) disk: Arc<dyn Disk>,
    /// `None` when every index is trusted.
    pub(crate) marks: Option<Marks>,
    /// True if an index that another program wrote may answer queries, on request of the caller.
    pub(crate) accepts_foreign: bool,
}

impl IndexFolder {
    pub(crate) fn new(project: PathBuf, disk: Arc<dyn Disk>) -> Self {
        IndexFolder {
            paths: IndexPaths::of(&project),
            project,
            disk,
            marks: None,
            accepts_foreign: false,
        }
    }

    /// Stages a file that has a checksum of its own, and that a power failure may therefore damage.
    pub(crate) fn stage_unsynced(&self, path: &Path, parts: &[&[u8]]) -> Result<Staged<'_>> {
        let write = |file: &mut dyn DiskFile| write_parts(file, parts);
        Ok(stage_with(self.disk.as_ref(), path, SyncMode::Unsynced, write)?)
    }
}
