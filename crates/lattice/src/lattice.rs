//! The facade: the code graph of one project, its index and its queries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_memory_addon::Grammars;
use forge_memory_core::clock::{Clock, Millis, SystemClock};
use forge_memory_core::journal::{ConfinedDisk, Disk};
use forge_memory_core::ownership::Marks;
use forge_memory_core::{Error, Result};

use crate::index::{IndexOptions, IndexOutcome, run};
use crate::query::{Answers, Blast, Direction, Lookup, OpenGraph, QueryOptions, Seed, Stat};
use crate::storage::IndexFolder;

/// The code graph of one project.
#[derive(Debug)]
pub struct Lattice {
    folder: IndexFolder,
    clock: Arc<dyn Clock>,
    grammars: Option<Grammars>,
    open: Option<OpenGraph>,
}

impl Lattice {
    /// Returns the code graph of a project, confined to its folder and the user's own. Nothing is read or written yet.
    pub fn new(project: PathBuf, home: PathBuf) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(ConfinedDisk::new(project.clone(), home.clone()));
        Lattice::with(project, disk, Arc::new(SystemClock)).marked(&home)
    }

    /// Returns a code graph on the given file system and clock, which trusts every index.
    pub fn with(project: PathBuf, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Lattice {
            folder: IndexFolder::new(project, disk),
            clock,
            grammars: None,
            open: None,
        }
    }

    /// Trusts only indexes that carry the mark of this user's own folder.
    pub fn marked(mut self, home: &Path) -> Self {
        self.folder.marks = Some(Marks::new(&self.folder.disk, home, &self.folder.project));
        self
    }

    /// Also answers from an index that another program wrote, using only its JSON Lines files. The caller must know
    /// that the project is trustworthy.
    pub fn accepting_foreign(mut self) -> Self {
        self.folder.accepts_foreign = true;
        self
    }

    /// Parses with these grammars. Without any, an index can be read, but not updated.
    pub fn parsing_with(mut self, grammars: Grammars) -> Self {
        self.grammars = Some(grammars);
        self
    }

    /// Updates the index and returns counts of its files, chunks and edges. `progress` is called with the number of
    /// files done, and the total.
    ///
    /// # Errors
    /// `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT` for a revision that git does not know, `UNSUPPORTED` without
    /// git, `ADDON_MISSING` without grammars, `LOCKED`, `IO`. The index is unchanged then.
    pub fn index(&mut self, options: &IndexOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<IndexOutcome> {
        let grammars = self.grammars.ok_or(Error::AddonMissing(crate::ADDON))?;
        run(&self.folder, grammars, self.clock.as_ref(), options, progress)
    }

    /// Searches chunks by words, best first; without words, lists them in the order of files.
    pub fn query(&mut self, options: &QueryOptions) -> Result<Answers> {
        self.whole()?.query(options)
    }

    /// Finds the callers of a definition, most certain first.
    pub fn callers(&mut self, seed: &Seed) -> Result<Answers> {
        self.answer(|lookup| lookup.callers(seed))
    }

    /// Finds the definitions that a definition calls or refers to.
    pub fn callees(&mut self, seed: &Seed) -> Result<Answers> {
        self.answer(|lookup| lookup.callees(seed))
    }

    /// Finds everything that is reachable from a definition within some edges (its blast radius).
    pub fn blast(&mut self, seed: &Seed, direction: Direction, depth: Option<f64>) -> Result<Blast> {
        self.answer(|lookup| lookup.blast(seed, direction, depth))
    }

    /// Returns statistics of the index.
    pub fn stat(&mut self) -> Result<Stat> {
        self.whole()?.stat()
    }

    /// True if the code defines or uses a name. Returns `None` when that is unknown: without an index, when the
    /// index is incomplete or older than `since`, and while a large index is not open yet.
    pub fn has_name(&mut self, name: &str, since: Millis) -> Option<bool> {
        if self.open.is_none() && !OpenGraph::is_small(&self.folder) {
            return None;
        }
        OpenGraph::refresh(&mut self.open, &self.folder).ok()?;
        self.open.as_ref()?.has_name(name, since)
    }

    /// Answers from the parts of the graph that this needs, and from all of it when one is damaged.
    fn answer<T>(&mut self, ask: impl Fn(&Lookup<'_>) -> Result<T>) -> Result<T> {
        OpenGraph::refresh(&mut self.open, &self.folder)?;
        let answer = ask(&self.lookup());
        if self.open.as_ref().is_some_and(OpenGraph::is_damaged) {
            return ask(&self.whole()?);
        }
        answer
    }

    /// Reads all of the graph, which a search goes through.
    fn whole(&mut self) -> Result<Lookup<'_>> {
        OpenGraph::refresh(&mut self.open, &self.folder)?;
        OpenGraph::complete(&mut self.open, &self.folder)?;
        Ok(self.lookup())
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            folder: &self.folder,
            open: self.open.as_ref(),
        }
    }
}
