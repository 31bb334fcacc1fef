//! Reads files of git's settings with those that they include: `include.path`, and `includeIf` for the folder of a repository (`gitdir:`,
//! `gitdir/i:`). Conditions on branches and remotes are not followed.

use std::path::{Path, PathBuf};

use regex_lite::{RegexBuilder, escape};

use super::files::read;
use super::remote::{Setting, settings_in};
use forge_memory_journal::Disk;

/// How deep git follows files that include each other.
const DEPTH_MAX: usize = 10;

pub(super) struct Reader<'a> {
    pub disk: &'a dyn Disk,
    /// The folder of its `HEAD`, by every path to it.
    pub folders: Vec<PathBuf>,
    /// The folder that `~` stands for.
    pub user_folder: Option<&'a Path>,
}

impl Reader<'_> {
    /// Returns the settings of a file and of those that it includes, in their order. An unreadable file has none.
    pub fn settings(&self, file: &Path) -> Vec<Setting> {
        let mut found = Vec::new();
        self.add(file, 0, &mut found);
        found
    }

    fn add(&self, file: &Path, depth: usize, found: &mut Vec<Setting>) {
        let text = read(self.disk, file).ok().flatten().unwrap_or_default();
        let here = file.parent().unwrap_or(file);
        for setting in settings_in(&text) {
            let condition = setting.includes();
            if depth < DEPTH_MAX
                && condition.is_some_and(|condition| condition.is_empty() || self.fits(condition, here))
                && let Some(included) = self.resolve(&setting.value, here)
            {
                self.add(&included, depth + 1, found);
            }
            found.push(setting);
        }
    }

    fn resolve(&self, path: &str, here: &Path) -> Option<PathBuf> {
        match path.strip_prefix("~/") {
            Some(below) => Some(self.user_folder?.join(below)),
            None => Some(here.join(path)),
        }
    }

    fn fits(&self, condition: &str, here: &Path) -> bool {
        let (pattern, folds) = match (condition.strip_prefix("gitdir:"), condition.strip_prefix("gitdir/i:")) {
            (Some(pattern), _) => (pattern, false),
            (None, Some(pattern)) => (pattern, true),
            (None, None) => return false,
        };
        let is_of_folder = pattern.starts_with("~/") || pattern.starts_with("./");
        let pattern = match self.resolve(pattern.strip_prefix("./").unwrap_or(pattern), here) {
            Some(folder) if is_of_folder => with_slashes(&folder),
            Some(_) if pattern.starts_with('/') || pattern.starts_with("**/") => pattern.to_owned(),
            Some(_) => format!("**/{pattern}"),
            None => return false,
        };
        let regex = RegexBuilder::new(&as_regex(&pattern)).case_insensitive(folds).build();
        let folders = self.folders.iter().map(|folder| with_slashes(folder));
        regex.is_ok_and(|regex| folders.into_iter().any(|folder| regex.is_match(&folder)))
    }
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// A pattern that ends with a slash is for everything below.
fn as_regex(pattern: &str) -> String {
    let mut regex = String::from("^");
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let (taken, part) = match rest {
            _ if rest.starts_with("**/") => (3, "(?:.*/)?".to_owned()),
            _ if rest.starts_with("**") => (2, ".*".to_owned()),
            _ if first == '*' => (1, "[^/]*".to_owned()),
            _ if first == '?' => (1, "[^/]".to_owned()),
            _ => (first.len_utf8(), escape(first.encode_utf8(&mut [0; 4]))),
        };
        regex.push_str(&part);
        rest = rest.get(taken..).unwrap_or_default();
    }
    regex.push_str(if pattern.ends_with('/') { ".*$" } else { "$" });
    regex
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use forge_memory_journal::OsDisk;

    #[test]
    fn a_condition_on_the_folder_of_the_repository_is_that_of_git() {
        let reader = Reader {
            disk: &OsDisk,
            folders: vec!["/home/me/Work/shop/.git".into()],
            user_folder: Some(Path::new("/home/me")),
        };
        for (condition, fits) in [
            ("gitdir:~/Work/", true),
            ("gitdir:~/work/", false),
            ("gitdir/i:~/work/", true),
            ("gitdir:/home/me/Work/**", true),
            ("gitdir:Work/", true),
            ("gitdir:shop/.git", true),
            ("gitdir:sho?/.git", true),
            ("gitdir:**/me/**/.git", true),
            ("gitdir:/home/*/.git", false),
            ("gitdir:~/Work", false),
            ("gitdir:./Work/", true),
            ("gitdir:/home/me/W.rk/", false),
            ("onbranch:main", false),
            ("", false),
        ] {
            assert_eq!(reader.fits(condition, Path::new("/home/me")), fits, "{condition}");
        }
    }

    #[test]
    fn files_that_include_each_other_come_to_an_end() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("config");
        fs::write(&file, "[include]\n\tpath = config\n\tpath = none\n\tpath = ~/none\n").unwrap();
        let reader = Reader {
            disk: &OsDisk,
            folders: Vec::new(),
            user_folder: None,
        };
        assert_eq!(reader.settings(&file).len(), 3 * (DEPTH_MAX + 1));
    }
}
