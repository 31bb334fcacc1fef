//! The symbol tables during the resolution of one file. Every access to other files is recorded as a dependency, so that
//! the file need not be resolved again while none of them changes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::dependencies::{Dependencies, dependency_key};
use super::edge::{Answer, Resolved};
use super::imports::Imports;
use super::names::Names;
use super::reach::Reach;
use crate::facts::{ChunkFacts, Facts, ReferenceKind};
use crate::kind::Kind;
use crate::language::{InteropGroup, Language, Module};

/// The maximum number of enclosing scopes that are searched.
const LEVELS_MAX: usize = 256;

/// Records the dependencies of a file's references, and memoizes lookups.
#[derive(Debug, Default)]
pub(super) struct DependencyTracker<'a> {
    file: u32,
    /// Files whose reach was used.
    reaches: RefCell<FxHashSet<u32>>,
    /// The results for imported names, by importing file.
    imports: RefCell<FxHashMap<(u32, ReferenceKind), Known<Answer<'a>>>>,
    /// The results for names of types, by file.
    types: RefCell<FxHashMap<u32, Known<TypesNamed>>>,
    files: RefCell<FxHashSet<u32>>,
    names: RefCell<FxHashSet<u32>>,
}

/// Results by name.
type Known<T> = FxHashMap<Box<str>, T>;

/// The candidate types of a name, how they were found, and whether they are outside of the project.
pub(super) type TypesNamed = (Rc<[u32]>, Resolved, bool);

impl DependencyTracker<'_> {
    pub(super) fn of_file(file: u32) -> Self {
        DependencyTracker {
            file,
            ..DependencyTracker::default()
        }
    }

    pub(super) fn file(&self) -> u32 {
        self.file
    }

    pub(super) fn into_dependencies(self) -> Dependencies {
        let sorted = |all: RefCell<FxHashSet<u32>>| {
            let mut all: Vec<u32> = all.into_inner().into_iter().collect();
            all.sort_unstable();
            all
        };
        Dependencies {
            files: sorted(self.files),
            names: sorted(self.names),
        }
    }
}

/// The symbol tables with a tracker. Kind, owner, file and enclosing definition of a chunk that was found by its name need
/// no further dependency, because the lookup of the name is one (see `visible.rs`). Everything else about another file is a
/// dependency on that file.
#[derive(Clone, Copy)]
pub(super) struct View<'n, 'a> {
    names: &'n Names<'a>,
    tracker: &'n DependencyTracker<'a>,
}

impl<'n, 'a> View<'n, 'a> {
    pub(super) fn of(names: &'n Names<'a>, tracker: &'n DependencyTracker<'a>) -> Self {
        View { names, tracker }
    }

    fn depend_on_file(&self, file: u32) {
        if file != self.tracker.file {
            self.tracker.files.borrow_mut().insert(file);
        }
    }

    fn depend_on_name(&self, name: &str) {
        self.tracker.names.borrow_mut().insert(dependency_key(name));
    }

