//! The paths of the files of a memory, and the lock under which each is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::CONFIG_FILE;
use super::copies::Copies;
use super::environment::{Environment, InMain};
use super::files::QUEUE_PREFIX;
pub use super::files::{CAPTURES_FILE, FORGE_FOLDER, GLOBAL_PATTERNS_FILE, PATTERNS_FILE};
use forge_memory_journal::{Disk, Journal, LockFile, read_file};
use forge_memory_record::error::Result;
use forge_memory_record::model::thought::{ROUTED_TYPES, is_type_file};

/// The folders of one project's memory and the disk that they are on.
#[derive(Debug, Clone)]
pub struct Layout {
    project_dir: PathBuf,
    memory_dir: PathBuf,
    forge: PathBuf,
    home: PathBuf,
    git_settings: Vec<PathBuf>,
    users: Vec<u32>,
    main: InMain,
    disk: Arc<dyn Disk>,
    capture_lock: LockFile,
    copies: Option<Copies>,
}

impl Layout {
    /// Returns the user's settings of git, those of the system first.
    pub fn git_settings(&self) -> &[PathBuf] {
        &self.git_settings
    }

    /// Returns the layout of a project. Nothing is read or created.
    pub fn new(environment: &Environment) -> Self {
        let memory_dir = environment.memory_dir().to_path_buf();
        let forge = memory_dir.join(FORGE_FOLDER);
        Layout {
            capture_lock: lock_in(&forge, CAPTURES_FILE, &environment.disk),
            project_dir: environment.project_dir.clone(),
            memory_dir,
            home: environment.home.clone(),
            git_settings: environment.git_settings.clone(),
            users: environment.users.clone(),
            main: environment.main.clone(),
            disk: Arc::clone(&environment.disk),
            copies: Copies::of(environment),
            forge,
        }
    }

    /// Returns the ids of the user; none where owners are not checked.
    pub fn users(&self) -> &[u32] {
        &self.users
    }

    /// Returns what the main checkout has of the memory.
    pub fn main(&self) -> &InMain {
        &self.main
    }

    /// Returns the top of the work tree with the memory, and the project's folder in it.
    pub fn tree(&self) -> Option<(&Path, PathBuf)> {
        self.copies.as_ref().map(Copies::tree)
    }

    /// Returns the project's folder.
    pub fn project_dir(&self) -> &Path {
        &self.project_dir
    }

    /// Returns the folder whose `.forge` has the memory: the project's own, or that of the main checkout.
    pub fn memory_dir(&self) -> &Path {
        &self.memory_dir
    }

    /// Returns the file of the project's settings. Where the memory is that of the main checkout, so are settings that the work tree lacks.
    pub fn settings_file(&self) -> PathBuf {
        let own = self.project_dir.join(CONFIG_FILE);
        if self.memory_dir == self.project_dir || self.disk.link_metadata(&own).is_ok() {
            own
        } else {
            self.memory_dir.join(CONFIG_FILE)
        }
    }

    /// Returns the project's `.forge` folder.
    pub fn forge(&self) -> &Path {
        &self.forge
    }

    /// Returns the user's own folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the disk.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Returns the path of a file of `.forge/`.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.forge.join(name)
    }

    /// True if a file of `.forge/` is there.
    pub fn has(&self, name: &str) -> bool {
        self.disk.has(&self.path_of(name))
    }

    /// Reads a file of `.forge/`; empty when it does not exist.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        Ok(read_file(self.disk.as_ref(), &self.path_of(name))?.unwrap_or_default())
    }

    /// Returns the lock of all files that a capture writes: the raw log and the files derived from it.
    pub fn capture_lock(&self) -> &LockFile {
        &self.capture_lock
    }

    /// Returns the separate lock of a file of `.forge/`.
    pub fn lock_of(&self, name: &str) -> LockFile {
        lock_in(&self.forge, name, &self.disk)
    }

    /// Returns a journal under the lock of captures.
    pub fn journal_of_captures(&self, name: &str) -> Journal {
        self.with_copy(name, self.capture_lock.clone())
    }

    /// Returns a journal under a lock, with its copy if git may take the file away.
    fn with_copy(&self, name: &str, lock: LockFile) -> Journal {
        let mut journal = Journal::under(Arc::clone(&self.disk), self.path_of(name), lock);
        if let Some(copies) = self.copies.as_ref().filter(|copies| copies.has(name)) {
            copies.follow(name, &mut journal);
        }
        journal
    }

    /// Returns the path of the copy of a file, which begins with a line of its own.
    pub fn copy_of(&self, name: &str) -> Option<PathBuf> {
        let copies = self.copies.as_ref().filter(|copies| copies.has(name))?;
        Some(copies.path_of(name))
    }

    /// Returns a journal for a file of `.forge/` to which lines are appended that its copy has already.
    pub fn journal_without_copy(&self, name: &str) -> Journal {
        let lock = if is_written_by_captures(name) {
            self.capture_lock.clone()
        } else {
            self.lock_of(name)
        };
        Journal::under(Arc::clone(&self.disk), self.path_of(name), lock)
    }

    /// Returns a journal under a lock of its own.
    pub fn journal_under_own_lock(&self, name: &str) -> Journal {
        self.with_copy(name, self.lock_of(name))
    }

    /// Returns a journal for any file of `.forge/`, under the lock that its other writers take.
    pub fn journal_of(&self, name: &str) -> Journal {
        if is_written_by_captures(name) {
            return self.journal_of_captures(name);
        }
        self.journal_under_own_lock(name)
    }
}

/// The files of a committed memory that captures and saves write.
pub fn committed_files() -> impl Iterator<Item = &'static str> + Clone {
    let typed = ROUTED_TYPES.iter().map(|(_, file)| *file);
    [CAPTURES_FILE, PATTERNS_FILE].into_iter().chain(typed)
}

fn is_written_by_captures(name: &str) -> bool {
    name.starts_with(QUEUE_PREFIX)
        || name.starts_with("hub-events")
        || name.starts_with("telemetry/")
        || name == CAPTURES_FILE
        || is_type_file(name)
}

/// Returns the name of a journal without its ending, as one name without folders.
pub fn flat_name(file: &str) -> String {
    file.trim_end_matches(".jsonl").replace('/', "-")
}

/// Returns the lock of a journal in a folder.
pub fn lock_in(folder: &Path, file: &str, disk: &Arc<dyn Disk>) -> LockFile {
    let path = folder.join("locks").join(format!("{}.lock", flat_name(file)));
    LockFile::new(Arc::clone(disk), path)
}
