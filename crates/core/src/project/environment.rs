//! The environment of a memory: folders, clock and disk, passed in so that the engine reads none of them itself.

use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::journal::{ConfinedDisk, Disk};

/// The environment of a memory.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The project's folder.
    pub project_dir: PathBuf,
    /// The user's own folder, usually `~/.forge`.
    pub home: PathBuf,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
}

impl Environment {
    /// Returns the real clock and file system, confined to two folders.
    pub fn new(project_dir: PathBuf, home: PathBuf) -> Self {
        let disk = ConfinedDisk::new(project_dir.clone(), home.clone());
        Environment {
            project_dir,
            home,
            clock: Arc::new(SystemClock),
            disk: Arc::new(disk),
        }
    }
}
