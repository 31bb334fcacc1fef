//! Assigns sessions to projects by their recorded working directory. The directory itself is not accessed: it may belong to another
//! machine, and an access can mount a network drive or make the system ask the user for permission.

use std::path::{Path, PathBuf};

/// Where agents keep git worktrees, relative to the repository.
const WORK_TREES: [&str; 3] = ["/.claude/worktrees/", "/.worktrees/", "/.cursor/worktrees/"];

/// The selected projects.
#[derive(Debug)]
pub(crate) struct Scope {
    dir: PathBuf,
    shown: String,
    /// The project's folder in the encoding of the Cursor CLI.
    encoded: String,
    is_all: bool,
}

impl Scope {
    pub(crate) fn new(dir: &Path, is_all: bool) -> Self {
        let shown = plain(&dir.to_string_lossy());
        Scope {
            dir: dir.to_path_buf(),
            encoded: encoded(&shown),
            shown,
            is_all,
        }
    }

    /// Returns the project that a session belongs to; `None` when it is not selected or unknown.
    pub(crate) fn project_of(&self, cwd: Option<&str>) -> Option<PathBuf> {
        let cwd = cwd?;
        if let Some(name) = cwd.strip_prefix("cursor:") {
            return (name == self.encoded).then(|| self.dir.clone());
        }
        let cwd = plain(cwd);
        let is_below = cwd
            .strip_prefix(&self.shown)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_below {
            return Some(self.dir.clone());
        }
        let root = root_of(&cwd);
        (self.is_all && root.starts_with('/')).then(|| PathBuf::from(root))
    }
}

/// Returns the repository of a folder that may be inside a worktree.
pub(crate) fn root_of(cwd: &str) -> String {
    let cwd = plain(cwd);
    let root = WORK_TREES.iter().find_map(|mark| cwd.split_once(mark));
    root.map_or(cwd.as_str(), |(root, _)| root).to_owned()
}

/// Normalises a recorded folder: forward slashes, no URI scheme, no trailing slash.
pub(crate) fn plain(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        "/".to_owned()
    } else {
        trimmed.to_owned()
    }
}

/// Returns a folder in the encoding of the Cursor CLI.
pub(crate) fn encoded(path: &str) -> String {
    path.trim_start_matches('/')
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}
