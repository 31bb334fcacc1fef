//! Module resolution, as the language of each file declares it.

use super::names::Names;
use super::view::View;
use crate::language::{Module, ModuleSystem};

impl Names<'_> {
    /// Resolves the module `spec` of a file.
    pub fn module(&self, file: u32, spec: &str) -> Module {
        let language = self.language_of(file);
        language.map_or(Module::Outside, |language| (language.find_module)(self, file, spec))
    }
}

impl View<'_, '_> {
    /// Resolves a name in a crate: in the module with this path, else below it (a re-export), else anywhere.
    pub(super) fn in_crate(
        &self,
        folder: &str,
        modules: &[String],
        name: &str,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let module_path = |number: u32| {
            let language = self.language(self.file_of(number));
            language.map_or_else(Vec::new, |language| {
                (language.module_path)(self.path_of(number), folder)
            })
        };
        let in_crate = |number: &&u32| {
            let language = self.language(self.file_of(**number));
            language.is_some_and(|language| language.modules == ModuleSystem::Crates)
                && self.is_nameable(**number)
                && is_wanted(**number)
        };
        let named = self.named(name);
        // Both are ascending, so that a crate's definitions lie side by side among all of that name.
        let chunks = self.chunks_under(folder);
        let from = named.partition_point(|number| *number < chunks.start);
        let to = named.partition_point(|number| *number < chunks.end);
        let all: Vec<u32> = named
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .filter(in_crate)
            .copied()
            .collect();
        let is_there = |number: &&u32| {
            let mut at = module_path(**number);
            let holder = self.enclosing_name_of(**number);
            if !holder.is_empty() {
                at.push(holder.to_owned());
            }
            at == modules
        };
        let there: Vec<u32> = all.iter().filter(is_there).copied().collect();
        if !there.is_empty() {
            return there;
        }
        let below = |number: &&u32| module_path(**number).starts_with(modules);
        let below: Vec<u32> = all.iter().filter(below).copied().collect();
        if below.is_empty() { all } else { below }
    }
}
