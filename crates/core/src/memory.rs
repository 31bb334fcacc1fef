//! An open memory: one project's journals with their indexes, and the user's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use once_cell::sync::OnceCell;

use crate::anvil::QUEUE_FILE;
use crate::clock::{Clock, Millis, SystemClock};
use crate::config::{CONFIG_FILE, Config, FORGE_FOLDER, unconfigured_name};
use crate::error::{Error, Result};
use crate::events::EventLog;
use crate::index::{Catalog, Entry, Family, IndexJob, Shelf, Windows};
use crate::journal::{ConfinedDisk, Disk, FileId, Held, Journal, LockFile, write_file};
use crate::ownership::Marks;
use crate::progress::Progress;
use crate::queue::Queue;
use crate::report::{Coverage, Samples, Tallies, counted_bytes, keep_tallies};
use crate::telemetry::TelemetryLog;

/// The raw log of captures: the truth.
pub const CAPTURES_FILE: &str = "memory-captures.jsonl";

/// The project's patterns.
pub const PATTERNS_FILE: &str = "memory/project.jsonl";

/// A tail of the raw log shorter than this is cheaper to read again than to persist.
const SETTLE_BYTES: u64 = 256 * 1024;
/// Most records are shorter.
const LINE_BYTES_USUAL: usize = 1000;

/// How often the path of a file that can be made again from the raw log is looked up while it is written.
const LOOKUP_EVERY: u32 = 16;

/// What a memory is opened with.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The project's folder.
    pub project_dir: PathBuf,
    /// The user's own folder, usually `~/.forge`.
    pub home: PathBuf,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
}

impl Surroundings {
    /// Returns the real clock and file system, confined to two folders.
    pub fn new(project_dir: PathBuf, home: PathBuf) -> Self {
        let disk = ConfinedDisk::new(project_dir.clone(), home.clone());
        Surroundings {
            project_dir,
            home,
            clock: Arc::new(SystemClock),
            disk: Arc::new(disk),
        }
    }
}

/// Work for the background: an index, and the counts of a report beside it. It holds nothing and can run on any thread.
#[derive(Debug, Clone)]
pub struct Job {
    index: IndexJob,
    disk: Arc<dyn Disk>,
    /// The folder whose files are to be counted, and the marks of its project.
    counted: Option<(PathBuf, Arc<Marks>)>,
}

impl Job {
    /// Does the work. Answers whether there are new index segments; `false` as well when another process is at it.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read, or what is derived from it not be written.
    pub fn run(&self) -> Result<bool> {
        let is_new = self.index.run()?;
        if let Some((forge, marks)) = self.counted.as_ref().filter(|_| is_new) {
            keep_tallies(self.disk.as_ref(), forge, marks)?;
        }
        Ok(is_new)
    }
}

/// A journal and its index.
#[derive(Debug)]
pub struct Store {
    pub(crate) journal: Journal,
    pub(crate) shelf: Shelf,
}

impl Store {
    fn new(folder: &Path, file: &str, family: Family, threshold: f64, lock: LockFile, disk: &Arc<dyn Disk>) -> Self {
        let name = name_of(file);
        let index_lock = folder.join(format!("locks/index-{name}.lock"));
        let catalog = Catalog::new(Arc::clone(disk), folder.join("index").join(&name), index_lock);
        Store {
            journal: Journal::under(Arc::clone(disk), folder.join(file), lock),
            shelf: Shelf::new(family, threshold, Some(catalog)),
        }
    }

    /// Believes only an index that this machine made: what lies in a project may have come with a clone.
    fn in_project(mut self, marks: &Arc<Marks>) -> Self {
        self.shelf.own_by(marks);
        self
    }

    /// A store that is read and never written, its index included.
    fn read_only(folder: &Path, file: &str, family: Family, threshold: f64, disk: &Arc<dyn Disk>) -> Self {
        Store {
            journal: Journal::under(Arc::clone(disk), folder.join(file), lock_in(folder, file, disk)),
            shelf: Shelf::new(family, threshold, None),
        }
    }

    /// Takes the journal's lock, ends a torn tail and brings the index in step: what comes before an append.
    pub(crate) fn hold(&mut self, now: Millis) -> Result<(Held<'_>, &mut Shelf)> {
        let Store { journal, shelf } = self;
        let mut held = journal.hold_by(shelf.look_due(now))?;
        held.close_tail()?;
        let state = held.state();
        shelf.refresh_to(held.journal(), state)?;
        Ok((held, shelf))
    }

    /// Brings the index in step with the journal.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        self.shelf.refresh(&mut self.journal)
    }
}

/// Which pattern file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This project's.
    Project,
    /// The user's, for all projects.
    Global,
}

impl Scope {
    /// Returns the scope's name.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::Global => "global",
        }
    }
}

