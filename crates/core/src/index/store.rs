//! A journal with its index, and all stores of one memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::counts::{Counted, KeptCount};
use super::{Catalog, Entry, Family, JournalIndex, Windows, index_folder, index_lock};
use crate::clock::{DAY_MS, Millis, agreed_time};
use crate::error::{Error, Result};
use crate::freshness::Checker;
use crate::journal::{Disk, Journal, JournalWriter};
use crate::model::scope::{Home, Scope, ScopeFilter};
use crate::project::Project;
use crate::project::config::Config;
use crate::project::layout::{CAPTURES_FILE, GLOBAL_PATTERNS_FILE, Layout, PATTERNS_FILE, flat_name, lock_in};
use crate::project::names::is_of_machine;
use crate::project::ownership::Marks;

/// A journal and its index.
#[derive(Debug)]
pub struct Store {
    pub(crate) journal: Journal,
    pub(crate) journal_index: JournalIndex,
    /// The entry of the current record, reused for the next one.
    pub(crate) words: Entry,
}

impl Store {
    fn new(folder: &Path, file: &str, (family, threshold): (Family, f64), journal: Journal) -> Self {
        let (name, disk) = (flat_name(file), journal.disk());
        let catalog = Catalog::new(Arc::clone(disk), index_folder(folder, &name), index_lock(folder, &name));
        Store {
            journal_index: JournalIndex::new(family, threshold, Some(catalog)),
            journal,
            words: Entry::default(),
        }
    }

    /// The raw log.
    fn of_captures(layout: &Layout, marks: &Arc<Marks>, threshold: f64) -> Self {
        let journal = layout.journal_of_captures(CAPTURES_FILE);
        Store::new(layout.forge(), CAPTURES_FILE, (Family::Thoughts, threshold), journal).in_project(marks)
    }

    /// The project's patterns.
    fn of_patterns(layout: &Layout, marks: &Arc<Marks>, threshold: f64) -> Self {
        let journal = layout.journal_of(PATTERNS_FILE);
        Store::new(layout.forge(), PATTERNS_FILE, (Family::Patterns, threshold), journal).in_project(marks)
    }

    /// The user's patterns, for all projects.
    fn of_user(layout: &Layout, threshold: f64) -> Self {
        let (home, file, disk) = (layout.home(), GLOBAL_PATTERNS_FILE, layout.disk());
        let journal = Journal::under(Arc::clone(disk), home.join(file), lock_in(home, file, disk));
        Store::new(home, file, (Family::Patterns, threshold), journal)
    }

    /// A read-only store, whose index is not written either.
    fn read_only(folder: &Path, file: &str, family: Family, threshold: f64, disk: &Arc<dyn Disk>) -> Self {
        Store {
            journal: Journal::under(Arc::clone(disk), folder.join(file), lock_in(folder, file, disk)),
            journal_index: JournalIndex::new(family, threshold, None),
            words: Entry::default(),
        }
    }

    /// Accepts only an index that this machine wrote, because files in a project may come from a clone.
    fn in_project(mut self, marks: &Arc<Marks>) -> Self {
        // A segment is checked against the journal's content, so the index of a folder that was moved or copied stays valid.
        self.journal_index.own_by(&Arc::new(marks.anywhere()));
        self
    }

    /// Prepares an append: takes the journal's lock, terminates a torn tail, and brings the index up to date.
    pub(crate) fn hold(&mut self, now: Millis) -> Result<(JournalWriter<'_>, &mut JournalIndex)> {
        let Store {
            journal, journal_index, ..
        } = self;
        let mut held = journal.writer_with(journal_index.stat_detail(now))?;
        held.close_tail()?;
        let state = held.state();
        journal_index.refresh_to(held.journal(), state)?;
        Ok((held, journal_index))
    }

    /// Returns the time at which a new record is dated: that of the clock, unless the last records agree that it is more than a day behind. Such a
    /// clock would make a record that is new be taken for an old one, or for one that has expired. One line that is dated ahead says nothing.
    pub(crate) fn dated(&mut self, now: Millis) -> Millis {
        if !self.journal_index.is_open() {
            // The append reports a journal that cannot be read.
            let _ = self.journal_index.refresh_for_writing(&mut self.journal);
        }
        let parts = self.journal_index.parts();
        let newest_first = parts
            .iter()
            .rev()
            .flat_map(|part| (0..part.docs()).rev().map(|doc| part.created(doc)));
        // Clocks of several machines differ by minutes or hours, and their order is then that of the clocks.
        agreed_time(newest_first)
            .filter(|agreed| agreed - now > DAY_MS)
            .unwrap_or(now)
    }

