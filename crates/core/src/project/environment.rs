//! The environment of a memory: folders, clock and disk, passed in so that the engine reads none of them itself.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Clock, Millis, SystemClock};
use crate::journal::{ConfinedDisk, Disk};

/// What knows the names in a project's code: the code graph, which is built on top of this crate.
pub trait CodeNames: Debug + Send + Sync {
    /// Tells whether the code defines or uses a name, without waiting for anybody. Nothing when that is not known, or was found out
    /// before `since`.
    fn has(&self, name: &str, since: Millis) -> Option<bool>;
}

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
    /// The names in the code, where something knows them.
    pub code_names: Option<Arc<dyn CodeNames>>,
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
            code_names: None,
        }
    }
}
