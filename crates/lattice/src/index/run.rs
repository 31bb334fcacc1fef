//! Keeping the index: which files changed, their facts, and all files written anew in one step.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use forge_memory_core::clock::{Clock, Millis, SystemClock, format_iso};
use forge_memory_core::journal::{ConfinedDisk, Disk, LockFile};
use forge_memory_core::ownership::Marks;
use forge_memory_core::{Error, Result};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::budget::{Budget, Limit};
use crate::chunk;
use crate::contents::{INDEX_BYTES_MAX, read};
use crate::facts::{ChunkFacts, Facts};
use crate::files;
use crate::language;
use crate::own::is_own;
use crate::resolve::{MANIFEST, is_under};
use crate::store::{FileState, Kept, Places, Skip, States, decode_facts, read_states, tree_of};
use crate::write;

/// Larger files are data.
pub(crate) const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Lines this long on average are not written by people.
const LINE_BYTES_MAX: usize = 250;
const MINIFIED_BYTES_MIN: usize = 2048;
/// How coarse the times of file systems are: what was changed this shortly before it was looked at may have changed since.
const COARSE_MS: Millis = 2000;

/// What is to be indexed.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Only files in or under these; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision.
    pub since: Option<String>,
    /// How many seconds the run takes at most.
    pub max_seconds: Option<f64>,
    /// How much memory it takes at most, in MiB.
    pub max_memory_mb: Option<f64>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexOutcome {
    /// How many files the index has now.
    pub files_indexed: usize,
    /// How many of them were read anew.
    pub files_changed: usize,
    /// How many left it.
    pub files_removed: usize,
    /// How many there are that have no facts, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// How many chunks there are.
    pub chunks: usize,
    /// How many edges there are.
    pub edges: usize,
    /// Which limit was reached, so that something was left out; the next run makes up for it.
    pub limit: Option<Limit>,
}

impl IndexOutcome {
    /// Returns how many files have no facts.
    pub fn files_skipped(&self) -> usize {
        self.skipped.values().sum()
    }
}

/// The code graph of one project.
#[derive(Debug)]
pub struct Lattice {
    pub(crate) project: PathBuf,
    pub(crate) places: Places,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    /// None where nobody else's index is met: then any is taken for our own.
    pub(crate) marks: Option<Marks>,
    pub(crate) open: Option<crate::query::Open>,
}

/// One file, as the new index will have it.
struct Entry<'k> {
    path: Cow<'k, str>,
    language: u8,
    hash: u128,
    skip: Skip,
    facts: Cow<'k, [u8]>,
    state: FileState,
    is_new: bool,
}

