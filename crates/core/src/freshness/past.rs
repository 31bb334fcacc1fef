//! The git history of missing files: which were renamed, to which names, and which were removed. Long-lived commands run git beside
//! their work; this module reads the result, a sorted table that is searched without parsing it (binary search).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::journal::{Disk, FileState, read_bounded, write_file};
use crate::project::environment::Environment;
use crate::project::git::moved_at_ns;
use crate::project::layout::{CAPTURES_FILE, Layout, PATTERNS_FILE};

/// The table, within `.forge/`. It can be rebuilt at any time.
pub(crate) const PAST_FILE: &str = "index/past-files.tsv";

const TABLE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The first line of a table that covers the whole history.
const COMPLETE: &str = "complete";
const PARTIAL: &str = "partial";
/// The maximum number of consecutive renames that are followed.
const RENAMES_MAX: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PastFile {
    /// It was renamed to this.
    Renamed(String),
    /// It was removed.
    Deleted,
}

/// The table as it was last read.
#[derive(Debug)]
pub(super) struct Past {
    path: PathBuf,
    state: Option<FileState>,
    text: String,
    is_looked_at: bool,
    /// What was renamed since the last commit, as far as it is known.
    pub uncommitted: BTreeMap<String, String>,
}

impl Past {
    pub fn new(path: PathBuf) -> Self {
        Past {
            path,
            state: None,
            text: String::new(),
            is_looked_at: false,
            uncommitted: BTreeMap::new(),
        }
    }

    pub fn begin(&mut self) {
        self.is_looked_at = false;
    }

    /// True if the table covered the whole history, and `HEAD` has not moved since.
    pub fn is_complete(&self, disk: &dyn Disk, project: &Path) -> bool {
        self.text.lines().next() == Some(COMPLETE)
            && moved_at_ns(disk, project).is_some_and(|moved| moved <= self.made())
    }

    fn made(&self) -> i64 {
        self.state.map_or(i64::MIN, |state| state.modified_ns)
    }

    /// True if `HEAD` has moved since the table was made, or if there is none.
    pub fn is_outdated(&mut self, disk: &dyn Disk, project: &Path) -> bool {
        self.refresh(disk);
        moved_at_ns(disk, project).is_some_and(|moved| moved > self.made())
    }

    /// Returns the names that a file had before, the newest first.
    pub fn former_names(&mut self, disk: &dyn Disk, name: &str) -> Vec<String> {
        self.refresh(disk);
        let mut names: Vec<String> = Vec::new();
        let mut at = Some(name.to_owned());
        while let Some(now) = at.filter(|_| names.len() < RENAMES_MAX) {
            at = self
                .named_before(&now)
                .filter(|before| before != name && !names.contains(before));
            names.extend(at.clone());
        }
        names
    }

    fn named_before(&self, name: &str) -> Option<String> {
        let uncommitted = self.uncommitted.iter().find(|(_, to)| *to == name);
        if let Some((before, _)) = uncommitted {
            return Some(before.clone());
        }
        let row = format!("\t{name}\n");
        let end = memchr::memmem::find(self.text.as_bytes(), row.as_bytes())?;
        let before = self.text.get(..end)?;
        Some(before.get(before.rfind('\n')? + 1..)?.to_owned())
    }

    /// Finds the fate of a file.
    pub fn find(&mut self, disk: &dyn Disk, name: &str) -> Option<PastFile> {
        self.refresh(disk);
        let mut at = self.row(name)?.to_owned();
        // A file may have been renamed more than once.
        for _ in 0..RENAMES_MAX {
            if at.is_empty() {
                return Some(PastFile::Deleted);
            }
            match self.row(&at) {
                Some(next) => at = next.to_owned(),
                None => return Some(PastFile::Renamed(at)),
            }
        }
        Some(PastFile::Deleted)
    }

    fn refresh(&mut self, disk: &dyn Disk) {
        if std::mem::replace(&mut self.is_looked_at, true) {
            return;
        }
        // A link is not a table of ours, and a missing file is the usual case.
        let state = disk.lstat(&self.path).ok().flatten();
        if state == self.state {
            return;
        }
        self.state = state;
        let bytes = read_bounded(disk, &self.path, TABLE_BYTES_MAX as u64).unwrap_or_default();
        self.text = String::from_utf8(bytes).unwrap_or_default();
    }

    /// Searches the sorted lines for a name, and returns the rest of its line.
    fn row(&self, name: &str) -> Option<&str> {
        if let Some(to) = self.uncommitted.get(name) {
            return Some(to);
        }
        let text = self.text.as_str();
        let (mut low, mut high) = (text.find('\n')? + 1, text.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = memchr::memrchr(b'\n', text.as_bytes().get(low..middle)?).map_or(low, |end| low + end + 1);
            let end = memchr::memchr(b'\n', text.as_bytes().get(start..high)?).map_or(high, |end| start + end);
            let line = text.get(start..end)?;
            let (found, to) = line.split_once('\t').unwrap_or((line, ""));
            match found.cmp(name) {
                std::cmp::Ordering::Equal => return Some(to),
                std::cmp::Ordering::Less => low = end + 1,
                std::cmp::Ordering::Greater => high = start,
            }
        }
        None
    }
}

