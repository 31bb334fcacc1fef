//! One project: its folders, its settings, and which of its files this machine wrote.

#![deny(unsafe_code)]
// Only the crates above use these: where a name says it, there is no sentence.
#![allow(missing_docs)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod backups;
pub mod committed;
pub mod config;
pub mod copies;
pub mod environment;
pub mod files;
pub mod floor;
pub mod git;
pub mod gitignore;
mod ignored;
pub mod keywords;
pub mod layout;
pub mod names;
pub mod output;
pub mod ownership;
pub mod place;
pub mod siblings;
mod worktree;

use std::sync::Arc;

use once_cell::sync::OnceCell;

use crate::config::Config;
use crate::names::Names;
use crate::ownership::Marks;
use environment::{CodeNames, Environment, SentenceModels, TextEmbedder};
use forge_memory_journal::clock::{Clock, Millis};
use forge_memory_journal::{Disk, FileId};
use forge_memory_record::error::Result;
use forge_memory_record::model::scrub::Redactor;
use gitignore::GitIgnore;
use layout::Layout;

#[derive(Debug)]
pub struct Project {
    pub layout: Layout,
    /// The marks of files that this machine wrote.
    pub marks: Arc<Marks>,
    /// The names in the code, if there is a source of them.
    pub code_names: Option<Arc<dyn CodeNames>>,
    /// The sentence embedding model, if any.
    pub embedder: Option<Arc<dyn TextEmbedder>>,
    /// The models that the settings choose from.
    pub models: Option<Arc<dyn SentenceModels>>,
    clock: Arc<dyn Clock>,
    config: Config,
    config_seen: [Option<(FileId, u64, i64)>; 4],
    /// Cached, because every capture needs it.
    names: OnceCell<Names>,
    /// True if this process has noted which project the folder is.
    pub is_noted: bool,
    gitignore: GitIgnore,
}

impl Project {
    /// Opens a project. Only its settings are read.
    pub fn open(environment: Environment) -> Self {
        let layout = Layout::new(&environment);
        Project {
            marks: Arc::new(Marks::new(layout.disk(), layout.home(), layout.memory_dir())),
            code_names: environment.code_names,
            embedder: environment.embedder,
            models: environment.models,
            clock: environment.clock,
            config_seen: config_state(&layout),
            config: floor::load(&layout),
            names: OnceCell::new(),
            is_noted: false,
            gitignore: GitIgnore::default(),
            layout,
        }
    }

    /// Returns the current time.
    pub fn now(&self) -> Millis {
        self.clock.now_ms()
    }

    /// Returns the disk.
    pub fn disk(&self) -> &dyn Disk {
        self.layout.disk().as_ref()
    }

    /// Returns the settings as they were last read.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Reads the settings again when the file has changed, and returns the old ones then.
    pub fn reload(&mut self) -> Option<Config> {
        if self.name_problem().is_some() {
            self.names = OnceCell::new();
        }
        let seen = config_state(&self.layout);
        if seen == self.config_seen && !self.config.is_unread {
            return None;
        }
        self.config_seen = seen;
        self.names = OnceCell::new();
        self.is_noted = false;
        Some(std::mem::replace(&mut self.config, floor::load(&self.layout)))
    }

    /// Returns the project's name: the configured one, else the identity of its repository or folder.
    pub fn name(&self) -> String {
        self.names().first().cloned().unwrap_or_default()
    }

    /// Returns all names of the project: the current one first, then those that its older records may have.
    pub fn names(&self) -> &[String] {
        &self.found_names().all
    }

    /// True if a record with this name in the project's files may be its own: without a name, with one of its names or the last part of
    /// one, with that of a copy of a folder without a remote (`local/HASH/NAME`), or with the name that Plan Forge uses where none is set.
    pub fn may_be_own(&self, name: &str) -> bool {
        let last = if name.starts_with(git::LOCAL) {
            names::short_name(name)
        } else {
            name
        };
        let is_own = |own: &String| own == name || names::short_name(own) == last;
        name.is_empty() || name == "plan-forge" || self.names().iter().any(is_own)
    }

    /// Returns the name under which a record about a project is stored: for each of this project's names, and its short one, that by which
    /// it is searched.
    pub fn stored_as(&self, name: String) -> String {
        let is_own = |own: &String| *own == name || names::short_name(own) == name;
        if self.names().iter().any(is_own) {
            self.name()
        } else {
            name
        }
    }

    /// Returns the names, with the notes on them.
    pub fn found_names(&self) -> &Names {
        self.names.get_or_init(|| names::find(&self.layout, &self.config))
    }

    /// Finds the names again, after something was noted.
    pub fn forget_names(&mut self) {
        self.names = OnceCell::new();
    }

    /// Returns why the name may not be that of the repository; `None` when it was not determined yet.
    pub fn name_problem(&self) -> Option<&str> {
        self.names.get().and_then(|names| names.problem.as_deref())
    }

    /// Returns the other names of this project, when `name` is one of its names.
    pub fn other_names(&self, name: &str) -> Vec<String> {
        let names = self.names();
        if names.len() > 1 && names.iter().any(|own| own == name) {
            names.iter().filter(|other| *other != name).cloned().collect()
        } else {
            Vec::new()
        }
    }

    /// Returns a redactor, according to the settings.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(self.config.settings.redact)
    }

    /// Writes `.forge/.gitignore`; see [`GitIgnore::ensure`].
    pub fn ensure_gitignore(&mut self, is_first: bool) -> Result<()> {
        self.gitignore.ensure(&self.layout, is_first)
    }
}

/// The state of all that decides on settings and name: the project's file, the user's, the folder of approvals, and git's settings.
fn config_state(layout: &Layout) -> [Option<(FileId, u64, i64)>; 4] {
    let home = layout.home();
    let paths = [
        layout.settings_file(),
        home.join(forge_memory_settings::OWN_FILE),
        home.join(floor::APPROVALS.folder),
        layout.project_dir().join(".git/config"),
    ];
    paths.map(|path| {
        // Only compared, so that where a missing file would be does not matter.
        let state = layout.disk().peek(&path).ok()?;
        Some((state.id, state.len, state.modified_ns))
    })
}
