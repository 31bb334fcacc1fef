//! From names to definitions: which chunk a reference means, and how sure that is.

mod member;
mod modules;
pub(crate) mod names;
mod reach;
mod receiver;
mod scope;
mod shape;
mod view;

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::facts::{Facts, Import, Reference, ReferenceKind};
use crate::language::{Language, Modules};
use modules::Module;
pub(crate) use names::is_under;
pub use names::{FileFacts, MANIFEST, Names, Unchanged};
pub(crate) use shape::differing;
use view::{Seen, View};

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

/// How many references are resolved between two looks at the clock.
const REFERENCES_A_LOOK: usize = 16;

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

/// What the meaning of a file's references rests on in other files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// The numbers of files whose facts were looked at.
    pub files: Vec<u32>,
    /// Names that were looked up in all files, as [`crate::graph::look_of`] writes them.
    pub names: Vec<u32>,
}

/// Resolves all references of a file; in their order, with what the answers rest on.
pub(crate) fn resolve<'a>(names: &Names<'a>, file: usize, budget: &Budget) -> (Vec<Edge<'a>>, Looks) {
    let seen = Seen::by(u32::try_from(file).unwrap_or(u32::MAX));
    let edges = Resolver::new(View::of(names, &seen), seen.by_whom()).map_or_else(Vec::new, |r| r.edges(budget));
    (edges, seen.into_looks())
}

/// What a file imports, sorted once for all who look through it.
#[derive(Debug)]
pub(crate) struct Imports<'a> {
    by_local: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// Imports of all names of a module.
    wildcards: Vec<&'a Import<'a>>,
    /// What is handed on under a name of its own, by that name.
    handed_on: FxHashMap<&'a str, Vec<&'a Import<'a>>>,
    /// The files of each module that is handed on as a whole, looked up when somebody asks.
    handed_on_whole: OnceLock<Vec<Vec<u32>>>,
    /// The files of all modules, in order, looked up when somebody asks.
    files: OnceLock<Vec<u32>>,
    /// What the names of modules lead to, looked up when somebody asks.
    modules: FxHashMap<&'a str, OnceLock<Module>>,
}

impl<'a> Imports<'a> {
    fn of(facts: &'a Facts<'a>, language: &Language) -> Self {
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
            } else if !(import.is_exported && language.modules == Modules::Paths) {
                imports.by_local.entry(&import.local).or_default().push(import);
            }
        }
        imports
    }
}

/// Resolves the references of one file.
pub(crate) struct Resolver<'n, 'a> {
    names: View<'n, 'a>,
    file: u32,
    language: &'static Language,
    imports: &'n Imports<'a>,
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

    /// The files of all modules that this file imports, and itself.
    fn imported_files(&self) -> &'n [u32] {
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

    /// The same view on names from another file, where a type is followed to its bases.
    fn at(&self, file: u32) -> Option<Resolver<'n, 'a>> {
        Resolver::new(self.names, file)
    }

    fn first(&self) -> u32 {
        self.names.first(self.file)
    }

    /// What is not resolved any more when the time is over stays without a target.
    fn edges(&self, budget: &Budget) -> Vec<Edge<'a>> {
        let facts = self.names.facts(self.file);
        let mut is_over = false;
        facts
            .references
            .iter()
            .enumerate()
            .filter_map(|(at, reference)| {
                if at % REFERENCES_A_LOOK == 0 && !budget.allows_resolving() {
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
