//! The facade: one project's code graph, kept and asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_core::Result;
use forge_memory_core::clock::{Clock, Millis, SystemClock};
use forge_memory_core::journal::{ConfinedDisk, Disk};
use forge_memory_core::ownership::Marks;

use crate::index::{IndexOptions, IndexOutcome, run};
use crate::query::{Answers, Blast, Direction, Lookup, OpenGraph, QueryOptions, Seed, Stat};
use crate::storage::IndexFolder;

/// The code graph of one project.
#[derive(Debug)]
pub struct Lattice {
    folder: IndexFolder,
    clock: Arc<dyn Clock>,
    open: Option<OpenGraph>,
}

impl Lattice {
    /// Returns the code graph of a project, confined to it and the user's own folder; nothing is read or written yet.
    pub fn new(project: PathBuf, home: PathBuf) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(ConfinedDisk::new(project.clone(), home.clone()));
        Lattice::with(project, disk, Arc::new(SystemClock)).marked(&home)
    }

    /// Returns the same with a file system and a clock of the caller's, where every index counts as this machine's own.
    pub fn with(project: PathBuf, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Lattice {
            folder: IndexFolder::new(project, disk),
            clock,
            open: None,
        }
    }

    /// Returns the same, where only an index with the mark of the user's own folder counts.
    pub fn marked(mut self, home: &Path) -> Self {
        self.folder.marks = Some(Marks::new(&self.folder.disk, home, &self.folder.project));
        self
    }

    /// Returns the same, which also answers out of an index that another program wrote, from its lines alone: whoever asks for that
    /// knows where the project comes from.
    pub fn accepting_foreign(mut self) -> Self {
        self.folder.accepts_foreign = true;
        self
    }

    /// Brings the index up to date and returns what has changed. `progress` is called with the number of files that are done
    /// and of all.
    ///
    /// # Errors
    /// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT` for a revision that git does not know, `UNSUPPORTED` without git,
    /// `LOCKED`, `IO`. The index is then as it was.
    pub fn index(&mut self, options: &IndexOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<IndexOutcome> {
        run(&self.folder, self.clock.as_ref(), options, progress)
    }

    /// Finds chunks by words, best first; without words, in the order of files.
    ///
    /// # Errors
    /// `INVALID_INPUT`, `IO`.
    pub fn query(&mut self, options: &QueryOptions) -> Result<Answers> {
        self.lookup()?.query(options)
    }

    /// Finds the chunks that refer to a definition, the surest first.
    ///
    /// # Errors
    /// `INVALID_INPUT`, `IO`.
    pub fn callers(&mut self, seed: &Seed, limit: Option<f64>) -> Result<Answers> {
        self.lookup()?.callers(seed, limit)
    }

    /// Finds what a definition refers to.
    ///
    /// # Errors
    /// `INVALID_INPUT`, `IO`.
    pub fn callees(&mut self, seed: &Seed, limit: Option<f64>) -> Result<Answers> {
        self.lookup()?.callees(seed, limit)
    }

    /// Walks from a definition to everything within reach.
    ///
    /// # Errors
    /// `INVALID_INPUT`, `IO`.
    pub fn blast(
        &mut self,
        seed: &Seed,
        direction: Direction,
        depth: Option<f64>,
        limit: Option<f64>,
    ) -> Result<Blast> {
        self.lookup()?.blast(seed, direction, depth, limit)
    }

    /// Returns figures about the index.
    ///
    /// # Errors
    /// `IO`.
    pub fn stat(&mut self) -> Result<Stat> {
        self.lookup()?.stat()
    }

    /// Tells whether the code defines or uses a name. Nothing when that is not known: without an index, by one that is incomplete or older
    /// than `since`, and by a large one that is not open yet.
    pub fn has_name(&mut self, name: &str, since: Millis) -> Option<bool> {
        if self.open.is_none() && !OpenGraph::is_small(&self.folder) {
            return None;
        }
        OpenGraph::refresh(&mut self.open, &self.folder).ok()?;
        self.open.as_ref()?.has_name(name, since)
    }

    fn lookup(&mut self) -> Result<Lookup<'_>> {
        OpenGraph::refresh(&mut self.open, &self.folder)?;
        Ok(Lookup {
            folder: &self.folder,
            open: self.open.as_ref(),
        })
    }
}