    pub(crate) fn refresh(&mut self) -> Result<()> {
        self.journal_index.refresh(&mut self.journal)
    }
}

/// All records of one memory: the project's and the user's own.
#[derive(Debug)]
pub(crate) struct Stores {
    pub captures: Store,
    pub project_patterns: Store,
    /// The second file that the older tool keeps in the project and calls global. It is read, and only tombstones are written to it.
    pub legacy_patterns: Store,
    pub global_patterns: Store,
    /// Checks the freshness of found records.
    pub freshness: Checker,
    /// The buffers of searches.
    pub windows: Windows,
    /// The lines of records that only another store has, while something is done with them.
    pub fetched: Vec<Vec<u8>>,
    /// The marks that tell which records are of this machine, and the user's own folder.
    marks: (Arc<Marks>, PathBuf),
    pub(super) counted: Option<Counted>,
    /// How many current texts the segments have.
    pub(super) kept_count: Option<KeptCount>,
}

/// The stores that a search reads, with its buffers.
pub(crate) struct Searched<'a> {
    pub stores: Vec<(Scope, &'a Store)>,
    pub windows: &'a mut Windows,
    pub freshness: &'a mut Checker,
}

impl Stores {
    /// Opens the stores of a project. Nothing is created or read before the first use.
    pub fn open(project: &Project) -> Self {
        let (layout, threshold) = (&project.layout, project.config().settings.dedup_threshold());
        let (forge, disk) = (layout.forge(), layout.disk());
        let mut stores = Stores {
            captures: Store::of_captures(layout, &project.marks, threshold),
            project_patterns: Store::of_patterns(layout, &project.marks, threshold),
            legacy_patterns: Store::read_only(forge, GLOBAL_PATTERNS_FILE, Family::Patterns, threshold, disk),
            global_patterns: Store::of_user(layout, threshold),
            freshness: Checker::open(project),
            windows: Windows::default(),
            fetched: Vec::new(),
            marks: (Arc::clone(&project.marks), layout.home().to_path_buf()),
            counted: None,
            kept_count: None,
        };
        stores.apply_durability(project.config());
        stores
    }

    /// Opens stores of a project's journals as another disk has them, which are only read.
    pub fn shown(project: &Project, disk: &Arc<dyn Disk>) -> Self {
        let (layout, threshold) = (&project.layout, project.config().settings.dedup_threshold());
        let of = |folder: &Path, file: &str, family: Family| Store::read_only(folder, file, family, threshold, disk);
        let (forge, home) = (layout.forge(), layout.home());
        Stores {
            captures: of(forge, CAPTURES_FILE, Family::Thoughts),
            project_patterns: of(forge, PATTERNS_FILE, Family::Patterns),
            legacy_patterns: of(forge, GLOBAL_PATTERNS_FILE, Family::Patterns),
            global_patterns: of(home, GLOBAL_PATTERNS_FILE, Family::Patterns),
            freshness: Checker::open(project),
            windows: Windows::default(),
            fetched: Vec::new(),
            marks: (Arc::clone(&project.marks), home.to_path_buf()),
            counted: None,
            kept_count: None,
        }
    }

    /// True if a record is, or was, in a file.
    pub fn have(&self, id: u64) -> bool {
        self.any_index(|index| index.find_id(id).is_some())
    }

    /// True if anything is known of a record: it is in a file, or hidden by what was said about it.
    pub fn know(&self, id: u64) -> bool {
        self.have(id)
            || self.any_index(|index| index.is_gone_early(id) || index.standings().hidden_since(&id, None).is_some())
    }

    fn any_index(&self, is_it: impl Fn(&JournalIndex) -> bool) -> bool {
        let stores = self.in_scope(ScopeFilter::All);
        stores.iter().any(|(_, store)| is_it(&store.journal_index))
    }

    /// True if this machine wrote a record, in this folder or in another one. Without a key, nobody can tell.
    pub fn is_of_machine(&self, record: &[u8], mark: &str) -> bool {
        let (marks, home) = &self.marks;
        let check = marks.checker();
        !check.has_key()
            || check.is_own_record(record, Some(mark))
            || is_of_machine(self.captures.journal.disk(), home, record, mark)
    }

