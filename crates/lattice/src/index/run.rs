//! One run of the index: which files have changed, their facts, and the new index in one step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forge_memory_addon::Grammars;
use forge_memory_core::Result;
use forge_memory_core::clock::Clock;
use forge_memory_core::journal::LockFile;
use forge_memory_core::place::hide_own_folder;
use rayon::prelude::*;

use super::entry::{Entry, entry};
use super::options::{IndexOptions, IndexOutcome};
use super::previous::Old;
use super::scope::Scope;
use super::write::write;
use crate::budget::Budget;
use crate::contents::{INDEX_BYTES_MAX, read};
use crate::facts::{CachedFacts, MANIFEST, Skip, tree_hash};
use crate::graph::GraphHeader;
use crate::scan;
use crate::storage::{
    FileState, IndexFolder, KnownFile, States, decode_facts, is_kept, is_own, read_meta, read_states,
};

/// The callback of progress: the number of files done, and the total.
pub(crate) type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// Brings the index up to date.
pub(crate) fn run(
    folder: &IndexFolder,
    grammars: Grammars,
    clock: &dyn Clock,
    options: &IndexOptions,
    progress: Progress<'_>,
) -> Result<IndexOutcome> {
    let disk = folder.disk.as_ref();
    let budget = Budget::of(options.max_seconds, options.max_memory_mb, disk, &folder.project)?;
    let scope = Scope::of(folder, options, &budget)?;
    hide_own_folder(disk, &folder.project)?;
    let lock = LockFile::new(Arc::clone(&folder.disk), folder.paths.lock.clone());
    let _guard = lock.guard()?;
    let looked_ms = clock.now_ms();
    let whole = is_kept(folder).unwrap_or(false);
    let (listed, (mut old_bytes, old_states)) = rayon::join(
        || scan::list(&folder.disk, &folder.project, budget.git_timeout()),
        || {
            // A cache that cannot be read is replaced.
            if !is_own(folder).unwrap_or(false) {
                return (None, None);
            }
            let facts = if whole { None } else { facts_of(folder) };
            (facts, read_states(disk, &folder.paths.states).ok().flatten())
        },
    );
    let listed = listed?;
    if whole {
        let known = old_states.as_ref().filter(|_| scope.is_none());
        if let Some(outcome) = known.and_then(|states| untouched(folder, states, &listed)) {
            progress(listed.len(), listed.len());
            return Ok(outcome);
        }
        old_bytes = facts_of(folder);
    }
    let kept = old_bytes.as_deref().and_then(decode_facts).unwrap_or_default();
    if let Some(scope) = &scope {
        scope.require_known(folder, &kept)?;
    }
    let states = old_states
        .filter(|states| states.files.len() == kept.len())
        .unwrap_or_default();
    let old = Old {
        kept: &kept,
        states: &states,
    };
    let (entries, removed) = entries(folder, grammars, scope.as_ref(), &listed, old, &budget, progress);
    let cached: Vec<CachedFacts<'_>> = entries.iter().map(Entry::cached).collect();
    let states = States {
        tree: tree_hash(cached.iter()),
        looked_ms,
        files: entries.iter().map(Entry::known).collect(),
    };
    let all = entries.iter().map(|entry| (entry.language, entry.skip, entry.is_new));
    let mut outcome = outcome_of(all, removed);
    let (counts, replaced) = write(folder, clock, &cached, &states, old, &budget)?;
    outcome.limit = budget.reached();
    (outcome.chunks, outcome.edges) = counts;
    drop(cached);
    drop(entries);
    drop(kept);
    drop(old_bytes);
    replaced.release();
    Ok(outcome)
}

/// Inspects the listed files in the scope, and copies the other entries. Returns all entries by path, and the number of
/// removed files.
fn entries<'k>(
    folder: &IndexFolder,
    grammars: Grammars,
    scope: Option<&Scope>,
    listed: &[(String, u8)],
    old: Old<'_, 'k>,
    budget: &Budget,
    progress: Progress<'_>,
) -> (Vec<Entry<'k>>, usize) {
    let is_meant = |path: &str| scope.is_none_or(|scope| scope.holds(path));
    let wanted: Vec<&(String, u8)> = listed.iter().filter(|(path, _)| is_meant(path)).collect();
    let total = wanted.len();
    let done = AtomicUsize::new(0);
    progress(0, total);
    let mut entries: Vec<Entry<'k>> = wanted
        .par_iter()
        .with_max_len(16)
        .filter_map(|(path, language)| {
            let at = old.kept.binary_search_by(|cached| cached.path.cmp(path)).ok();
            let before = at.and_then(|at| Some((old.kept.get(at)?, old.states.files.get(at), old.states)));
            let entry = entry(folder, grammars, budget, path, *language, before);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            entry
        })
        .collect();
    let stays = |cached: &CachedFacts<'_>| entries.binary_search_by(|entry| (*entry.path).cmp(cached.path)).is_ok();
    let gone = |cached: &&CachedFacts<'_>| is_meant(cached.path) && cached.language != MANIFEST && !stays(cached);
    let removed = old.kept.iter().filter(gone).count();
    let others = old
        .kept
        .iter()
        .zip(old.file_states())
        .filter(|(cached, _)| !is_meant(cached.path));
    entries.extend(others.map(|(cached, state)| Entry::unchanged(cached, state)));
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    (entries, removed)
}

/// The outcome over a whole index of which no file has changed, by their states alone; `None` when one may have.
fn untouched(folder: &IndexFolder, states: &States, listed: &[(String, u8)]) -> Option<IndexOutcome> {
    let pairs = listed.par_iter().zip(&states.files);
    if listed.len() != states.files.len() || !pairs.all(|(listed, known)| has_stayed(folder, states, listed, known)) {
        return None;
    }
    let meta = read_meta(folder).ok()??;
    let header = GraphHeader::read(folder.disk.as_ref(), &folder.paths.graph)?;
    if meta.limit.is_some() || header.tree() != states.tree {
        return None;
    }
    let all = states.files.iter().map(|file| (file.language, file.skip, false));
    let mut outcome = outcome_of(all, 0);
    (outcome.chunks, outcome.edges) = (header.nodes() as usize, header.edges() as usize);
    Some(outcome)
}

fn has_stayed(folder: &IndexFolder, states: &States, listed: &(String, u8), known: &KnownFile) -> bool {
    let (path, language) = listed;
    *path == known.path
        && match folder.disk.lstat(&folder.project.join(path)) {
            Ok(Some(found)) => states.holds(known, FileState::of(&found), *language),
            _ => false,
        }
}

fn facts_of(folder: &IndexFolder) -> Option<Vec<u8>> {
    read(folder.disk.as_ref(), &folder.paths.facts, INDEX_BYTES_MAX).ok()
}

/// Counts files by language, by why they were skipped, and by whether they are new.
fn outcome_of(files: impl Iterator<Item = (u8, Skip, bool)>, files_removed: usize) -> IndexOutcome {
    let mut outcome = IndexOutcome {
        files_removed,
        ..IndexOutcome::default()
    };
    for (_, skip, is_new) in files.filter(|(language, ..)| *language != MANIFEST) {
        let reason = match skip {
            Skip::No => {
                outcome.files_indexed += 1;
                outcome.files_changed += usize::from(is_new);
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
        outcome.files_skipped += 1;
    }
    outcome
}
