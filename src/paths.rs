//! Patterns of paths, and what git ignores.

use forge_memory_lattice as core;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::{Result, to_js};
use crate::projects::project_dir;
use crate::reader::{Fields, text, texts};

/// Several patterns of paths: `*` and `?` stay within a folder, `**` reaches into folders, `{a,b}` and `[ab]` choose. They are
/// matched in linear time, whoever wrote them.
#[napi]
pub struct PathPatterns {
    globs: core::Globs,
}

#[napi]
impl PathPatterns {
    /// Reads patterns. Throws `INVALID_INPUT`.
    #[napi(factory, catch_unwind, ts_args_type = "patterns: string[]")]
    pub fn read(patterns: Unknown) -> Result<PathPatterns> {
        let globs = core::Globs::new(&texts("patterns", &patterns)?).map_err(to_js)?;
        Ok(PathPatterns { globs })
    }

    /// Tells whether one of them matches a path, which has forward slashes.
    #[napi(catch_unwind, ts_args_type = "path: string")]
    pub fn matches(&self, path: Unknown) -> Result<bool> {
        Ok(self.globs.matches(&text("path", &path)?))
    }
}

/// What git ignores in a project: the `.gitignore` of every folder on the way, and the exclusions of the clone.
#[napi]
pub struct IgnoredPaths {
    ignored: core::Ignored,
}

#[napi]
impl IgnoredPaths {
    /// Returns those of a project; nothing is read yet. Throws `INVALID_INPUT`.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ProjectOptions")]
    pub fn of(options: Unknown) -> Result<IgnoredPaths> {
        let fields = Fields::optional("options", &options)?;
        let ignored = core::Ignored::by_git(project_dir(&fields)?);
        Ok(IgnoredPaths { ignored })
    }

    /// Tells whether git ignores a path within the project, which has forward slashes, or a folder above it.
    #[napi(catch_unwind, ts_args_type = "path: string, isFolder: boolean")]
    pub fn has(&self, path: Unknown, is_folder: bool) -> Result<bool> {
        Ok(self.ignored.has(&text("path", &path)?, is_folder))
    }

    /// Forgets what was read: a `.gitignore` has changed.
    #[napi]
    pub fn clear(&self) {
        self.ignored.clear();
    }
}
