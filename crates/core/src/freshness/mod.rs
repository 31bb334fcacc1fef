//! Freshness: whether the files, commands and names that a record mentions still exist as they were when the record was
//! made. It is checked when a record is returned, like the validation of a cache entry: first by the state of a file
//! (size, time, inode), and by its hash only when the record has one and the state has changed.
//!
//! The project is untrusted. Files are checked only within it, never through a link that leads out of it, and read only
//! when they are regular and small. Nothing here blocks, and nothing is written.

mod commands;
mod files;
mod mentions;
mod past;

use crate::model::wire::iso;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

use once_cell::sync::OnceCell;
use rustc_hash::FxHashMap;

use crate::clock::Millis;
use crate::journal::Disk;
use crate::model::hallmark::Origin;
use crate::model::limits::quote;
use crate::project::Project;
use crate::project::config::Config;
use crate::project::environment::CodeNames;
use crate::project::git::cloned_at;

use commands::Commands;
use files::{Files, Look};
use mentions::{Mention, PathMention};
use past::{Past, PastFile};

pub(crate) use past::PAST_FILE;
pub use past::keep_past;

/// The tolerance for modification times: the clocks of file systems are coarse.
const COARSE_MS: Millis = 2_000;
/// The time after a clone within which git may write the files of the checkout.
const CLONE_MS: Millis = 60_000;

/// The state of the files and names that a record mentions, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FreshnessState {
    /// It exists, and no change is known.
    Unchanged,
    /// It was renamed.
    Renamed,
    /// It exists and has changed.
    Changed,
    /// It does not exist.
    Gone,
}

impl FreshnessState {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            FreshnessState::Unchanged => "unchanged",
            FreshnessState::Renamed => "renamed",
            FreshnessState::Changed => "changed",
            FreshnessState::Gone => "gone",
        }
    }

    /// Returns the factor of a record's score. A record that mentions something changed may still be right, so the
    /// factors are near 1: they decide between records of about equal relevance.
    pub fn factor(self) -> f64 {
        match self {
            FreshnessState::Unchanged => 1.0,
            FreshnessState::Renamed => 0.95,
            FreshnessState::Changed => 0.9,
            FreshnessState::Gone => 0.8,
        }
    }
}

/// Whether the files and commands that a record names still exist.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The worst state of all that the record names.
    pub state: FreshnessState,
    /// The checked file or name, and the result.
    pub why: String,
    /// When it was checked.
    #[serde(serialize_with = "iso")]
    #[schemars(with = "String")]
    pub checked_at: Millis,
}

impl Freshness {
    /// Returns the mark to show beside a record; `None` when nothing has changed.
    pub fn mark(&self) -> Option<String> {
        (self.state != FreshnessState::Unchanged).then(|| format!("{}: {}", self.state.name(), self.why))
    }
}

/// The facts that a record is checked against, besides its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Basis {
    /// The code that it is about, by its hallmark.
    pub origin: Option<Origin>,
    /// When it was made.
    pub made_at: Millis,
    /// When it was last captured again; the minimum when it never was.
    pub confirmed_at: Millis,
}

impl Basis {
    /// Returns when it was last captured.
    pub(crate) fn said_at(&self) -> Millis {
        self.made_at.max(self.confirmed_at)
    }
}

/// A state and its reason.
type Finding = (FreshnessState, String);

/// Checks the records of one project. It caches file hashes and defined commands.
#[derive(Debug)]
pub(crate) struct Checker {
    is_on: bool,
    files: Files,
    commands: Commands,
    past: Past,
    /// When files were changed last, in milliseconds, before whoever asks changed them.
    own: FxHashMap<String, Millis>,
    code_names: Option<Arc<dyn CodeNames>>,
    /// When this clone was made, according to git.
    cloned_at: OnceCell<Option<Millis>>,
}

