//! Resolves the references of one file.

use std::borrow::Cow;

use super::dependencies::Dependencies;
use super::edge::{Answer, CANDIDATES_MAX, Edge};
use super::imports::Imports;
use super::names::Names;
use super::view::{DependencyTracker, View};
use crate::budget::Budget;
use crate::facts::{Import, Reference, ReferenceKind};
use crate::language::{Language, Module};

/// The number of references between two checks of the time limit.
const REFERENCES_PER_CHECK: usize = 16;

/// Resolves all references of a file. Returns the edges in order, and their dependencies on other files.
pub(crate) fn resolve<'a>(names: &Names<'a>, file: usize, budget: &Budget) -> (Vec<Edge<'a>>, Dependencies) {
    let tracker = DependencyTracker::of_file(u32::try_from(file).unwrap_or(u32::MAX));
    let edges = Resolver::new(View::of(names, &tracker), tracker.file()).map_or_else(Vec::new, |r| r.edges(budget));
    (edges, tracker.into_dependencies())
}

pub(crate) struct Resolver<'n, 'a> {
    pub(super) names: View<'n, 'a>,
    pub(super) file: u32,
    pub(super) language: &'static Language,
    pub(super) imports: &'n Imports<'a>,
}

impl<'n, 'a> Resolver<'n, 'a> {
    fn new(names: View<'n, 'a>, file: u32) -> Option<Self> {
        let language = names.language(file)?;
        Some(Resolver {
            names,
            file,
            language,
            imports: names.imports(file, language),
        })
    }

    pub(super) fn imported_as(&self, name: &str) -> &'n [&'a Import<'a>] {
        self.imports.by_local.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn module_of(&self, import: &Import<'_>) -> Cow<'n, Module> {
        let find = || self.names.module(self.file, &import.module);
        match self.imports.modules.get(&*import.module) {
            Some(known) => Cow::Borrowed(known.get_or_init(find)),
            None => Cow::Owned(find()),
        }
    }

    /// Returns the files of all imported modules and this file, ascending.
    pub(super) fn imported_files(&self) -> &'n [u32] {
        self.imports.files.get_or_init(|| {
            let mut files = vec![self.file];
            let imports = self.names.facts(self.file).imports.iter();
            for import in imports.filter(|import| !import.module.is_empty()) {
                if let Module::Files(more) = &*self.module_of(import) {
                    files.extend(more);
                }
            }
            files.sort_unstable();
            files.dedup();
            files
        })
    }

    /// Returns a resolver for another file that records into the same dependencies, to resolve base types there.
    pub(super) fn at(&self, file: u32) -> Option<Resolver<'n, 'a>> {
        Resolver::new(self.names, file)
    }

    pub(super) fn first(&self) -> u32 {
        self.names.first(self.file)
    }

    /// Resolves all references. Those after the time limit get no target.
    fn edges(&self, budget: &Budget) -> Vec<Edge<'a>> {
        let facts = self.names.facts(self.file);
        let mut is_over = false;
        facts
            .references
            .iter()
            .enumerate()
            .filter_map(|(at, reference)| {
                if at % REFERENCES_PER_CHECK == 0 && !budget.allows_resolving() {
                    is_over = true;
                }
                self.edge(reference, is_over)
            })
            .collect()
    }

    fn edge(&self, reference: &'a Reference<'a>, is_over: bool) -> Option<Edge<'a>> {
        let caller = self.first() + reference.chunk;
        let answer = if is_over {
            Answer::Unknown
        } else if reference.receiver.is_empty() {
            self.plain(caller, reference.kind, &reference.name)
        } else {
            self.member(caller, reference)
        };
        let (mut targets, resolved, outside) = match answer {
            Answer::Chunks(targets, resolved) => (targets, Some(resolved), None),
            Answer::Outside(module) => (Vec::new(), None, module),
            Answer::Variable | Answer::Unknown => (Vec::new(), None, None),
        };
        // A bare name without a definition is a variable.
        if targets.is_empty() && matches!(reference.kind, ReferenceKind::Maybe | ReferenceKind::Reference) {
            return None;
        }
        if reference.kind == ReferenceKind::Extends {
            targets.retain(|target| *target != caller);
        }
        targets.sort_unstable();
        targets.dedup();
        let candidates = targets.len();
        if candidates > CANDIDATES_MAX {
            targets.clear();
        }
        Some(Edge {
            caller,
            reference,
            resolved: resolved.filter(|_| candidates > 0),
            targets,
            candidates,
            outside,
        })
    }
}