    pub(super) fn named(&self, name: &str) -> Cow<'n, [u32]> {
        self.depend_on_name(name);
        self.names.named(name)
    }

    /// Returns the methods of that name of all types of that name.
    pub(super) fn methods(&self, owner: &str, name: &str) -> Cow<'n, [u32]> {
        self.depend_on_name(name);
        self.names.methods(owner, name)
    }

    /// Returns the methods that a call of that name on an unknown receiver may mean in a file.
    pub(super) fn candidates(&self, file: u32, language: &Language, name: &'a str) -> Arc<[u32]> {
        self.depend_on_name(name);
        self.names.candidates(file, language, name)
    }

    pub(super) fn facts(&self, file: u32) -> &'a Facts<'a> {
        self.depend_on_file(file);
        self.names.facts(file)
    }

    pub(super) fn imports(&self, file: u32, language: &Language) -> &'n Imports<'a> {
        let facts = self.facts(file);
        let known = self.names.imports.get(file as usize);
        known
            .unwrap_or(&self.names.no_imports)
            .get_or_init(|| Imports::of(facts, language))
    }

    pub(super) fn chunk(&self, number: u32) -> &'a ChunkFacts<'a> {
        self.depend_on_file(self.file_of(number));
        self.names.chunk(number)
    }

    /// Returns the chunks with this name directly inside a chunk.
    pub(super) fn inside<'s>(&self, parent: u32, name: &'s str) -> impl Iterator<Item = u32> + Clone + use<'s, 'n, 'a>
    where
        'n: 's,
    {
        self.depend_on_file(self.file_of(parent));
        self.names.inside(parent, name)
    }

    /// Returns the chunks of that name at the top level of a file.
    pub(super) fn top_level<'s>(&self, file: u32, name: &'s str) -> impl Iterator<Item = u32> + Clone + use<'s, 'n, 'a>
    where
        'n: 's,
    {
        self.depend_on_file(file);
        self.names.top_level(file, name)
    }

    pub(super) fn types_in(&self, file: u32, name: &str) -> Vec<u32> {
        self.depend_on_file(file);
        self.names.types_in(file, name)
    }

    /// Returns the enclosing chunk of one in this file or in a file that was read; the file itself for a file.
    pub(super) fn parent(&self, number: u32) -> u32 {
        self.depend_on_file(self.file_of(number));
        self.names.parent(number)
    }

    /// Returns the enclosing chunk, and the file itself after a maximum number of levels: people nest less, and
    /// generated code is not searched through all its levels for each name.
    pub(super) fn enclosing(&self, number: u32, level: &mut usize) -> u32 {
        *level += 1;
        if *level > LEVELS_MAX {
            return self.first(self.file_of(number));
        }
        self.parent(number)
    }

    /// Returns the kind of a chunk that was found by its name.
    pub(super) fn kind_of(&self, number: u32) -> Kind {
        self.names.chunk(number).kind
    }

    /// Returns the name of a chunk that was found by it.
    pub(super) fn name_of(&self, number: u32) -> &'a str {
        &self.names.chunk(number).name
    }

    /// Returns the owner of a chunk that was found by its name.
    pub(super) fn owner_of(&self, number: u32) -> &'a str {
        &self.names.chunk(number).owner
    }

    /// Returns the name of the definition that encloses a chunk that was found by its name.
    pub(super) fn enclosing_name_of(&self, number: u32) -> &'a str {
        &self.names.chunk(self.names.parent(number)).name
    }

    /// Returns the memoized result for the name of a type.
    pub(super) fn known_types(&self, file: u32, name: &str) -> Option<TypesNamed> {
        self.tracker.types.borrow().get(&file)?.get(name).cloned()
    }

    pub(super) fn remember_types(&self, file: u32, name: &str, answer: &TypesNamed) {
        let mut known = self.tracker.types.borrow_mut();
        known.entry(file).or_default().insert(name.into(), answer.clone());
    }

    /// True if a chunk that was found by its name is at the top level of its file.
    pub(super) fn is_top_level(&self, number: u32) -> bool {
        self.names.chunk(number).parent == 0
    }

    /// True if a chunk that was found by its name can be named from outside of its enclosing chunk.
    pub(super) fn is_nameable(&self, number: u32) -> bool {
        self.names.is_nameable(number)
    }

    pub(super) fn file_of(&self, number: u32) -> u32 {
        self.names.file_of(number)
    }

    pub(super) fn interop_group_of(&self, number: u32) -> Option<InteropGroup> {
        self.names.interop_group_of(number)
    }

    pub(super) fn path_of(&self, number: u32) -> &'a str {
        self.names.path_of(number)
    }

    pub(super) fn path(&self, file: u32) -> &'a str {
        self.names.path_of_file(file)
    }

    pub(super) fn language(&self, file: u32) -> Option<&'static Language> {
        self.names.language_of(file)
    }

    pub(super) fn first(&self, file: u32) -> u32 {
        self.names.first_of(file)
    }

    /// Resolves the module `spec` of a file. That depends only on paths and packages, and an incremental run requires
    /// both to be unchanged.
    pub(super) fn module(&self, file: u32, spec: &str) -> Module {
        self.names.module(file, spec)
    }

    /// Returns the files that implement the declarations of a header.
    pub(super) fn bodies_of(&self, header: u32) -> impl Iterator<Item = u32> + use<'n, 'a> {
        self.names.bodies_of(header)
    }

    pub(super) fn reach(&self, file: u32) -> &'n OnceLock<Reach> {
        self.names.reach.get(file as usize).unwrap_or(&self.names.no_reach)
    }

    /// Returns true if a list with this many entries may be cached.
    pub(super) fn keeps_reach(&self, places: usize) -> bool {
        self.names.reach_budget.takes(places)
    }

    pub(super) fn depend_on_reach(&self, file: u32, visited: &[u32]) {
        if self.tracker.reaches.borrow_mut().insert(file) {
            visited.iter().for_each(|file| self.depend_on_file(*file));
        }
    }

    /// Returns the memoized result for an import, whose dependencies are already recorded.
    pub(super) fn known_import(&self, file: u32, kind: ReferenceKind, name: &str) -> Option<Answer<'a>> {
        let known = self.tracker.imports.borrow();
        known.get(&(file, kind))?.get(name).cloned()
    }

    pub(super) fn remember_import(&self, file: u32, kind: ReferenceKind, name: &str, answer: &Answer<'a>) {
        let mut known = self.tracker.imports.borrow_mut();
        known
            .entry((file, kind))
            .or_default()
            .insert(name.into(), answer.clone());
    }

    pub(super) fn chunks_under(&self, folder: &str) -> Range<u32> {
        self.names.chunks_under(folder)
    }

    pub(super) fn folder(&self, folder: &str) -> &'n [u32] {
        self.names.folder(folder)
    }

    /// Returns the files of a package, among those of a file's language.
    pub(super) fn package(&self, file: u32, package: &str) -> &'n [u32] {
        self.names.package_of(file, package)
    }
}