impl Checker {
    /// Returns the checker of a project; nothing is read before the first check.
    pub fn open(project: &Project) -> Self {
        let layout = &project.layout;
        let (disk, dir): (Arc<dyn Disk>, _) = (Arc::clone(layout.disk()), layout.project_dir());
        Checker {
            is_on: project.config().settings.freshness,
            past: Past::new(layout.path_of(PAST_FILE)),
            own: FxHashMap::default(),
            files: Files::new(dir, disk),
            commands: Commands::default(),
            code_names: project.code_names.clone(),
            cloned_at: OnceCell::new(),
        }
    }

    /// Applies changed settings.
    pub fn reconfigure(&mut self, config: &Config) {
        self.is_on = config.settings.freshness;
    }

    /// Learns which files whoever asks has changed, each with the time of the change before, and which were renamed since the last commit, each
    /// with its name now.
    pub fn learn(&mut self, own: FxHashMap<String, Millis>, renamed: BTreeMap<String, String>) {
        self.own = own;
        self.past.uncommitted = renamed;
    }

    /// Returns the names that a file had before it was renamed, and that no other file has now.
    pub fn former_names(&mut self, name: &str) -> Vec<String> {
        if !self.is_on {
            return Vec::new();
        }
        let mut names = self.past.former_names(self.files.disk(), name);
        names.retain(|former| matches!(self.files.look(former), Look::Missing));
        names
    }

    /// True if what is known of the history is older than the last commit, or than the last switch to another.
    pub fn is_past_outdated(&mut self) -> bool {
        self.is_on && self.past.is_outdated(self.files.disk(), self.files.project())
    }

    /// True if records are checked at all.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Begins the checks of an answer, which have limits and see each file once.
    pub fn begin(&mut self) {
        self.files.begin();
        self.past.begin();
    }

    /// Checks the mentions of a record; `None` when it mentions nothing in the project's present or past.
    pub fn check(&mut self, text: &str, basis: &Basis, now: Millis) -> Option<Freshness> {
        let mut worst: Option<Finding> = None;
        let (origin, said_at) = (basis.origin.as_ref(), basis.said_at());
        let named = origin.and_then(|origin| origin.source_file.as_deref());
        take(&mut worst, origin.and_then(|origin| self.check_origin(origin, basis)));
        let found = mentions::find(text);
        // Names come last, because the other mentions show whether the record is about this project's code.
        let is_name = |mention: &&Mention| matches!(mention, Mention::Name(_));
        let named_last = found.mentions.iter().filter(|mention| !is_name(mention));
        for mention in named_last.chain(found.mentions.iter().filter(is_name)) {
            let is_about_code = worst.is_some();
            let found = match mention {
                Mention::Path(path) if Some(path.name.as_str()) == named => None,
                Mention::Path(path) => self.check_path(path, said_at, found.tells_of_change),
                Mention::Command(command) => self.check_command(command, found.tells_of_change),
                Mention::Name(name) => self.check_name(name, said_at, is_about_code && !found.tells_of_change),
            };
            take(&mut worst, found);
        }
        worst.map(|(state, why)| Freshness {
            state,
            why,
            checked_at: now,
        })
    }

    /// Compares the code that a record is about with the current file.
    fn check_origin(&mut self, origin: &Origin, basis: &Basis) -> Option<Finding> {
        let name = origin.source_file.as_deref()?;
        match self.files.look(name) {
            Look::Missing => Some(self.gone(name).unwrap_or_else(|| not_there(name))),
            Look::File(state) => {
                let hash = origin
                    .code_hash
                    .as_deref()
                    .map(|due| (due, self.files.hash(name, origin.byte_range, state)));
                match hash {
                    Some((due, Some(now))) if now == due => Some(unchanged(name)),
                    // A capture after the last change describes the current file.
                    Some((_, Some(_))) if state.modified_ns / 1_000_000 <= basis.confirmed_at => Some(unchanged(name)),
                    Some((_, Some(_))) if self.own.get(name).is_some_and(|before| *before <= basis.said_at()) => {
                        Some(unchanged(name))
                    }
                    Some((_, Some(_))) => Some(changed(name)),
                    // Too large to be read for an answer, or without a hash.
                    _ => Some(self.compare_times(name, state.modified_ns, basis.said_at())),
                }
            }
            Look::Other | Look::Unknown => None,
        }
    }

