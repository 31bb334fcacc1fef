//! The scope of a run.

use forge_memory_core::{Error, Result};

use super::options::IndexOptions;
use crate::budget::Budget;
use crate::facts::CachedFacts;
use crate::paths::is_in;
use crate::scan;
use crate::storage::IndexFolder;

/// The scope of a run: files in or under some paths, files that differ from a revision, or both.
pub(super) struct Scope {
    under: Option<Vec<String>>,
    changed: Option<Vec<String>>,
}

impl Scope {
    /// Returns the scope of the options; `None` for all files.
    pub(super) fn of(folder: &IndexFolder, options: &IndexOptions, budget: &Budget) -> Result<Option<Self>> {
        let disk = folder.disk.as_ref();
        if !disk.has_folder(&folder.project) {
            let reason = format!("{} is not a folder", folder.project.display());
            return Err(Error::invalid("projectDir", reason));
        }
        let under = match &options.paths {
            Some(paths) => Some(scan::inside(disk, &folder.project, paths)?),
            None => None,
        };
        let mut changed = match &options.since {
            Some(revision) => Some(scan::changed_since(&folder.project, revision, budget.git_timeout())?),
            None => None,
        };
        if under.is_none() && changed.is_none() {
            return Ok(None);
        }
        if let Some(changed) = &mut changed {
            changed.sort_unstable();
        }
        Ok(Some(Scope { under, changed }))
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        let is_under = |folder: &String| is_in(path, folder);
        let is_changed = self
            .changed
            .as_ref()
            .is_none_or(|all| all.binary_search_by(|one| one.as_str().cmp(path)).is_ok());
        is_changed && self.under.as_ref().is_none_or(|under| under.iter().any(is_under))
    }

    /// Refuses paths that exist neither in the project nor in the index.
    pub(super) fn require_known(&self, folder: &IndexFolder, old: &[CachedFacts<'_>]) -> Result<()> {
        for path in self.under.iter().flatten() {
            let exists = || folder.disk.link_metadata(&folder.project.join(path)).is_ok();
            if !exists() && !old.iter().any(|cached| is_in(cached.path, path)) {
                let reason = format!("there is no file or folder {path} in {}", folder.project.display());
                return Err(Error::invalid("paths", reason));
            }
        }
        Ok(())
    }
}
