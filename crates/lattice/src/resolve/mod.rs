//! From names to definitions: which chunk a reference means, and how sure that is.

mod member;
mod modules;
pub(crate) mod names;
mod receiver;
mod scope;

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::facts::{Import, Reference, ReferenceKind};
use crate::language::{Language, Modules};
use modules::Module;
pub use names::{FileFacts, MANIFEST, Names};

/// How a reference was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resolved {
    /// In the same file, or by a receiver whose type is defined in the same file.
    Exact,
    /// By an import, a package, or a receiver whose type comes by one.
    Import,
    /// By its bare name.
    Name,
}

impl Resolved {
    /// Returns the name as files and answers have it.
    pub fn name(self) -> &'static str {
        match self {
            Resolved::Exact => "exact",
            Resolved::Import => "import",
            Resolved::Name => "name",
        }
    }
}

/// With more candidates than this a name says nothing: they are counted, not listed.
pub const CANDIDATES_MAX: usize = 8;

/// A reference and what it means.
#[derive(Debug, Clone)]
pub struct Edge<'a> {
    /// The chunk it stands in.
    pub caller: u32,
    /// The reference.
    pub reference: &'a Reference<'a>,
    /// What it may mean.
    pub targets: Vec<u32>,
    /// How that was found; `None` when nothing was.
    pub resolved: Option<Resolved>,
    /// How many definitions it may mean; more than there are targets when there are too many to list.
    pub candidates: usize,
    /// The module outside of the project that it comes from.
    pub outside: Option<&'a str>,
}

/// What a look-up ends with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer<'a> {
    /// Definitions.
    Chunks(Vec<u32>, Resolved),
    /// Known to come from outside; with the module when that is known.
    Outside(Option<&'a str>),
    /// Known to be a variable, of which nothing more is known.
    Variable,
    /// Not found.
    Unknown,
}

/// Resolves all references of all files; in the order of files and references.
pub fn resolve<'a>(names: &Names<'a>) -> Vec<Vec<Edge<'a>>> {
    (0..names.files.len())
        .into_par_iter()
        .map(|file| Resolver::new(names, file).map_or_else(Vec::new, |r| r.edges()))
        .collect()
}

/// What a file imports, sorted once for all who look through it.
#[derive(Debug)]
pub(crate) struct Imports<'a> {
    by_local: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// Imports of all names of a module.
    wildcards: Vec<&'a Import<'a>>,
    /// What the names of modules lead to, looked up when somebody asks.
    modules: FxHashMap<&'a str, OnceLock<Module>>,
}

impl<'a> Imports<'a> {
    fn of(file: &'a FileFacts<'a>, language: &Language) -> Self {
        let mut imports = Imports {
            by_local: FxHashMap::default(),
            wildcards: Vec::new(),
            modules: FxHashMap::default(),
        };
        for import in &file.facts.imports {
            imports.modules.entry(&import.module).or_default();
            if import.local.is_empty() {
                imports.wildcards.push(import);
            } else if !(import.is_exported && language.modules == Modules::Paths) {
                imports.by_local.entry(&import.local).or_default().push(import);
            }
        }
        imports
    }
}

/// Resolves the references of one file.
pub(crate) struct Resolver<'n, 'a> {
    names: &'n Names<'a>,
    file: u32,
    language: &'static Language,
    imports: &'n Imports<'a>,
}

impl<'n, 'a> Resolver<'n, 'a> {
    fn new(names: &'n Names<'a>, file: usize) -> Option<Self> {
        let language = names.files[file].language()?;
        Some(Resolver {
            names,
            file: u32::try_from(file).unwrap_or(u32::MAX),
            language,
            imports: names.imports[file].get_or_init(|| Imports::of(&names.files[file], language)),
        })
    }

    /// What is imported under a name.
    fn imported_as(&self, name: &str) -> &'n [&'a Import<'a>] {
        self.imports.by_local.get(name).map_or(&[], Vec::as_slice)
    }

    /// What the module of an import leads to.
    fn module_of(&self, import: &Import<'_>) -> Cow<'n, Module> {
        let find = || self.names.module(self.language.modules, self.file, &import.module);
        match self.imports.modules.get(&*import.module) {
            Some(known) => Cow::Borrowed(known.get_or_init(find)),
            None => Cow::Owned(find()),
        }
    }

    /// The same view on names from another file, where a type is followed to its bases.
    fn at(&self, file: u32) -> Option<Resolver<'n, 'a>> {
        Resolver::new(self.names, file as usize)
    }

    fn first(&self) -> u32 {
        self.names.first[self.file as usize]
    }

    fn edges(&self) -> Vec<Edge<'a>> {
        let facts = &self.names.files[self.file as usize].facts;
        facts
            .references
            .iter()
            .filter_map(|reference| self.edge(reference))
            .collect()
    }

    fn edge(&self, reference: &'a Reference<'a>) -> Option<Edge<'a>> {
        let caller = self.first() + reference.chunk;
        let answer = if reference.receiver.is_empty() {
            self.plain(caller, reference.kind, &reference.name)
        } else {
            self.member(caller, reference)
        };
        let (mut targets, resolved, outside) = match answer {
            Answer::Chunks(targets, resolved) => (targets, Some(resolved), None),
            Answer::Outside(module) => (Vec::new(), None, module),
            Answer::Variable | Answer::Unknown => (Vec::new(), None, None),
        };
        // A lone name that leads nowhere is a variable; a type that is made from itself is not told apart from another.
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
