//! The index of one project on disk.

use std::path::PathBuf;
use std::sync::Arc;

use forge_memory_core::journal::Disk;
use forge_memory_core::ownership::Marks;

use super::paths::IndexPaths;

/// Where the index of a project is, and how it is reached.
#[derive(Debug)]
pub(crate) struct IndexFolder {
    pub(crate) project: PathBuf,
    pub(crate) paths: IndexPaths,
    pub(crate) disk: Arc<dyn Disk>,
    /// `None` where foreign indexes cannot occur: every index is this machine's own.
    pub(crate) marks: Option<Marks>,
}

impl IndexFolder {
    pub(crate) fn new(project: PathBuf, disk: Arc<dyn Disk>) -> Self {
        IndexFolder {
            paths: IndexPaths::of(&project),
            project,
            disk,
            marks: None,
        }
    }
}
