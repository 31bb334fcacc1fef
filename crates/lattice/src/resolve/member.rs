//! Names with a receiver: the receiver's type or module first.

use super::modules::Module;
use super::{Answer, Resolved, Resolver};
use crate::facts::{Reference, ReferenceKind};
use crate::kind::Kind;
use crate::language::Modules;

/// Chains of base types are short; circles of them exist in broken code.
const DEPTH_MAX: usize = 8;

/// What a receiver is.
#[derive(Debug, Clone)]
enum Thing<'a> {
    /// Something of one of these types.
    Types(Vec<u32>, Resolved),
    /// A module.
    Module(Module, Option<&'a str>),
    /// An object that a file defines under a name.
    Object(u32, String, Resolved),
    /// Something from outside of the project.
    Outside(Option<&'a str>),
    /// Nothing is known.
    Unknown,
}

impl<'a> Resolver<'_, 'a> {
    /// Resolves a name with a receiver.
    pub(super) fn member(&self, caller: u32, reference: &'a Reference<'a>) -> Answer<'a> {
        let name = &*reference.name;
        let receiver = &*reference.receiver;
        if self.language.own.contains(&receiver) {
            return match self.own_method(caller, name) {
                Answer::Unknown if self.own_type(caller).is_none() => self.method_by_name(name),
                found => found,
            };
        }
        if self.language.modules == Modules::Crates && receiver.contains("::") {
            return self.path_call(reference.kind, receiver, name);
        }
        match self.thing(caller, receiver) {
            Thing::Types(types, how) => match self.method(&types, name, 0) {
                found if !found.is_empty() => Answer::Chunks(found, how),
                // The type is known and has no such method: it comes from a base outside or is made otherwise.
                _ => Answer::Outside(None),
            },
            Thing::Module(module, spec) => self.in_module(&module, spec, name, reference.kind),
            Thing::Object(file, owner, how) => {
                let is_there = |number: &u32| self.names.file_of(*number) == file;
                let found: Vec<u32> = self
                    .names
                    .methods(&owner, name)
                    .iter()
                    .copied()
                    .filter(is_there)
                    .collect();
                if found.is_empty() {
                    Answer::Unknown
                } else {
                    Answer::Chunks(found, how)
                }
            }
            Thing::Outside(module) => Answer::Outside(module),
            Thing::Unknown if reference.kind == ReferenceKind::New => self.plain(caller, ReferenceKind::New, name),
            Thing::Unknown if reference.kind == ReferenceKind::Reference => Answer::Unknown,
            Thing::Unknown => self.method_by_name(name),
        }
    }

    /// Resolves a method of the object itself.
    pub(super) fn own_method(&self, caller: u32, name: &str) -> Answer<'a> {
        let Some((types, owner)) = self.own_type(caller) else {
            return Answer::Unknown;
        };
        let mut found = self.method(&types, name, 0);
        if found.is_empty() {
            let is_here = |number: &u32| self.names.file_of(*number) == self.file;
            found = self
                .names
                .methods(owner, name)
                .iter()
                .copied()
                .filter(is_here)
                .collect();
        }
        if found.is_empty() {
            return Answer::Unknown;
        }
        let is_here = found.iter().all(|number| self.names.file_of(*number) == self.file);
        Answer::Chunks(found, if is_here { Resolved::Exact } else { Resolved::Import })
    }

    /// Returns the type around a chunk: its definitions, as far as there are any, and its name.
    fn own_type(&self, caller: u32) -> Option<(Vec<u32>, &'a str)> {
        let mut at = caller;
        loop {
            let chunk = self.names.chunk(at);
            if chunk.kind.is_type() || (chunk.kind == Kind::Module && self.language.modules_own) {
                return Some((vec![at], &chunk.name));
            }
            if !chunk.owner.is_empty() {
                let mut types = self.names.types_in(self.file, &chunk.owner);
                if types.is_empty() {
                    types = self.type_named(&chunk.owner).0;
                }
                return Some((types, &chunk.owner));
            }
            if chunk.kind == Kind::File {
                return None;
            }
            at = self.names.parent(at);
        }
    }

    /// `super(..)`, `this(..)`: what makes the base, or the type itself.
    pub(super) fn constructor_of_base(&self, caller: u32, name: &str) -> Answer<'a> {
        let Some((types, _)) = self.own_type(caller) else {
            return Answer::Unknown;
        };
        if name != "super" {
            return Answer::Unknown;
        }
        let mut found = Vec::new();
        for number in types {
            for base in &self.names.chunk(number).bases {
                found.extend(self.type_named(base).0);
            }
        }
        if found.is_empty() {
            Answer::Unknown
        } else {
            Answer::Chunks(found, Resolved::Import)
        }
    }

    /// Finds the methods of that name of types or their bases.
    fn method(&self, types: &[u32], name: &str, depth: usize) -> Vec<u32> {
        let mut found = Vec::new();
        for number in types {
            found.extend(self.method_of(*number, name));
        }
        if !found.is_empty() || depth > DEPTH_MAX {
            return found;
        }
        for number in types {
            let Some(there) = self.at(self.names.file_of(*number)) else {
                continue;
            };
            for base in &self.names.chunk(*number).bases {
                let bases: Vec<u32> = there
                    .type_named(base)
                    .0
                    .into_iter()
                    .filter(|base| base != number)
                    .collect();
                found.extend(there.method(&bases, name, depth + 1));
            }
        }
        found
    }

    /// The methods that belong to a type by its name: in its file, else in its folder, else anywhere.
    fn method_of(&self, number: u32, name: &str) -> Vec<u32> {
        let chunk = self.names.chunk(number);
        let family = self.names.family_of(number);
        let alike = |other: &&u32| self.names.family_of(**other) == family;
        let all: Vec<u32> = self
            .names
            .methods(&chunk.name, name)
            .iter()
            .filter(alike)
            .copied()
            .collect();
        let file = self.names.file_of(number);
        let folder = super::modules::folder_of(self.names.path_of(number));
        let is_here = |other: &u32| self.names.file_of(*other) == file;
        let is_near = |other: &u32| super::modules::folder_of(self.names.path_of(*other)) == folder;
        for is_close in [&is_here as &dyn Fn(&u32) -> bool, &is_near] {
            let close: Vec<u32> = all.iter().copied().filter(|other| is_close(other)).collect();
            if !close.is_empty() {
                return close;
            }
        }
        all
    }

    /// Finds a type by name: in this file, by imports, by package, at last anywhere.
    pub(super) fn type_named(&self, name: &str) -> (Vec<u32>, Resolved, bool) {
        let here = self.names.types_in(self.file, name);
        if !here.is_empty() {
            return (here, Resolved::Exact, false);
        }
        match self.imported(ReferenceKind::Extends, name) {
            Answer::Chunks(found, how) => return (found, how, false),
            Answer::Outside(_) => return (Vec::new(), Resolved::Import, true),
            _ => {}
        }
        let is_it = |number: &&u32| {
            let kind = self.names.chunk(**number).kind;
            self.names.family_of(**number) == Some(self.language.family)
                && (kind.is_type() || (kind == Kind::Module && self.language.modules_own))
        };
        let found: Vec<u32> = self.names.named(name).iter().filter(is_it).copied().collect();
        (found, Resolved::Name, false)
    }

    /// Finds out what a receiver is, name by name.
    fn thing(&self, caller: u32, receiver: &str) -> Thing<'a> {
        if let Some(made) = receiver.strip_prefix("new ") {
            return self.of_type(made);
        }
        if receiver == "()" {
            return Thing::Unknown;
        }
        // `import a.b` is used as `a.b.f()`.
        if self.language.modules == Modules::Dotted && receiver.contains('.') && self.imports.contains_key(receiver) {
            return self.first_thing(caller, receiver);
        }
        let plain = receiver.replace("::", ".").replace(['\\', '?', '!'], "");
        let mut parts = plain.split('.').filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return Thing::Unknown;
        };
        let mut thing = self.first_thing(caller, first.trim_start_matches(['$', '@']));
        for part in parts {
            thing = self.next_thing(thing, part);
        }
        thing
    }

    fn first_thing(&self, caller: u32, name: &str) -> Thing<'a> {
        let bare = self.language.own.iter().any(|own| own.trim_start_matches('$') == name);
        if bare {
            return match self.own_type(caller) {
                Some((types, _)) => Thing::Types(types, Resolved::Exact),
                None => Thing::Unknown,
            };
        }
        if let Some(found) = self.variable(caller, name) {
            return found;
        }
        if let Some(import) = self.imports.get(name).and_then(|imports| imports.first()) {
            return self.imported_thing(import);
        }
        let (types, how, is_outside) = self.type_named(name);
        if is_outside {
            return Thing::Outside(None);
        }
        if !types.is_empty() {
            return Thing::Types(types, how);
        }
        Thing::Object(self.file, name.to_owned(), Resolved::Exact).or_unknown(self)
    }

    /// A variable or, where no receiver is needed, a field: by the type that stands beside its name.
    fn variable(&self, caller: u32, name: &str) -> Option<Thing<'a>> {
        let mut at = caller;
        loop {
            let chunk = self.names.chunk(at);
            if let Some(of) = self.declared(at, name) {
                return Some(self.of_type(of));
            }
            let field = format!(".{name}");
            if (self.language.own_is_implied || self.language.name == "ruby")
                && chunk.kind.is_type()
                && let Some(of) = self.declared(at, &field)
            {
                return Some(self.of_type(of));
            }
            if chunk.kind == Kind::File {
                return None;
            }
            if chunk.locals.binary_search_by(|local| (**local).cmp(name)).is_ok() {
                return Some(Thing::Unknown);
            }
            // The fields of a type whose methods stand outside of it.
            if !chunk.owner.is_empty() && self.language.own_is_implied {
                let types = self.type_named(&chunk.owner).0;
                if let Some(of) = types.iter().find_map(|number| self.declared(*number, &field)) {
                    return Some(self.of_type(of));
                }
            }
            at = self.names.parent(at);
        }
    }

    fn declared(&self, chunk: u32, name: &str) -> Option<&'a str> {
        let file = self.names.file_of(chunk);
        let types = &self.names.files[file as usize].facts.types;
        let local = chunk - self.names.first[file as usize];
        let from = types.partition_point(|of| (of.chunk, &*of.name) < (local, name));
        let found = types.get(from).filter(|of| of.chunk == local && of.name == name)?;
        Some(&found.of)
    }

    fn of_type(&self, name: &str) -> Thing<'a> {
        let (types, how, _) = self.type_named(name);
        if types.is_empty() {
            Thing::Outside(None)
        } else {
            Thing::Types(types, how)
        }
    }

    fn imported_thing(&self, import: &'a crate::facts::Import<'a>) -> Thing<'a> {
        if self.language.modules == Modules::Crates {
            let spec = format!("{}::{}", import.module, import.name);
            return match self.symbol(import, &import.name, ReferenceKind::Extends, 0) {
                Answer::Chunks(types, how) => Thing::Types(types, how),
                Answer::Outside(module) => Thing::Outside(module),
                _ => Thing::Module(self.names.module(Modules::Crates, self.file, &spec), None),
            };
        }
        let module = if import.module.is_empty() {
            Module::Files(vec![self.file])
        } else {
            self.names.module(self.language.modules, self.file, &import.module)
        };
        if import.name == "*" {
            return match module {
                Module::Outside => Thing::Outside(Some(&import.module)),
                module => Thing::Module(module, Some(&import.module)),
            };
        }
        match self.symbol(import, &import.name, ReferenceKind::Extends, 0) {
            Answer::Chunks(types, how) => return Thing::Types(types, how),
            Answer::Outside(module) => return self.submodule(import).unwrap_or(Thing::Outside(module)),
            _ => {}
        }
        if let Some(found) = self.submodule(import) {
            return found;
        }
        let Module::Files(files) = module else {
            return Thing::Unknown;
        };
        self.value_in(&files, &import.name)
    }

    /// `from package import module`.
    fn submodule(&self, import: &crate::facts::Import<'a>) -> Option<Thing<'a>> {
        if self.language.modules != Modules::Dotted {
            return None;
        }
        let joint = if import.module.ends_with('.') { "" } else { "." };
        let spec = format!("{}{joint}{}", import.module, import.name);
        match self.names.module(Modules::Dotted, self.file, &spec) {
            found @ Module::Files(_) => Some(Thing::Module(found, None)),
            _ => None,
        }
    }

    /// A value that a file offers: by the type beside its name, or an object with methods of its own.
    fn value_in(&self, files: &[u32], name: &str) -> Thing<'a> {
        for file in files {
            let Some(there) = self.at(*file) else { continue };
            if let Some(of) = there.declared(there.first(), name) {
                return match there.of_type(of) {
                    Thing::Types(types, _) => Thing::Types(types, Resolved::Import),
                    other => other,
                };
            }
            if name == "default" {
                return Thing::Module(Module::Files(vec![*file]), None);
            }
            let object = Thing::Object(*file, name.to_owned(), Resolved::Import).or_unknown(self);
            if !matches!(object, Thing::Unknown) {
                return object;
            }
        }
        Thing::Unknown
    }

    fn next_thing(&self, thing: Thing<'a>, part: &str) -> Thing<'a> {
        match thing {
            Thing::Types(types, how) => {
                let field = format!(".{part}");
                for number in types {
                    let Some(of) = self.declared(number, &field) else {
                        continue;
                    };
                    let Some(there) = self.at(self.names.file_of(number)) else {
                        continue;
                    };
                    return match there.of_type(of) {
                        Thing::Types(found, other) => Thing::Types(found, how.max(other)),
                        other => other,
                    };
                }
                Thing::Unknown
            }
            Thing::Module(module, _) => match self.in_module(&module, None, part, ReferenceKind::Extends) {
                Answer::Chunks(types, how) => Thing::Types(types, how),
                _ => match module {
                    Module::Files(files) => self.value_in(&files, part),
                    _ => Thing::Unknown,
                },
            },
            Thing::Outside(module) => Thing::Outside(module),
            Thing::Object(..) | Thing::Unknown => Thing::Unknown,
        }
    }

    fn in_module(&self, module: &Module, spec: Option<&'a str>, name: &str, kind: ReferenceKind) -> Answer<'a> {
        match module {
            Module::Outside => Answer::Outside(spec),
            Module::Crate(folder, modules) => {
                let is_wanted = |number: u32| !self.wanted(kind, std::iter::once(number)).is_empty();
                let found = self.names.in_crate(folder, modules, name, is_wanted);
                if found.is_empty() {
                    Answer::Unknown
                } else {
                    Answer::Chunks(found, Resolved::Import)
                }
            }
            Module::Files(files) => {
                let mut found = Vec::new();
                for file in files {
                    if let Answer::Chunks(chunks, _) = self.exported(*file, name, kind, 0) {
                        found.extend(chunks);
                    }
                }
                if found.is_empty() {
                    Answer::Unknown
                } else {
                    Answer::Chunks(found, Resolved::Import)
                }
            }
        }
    }

    /// `a::b::f(..)` of Rust: a function of a module, or one of a type.
    fn path_call(&self, kind: ReferenceKind, receiver: &str, name: &str) -> Answer<'a> {
        let path = self.expanded(receiver);
        let module = self.names.module(Modules::Crates, self.file, &path);
        let (before, last) = path.rsplit_once("::").unwrap_or(("", &path));
        if last.starts_with(char::is_uppercase) {
            if let Module::Crate(folder, modules) = self.names.module(Modules::Crates, self.file, before) {
                let types = self.names.in_crate(&folder, &modules, last, |number| {
                    self.names.chunk(number).kind.is_type()
                });
                let found = self.method(&types, name, 0);
                return if found.is_empty() {
                    Answer::Outside(None)
                } else {
                    Answer::Chunks(found, Resolved::Import)
                };
            }
            return Answer::Outside(None);
        }
        self.in_module(&module, None, name, kind)
    }

    /// Methods of that name of any type; a name that the language's own types have says nothing.
    fn method_by_name(&self, name: &str) -> Answer<'a> {
        if self.language.common_methods.contains(&name) {
            return Answer::Unknown;
        }
        let is_it = |number: &&u32| {
            self.names.chunk(**number).kind == Kind::Method
                && self.names.family_of(**number) == Some(self.language.family)
        };
        let found: Vec<u32> = self.names.named(name).iter().filter(is_it).copied().collect();
        if found.is_empty() {
            Answer::Unknown
        } else {
            Answer::Chunks(found, Resolved::Name)
        }
    }
}

impl<'a> Thing<'a> {
    /// An object that has no methods is nothing that is known.
    fn or_unknown(self, resolver: &Resolver<'_, 'a>) -> Thing<'a> {
        let Thing::Object(file, name, _) = &self else {
            return self;
        };
        let first = resolver.names.first[*file as usize];
        let chunks = &resolver.names.files[*file as usize].facts.chunks;
        let _ = first;
        if chunks.iter().any(|chunk| chunk.owner == **name) {
            self
        } else {
            Thing::Unknown
        }
    }
}
