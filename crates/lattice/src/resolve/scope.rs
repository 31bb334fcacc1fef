//! Names without a receiver: lexical scopes, imports, the package, and finally every definition with the name.

use super::edge::{Answer, Resolved};
use super::resolver::Resolver;
use crate::facts::{Import, ReferenceKind};
use crate::kind::Kind;
use crate::language::{Module, ModuleSystem};
use crate::paths::folder_of;

impl<'a> Resolver<'_, 'a> {
    /// Resolves a name without a receiver.
    pub(super) fn plain(&self, caller: u32, kind: ReferenceKind, name: &str) -> Answer<'a> {
        if matches!(kind, ReferenceKind::Call | ReferenceKind::New) && self.language.self_names.contains(&name) {
            return self.constructor_of_base(caller, name);
        }
        match self.in_scope(caller, kind, name) {
            Answer::Unknown => {}
            found => return found,
        }
        match self.imported(kind, name) {
            Answer::Unknown => {}
            found => return found,
        }
        match kind {
            ReferenceKind::Maybe => Answer::Unknown,
            // Mentions are too frequent for a lookup by name alone.
            ReferenceKind::Reference if !self.language.mentions_resolve_by_name => Answer::Unknown,
            _ if self.must_import() => Answer::Unknown,
            _ => self.by_name(kind, name),
        }
    }

    /// True if a name that is neither in scope nor imported cannot come from another file. A script without
    /// imports shares its globals with others, and a wildcard import may bind any name.
    pub(super) fn must_import(&self) -> bool {
        let imports = &self.names.facts(self.file).imports;
        match self.language.modules {
            ModuleSystem::Paths => !imports.is_empty(),
            _ => self.language.names_are_imported && self.imports.wildcards.is_empty(),
        }
    }

    /// Searches the enclosing scopes from the inside out. Variables shadow outer definitions; methods of the enclosing
    /// type count where they need no receiver.
    fn in_scope(&self, caller: u32, kind: ReferenceKind, name: &str) -> Answer<'a> {
        let (mut at, mut level) = (caller, 0);
        loop {
            let chunk = self.names.chunk(at);
            let is_open = !chunk.kind.is_type();
            let found = self.wanted(kind, self.names.inside(at, name).filter(|_| is_open));
            if !found.is_empty() {
                return Answer::Chunks(found, Resolved::Exact);
            }
            if chunk.kind == Kind::File {
                break;
            }
            let calls_variable = !matches!(kind, ReferenceKind::New | ReferenceKind::Extends | ReferenceKind::Macro);
            if calls_variable && chunk.locals.binary_search_by(|local| (**local).cmp(name)).is_ok() {
                return Answer::Variable;
            }
            at = self.names.enclosing(at, &mut level);
        }
        if self.language.self_is_implied
            && matches!(kind, ReferenceKind::Call | ReferenceKind::Maybe)
            && let found @ Answer::Chunks(..) = self.own_method(caller, name)
        {
            return found;
        }
        Answer::Unknown
    }

    /// Keeps the definitions that a reference of this kind can refer to.
    pub(super) fn wanted(&self, kind: ReferenceKind, all: impl Iterator<Item = u32>) -> Vec<u32> {
        all.filter(|number| {
            let found = self.names.kind_of(*number);
            let is_function = found == Kind::Function || (found == Kind::Macro && self.language.macros_are_called);
            match kind {
                ReferenceKind::Call => is_function || (found.is_type() && self.language.types_are_called),
                ReferenceKind::Maybe => is_function,
                ReferenceKind::New => found.is_type() || (is_function && self.language.functions_construct),
                ReferenceKind::Extends => found.is_type() || found == Kind::Module,
                ReferenceKind::Reference => {
                    is_function || matches!(found, Kind::Table | Kind::View) || found == Kind::Class
                }
                ReferenceKind::Macro => found == Kind::Macro,
            }
        })
        .collect()
    }

    /// Resolves a name by imports and by the package; results are memoized.
    pub(super) fn imported(&self, kind: ReferenceKind, name: &str) -> Answer<'a> {
        if let Some(known) = self.names.known_import(self.file, kind, name) {
            return known;
        }
        let answer = self.look_up_import(kind, name);
        self.names.remember_import(self.file, kind, name, &answer);
        answer
    }

    fn look_up_import(&self, kind: ReferenceKind, name: &str) -> Answer<'a> {
        let mut outside = None;
        for import in self.imported_as(name) {
            // Calling a module calls its default export.
            let wanted = if import.name == "*" && self.language.modules == ModuleSystem::Paths {
                "default"
            } else {
                &import.name
            };
            match self.symbol(import, wanted, kind) {
                Answer::Unknown => {}
                Answer::Outside(module) => outside = Some(Answer::Outside(module)),
                found => return found,
            }
            // An imported name shadows all definitions with that name elsewhere.
            outside = outside.or(Some(Answer::Outside(None)));
        }
        if let Some(outside) = outside {
            return outside;
        }
        if let found @ Answer::Chunks(..) = Answer::of(self.in_package(kind, name), Resolved::Import) {
            return found;
        }
        let is_reach = |import: &&Import<'_>| import.is_exported && self.language.modules != ModuleSystem::Crates;
        for import in self.imports.wildcards.iter().filter(|import| !is_reach(import)) {
            if let found @ Answer::Chunks(..) = self.symbol(import, name, kind) {
                return found;
            }
        }
        if self.imports.wildcards.iter().any(is_reach) {
            return self.included(name, kind);
        }
        Answer::Unknown
    }

    /// Returns the definitions of the other files of the same package.
    fn in_package(&self, kind: ReferenceKind, name: &str) -> Vec<u32> {
        let files = match self.language.modules {
            ModuleSystem::Folders => self.names.folder(folder_of(self.names.path(self.file))),
            ModuleSystem::Packages => self.names.package(self.file, &self.names.facts(self.file).package),
            _ => return Vec::new(),
        };
        let all = self.names.named(name);
        let there = all.iter().copied().filter(|number| {
            self.names.is_nameable(*number) && files.binary_search(&self.names.file_of(*number)).is_ok()
        });
        self.wanted(kind, there)
    }

    pub(super) fn symbol(&self, import: &'a Import<'a>, name: &str, kind: ReferenceKind) -> Answer<'a> {
        if self.language.modules == ModuleSystem::Crates {
            return self.crate_symbol(import, name, kind);
        }
        if import.module.is_empty() {
            return self.own_export(name, kind);
        }
        match &*self.module_of(import) {
            Module::Outside => Answer::Outside(Some(&import.module)),
            Module::Crate(..) => Answer::Unknown,
            Module::Files(files) => self.exported_by(files, name, kind),
        }
    }

    fn crate_symbol(&self, import: &'a Import<'a>, name: &str, kind: ReferenceKind) -> Answer<'a> {
        let spec = if import.local.is_empty() || import.name == "*" {
            import.module.clone()
        } else {
            self.expanded(&import.module)
        };
        match self.names.module(self.file, &spec) {
            found @ Module::Crate(..) => self.in_module(&found, None, name, kind),
            _ => Answer::Outside(Some(&import.module)),
        }
    }

    /// Expands the first component of a path when it is imported.
    pub(super) fn expanded<'s>(&self, path: &'s str) -> std::borrow::Cow<'s, str> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let import = self.imported_as(first).first();
        match import.filter(|import| import.name != "*" && import.module != path) {
            Some(import) if import.module.is_empty() => std::borrow::Cow::Borrowed(path),
            Some(import) => {
                let tail = if rest.is_empty() {
                    String::new()
                } else {
                    format!("::{rest}")
                };
                std::borrow::Cow::Owned(format!("{}::{}{tail}", import.module, import.name))
            }
            None => std::borrow::Cow::Borrowed(path),
        }
    }

    /// Resolves to every definition with the name, in languages that this one can call.
    fn by_name(&self, kind: ReferenceKind, name: &str) -> Answer<'a> {
        let all = self.names.named(name);
        let alike = all.iter().copied().filter(|number| {
            self.names.interop_group_of(*number) == Some(self.language.interop_group)
                && (self.names.is_nameable(*number) || self.language.modules_own_functions)
        });
        let found = self.wanted(kind, alike);
        if found.is_empty() {
            return Answer::Unknown;
        }
        let is_here = |number: &u32| self.names.file_of(*number) == self.file;
        let here: Vec<u32> = found.iter().copied().filter(is_here).collect();
        if here.is_empty() {
            Answer::Chunks(found, Resolved::Name)
        } else {
            Answer::Chunks(here, Resolved::Exact)
        }
    }
}