    /// Applies changed settings.
    pub fn reconfigure(&mut self, project: &Project, before: &Config) {
        let threshold = project.config().settings.dedup_threshold();
        if before.settings.dedup_threshold() != threshold {
            self.captures = Store::of_captures(&project.layout, &project.marks, threshold);
        }
        self.freshness.reconfigure(project.config());
        self.apply_durability(project.config());
    }

    fn apply_durability(&mut self, config: &Config) {
        for store in self.written_mut() {
            store.journal.set_durability(config.settings.durability);
        }
    }

    /// Returns the stores that records are written to.
    pub fn written(&self) -> [&Store; 3] {
        [&self.captures, &self.project_patterns, &self.global_patterns]
    }

    /// Returns the same for writing.
    pub fn written_mut(&mut self) -> [&mut Store; 3] {
        [
            &mut self.captures,
            &mut self.project_patterns,
            &mut self.global_patterns,
        ]
    }

    fn all_mut(&mut self) -> [&mut Store; 4] {
        [
            &mut self.captures,
            &mut self.project_patterns,
            &mut self.legacy_patterns,
            &mut self.global_patterns,
        ]
    }

    /// Returns the store of patterns.
    pub fn patterns_mut(&mut self, scope: Scope) -> &mut Store {
        match scope {
            Scope::Project => &mut self.project_patterns,
            Scope::Global => &mut self.global_patterns,
        }
    }

    /// Returns the store of a kind of records.
    pub fn of_mut(&mut self, home: Home) -> &mut Store {
        match home {
            Home::Captures => &mut self.captures,
            Home::Patterns(scope) => self.patterns_mut(scope),
            Home::Legacy => &mut self.legacy_patterns,
        }
    }

    /// Returns the stores of a scope.
    pub fn in_scope(&self, scope: ScopeFilter) -> Vec<(Scope, &Store)> {
        in_scope(
            scope,
            [
                &self.captures,
                &self.project_patterns,
                &self.legacy_patterns,
                &self.global_patterns,
            ],
        )
    }

    /// Returns the stores for a search, with its buffers.
    pub fn searched_in(&mut self, scope: ScopeFilter) -> Searched<'_> {
        let stores = [
            &self.captures,
            &self.project_patterns,
            &self.legacy_patterns,
            &self.global_patterns,
        ];
        Searched {
            stores: in_scope(scope, stores),
            windows: &mut self.windows,
            freshness: &mut self.freshness,
        }
    }

    /// Lets searches look at the newest records alone while more bytes than these are in no index.
    pub fn hurry(&mut self, most: u64) {
        for store in self.all_mut() {
            store.journal_index.hurry(most);
        }
    }

    /// Brings every index up to date; returns the errors of those that could not be read.
    pub fn refresh(&mut self) -> Vec<Error> {
        let refreshed = self.all_mut().into_iter().map(Store::refresh);
        refreshed.filter_map(std::result::Result::err).collect()
    }

    /// Rebuilds every index.
    pub fn rebuild(&mut self) {
        (self.counted, self.kept_count) = (None, None);
        for store in self.all_mut() {
            // Unreadable journals count as empty, and the refresh before has reported them.
            let _ = store.journal_index.rebuild(&mut store.journal);
        }
    }

    /// Returns true if a part of an index turned out to be damaged.
    pub fn is_damaged(&self) -> bool {
        self.any_index(JournalIndex::is_damaged)
    }

    /// Verifies every index as a whole, and drops damaged parts.
    pub fn make_sound(&mut self) {
        let is_sound = |(_, store): &(Scope, &Store)| store.journal_index.is_sound();
        while !self.in_scope(ScopeFilter::All).iter().all(is_sound) {
            self.rebuild();
        }
    }

    /// Loads the segments that jobs have built.
    pub fn adopt(&mut self) -> Result<()> {
        for store in self.written_mut() {
            store.journal_index.adopt(&store.journal)?;
        }
        Ok(())
    }
}

fn in_scope(scope: ScopeFilter, stores: [&Store; 4]) -> Vec<(Scope, &Store)> {
    let scopes = [Scope::Project, Scope::Project, Home::Legacy.scope(), Scope::Global];
    let all = scopes.into_iter().zip(stores);
    all.filter(|(of, _)| scope.admits(*of)).collect()
}