/// Stores the table made from a git log; see [`past_of_log`]. A project without a memory gets none. Returns true if it was
/// stored.
///
/// # Errors
/// `IO` when the table cannot be written; the previous one is unchanged then.
pub fn keep_past(environment: &Environment, log: &[u8], is_whole: bool) -> Result<bool> {
    let layout = Layout::new(environment);
    let path = layout.path_of(PAST_FILE);
    if ![CAPTURES_FILE, PATTERNS_FILE].iter().any(|file| layout.has(file)) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(&path);
    layout.disk().make_dir(folder).map_err(Error::io("make", folder))?;
    write_file(layout.disk().as_ref(), &path, past_of_log(log, is_whole).as_bytes())?;
    Ok(true)
}

/// Makes the table from the output of `git log --name-status -z --diff-filter=DR --format=`, the newest change first. `is_whole`
/// is true if that is all of the history.
fn past_of_log(log: &[u8], is_whole: bool) -> String {
    let mut rows: BTreeMap<&str, &str> = BTreeMap::new();
    let mut fields = log
        .split(|byte| *byte == 0)
        .map(|field| std::str::from_utf8(field).ok());
    let mut bytes = 0;
    let mut fits = true;
    while let Some(status) = fields.next() {
        let status = status.map_or("", str::trim);
        let (name, to) = match status.as_bytes().first() {
            Some(b'D') => (fields.next().flatten(), Some("")),
            Some(b'R') => (fields.next().flatten(), fields.next().flatten()),
            _ => continue,
        };
        let (Some(name), Some(to)) = (name, to) else { continue };
        // Names with control characters are never looked up, and would break the lines.
        if name.is_empty() || [name, to].iter().any(|part| part.chars().any(char::is_control)) {
            continue;
        }
        bytes += name.len() + to.len() + 2;
        fits = bytes < TABLE_BYTES_MAX - COMPLETE.len();
        if !fits {
            break;
        }
        // Only the newest change counts.
        rows.entry(name).or_insert(to);
    }
    let head = if is_whole && fits { COMPLETE } else { PARTIAL };
    let lines = rows.iter().map(|(name, to)| format!("{name}\t{to}\n"));
    format!("{head}\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(table: &str) -> Past {
        let mut past = Past::new(PathBuf::new());
        past.text = table.to_owned();
        past.is_looked_at = true;
        past
    }

    fn find(past: &mut Past, name: &str) -> Option<PastFile> {
        past.find(&crate::journal::OsDisk, name)
    }

    #[test]
    fn renames_are_followed_and_removals_known() {
        let log = b"R090\0b.rs\0c.rs\0D\0old.rs\0R100\0a.rs\0b.rs\0D\0a.rs\0";
        let mut past = past(&past_of_log(log, true));
        assert_eq!(find(&mut past, "a.rs"), Some(PastFile::Renamed("c.rs".into())));
        assert_eq!(find(&mut past, "b.rs"), Some(PastFile::Renamed("c.rs".into())));
        assert_eq!(find(&mut past, "old.rs"), Some(PastFile::Deleted));
        assert_eq!(find(&mut past, "never.rs"), None);
        let before = |past: &mut Past, name: &str| past.former_names(&crate::journal::OsDisk, name);
        assert_eq!(before(&mut past, "c.rs"), ["b.rs", "a.rs"]);
        assert_eq!(before(&mut past, "old.rs"), [""; 0]);
        past.uncommitted = BTreeMap::from([("c.rs".to_owned(), "src/c.rs".to_owned())]);
        assert_eq!(find(&mut past, "a.rs"), Some(PastFile::Renamed("src/c.rs".into())));
        assert_eq!(before(&mut past, "src/c.rs"), ["c.rs", "b.rs", "a.rs"]);
    }

    #[test]
    fn every_row_of_a_table_is_found() {
        let log: String = (0..500).map(|n| format!("D\0src/f{n}.rs\0")).collect();
        let mut past = past(&past_of_log(log.as_bytes(), false));
        for n in 0..500 {
            assert_eq!(find(&mut past, &format!("src/f{n}.rs")), Some(PastFile::Deleted));
        }
        assert_eq!(find(&mut past, "src/f.rs"), None);
        assert_eq!(find(&mut past, "zzz"), None);
    }

    #[test]
    fn cyclic_renames_and_a_broken_table_terminate() {
        let mut ring = past("complete\na\tb\nb\ta\n");
        assert_eq!(find(&mut ring, "a"), Some(PastFile::Deleted));
        assert_eq!(ring.former_names(&crate::journal::OsDisk, "a"), ["b"]);
        for table in ["", "\n", "complete", "x\t\n\t\t\n\n\n", "partial\n\u{0}\u{1}\t\n"] {
            assert_eq!(find(&mut past(table), "src/a.rs"), None, "{table:?}");
        }
    }

    #[test]
    fn a_large_history_makes_a_table_that_can_be_read() {
        let log: String = (0..100_000)
            .map(|n| format!("D\0src/a/long/folder/name/f{n}.rs\0"))
            .collect();
        let table = past_of_log(log.as_bytes(), true);
        assert!(table.len() <= TABLE_BYTES_MAX);
        assert!(table.starts_with("partial\n"));
    }
}
