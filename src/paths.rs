//! Path patterns, and the paths that git ignores.

use forge_memory_lattice as core;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::Result;
use crate::input::{read, refused};
use crate::projects::{only_project, project_dir};

/// A set of path patterns (globs): `*` and `?` match within a path component, `**` across components, `{a,b}` and `[ab]`
/// are alternatives. They are matched in linear time, so that untrusted patterns are safe.
#[napi]
pub struct PathPatterns {
    globs: core::Globs,
}

#[napi]
impl PathPatterns {
    /// Compiles patterns. Throws `INVALID_INPUT`.
    #[napi(factory, catch_unwind, ts_args_type = "patterns: string[]")]
    pub fn read(patterns: Unknown) -> Result<PathPatterns> {
        let texts: Vec<String> = read("patterns", &patterns)?;
        let globs = core::Globs::new(&texts).map_err(|error| refused(&patterns, &error))?;
        Ok(PathPatterns { globs })
    }

    /// True if one of them matches a path with forward slashes.
    #[napi(catch_unwind, ts_args_type = "path: string")]
    pub fn matches(&self, path: Unknown) -> Result<bool> {
        let path: String = read("path", &path)?;
        Ok(self.globs.matches(&path))
    }
}

/// The paths of a project that git ignores: by the `.gitignore` files of all folders on the path, and the exclusions of the
/// clone.
#[napi]
pub struct IgnoredPaths {
    ignored: core::Ignored,
}

#[napi]
impl IgnoredPaths {
    /// Returns the ignored paths of a project; nothing is read yet. Throws `INVALID_INPUT`.
    #[napi(factory, catch_unwind, ts_args_type = "options?: ProjectOptions")]
    pub fn of(options: Unknown) -> Result<IgnoredPaths> {
        let dir = project_dir(&only_project(&options)?).map_err(|error| refused(&options, &error))?;
        Ok(IgnoredPaths {
            ignored: core::Ignored::by_git(dir),
        })
    }

    /// True if git ignores a path in the project (with forward slashes), or a folder above it.
    #[napi(catch_unwind, ts_args_type = "path: string, isFolder: boolean")]
    pub fn has(&self, path: Unknown, is_folder: bool) -> Result<bool> {
        let path: String = read("path", &path)?;
        Ok(self.ignored.has(&path, is_folder))
    }

    /// Forgets all rules, because a `.gitignore` has changed.
    #[napi]
    pub fn clear(&self) {
        self.ignored.clear();
    }
}