impl Lattice {
    /// Returns the code graph of a project, confined to it and the user's own folder; nothing is read or written yet.
    pub fn new(project: PathBuf, home: PathBuf) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(ConfinedDisk::new(project.clone(), home.clone()));
        let marks = Marks::new(&disk, &home, &project);
        Lattice {
            marks: Some(marks),
            ..Lattice::with(project, disk, Arc::new(SystemClock))
        }
    }

    /// The same with a file system and a clock of the caller's.
    pub fn with(project: PathBuf, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        let places = Places::of(&project);
        Lattice {
            project,
            places,
            disk,
            clock,
            marks: None,
            open: None,
        }
    }

    /// Brings the index up to date and tells what changed. `progress` is told how many files of how many are done.
    ///
    /// # Errors
    /// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT` for a revision that git does not know, `UNSUPPORTED` without git,
    /// `LOCKED`, `IO`. The index is as it was then.
    pub fn index(&mut self, options: &IndexOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<IndexOutcome> {
        let budget = Budget::of(options, self.disk.as_ref(), &self.project)?;
        let scope = self.scope(options, &budget)?;
        let lock = LockFile::new(Arc::clone(&self.disk), self.places.lock.clone());
        let _guard = lock.guard()?;
        let looked_ms = self.clock.now_ms();
        let (listed, (old_bytes, old_states)) = rayon::join(
            || files::list(&self.project, budget.patience()),
            || {
                if !is_own(self) {
                    return (None, None);
                }
                let disk = self.disk.as_ref();
                let facts = read(disk, &self.places.facts, INDEX_BYTES_MAX).ok();
                (facts, read_states(disk, &self.places.states))
            },
        );
        let old = old_bytes.as_deref().and_then(decode_facts).unwrap_or_default();
        self.require_known(&scope, &old)?;
        let old_states = old_states
            .filter(|states| states.files.len() == old.len())
            .unwrap_or_default();
        let (entries, removed) = self.entries(&scope, &listed, (&old, &old_states), &budget, progress);
        let kept: Vec<Kept<'_>> = entries.iter().map(Entry::kept).collect();
        let states = States {
            tree: tree_of(kept.iter()),
            looked_ms,
            files: entries
                .iter()
                .map(|entry| (entry.path.clone().into_owned(), entry.state))
                .collect(),
        };
        let mut outcome = outcome_of(&entries, removed);
        let (counts, replaced) = write::write(self, &kept, &states, (&old, &old_states), &budget)?;
        outcome.limit = budget.reached();
        (outcome.chunks, outcome.edges) = counts;
        drop(kept);
        drop(entries);
        drop(old);
        drop(old_bytes);
        replaced.let_go();
        Ok(outcome)
    }

    /// Tells which files are looked at; `None` for all.
    fn scope(&self, options: &IndexOptions, budget: &Budget) -> Result<Option<Scope>> {
        if !self.project.is_dir() {
            let reason = format!("there is no folder {}", self.project.display());
            return Err(Error::invalid("projectDir", reason));
        }
        let under = match &options.paths {
            Some(paths) => Some(files::inside(&self.project, paths)?),
            None => None,
        };
        let changed = match &options.since {
            Some(revision) => Some(files::changed_since(&self.project, revision, budget.patience())?),
            None => None,
        };
        if under.is_none() && changed.is_none() {
            return Ok(None);
        }
        let mut changed = changed;
        if let Some(changed) = &mut changed {
            changed.sort_unstable();
        }
        Ok(Some(Scope { under, changed }))
    }

    /// Refuses paths that are neither there nor in the index.
    fn require_known(&self, scope: &Option<Scope>, old: &[Kept<'_>]) -> Result<()> {
        let under = scope.as_ref().and_then(|scope| scope.under.as_ref());
        for path in under.into_iter().flatten() {
            let is_there = || fs::symlink_metadata(self.project.join(path)).is_ok();
            if !is_there() && !old.iter().any(|kept| is_in(kept.path, path)) {
                let reason = format!("there is no file or folder {path} in {}", self.project.display());
                return Err(Error::invalid("paths", reason));
            }
        }
        Ok(())
    }

    fn entries<'k>(
        &self,
        scope: &Option<Scope>,
        listed: &[(String, u8)],
        (old, old_states): (&[Kept<'k>], &States),
        budget: &Budget,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> (Vec<Entry<'k>>, usize) {
        let is_meant = |path: &str| scope.as_ref().is_none_or(|scope| scope.holds(path));
        let wanted: Vec<&(String, u8)> = listed.iter().filter(|(path, _)| is_meant(path)).collect();
        let total = wanted.len();
        let done = AtomicUsize::new(0);
        progress(0, total);
        let mut entries: Vec<Entry<'k>> = wanted
            .par_iter()
            .with_max_len(16)
            .filter_map(|(path, language)| {
                let before = old.binary_search_by(|kept| kept.path.cmp(path)).ok();
                let before = before.map(|at| (&old[at], old_states.files.get(at), old_states.looked_ms));
                let entry = entry((self.disk.as_ref(), &self.project, budget), path, *language, before);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                entry
            })
            .collect();
        let mut removed = 0;
        for (at, kept) in old.iter().enumerate() {
            if is_meant(kept.path) {
                let stays = entries.binary_search_by(|entry| (*entry.path).cmp(kept.path)).is_ok();
                removed += usize::from(!stays && kept.language != MANIFEST);
            }
            let _ = at;
        }
        let others = old
            .iter()
            .zip(states_of(old, old_states))
            .filter(|(kept, _)| !is_meant(kept.path));
        entries.extend(others.map(|(kept, state)| Entry::unchanged(kept, state)));
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        (entries, removed)
    }
}

fn states_of<'s>(old: &[Kept<'_>], states: &'s States) -> impl Iterator<Item = FileState> + 's {
    let known = states.files.iter().map(|(_, state)| *state);
    known.chain(std::iter::repeat_n(
        FileState::default(),
        old.len().saturating_sub(states.files.len()),
    ))
}

/// The files that a run looks at.
struct Scope {
    under: Option<Vec<String>>,
    changed: Option<Vec<String>>,
}

impl Scope {
    fn holds(&self, path: &str) -> bool {
        let is_under = |folder: &String| is_in(path, folder);
        let is_changed = self
            .changed
            .as_ref()
            .is_none_or(|all| all.binary_search_by(|one| one.as_str().cmp(path)).is_ok());
        is_changed && self.under.as_ref().is_none_or(|under| under.iter().any(is_under))
    }
}

/// Tells whether a path is that one or lies below it; all lie below the one without a name.
fn is_in(path: &str, folder: &str) -> bool {
    path == folder || is_under(path, folder)
}

impl<'k> Entry<'k> {
    fn kept(&self) -> Kept<'_> {
        Kept {
            path: &self.path,
            language: self.language,
            hash: self.hash,
            skip: self.skip,
            facts: &self.facts,
        }
    }

    fn unchanged(kept: &Kept<'k>, state: FileState) -> Self {
        Entry {
            path: Cow::Borrowed(kept.path),
            language: kept.language,
            hash: kept.hash,
            skip: kept.skip,
            facts: Cow::Borrowed(kept.facts),
            state,
            is_new: false,
        }
    }
}

/// What is known of a file, how it looked, and when that was.
type Before<'a, 'k> = (&'a Kept<'k>, Option<&'a (String, FileState)>, Millis);

/// Looks at one file; `None` when it is gone or no file.
fn entry<'k>(
    (disk, project, budget): (&dyn Disk, &Path, &Budget),
    path: &str,
    language: u8,
    before: Option<Before<'_, 'k>>,
) -> Option<Entry<'k>> {
    let full = project.join(path);
    let meta = fs::symlink_metadata(&full).ok().filter(fs::Metadata::is_file)?;
    let since_epoch = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    let state = FileState {
        size: meta.len(),
        modified_ns: i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX),
    };
    let is_old_enough = |looked_ms: Millis| state.modified_ns / 1_000_000 < looked_ms - COARSE_MS;
    if let Some((kept, Some((_, old)), looked_ms)) = before
        && *old == state
        && kept.language == language
        && kept.skip != Skip::Limit
        && is_old_enough(looked_ms)
    {
        budget.take_facts(kept.facts.len());
        return Some(Entry::unchanged(kept, state));
    }
    let fresh = |hash: u128, skip: Skip, facts: Vec<u8>| Entry {
        path: Cow::Owned(path.to_owned()),
        language,
        hash,
        skip,
        facts: Cow::Owned(facts),
        state,
        is_new: true,
    };
    if state.size > FILE_BYTES_MAX {
        return Some(fresh(u128::from(state.size), Skip::Large, Vec::new()));
    }
    if !budget.allows_reading() {
        return Some(fresh(0, Skip::Limit, Vec::new()));
    }
    let Ok(source) = read(disk, &full, FILE_BYTES_MAX) else {
        return Some(fresh(0, Skip::Unreadable, Vec::new()));
    };
    let hash = xxh3_128(&source);
    if let Some((kept, ..)) = before
        && kept.hash == hash
        && kept.language == language
        && kept.skip != Skip::Limit
    {
        budget.take_facts(kept.facts.len());
        return Some(Entry::unchanged(kept, state));
    }
    let (skip, facts) = facts_of(path, language, &source);
    budget.take_facts(facts.len());
    Some(fresh(hash, skip, facts))
}

