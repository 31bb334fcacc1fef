//! Copies of files as they were before they are rewritten.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{Disk, write_file};
use crate::project::backups::{PREFIX, folders_in};
use crate::project::layout::Layout;

/// How long a backup is kept.
const DAYS_KEPT: Millis = 30;
/// How many are kept in any case.
const NEWEST_KEPT: usize = 3;

/// The number of names that are tried.
const NAMES_MAX: usize = 9;

/// A folder of copies, made with the first of them.
#[derive(Debug)]
pub(crate) struct Backup {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    made: bool,
    kept: BTreeSet<String>,
}

impl Backup {
    /// Returns a backup in `.migration-backup-<timestamp>` of `.forge/`.
    pub fn new(layout: &Layout, now: Millis) -> Self {
        Backup {
            disk: Arc::clone(layout.disk()),
            folder: layout.path_of(&format!("{PREFIX}{}", stamp_of(now))),
            made: false,
            kept: BTreeSet::new(),
        }
    }

    /// Copies the bytes of the file `name`, down to the disk. A file that is rewritten twice is kept as it was before the first time.
    ///
    /// # Errors
    /// `IO` when the folder cannot be made or written.
    pub fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        if self.kept.contains(name) {
            return Ok(());
        }
        if !self.made {
            self.make()?;
        }
        let path = self.folder.join(name);
        write_file(self.disk.as_ref(), &path, bytes)?;
        // Sync the folders as well: after a power failure a rewrite must not be durable without its backup.
        for folder in path.ancestors().skip(1) {
            self.disk.sync_dir(folder).map_err(Error::io("sync", folder))?;
            if !folder.starts_with(&self.folder) {
                break;
            }
        }
        self.kept.insert(name.to_owned());
        Ok(())
    }

    fn make(&mut self) -> Result<()> {
        self.folder = self.free_name()?;
        self.disk
            .make_dir(&self.folder)
            .map_err(Error::io("create", &self.folder))?;
        self.made = true;
        Ok(())
    }

    /// Returns the name of the folder; when it exists, because another run began in the same millisecond, the name with a number.
    fn free_name(&self) -> Result<PathBuf> {
        let numbered = (2..=NAMES_MAX).map(|number| {
            let mut name = self.folder.clone().into_os_string();
            name.push(format!("-{number}"));
            PathBuf::from(name)
        });
        for folder in std::iter::once(self.folder.clone()).chain(numbered) {
            match self.disk.stat(&folder) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(folder),
                Err(e) => return Err(Error::io("inspect", &folder)(e)),
                Ok(_) => {}
            }
        }
        Err(Error::io("create", &self.folder)(io::ErrorKind::AlreadyExists.into()))
    }

    /// Removes the backups that are older than [`DAYS_KEPT`], except the newest ones. What cannot be removed is tried again the next time.
    pub fn remove_old(layout: &Layout, now: Millis) {
        let limit = format!("{PREFIX}{}", stamp_of(now - DAYS_KEPT * 24 * 3_600_000));
        let mut folders = folders_in(layout);
        folders.truncate(folders.len().saturating_sub(NEWEST_KEPT));
        for name in folders.into_iter().filter(|name| *name < limit) {
            let _ = layout.disk().remove_folder(&layout.path_of(&name));
        }
    }

    /// Returns the folder, if there is anything in it.
    pub fn made(&self) -> Option<String> {
        self.made.then(|| self.folder.display().to_string())
    }
}

fn stamp_of(now: Millis) -> String {
    // Windows does not allow colons in file names.
    format_iso(now).replace([':', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::environment::Environment;

    const DAY: Millis = 24 * 3_600_000;

    fn layout(folder: &std::path::Path) -> Layout {
        Layout::new(&Environment::new(folder.to_path_buf(), folder.join("home")))
    }

    #[test]
    fn backups_go_after_thirty_days_except_the_three_newest() {
        let folder = tempfile::tempdir().unwrap();
        let layout = layout(folder.path());
        let now = 1_800_000_000_000;
        let ages = [400, 90, 31, 29, 1, 0];
        let left = |ages: &[Millis]| {
            let _ = layout.disk().remove_folder(layout.forge());
            for age in ages {
                let mut backup = Backup::new(&layout, now - age * DAY);
                backup.keep("memory/project.jsonl", b"x").unwrap();
            }
            Backup::remove_old(&layout, now);
            folders_in(&layout).len()
        };
        assert_eq!(
            (left(&ages), left(&ages[..3]), left(&ages[..4]), left(&[])),
            (3, 3, 3, 0)
        );
    }
}
