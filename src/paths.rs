//! Patterns of paths, and what git ignores.

use forge_memory_lattice as core;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::input::{read, refused};
use crate::projects::{only_project, project_dir};

/// Several patterns of paths: `*` and `?` stay within a folder, `**` reaches into folders, `{a,b}` and `[ab]` choose. They are
/// matched in linear time, so that untrusted patterns are safe.
#[napi]
pub struct PathPatterns {
    globs: core::Globs,
}

#[napi]
impl PathPatterns {
    /// Reads patterns. Throws `INVALID_INPUT`.
    #[napi(factory, catch_unwind, ts_args_type = "patterns: string[]")]
    pub fn read(patterns: Unknown) -> Result<PathPatterns> {
        let texts: Vec<String> = read("patterns", &patterns)?;
        let globs = core::Globs::new(&texts).map_err(|error| refused(&patterns, &error))?;
        Ok(PathPatterns { globs })
    }

    /// Tells whether one of them matches a path, which has forward slashes.
    #[napi(catch_unwind, ts_args_type = "path: string")]
    pub fn matches(&self, path: Unknown) -> Result<bool> {
        let path: String = read("path", &path)?;
        Ok(self.globs.matches(&path))
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
        let dir = project_dir(&only_project(&options)?).map_err(|error| refused(&options, &error))?;
        Ok(IgnoredPaths {
            ignored: core::Ignored::by_git(dir),
        })
    }

    /// Tells whether git ignores a path within the project, which has forward slashes, or a folder above it.
    #[napi(catch_unwind, ts_args_type = "path: string, isFolder: boolean")]
    pub fn has(&self, path: Unknown, is_folder: bool) -> Result<bool> {
        let path: String = read("path", &path)?;
        Ok(self.ignored.has(&path, is_folder))
    }

    /// Forgets what was read: a `.gitignore` has changed.
    #[napi]
    pub fn clear(&self) {
        self.ignored.clear();
    }
}
