//! The exports of a file: its own definitions, and those of the files that it includes or re-exports.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::edge::{Answer, Resolved};
use super::reach::{ALIKE_MAX, FILES_MAX, Reach, STEPS_MAX};
use super::resolver::Resolver;
use crate::facts::{Import, ReferenceKind};
use crate::language::{Module, ModuleSystem};

/// The maximum number of names that are followed through renaming re-exports.
const NAMES_MAX: usize = 32;
/// The state of a search for a name: the visited pairs of file and name.
struct Search<'s> {
    kind: ReferenceKind,
    seen: FxHashSet<(u32, &'s str)>,
}

impl Search<'_> {
    fn of(kind: ReferenceKind) -> Self {
        Search {
            kind,
            seen: FxHashSet::default(),
        }
    }
}

impl<'n, 'a> Resolver<'n, 'a> {
    /// Resolves a name among the exports of a module: own definitions, or re-exports.
    pub(super) fn exported_by(&self, files: &[u32], name: &str, kind: ReferenceKind) -> Answer<'a> {
        Answer::of(
            self.exported_among(files, name, &mut Search::of(kind)),
            Resolved::Import,
        )
    }

    /// Resolves a name among the files that this one includes or imports everything from.
    pub(super) fn included(&self, name: &str, kind: ReferenceKind) -> Answer<'a> {
        Answer::of(
            self.exported_within(self.file, name, 1, &mut Search::of(kind)),
            Resolved::Import,
        )
    }

    fn exported_among<'s>(&self, files: &[u32], name: &'s str, search: &mut Search<'s>) -> Vec<u32>
    where
        'a: 's,
    {
        if matches!(self.language.modules, ModuleSystem::Folders | ModuleSystem::Packages) {
            return self.exported_directly(files, name, search.kind);
        }
        let mut found = Vec::new();
        for file in files.iter().take(ALIKE_MAX) {
            found.extend(self.exported_within(*file, name, 0, search));
        }
        found
    }

    /// Resolves a name in packages and folders, which have no re-exports.
    fn exported_directly(&self, files: &[u32], name: &str, kind: ReferenceKind) -> Vec<u32> {
        let all = self.names.named(name);
        let is_there = |number: &u32| files.binary_search(&self.names.file_of(*number)).is_ok();
        let there: Vec<u32> = all.iter().copied().filter(is_there).collect();
        let mut found = Vec::new();
        for alike in there.chunk_by(|a, b| self.names.file_of(*a) == self.names.file_of(*b)) {
            found.extend(self.own_of(alike, kind));
        }
        found
    }

    /// Keeps those definitions of a name in a file, or in the files that implement a header, that other files can use.
    fn own_of(&self, alike: &[u32], kind: ReferenceKind) -> Vec<u32> {
        let top_level = alike.iter().copied().filter(|number| self.names.is_top_level(*number));
        let found = self.wanted(kind, top_level);
        if found.is_empty() && matches!(self.language.modules, ModuleSystem::Packages | ModuleSystem::Includes) {
            let free = alike.iter().copied().filter(|number| self.names.is_nameable(*number));
            return self.wanted(kind, free);
        }
        found
    }

    /// Searches a file and everything reachable from it, from a rank on; the nearest definition wins.
    fn exported_within<'s>(&self, file: u32, name: &'s str, from: u32, search: &mut Search<'s>) -> Vec<u32>
    where
        'a: 's,
    {
        if search.seen.len() >= NAMES_MAX || !search.seen.insert((file, name)) {
            return Vec::new();
        }
        let all = self.names.named(name);
        let Some(start) = self.at(file) else {
            // A file without a language re-exports nothing.
            let own: Vec<u32> = all
                .iter()
                .copied()
                .filter(|at| self.names.file_of(*at) == file)
                .collect();
            return self.own_of(&own, search.kind);
        };
        let made = OnceCell::new();
        let reach = start.reach(&made);
        self.names.depend_on_reach(file, &reach.visited);
        let nearest = self.nearest_within(reach, &all, from, search.kind);
        let end = nearest.as_ref().map_or(u32::MAX, |(rank, _)| *rank);
        let special = reach.special.iter().filter(|(rank, _)| (from..=end).contains(rank));
        for (rank, file) in special {
            // Own definitions precede re-exports.
            if *rank == end {
                break;
            }
            let found = self.reexported(*file, name, search);
            if !found.is_empty() {
                return found;
            }
        }
        nearest.map_or_else(Vec::new, |(_, found)| found)
    }

    /// Finds the definitions in the nearest reachable file; `all` are the definitions of the name, ascending.
    fn nearest_within(&self, reach: &Reach, all: &[u32], from: u32, kind: ReferenceKind) -> Option<(u32, Vec<u32>)> {
        if all.is_empty() {
            return None;
        }
        let mut there: Vec<(u32, u32)> = if all.len() <= reach.order.len() {
            let ranked = |number: &u32| Some((reach.rank(self.names.file_of(*number))?, *number));
            all.iter().filter_map(ranked).collect()
        } else {
            let of_file = |(rank, file): &(u32, u32)| {
                let first = all.partition_point(|number| self.names.file_of(*number) < *file);
                let rank = *rank;
                let here = all
                    .iter()
                    .skip(first)
                    .take_while(|number| self.names.file_of(**number) == *file);
                here.map(move |number| (rank, *number)).collect::<Vec<_>>()
            };
            reach.order.iter().flat_map(of_file).collect()
        };
        there.retain(|(rank, _)| *rank >= from);
        there.sort_unstable();
        there.chunk_by(|a, b| a.0 == b.0).find_map(|alike| {
            let (rank, _) = alike.first()?;
            let numbers: Vec<u32> = alike.iter().map(|(_, number)| *number).collect();
            let found = self.own_of(&numbers, kind);
            (!found.is_empty()).then_some((*rank, found))
        })
    }

    /// Resolves a named re-export of a file (`export { a as b } from './c'`), or its default export.
    fn reexported<'s>(&self, file: u32, name: &'s str, search: &mut Search<'s>) -> Vec<u32>
    where
        'a: 's,
    {
        if name == "default" {
            let first = self.names.first(file);
            let chunks = self.names.facts(file).chunks.iter().zip(first..);
            let defaults = chunks.filter(|(chunk, _)| chunk.is_default).map(|(_, number)| number);
            let found = self.wanted(search.kind, defaults);
            if !found.is_empty() {
                return found;
            }
        }
        let Some(other) = self.at(file) else {
            return Vec::new();
        };
        for import in other.imports.reexported.get(name).into_iter().flatten() {
            let found = if import.module.is_empty() {
                other.exported_here(&import.name, search)
            } else {
                other.of_import(import, search)
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Resolves a name that this file exports: its own definition, or one that it imports itself.
    fn exported_here<'s>(&self, name: &'s str, search: &mut Search<'s>) -> Vec<u32>
    where
        'a: 's,
    {
        let found = self.wanted(search.kind, self.names.top_level(self.file, name));
        if !found.is_empty() {
            return found;
        }
        for import in self.imported_as(name).iter().filter(|import| !import.module.is_empty()) {
            let found = self.of_import(import, search);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn of_import<'s>(&self, import: &'a Import<'a>, search: &mut Search<'s>) -> Vec<u32>
    where
        'a: 's,
    {
        match &*self.module_of(import) {
            Module::Files(files) => self.exported_among(files, &import.name, search),
            _ => Vec::new(),
        }
    }

    /// Resolves a name that a file exports without naming a module.
    pub(super) fn own_export(&self, name: &str, kind: ReferenceKind) -> Answer<'a> {
        Answer::of(self.exported_here(name, &mut Search::of(kind)), Resolved::Import)
    }

    /// Returns the files that are reachable from this one. The list is cached while there is room.
    fn reach<'r>(&self, made: &'r OnceCell<Reach>) -> &'r Reach
    where
        'n: 'r,
    {
        let kept = self.names.reach(self.file);
        if let Some(reach) = kept.get() {
            return reach;
        }
        let reach = self.list_reach();
        if self.names.keeps_reach(reach.order.len() + reach.by_file.len()) {
            return kept.get_or_init(|| reach);
        }
        made.get_or_init(|| reach)
    }

    fn list_reach(&self) -> Reach {
        let mut reach = Reach::default();
        let mut seen = FxHashSet::from_iter([self.file]);
        let mut queue = std::collections::VecDeque::from([(0, self.file)]);
        let (mut ranks, mut steps) = (0, 0);
        while let Some((rank, file)) = queue.pop_front() {
            reach.visited.push(file);
            reach.order.push((rank, file));
            if self.language.modules == ModuleSystem::Includes {
                reach.order.extend(self.names.bodies_of(file).map(|body| (rank, body)));
            }
            let Some(there) = self.at(file) else { continue };
            if !there.imports.reexported.is_empty() || there.has_default() {
                reach.special.push((rank, file));
            }
            for group in there.wildcard_reexports() {
                ranks += 1;
                steps += 1 + group.len();
                if steps > STEPS_MAX {
                    break;
                }
                for next in group.iter().take(ALIKE_MAX) {
                    if seen.len() < FILES_MAX && seen.insert(*next) {
                        queue.push_back((ranks, *next));
                    }
                }
            }
        }
        reach.by_file = reach.order.iter().map(|(rank, file)| (*file, *rank)).collect();
        reach.by_file.sort_unstable();
        reach.by_file.dedup_by_key(|(file, _)| *file);
        reach
    }

    fn has_default(&self) -> bool {
        self.language.modules == ModuleSystem::Paths
            && self.names.facts(self.file).chunks.iter().any(|chunk| chunk.is_default)
    }

    /// Returns the files of each module that this file re-exports as a whole.
    fn wildcard_reexports(&self) -> &'n [Vec<u32>] {
        self.imports.wildcard_reexports.get_or_init(|| {
            let whole = self.imports.wildcards.iter().filter(|import| import.is_exported);
            let files = whole.filter_map(|import| match &*self.module_of(import) {
                Module::Files(files) if !import.module.is_empty() => Some(files.clone()),
                _ => None,
            });
            files.collect()
        })
    }
}