fn facts_of(path: &str, language: u8, source: &[u8]) -> (Skip, Vec<u8>) {
    if language == MANIFEST {
        let facts = Facts {
            package: Cow::Owned(manifest_name(path, source)),
            ..Facts::default()
        };
        return (Skip::No, encoded(&facts, 64));
    }
    if source.iter().take(8000).any(|byte| *byte == 0) {
        return (Skip::Binary, Vec::new());
    }
    let name = language::all()
        .get(usize::from(language))
        .map_or("", |language| language.name);
    if is_minified(path, name, source) {
        return (Skip::Minified, Vec::new());
    }
    match chunk::facts(language, source) {
        Some(facts) => (Skip::No, encoded(&facts, source.len())),
        None => (Skip::Unparsed, Vec::new()),
    }
}

/// Facts stay in memory until all files are read: they get the room they need, and are not moved while they are written.
fn encoded(facts: &Facts<'_>, room: usize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(facts, Vec::with_capacity(room)).unwrap_or_default();
    bytes.shrink_to_fit();
    bytes
}

fn is_minified(path: &str, language: &str, source: &[u8]) -> bool {
    if path.contains(".min.") {
        return true;
    }
    // Paragraphs and rows of data are long where people write them.
    if matches!(language, "markdown" | "sql") || source.len() < MINIFIED_BYTES_MIN {
        return false;
    }
    source.len() / (memchr::memchr_iter(b'\n', source).count() + 1) > LINE_BYTES_MAX
}