    fn check_path(&mut self, path: &PathMention, made_at: Millis, tells_of_change: bool) -> Option<Finding> {
        match self.files.look(&path.name) {
            Look::File(state) => Some(self.compare_times(&path.name, state.modified_ns, made_at)),
            Look::Other => Some(unchanged(&path.name)),
            // A record that reports a change is right about files that no longer exist.
            Look::Missing if tells_of_change => None,
            Look::Missing => match self.gone(&path.name) {
                Some(gone) => Some(gone),
                None if self.past.is_complete(self.files.disk(), self.files.project()) => None,
                None => (path.is_sure && self.files.has_folder_of(&path.name)).then(|| not_there(&path.name)),
            },
            Look::Unknown => None,
        }
    }

    /// Looks up a missing file in the git history.
    fn gone(&mut self, name: &str) -> Option<Finding> {
        match self.past.find(self.files.disk(), name)? {
            PastFile::Renamed(to) if matches!(self.files.look(&to), Look::File(_)) => Some((
                FreshnessState::Renamed,
                format!("{} is {} now", quote(name), quote(&to)),
            )),
            PastFile::Renamed(_) | PastFile::Deleted => {
                Some((FreshnessState::Gone, format!("{} was removed", quote(name))))
            }
        }
    }

    /// Without a hash, the modification time decides. A file older than this clone got its time from the clone.
    fn compare_times(&self, name: &str, modified_ns: i64, made_at: Millis) -> Finding {
        let modified = self.own.get(name).copied().unwrap_or(modified_ns / 1_000_000);
        // Since when is not known of a record without a date.
        if made_at > 0 && modified > made_at.saturating_add(COARSE_MS) && !self.is_by_clone(modified, made_at) {
            changed(name)
        } else {
            unchanged(name)
        }
    }

    fn is_by_clone(&self, modified: Millis, made_at: Millis) -> bool {
        let look = || cloned_at(self.files.disk(), self.files.project());
        let cloned = *self.cloned_at.get_or_init(look);
        cloned.is_some_and(|cloned| made_at < cloned && modified <= cloned.saturating_add(CLONE_MS))
    }

    /// A name that the code does not have may belong to a library: it counts as gone only in a record about this
    /// project's code.
    fn check_name(&mut self, name: &str, made_at: Millis, is_about_code: bool) -> Option<Finding> {
        let has = self.code_names.as_ref()?.has(name, made_at)?;
        if has {
            Some((FreshnessState::Unchanged, format!("{} is in the code", quote(name))))
        } else {
            is_about_code.then(|| (FreshnessState::Gone, format!("{} is not in the code", quote(name))))
        }
    }

    fn check_command(&mut self, command: &mentions::CommandMention, tells_of_change: bool) -> Option<Finding> {
        let has = self.commands.has(&mut self.files, command)?;
        let (file, noun, name) = (command.runner.file(), command.noun(), quote(&command.name));
        if has {
            return Some((FreshnessState::Unchanged, format!("{file} has the {noun} {name}")));
        }
        (!tells_of_change).then(|| (FreshnessState::Gone, format!("{file} has no {noun} {name}")))
    }
}

/// Keeps the worse of two findings; of equal ones, the first.
fn take(worst: &mut Option<Finding>, found: Option<Finding>) {
    if let Some(found) = found
        && worst.as_ref().is_none_or(|worst| found.0 > worst.0)
    {
        *worst = Some(found);
    }
}

fn unchanged(name: &str) -> Finding {
    (FreshnessState::Unchanged, format!("{} is there", quote(name)))
}

fn changed(name: &str) -> Finding {
    (FreshnessState::Changed, format!("{} has changed since", quote(name)))
}

fn not_there(name: &str) -> Finding {
    (FreshnessState::Gone, format!("{} is not there", quote(name)))
}
