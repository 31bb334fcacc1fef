//! Incremental runs: when the list of files is the same and few have changed, everything that is not affected by them is
//! copied from the last index. `resolve/dependencies.rs` defines when a file is affected.

use std::path::Path;

use forge_memory_core::journal::DiskFile;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::contents::open;
use crate::facts::{CachedFacts, Facts, chunk_keys, tree_hash};
use crate::graph::{Block, FileTerms, Graph, invert, patch};
use crate::resolve::{self, Names, Unchanged};
use crate::storage::{CHUNKER, FileState, IndexFolder, LineFile, Part, Seal, States, read_meta};

/// The percentage of changed files above which everything is resolved again.
const CHANGED_PERCENT_MAX: usize = 20;

/// What the last index knew of its files.
#[derive(Clone, Copy)]
pub(super) struct Old<'a, 'k> {
    pub(super) kept: &'a [CachedFacts<'k>],
    pub(super) states: &'a States,
}

impl Old<'_, '_> {
    /// The state of each kept file, in their order.
    pub(super) fn file_states(&self) -> impl Iterator<Item = FileState> {
        let known = self.states.files.iter().map(|file| file.state);
        known.chain(std::iter::repeat_n(
            FileState::default(),
            self.kept.len().saturating_sub(self.states.files.len()),
        ))
    }
}

pub(crate) struct Previous<'k> {
    graph: Graph,
    chunks: LineFile,
    edges: LineFile,
    old: &'k [CachedFacts<'k>],
    changed: Vec<u32>,
}

/// The files of the last index, kept open while new ones replace them. The blocks of a replaced file are freed when it is
/// closed, which takes longer than most of a run on file systems that discard blocks synchronously.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    files: Vec<Box<dyn DiskFile>>,
}

impl Replaced {
    pub(crate) fn of(folder: &IndexFolder) -> Self {
        let open = |path| open(folder.disk.as_ref(), path).ok();
        Replaced {
            files: folder.paths.written().into_iter().filter_map(open).collect(),
        }
    }

    /// Closes them on another thread.
    pub(crate) fn release(self) {
        // On Windows a folder cannot be deleted while one of its files is open, even a replaced one.
        if cfg!(unix) && !self.files.is_empty() {
            let name = "forge-lattice-free".to_owned();
            // Without a thread they are closed here.
            let _ = std::thread::Builder::new().name(name).spawn(move || drop(self));
        }
    }
}

impl<'k> Previous<'k> {
    /// Opens the last index; `None` when it is of no use, damaged, or of another run than the cached facts.
    pub(crate) fn of(folder: &IndexFolder, old: &'k [CachedFacts<'k>], new: &[CachedFacts<'_>]) -> Option<Self> {
        let is_alike = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.path == new.path);
        if !is_alike {
            return None;
        }
        let differs = |old: &CachedFacts<'_>, new: &CachedFacts<'_>| {
            (old.hash, old.language, old.skip) != (new.hash, new.language, new.skip)
        };
        let pairs = (0_u32..).zip(old.iter().zip(new));
        let changed = pairs.filter(|(_, (old, new))| differs(old, new));
        // Languages and packages decide how every file's modules resolve.
        let moves = |old: &CachedFacts<'_>, new: &CachedFacts<'_>| {
            old.language != new.language || old.package() != new.package()
        };
        if changed.clone().any(|(_, (old, new))| moves(old, new)) {
            return None;
        }
        let changed: Vec<u32> = changed.map(|(file, _)| file).collect();
        if changed.len() * 100 > old.len() * CHANGED_PERCENT_MAX {
            return None;
        }
        let graph = Graph::read(folder.disk.as_ref(), &folder.paths.graph)
            .ok()
            .flatten()
            .filter(|graph| graph.tree() == tree_hash(old.iter()))?;
        let meta = read_meta(folder)
            .ok()
            .flatten()
            .filter(|meta| meta.tree == format!("{:016x}", graph.tree()))?;
        // Another version may resolve references differently.
        if meta.chunker_version.as_deref() != Some(CHUNKER.1) {
            return None;
        }
        if graph.files() as usize != old.len() {
            return None;
        }
        let paths = &folder.paths;
        let open = |path: &Path, seal: Seal| LineFile::open(folder.disk.as_ref(), path, seal);
        Some(Previous {
            chunks: open(&paths.chunks, meta.chunks_file)?,
            edges: open(&paths.edges, meta.edges_file)?,
            graph,
            old,
            changed,
        })
    }

    /// Returns the unchanged files, whose definitions can be looked up in the graph.
    pub(crate) fn unchanged(&self) -> Unchanged<'_> {
        Unchanged {
            names: &self.graph,
            changed: &self.changed,
        }
    }

    /// Tells for each file whether its part of the index can be copied: its bytes are unchanged, its references are not
    /// affected by changed files, and the targets of its edges have the same numbers.
    pub(crate) fn stays(&self, names: &Names<'_>) -> Vec<bool> {
        let mut changed_names = FxHashSet::default();
        let mut pointing_into = FxHashSet::default();
        for file in &self.changed {
            let (Some(old), Some(new)) = (self.old.get(*file as usize), names.files.get(*file as usize)) else {
                continue;
            };
            changed_names.extend(resolve::changed_names(&old.decode(), new.facts()));
            let keys = chunk_keys(new.path, &new.facts().chunks);
            if self.graph.keys_of(*file) != Some(keys) {
                pointing_into.extend(self.graph.files_into(*file));
            }
        }
        let stays = |file: u32| {
            self.changed.binary_search(&file).is_err()
                && !pointing_into.contains(&file)
                && !self.graph.is_affected_by(file, &self.changed, &changed_names)
        };
        (0..self.graph.files()).into_par_iter().map(stays).collect()
    }

    pub(crate) fn block(&self, file: u32) -> Option<Block<'_>> {
        Block::of_graph(&self.graph, file)
    }

    /// Returns the old files of lines, of chunks and of edges.
    pub(crate) fn old_lines(&self) -> (&LineFile, &LineFile) {
        (&self.chunks, &self.edges)
    }

    /// Returns the ranges of a file's lines in the old files.
    pub(crate) fn lines(&self, file: usize) -> Option<Part> {
        let number = u32::try_from(file).ok()?;
        let (from, to) = (self.graph.span(number)?, self.graph.span(number + 1));
        let range = |all: &LineFile, from: u64, to: Option<u64>| {
            let to = to.map_or(Some(all.len()), |to| usize::try_from(to).ok())?;
            let from = usize::try_from(from).ok()?;
            (from <= to && to <= all.len()).then_some(from..to)
        };
        Some(Part::Kept(
            range(&self.chunks, from.chunks, to.map(|to| to.chunks))?,
            range(&self.edges, from.edges, to.map(|to| to.edges))?,
        ))
    }

    /// Returns the table of terms and the posting lists.
    pub(crate) fn postings(&self, names: &Names<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut changes = Vec::with_capacity(self.changed.len());
        for file in &self.changed {
            let (old, new) = (self.old.get(*file as usize)?, names.files.get(*file as usize)?);
            let had = terms_of_file(old.path, &old.decode());
            changes.push((*file, had, terms_of_file(new.path, new.facts())));
        }
        patch(&self.graph, &changes)
    }
}

pub(super) fn terms_of_file(path: &str, facts: &Facts<'_>) -> FileTerms {
    invert(path, facts.chunks.iter().map(|chunk| &*chunk.terms))
}
