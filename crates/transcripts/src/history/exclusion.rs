//! Excludes sessions from the history by their working directory: `history` in `settings.json` of the user's own folder.

use std::path::Path;

use forge_memory_core::settings::{History, OWN_FILE, Own};
use forge_memory_core::{Error, Result, own_settings};
use forge_memory_journal::Disk;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use xxhash_rust::xxh3::xxh3_64;

use crate::project::{encoded, plain, root_of};

/// The settings of the history.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// `/history/enabled`: whether sessions are indexed at all.
    pub is_enabled: bool,
    patterns: Vec<String>,
    folders: GlobSet,
    /// The same patterns for agents that record only the name of a folder with all separators replaced.
    names: GlobSet,
}

impl Settings {
    /// Reads the settings. Invalid ones are an error: guessing could index sessions that the user excluded.
    pub(super) fn read(disk: &dyn Disk, home: &Path, user: &Path) -> Result<Self> {
        let Own { settings, problems } = own_settings(disk, home)?;
        let wrong = |reason: &str| Error::invalid("settings", format!("{}: {reason}", home.join(OWN_FILE).display()));
        if let Some(problem) = problems.iter().find(|problem| problem.starts_with("history")) {
            return Err(wrong(problem));
        }
        let History { exclude, enabled } = settings.history;
        if exclude.iter().any(|pattern| pattern.trim().is_empty()) {
            return Err(wrong("history.exclude: expected a list of folders"));
        }
        Settings::of(enabled, exclude, user).map_err(|reason| wrong(&format!("history.exclude: {reason}")))
    }

    fn of(is_enabled: bool, patterns: Vec<String>, user: &Path) -> std::result::Result<Self, String> {
        let (mut folders, mut names) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in &patterns {
            let expanded = match pattern.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
                    format!("{}{rest}", plain(&user.to_string_lossy()).trim_end_matches('/'))
                }
                _ => pattern.clone(),
            };
            let expanded = plain(&expanded);
            // A folder excludes everything below it.
            for form in [expanded.clone(), format!("{expanded}/**")] {
                folders.add(glob(&form, true)?);
            }
            let name: Vec<String> = expanded.split('*').map(encoded).collect();
            let name = name.join("*");
            for form in [name.clone(), format!("{name}-*")] {
                names.add(glob(&form, false)?);
            }
        }
        let build = |set: GlobSetBuilder| set.build().map_err(|error| error.to_string());
        Ok(Settings {
            is_enabled,
            folders: build(folders)?,
            names: build(names)?,
            patterns,
        })
    }

    /// The patterns as written.
    pub(super) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// A hash that changes with the list.
    pub(super) fn version(&self) -> String {
        format!("{:016x}", xxh3_64(self.patterns.join("\n").as_bytes()))
    }

    pub(super) fn excludes(&self, cwd: Option<&str>) -> bool {
        match cwd {
            None => false,
            Some(cwd) => match cwd.strip_prefix("cursor:") {
                Some(name) => self.names.is_match(name),
                None => self.folders.is_match(plain(cwd)) || self.folders.is_match(root_of(cwd)),
            },
        }
    }
}

fn glob(pattern: &str, has_separators: bool) -> std::result::Result<Glob, String> {
    let made = GlobBuilder::new(pattern).literal_separator(has_separators).build();
    made.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(pattern: &str, cwd: &str) -> bool {
        let settings = Settings::of(true, vec![pattern.to_owned()], Path::new("/home/ann")).unwrap();
        settings.excludes(Some(cwd))
    }

    #[test]
    fn a_folder_excludes_everything_below_it_and_a_pattern_what_it_matches() {
        assert!(excludes("~/private", "/home/ann/private"));
        assert!(excludes("~/private/", "/home/ann/private/diary"));
        assert!(!excludes("~/private", "/home/ann/private-not"));
        assert!(excludes("/work/*/secret", "/work/a/secret/deep"));
        assert!(!excludes("/work/*/secret", "/work/a/b/secret"));
        assert!(excludes("**/secret", "/x/y/secret"));
        assert!(excludes("~/private", "/home/ann/private/.worktrees/fix"));
        assert!(excludes("C:\\work", "C:\\work\\app"));
        assert!(!excludes("~ann/private", "/home/ann/private"));
        assert!(excludes("~/private", "cursor:home-ann-private"));
        assert!(!excludes("~/private", "cursor:home-ann-other"));
    }
}
