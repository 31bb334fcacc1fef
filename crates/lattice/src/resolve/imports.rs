//! The imports of a file, indexed by the names that they bind.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::facts::{Facts, Import};
use crate::language::{Language, Module, ModuleSystem};

#[derive(Debug, Default)]
pub(crate) struct Imports<'a> {
    pub(super) by_local: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    pub(super) wildcards: Vec<&'a Import<'a>>,
    pub(super) reexported: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// The files of each wildcard re-export; resolved on first use.
    pub(super) wildcard_reexports: OnceLock<Vec<Vec<u32>>>,
    /// The files of all imported modules, ascending; resolved on first use.
    pub(super) files: OnceLock<Vec<u32>>,
    /// Modules by name; resolved on first use.
    pub(super) modules: FxHashMap<&'a str, OnceLock<Module>>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(facts: &'a Facts<'a>, language: &Language) -> Self {
        let mut imports = Imports::default();
        for import in &facts.imports {
            imports.modules.entry(&import.module).or_default();
            if import.is_exported && !import.local.is_empty() {
                imports.reexported.entry(&import.local).or_default().push(import);
            }
            if import.local.is_empty() {
                imports.wildcards.push(import);
            } else if !(import.is_exported && language.modules == ModuleSystem::Paths) {
                imports.by_local.entry(&import.local).or_default().push(import);
            }
        }
        imports
    }
}
