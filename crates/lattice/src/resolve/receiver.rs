//! What a receiver is: a type, a module, an object, or something unknown.

use std::rc::Rc;

use super::edge::{Answer, Resolved};
use super::resolver::Resolver;
use crate::facts::ReferenceKind;
use crate::kind::Kind;
use crate::language::{Module, ModuleSystem};

/// What a receiver is.
#[derive(Debug, Clone)]
pub(super) enum Thing<'a> {
    /// Something of one of these types.
    Types(Rc<[u32]>, Resolved),
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
    /// Finds out what a receiver is, name by name.
    pub(super) fn thing(&self, caller: u32, receiver: &str) -> Thing<'a> {
        if let Some(made) = receiver.strip_prefix("new ") {
            return self.of_type(made);
        }
        if receiver == "()" {
            return Thing::Unknown;
        }
        // `Type::new(..).more()`: what makes a type commonly hands it on.
        if let Some(made) = receiver.strip_suffix("::()") {
            return self.of_type(made);
        }
        // `import a.b` is used as `a.b.f()`.
        if self.language.modules == ModuleSystem::Dotted
            && receiver.contains('.')
            && !self.imported_as(receiver).is_empty()
        {
            return self.first_thing(caller, receiver);
        }
        let plain = receiver.replace("::", ".").replace(['\\', '?', '!'], "");
        let mut parts = plain.split('.').filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return Thing::Unknown;
        };
        let mut thing = self.first_thing(caller, first.trim_start_matches(['$', '@']));
        // A member of the global object is a global: `globalThis.process` is `process`.
        if self.language.global_object == Some(first)
            && let Some(global) = parts.next()
        {
            thing = self.first_thing(caller, global);
        }
        for part in parts {
            thing = self.next_thing(thing, part);
        }
        thing
    }

    fn first_thing(&self, caller: u32, name: &str) -> Thing<'a> {
        let bare = self.language.own.iter().any(|own| own.trim_start_matches('$') == name);
        if bare {
            return match self.own_type(caller) {
                Some((types, _)) => Thing::Types(types.into(), Resolved::Exact),
                None => Thing::Unknown,
            };
        }
        if let Some(found) = self.variable(caller, name) {
            return found;
        }
        if let Some(import) = self.imported_as(name).first() {
            return self.imported_thing(import);
        }
        let (types, how, is_outside) = self.type_named(name);
        if is_outside {
            return Thing::Outside(None);
        }
        if !types.is_empty() {
            return Thing::Types(types, how);
        }
        match Thing::Object(self.file, name.to_owned(), Resolved::Exact).or_unknown(self) {
            Thing::Unknown if self.language.globals.binary_search(&name).is_ok() => Thing::Outside(None),
            thing => thing,
        }
    }

    /// A variable or, where no receiver is needed, a field: by the type that stands beside its name.
    fn variable(&self, caller: u32, name: &str) -> Option<Thing<'a>> {
        let (mut at, mut level) = (caller, 0);
        loop {
            let chunk = self.names.chunk(at);
            if let Some(of) = self.declared(at, name) {
                return Some(self.of_type(of));
            }
            let field = format!(".{name}");
            if self.language.own_is_implied
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
            at = self.names.outwards(at, &mut level);
        }
    }

    fn declared(&self, chunk: u32, name: &str) -> Option<&'a str> {
        let file = self.names.file_of(chunk);
        let types = &self.names.facts(file).types;
        let local = chunk - self.names.first(file);
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
        if self.language.modules == ModuleSystem::Crates {
            let spec = format!("{}::{}", import.module, import.name);
            return match self.symbol(import, &import.name, ReferenceKind::Extends) {
                Answer::Chunks(types, how) => Thing::Types(types.into(), how),
                Answer::Outside(module) => Thing::Outside(module),
                _ => Thing::Module(self.names.module(self.file, &spec), None),
            };
        }
        let module = if import.module.is_empty() {
            Module::Files(vec![self.file])
        } else {
            self.module_of(import).into_owned()
        };
        if import.name == "*" {
            return match module {
                Module::Outside => Thing::Outside(Some(&import.module)),
                module => Thing::Module(module, Some(&import.module)),
            };
        }
        match self.symbol(import, &import.name, ReferenceKind::Extends) {
            Answer::Chunks(types, how) => return Thing::Types(types.into(), how),
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
        if self.language.modules != ModuleSystem::Dotted {
            return None;
        }
        let joint = if import.module.ends_with('.') { "" } else { "." };
        let spec = format!("{}{joint}{}", import.module, import.name);
        match self.names.module(self.file, &spec) {
            found @ Module::Files(_) => Some(Thing::Module(found, None)),
            _ => None,
        }
    }

    /// A value that a file offers: by the type beside its name, or an object with methods of its own.
    fn value_in(&self, files: &[u32], name: &str) -> Thing<'a> {
        for file in files {
            let Some(there) = self.at(*file) else { continue };
            let has_chunks = !self.names.facts(*file).chunks.is_empty();
            if let Some(of) = has_chunks.then(|| there.declared(there.first(), name)).flatten() {
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
                for number in types.iter().copied() {
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
                Answer::Chunks(types, how) => Thing::Types(types.into(), how),
                _ => match module {
                    Module::Files(files) => self.value_in(&files, part),
                    _ => Thing::Unknown,
                },
            },
            Thing::Outside(module) => Thing::Outside(module),
            Thing::Object(..) | Thing::Unknown => Thing::Unknown,
        }
    }
}

impl<'a> Thing<'a> {
    /// An object that has no methods is nothing that is known.
    fn or_unknown(self, resolver: &Resolver<'_, 'a>) -> Thing<'a> {
        let Thing::Object(file, name, _) = &self else {
            return self;
        };
        let chunks = &resolver.names.facts(*file).chunks;
        if chunks.iter().any(|chunk| chunk.owner == **name) {
            self
        } else {
            Thing::Unknown
        }
    }
}