/// The name that a manifest gives its folder.
fn manifest_name(path: &str, source: &[u8]) -> String {
    let text = String::from_utf8_lossy(source);
    let file = path.rsplit('/').next().unwrap_or(path);
    let name = match file {
        "go.mod" => text
            .lines()
            .find_map(|line| line.trim().strip_prefix("module "))
            .map(|name| name.trim().to_owned()),
        "package.json" => serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|value| value.get("name")?.as_str().map(str::to_owned)),
        _ => {
            let after = text.split_once("[package]").map_or("", |(_, rest)| rest);
            let before_next = after.lines().take_while(|line| !line.trim_start().starts_with('['));
            before_next
                .filter_map(|line| line.trim().strip_prefix("name")?.trim_start().strip_prefix('='))
                .map(|value| value.trim().trim_matches('"').to_owned())
                .next()
        }
    };
    name.unwrap_or_default()
}

fn outcome_of(entries: &[Entry<'_>], files_removed: usize) -> IndexOutcome {
    let mut outcome = IndexOutcome {
        files_removed,
        ..IndexOutcome::default()
    };
    for entry in entries.iter().filter(|entry| entry.language != MANIFEST) {
        let reason = match entry.skip {
            Skip::No => {
                outcome.files_indexed += 1;
                outcome.files_changed += usize::from(entry.is_new);
                continue;
            }
            Skip::Large => "large",
            Skip::Minified => "minified",
            Skip::Binary => "binary",
            Skip::Unreadable => "unreadable",
            Skip::Unparsed => "unparsed",
            Skip::Limit => "limit",
        };
        *outcome.skipped.entry(reason).or_default() += 1;
    }
    outcome
}

/// The chunk of a file that has no facts is left out; this is what stands for facts then.
pub(crate) fn decode<'k>(kept: &Kept<'k>) -> Facts<'k> {
    if kept.skip != Skip::No {
        return Facts::default();
    }
    let facts: Facts<'k> = postcard::from_bytes(kept.facts).unwrap_or_default();
    // Damaged facts must not lead out of their own file.
    let count = u32::try_from(facts.chunks.len()).unwrap_or(0);
    let is_sound = facts.chunks.iter().all(|chunk: &ChunkFacts<'_>| chunk.parent < count)
        && facts.references.iter().all(|reference| reference.chunk < count)
        && facts.types.iter().all(|of| of.chunk < count);
    if is_sound { facts } else { Facts::default() }
}

/// The package that the facts of a file name, without reading the rest of them.
pub(crate) fn package_of<'k>(kept: &Kept<'k>) -> Cow<'k, str> {
    if kept.skip != Skip::No {
        return Cow::Borrowed("");
    }
    let first = postcard::take_from_bytes::<&'k str>(kept.facts);
    first.map_or(Cow::Borrowed(""), |(package, _)| Cow::Borrowed(package))
}

/// When the index was made, as `meta.json` has it.
pub(crate) fn moment(ms: Millis) -> String {
    format_iso(ms)
}
