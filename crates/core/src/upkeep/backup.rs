//! Copies of files as they were before they are rewritten.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Millis, format_iso};
use crate::error::{Error, Result};
use crate::journal::{Disk, write_file};
use crate::project::layout::Layout;

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
        // Windows does not allow colons in file names.
        let stamp = format_iso(now).replace([':', '.'], "-");
        Backup {
            disk: Arc::clone(layout.disk()),
            folder: layout.path_of(&format!(".migration-backup-{stamp}")),
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

    /// Returns the folder, if there is anything in it.
    pub fn made(&self) -> Option<String> {
        self.made.then(|| self.folder.display().to_string())
    }
}
