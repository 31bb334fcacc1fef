//! The imports of one file, sorted by the names that they bind.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::facts::{Facts, Import};
use crate::language::{Language, Module, ModuleSystem};

/// What a file imports, sorted once for all who look through it.
#[derive(Debug)]
pub(crate) struct Imports<'a> {
    pub(super) by_local: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// Imports of all names of a module.
    pub(super) wildcards: Vec<&'a Import<'a>>,
    /// What is handed on under a name of its own, by that name.
    pub(super) handed_on: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// The files of each module that is handed on as a whole, looked up when somebody asks.
    pub(super) handed_on_whole: OnceLock<Vec<Vec<u32>>>,
    /// The files of all modules, in order, looked up when somebody asks.
    pub(super) files: OnceLock<Vec<u32>>,
    /// What the names of modules lead to, looked up when somebody asks.
    pub(super) modules: FxHashMap<&'a str, OnceLock<Module>>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(facts: &'a Facts<'a>, language: &Language) -> Self {
        let mut imports = Imports {
            by_local: FxHashMap::default(),
            wildcards: Vec::new(),
            handed_on: FxHashMap::default(),
            handed_on_whole: OnceLock::new(),
            files: OnceLock::new(),
            modules: FxHashMap::default(),
        };
        for import in &facts.imports {
            imports.modules.entry(&import.module).or_default();
            if import.is_exported && !import.local.is_empty() {
                imports.handed_on.entry(&import.local).or_default().push(import);
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