/// One project's memory and the user's own.
#[derive(Debug)]
pub struct Memory {
    pub(crate) surroundings: Surroundings,
    pub(crate) config: Config,
    config_seen: Option<(FileId, u64, i64)>,
    /// Every capture has it, and where a folder lies does not change.
    unconfigured_name: OnceCell<String>,
    pub(crate) captures: Store,
    pub(crate) project_patterns: Store,
    /// The older tool keeps a second file in the project and calls it global; it is read, and tombstones are all that is written to it.
    pub(crate) legacy_patterns: Store,
    pub(crate) global_patterns: Store,
    pub(crate) typed: Vec<(&'static str, Journal)>,
    pub(crate) queue: Queue,
    pub(crate) events: EventLog,
    pub(crate) telemetry: TelemetryLog,
    /// The one lock of everything a capture writes: the raw log and what can be made again from it.
    pub(crate) capture_lock: LockFile,
    pub(crate) tallies: Tallies,
    pub(crate) samples: Samples,
    pub(crate) coverage: Coverage,
    pub(crate) windows: Windows,
    /// Tells what of the project's files this machine wrote.
    pub(crate) marks: Arc<Marks>,
    pub(crate) entry: Entry,
    /// How far long work has come.
    pub progress: Arc<Progress>,
    furnished: OnceCell<()>,
}

impl Memory {
    /// Opens the memory of a project. Nothing is created or read before the first use.
    pub fn open(surroundings: Surroundings) -> Self {
        let config = Config::load(surroundings.disk.as_ref(), &surroundings.project_dir);
        let forge = surroundings.project_dir.join(FORGE_FOLDER);
        let (home, disk, threshold) = (&surroundings.home, &surroundings.disk, config.dedup_threshold);
        let marks = Arc::new(Marks::new(disk, home, &surroundings.project_dir));
        let lock = lock_in(&forge, CAPTURES_FILE, disk);
        let beside = |file: &str| {
            let mut journal = Journal::under(Arc::clone(disk), forge.join(file), lock.clone());
            journal.look_up_every(LOOKUP_EVERY);
            journal
        };
        let patterns = |folder: &Path, file: &str| {
            Store::new(
                folder,
                file,
                Family::Patterns,
                threshold,
                lock_in(folder, file, disk),
                disk,
            )
        };
        let legacy = Store::read_only(&forge, "memory/global.jsonl", Family::Patterns, threshold, disk);
        let mut memory = Memory {
            captures: Store::new(&forge, CAPTURES_FILE, Family::Thoughts, threshold, lock.clone(), disk)
                .in_project(&marks),
            project_patterns: patterns(&forge, PATTERNS_FILE).in_project(&marks),
            legacy_patterns: legacy,
            global_patterns: patterns(home, "memory/global.jsonl"),
            typed: crate::thought::ROUTED_TYPES
                .iter()
                .map(|(kind, file)| (*kind, beside(file)))
                .collect(),
            queue: Queue::new(beside(QUEUE_FILE), Arc::clone(&marks)),
            events: EventLog::new(beside("hub-events.jsonl"), &marks),
            telemetry: TelemetryLog::new(beside("telemetry/memory-captures.jsonl")),
            capture_lock: lock.clone(),
            tallies: Tallies::default(),
            samples: Samples::default(),
            coverage: Coverage::default(),
            windows: Windows::default(),
            marks,
            entry: Entry::default(),
            config_seen: config_state(surroundings.disk.as_ref(), &surroundings.project_dir),
            config,
            unconfigured_name: OnceCell::new(),
            surroundings,
            progress: Arc::default(),
            furnished: OnceCell::new(),
        };
        memory.apply_durability();
        memory
    }

    /// Returns the file system that the memory lives on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.surroundings.disk
    }

    /// Returns the present moment, by the clock that the memory was given.
    pub fn now_ms(&self) -> Millis {
        self.surroundings.clock.now_ms()
    }

    /// Returns the project's folder.
    pub fn project_dir(&self) -> &Path {
        &self.surroundings.project_dir
    }

    /// Returns the project's `.forge` folder.
    pub fn forge_dir(&self) -> PathBuf {
        self.surroundings.project_dir.join(FORGE_FOLDER)
    }

    /// Returns the settings, read again when the file has changed.
    pub fn config(&mut self) -> &Config {
        let seen = config_state(self.surroundings.disk.as_ref(), &self.surroundings.project_dir);
        if seen != self.config_seen || self.config.is_unread {
            let before = self.config.dedup_threshold;
            self.config_seen = seen;
            self.config = Config::load(self.surroundings.disk.as_ref(), &self.surroundings.project_dir);
            self.unconfigured_name = OnceCell::new();
            self.apply_durability();
            if before != self.config.dedup_threshold {
                self.reopen_captures();
            }
        }
        &self.config
    }

    /// Returns the project's name: as configured, else as its folder, or its main checkout, is called.
    pub fn project_name(&self) -> String {
        let unconfigured = || {
            self.unconfigured_name
                .get_or_init(|| unconfigured_name(self.surroundings.disk.as_ref(), self.project_dir()))
        };
        self.config
            .project_name
            .clone()
            .unwrap_or_else(|| unconfigured().clone())
    }

    fn apply_durability(&mut self) {
        let durability = self.config.durability;
        for store in [
            &mut self.captures,
            &mut self.project_patterns,
            &mut self.global_patterns,
        ] {
            store.journal.set_durability(durability);
        }
    }

