//! Resolution of receivers: a value of a type, a module, an object with its own methods, or unknown.

use std::rc::Rc;

use super::edge::{Answer, Resolved};
use super::resolver::Resolver;
use crate::facts::ReferenceKind;
use crate::kind::Kind;
use crate::language::{Module, ModuleSystem};

#[derive(Debug, Clone)]
pub(super) enum Receiver<'a> {
    /// A value of one of these types.
    Types(Rc<[u32]>, Resolved),
    Module(Module, Option<&'a str>),
    /// An object that a file defines, by its name.
    Object(u32, String, Resolved),
    /// Something from outside of the project.
    Outside(Option<&'a str>),
    Unknown,
}

impl<'a> Resolver<'_, 'a> {
    /// Resolves a receiver, component by component.
    pub(super) fn receiver(&self, caller: u32, receiver: &str) -> Receiver<'a> {
        if let Some(made) = receiver.strip_prefix("new ") {
            return self.of_type(made);
        }
        if receiver == "()" {
            return Receiver::Unknown;
        }
        // `Type::new(..).more()`: a constructor usually returns its type.
        if let Some(made) = receiver.strip_suffix("::()") {
            return self.of_type(made);
        }
        // `import a.b` is used as `a.b.f()`.
        if self.language.modules == ModuleSystem::Dotted
            && receiver.contains('.')
            && !self.imported_as(receiver).is_empty()
        {
            return self.first_part(caller, receiver);
        }
        let plain = receiver.replace("::", ".").replace(['\\', '?', '!'], "");
        let mut parts = plain.split('.').filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return Receiver::Unknown;
        };
        let mut found = self.first_part(caller, first.trim_start_matches(['$', '@']));
        // A member of the global object is a global: `globalThis.process` is `process`.
        if self.language.global_object == Some(first)
            && let Some(global) = parts.next()
        {
            found = self.first_part(caller, global);
        }
        for part in parts {
            found = self.next_part(found, part);
        }
        found
    }

    fn first_part(&self, caller: u32, name: &str) -> Receiver<'a> {
        let bare = self
            .language
            .self_names
            .iter()
            .any(|own| own.trim_start_matches('$') == name);
        if bare {
            return match self.own_type(caller) {
                Some((types, _)) => Receiver::Types(types.into(), Resolved::Exact),
                None => Receiver::Unknown,
            };
        }
        if let Some(found) = self.variable(caller, name) {
            return found;
        }
        if let Some(import) = self.imported_as(name).first() {
            return self.imported_receiver(import);
        }
        let (types, how, is_outside) = self.type_named(name);
        if is_outside {
            return Receiver::Outside(None);
        }
        if !types.is_empty() {
            return Receiver::Types(types, how);
        }
        match Receiver::Object(self.file, name.to_owned(), Resolved::Exact).if_known(self) {
            Receiver::Unknown if self.language.globals.binary_search(&name).is_ok() => Receiver::Outside(None),
            found => found,
        }
    }

    /// Resolves a variable, or a field where fields need no receiver, by its declared type.
    fn variable(&self, caller: u32, name: &str) -> Option<Receiver<'a>> {
        let (mut at, mut level) = (caller, 0);
        loop {
            let chunk = self.names.chunk(at);
            if let Some(of) = self.declared(at, name) {
                return Some(self.of_type(of));
            }
            let field = format!(".{name}");
            if self.language.self_is_implied
                && chunk.kind.is_type()
                && let Some(of) = self.declared(at, &field)
            {
                return Some(self.of_type(of));
            }
            if chunk.kind == Kind::File {
                return None;
            }
            if chunk.locals.binary_search_by(|local| (**local).cmp(name)).is_ok() {
                return Some(Receiver::Unknown);
            }
            // The fields of a type whose methods are defined outside of it.
            if !chunk.owner.is_empty() && self.language.self_is_implied {
                let types = self.type_named(&chunk.owner).0;
                if let Some(of) = types.iter().find_map(|number| self.declared(*number, &field)) {
                    return Some(self.of_type(of));
                }
            }
            at = self.names.enclosing(at, &mut level);
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

    fn of_type(&self, name: &str) -> Receiver<'a> {
        let (types, how, _) = self.type_named(name);
        if types.is_empty() {
            Receiver::Outside(None)
        } else {
            Receiver::Types(types, how)
        }
    }

    fn imported_receiver(&self, import: &'a crate::facts::Import<'a>) -> Receiver<'a> {
        if self.language.modules == ModuleSystem::Crates {
            let spec = format!("{}::{}", import.module, import.name);
            return match self.symbol(import, &import.name, ReferenceKind::Extends) {
                Answer::Chunks(types, how) => Receiver::Types(types.into(), how),
                Answer::Outside(module) => Receiver::Outside(module),
                _ => Receiver::Module(self.names.module(self.file, &spec), None),
            };
        }
        let module = if import.module.is_empty() {
            Module::Files(vec![self.file])
        } else {
            self.module_of(import).into_owned()
        };
        if import.name == "*" {
            return match module {
                Module::Outside => Receiver::Outside(Some(&import.module)),
                module => Receiver::Module(module, Some(&import.module)),
            };
        }
        match self.symbol(import, &import.name, ReferenceKind::Extends) {
            Answer::Chunks(types, how) => return Receiver::Types(types.into(), how),
            Answer::Outside(module) => return self.submodule(import).unwrap_or(Receiver::Outside(module)),
            _ => {}
        }
        if let Some(found) = self.submodule(import) {
            return found;
        }
        let Module::Files(files) = module else {
            return Receiver::Unknown;
        };
        self.value_in(&files, &import.name)
    }

    /// `from package import module`.
    fn submodule(&self, import: &crate::facts::Import<'a>) -> Option<Receiver<'a>> {
        if self.language.modules != ModuleSystem::Dotted {
            return None;
        }
        let joint = if import.module.ends_with('.') { "" } else { "." };
        let spec = format!("{}{joint}{}", import.module, import.name);
        match self.names.module(self.file, &spec) {
            found @ Module::Files(_) => Some(Receiver::Module(found, None)),
            _ => None,
        }
    }

    /// Resolves an exported value of a file: by its declared type, or as an object with its own methods.
    fn value_in(&self, files: &[u32], name: &str) -> Receiver<'a> {
        for file in files {
            let Some(there) = self.at(*file) else { continue };
            let has_chunks = !self.names.facts(*file).chunks.is_empty();
            if let Some(of) = has_chunks.then(|| there.declared(there.first(), name)).flatten() {
                return match there.of_type(of) {
                    Receiver::Types(types, _) => Receiver::Types(types, Resolved::Import),
                    other => other,
                };
            }
            if name == "default" {
                return Receiver::Module(Module::Files(vec![*file]), None);
            }
            let object = Receiver::Object(*file, name.to_owned(), Resolved::Import).if_known(self);
            if !matches!(object, Receiver::Unknown) {
                return object;
            }
        }
        Receiver::Unknown
    }

    fn next_part(&self, found: Receiver<'a>, part: &str) -> Receiver<'a> {
        match found {
            Receiver::Types(types, how) => {
                let field = format!(".{part}");
                for number in types.iter().copied() {
                    let Some(of) = self.declared(number, &field) else {
                        continue;
                    };
                    let Some(there) = self.at(self.names.file_of(number)) else {
                        continue;
                    };
                    return match there.of_type(of) {
                        Receiver::Types(found, other) => Receiver::Types(found, how.max(other)),
                        other => other,
                    };
                }
                Receiver::Unknown
            }
            Receiver::Module(module, _) => match self.in_module(&module, None, part, ReferenceKind::Extends) {
                Answer::Chunks(types, how) => Receiver::Types(types.into(), how),
                _ => match module {
                    Module::Files(files) => self.value_in(&files, part),
                    _ => Receiver::Unknown,
                },
            },
            Receiver::Outside(module) => Receiver::Outside(module),
            Receiver::Object(..) | Receiver::Unknown => Receiver::Unknown,
        }
    }
}

impl<'a> Receiver<'a> {
    /// Returns `Unknown` for an object without methods.
    fn if_known(self, resolver: &Resolver<'_, 'a>) -> Receiver<'a> {
        let Receiver::Object(file, name, _) = &self else {
            return self;
        };
        let chunks = &resolver.names.facts(*file).chunks;
        if chunks.iter().any(|chunk| chunk.owner == **name) {
            self
        } else {
            Receiver::Unknown
        }
    }
}