    fn reopen_captures(&mut self) {
        let (forge, threshold, disk) = (self.forge_dir(), self.config.dedup_threshold, &self.surroundings.disk);
        let lock = self.capture_lock.clone();
        self.captures =
            Store::new(&forge, CAPTURES_FILE, Family::Thoughts, threshold, lock, disk).in_project(&self.marks);
        self.apply_durability();
    }

    /// Puts the list of what git should not see beside the memory, unless somebody has written one. The first record of
    /// a file may mean that the whole folder was deleted and is made anew.
    pub(crate) fn furnish(&mut self, is_first: bool) -> Result<()> {
        if is_first {
            self.furnished = OnceCell::new();
        }
        let write = || {
            let path = self.forge_dir().join(".gitignore");
            match self.surroundings.disk.stat(&path) {
                Ok(_) => Ok(()),
                Err(_) => write_file(self.surroundings.disk.as_ref(), &path, GIT_IGNORE.as_bytes()),
            }
        };
        Ok(self.furnished.get_or_try_init(write).copied()?)
    }

    pub(crate) fn pattern_store(&mut self, scope: Scope) -> &mut Store {
        match scope {
            Scope::Project => &mut self.project_patterns,
            Scope::Global => &mut self.global_patterns,
        }
    }

    /// Returns index work that has come together since the last call, to be run on another thread.
    pub fn take_jobs(&mut self) -> Vec<Job> {
        let stores = [
            (&mut self.captures, true),
            (&mut self.project_patterns, false),
            (&mut self.global_patterns, false),
        ];
        let now = self.surroundings.clock.now_ms();
        let forge = self.surroundings.project_dir.join(FORGE_FOLDER);
        stores
            .into_iter()
            .filter_map(|(store, is_counted)| {
                Some(Job {
                    index: store.shelf.take_job(&store.journal, now)?,
                    disk: Arc::clone(&self.surroundings.disk),
                    counted: is_counted.then(|| (forge.clone(), Arc::clone(&self.marks))),
                })
            })
            .collect()
    }

    /// Takes over the segments that jobs have made.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read.
    pub fn adopt(&mut self) -> Result<()> {
        for store in [
            &mut self.captures,
            &mut self.project_patterns,
            &mut self.global_patterns,
        ] {
            store.shelf.adopt(&store.journal)?;
        }
        Ok(())
    }

    /// Does, here and now, the index work that a short-lived process would leave to the next one.
    ///
    /// # Errors
    /// `IO` when a journal cannot be read or a segment not be written.
    pub fn settle(&mut self) -> Result<()> {
        self.refresh_stores();
        for store in [
            &mut self.captures,
            &mut self.project_patterns,
            &mut self.global_patterns,
        ] {
            if let Some(job) = store.shelf.settling_job(&store.journal, SETTLE_BYTES) {
                job.run()?;
            }
        }
        let forge = self.forge_dir();
        let counted = counted_bytes(self.surroundings.disk.as_ref(), &forge, &self.marks);
        if self.captures.shelf.covered() >= counted + SETTLE_BYTES {
            keep_tallies(self.surroundings.disk.as_ref(), &forge, &self.marks)?;
        }
        self.adopt()
    }
}

/// What git should not see; everything else in the folder is meant to be committed.
const GIT_IGNORE: &str = "\
# Written by forge-memory. The memory itself is meant to be committed; this is what surrounds it.
/openbrain-*
/hub-events*.jsonl
/telemetry/
/memory-search-cache.jsonl
/server-ports.json
/secrets.json
/index/
/locks/
/lattice/
/quarantine/
/.migration-backup-*/
*.tmp
";

/// The patterns that [`GIT_IGNORE`] lists, for checking somebody else's file.
pub(crate) fn ignored_patterns() -> impl Iterator<Item = &'static str> {
    GIT_IGNORE.lines().filter(|line| !line.starts_with('#'))
}

fn name_of(file: &str) -> String {
    file.trim_end_matches(".jsonl").replace('/', "-")
}

/// Returns the lock of a journal in a folder.
pub(crate) fn lock_in(folder: &Path, file: &str, disk: &Arc<dyn Disk>) -> LockFile {
    LockFile::new(
        Arc::clone(disk),
        folder.join("locks").join(format!("{}.lock", name_of(file))),
    )
}

fn config_state(disk: &dyn Disk, project_dir: &Path) -> Option<(FileId, u64, i64)> {
    let state = disk.stat(&project_dir.join(CONFIG_FILE)).ok()?;
    Some((state.id, state.len, state.modified_ns))
}

/// Encodes a record; our records are made of text and numbers only, so that this does not fail.
pub(crate) fn encode<T: serde::Serialize>(record: &T) -> Result<Vec<u8>> {
    let mut line = Vec::with_capacity(LINE_BYTES_USUAL);
    serde_json::to_writer(&mut line, record).map_err(|e| Error::invalid("record", e.to_string()))?;
    Ok(line)
}
