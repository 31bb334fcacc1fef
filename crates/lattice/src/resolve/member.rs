//! Names with a receiver: the type or module of the receiver is resolved first, then the member in it.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::edge::{Answer, Resolved};
use super::receiver::Receiver;
use super::resolver::Resolver;
use super::view::TypesNamed;
use crate::facts::{Reference, ReferenceKind};
use crate::kind::Kind;
use crate::language::{Module, ModuleSystem};
use crate::paths::folder_of;

/// The maximum number of types that are searched for a method, counting base types and types with the same name.
const TYPES_MAX: usize = 256;

impl<'a> Resolver<'_, 'a> {
    /// Resolves a name with a receiver.
    pub(super) fn member(&self, caller: u32, reference: &'a Reference<'a>) -> Answer<'a> {
        let name = &*reference.name;
        let receiver = &*reference.receiver;
        if self.language.self_names.contains(&receiver) {
            if self.language.base_names.contains(&receiver) {
                return self.base_method(caller, name);
            }
            return match self.own_method(caller, name) {
                Answer::Unknown if self.own_type(caller).is_none() => self.method_by_name(caller, receiver, name),
                found => found,
            };
        }
        if self.language.modules == ModuleSystem::Crates && receiver.contains("::") && !receiver.ends_with("::()") {
            return self.path_call(reference.kind, receiver, name);
        }
        match self.receiver(caller, receiver) {
            Receiver::Types(types, how) => match self.method(&types, name) {
                found if !found.is_empty() => Answer::Chunks(found, how),
                _ if receiver.ends_with("::()") => self.method_by_name(caller, receiver, name),
                // The type is known and has no such method: the method comes from a base type outside, or is generated.
                _ => Answer::Outside(None),
            },
            Receiver::Module(module, spec) => self.in_module(&module, spec, name, reference.kind),
            Receiver::Object(file, owner, how) => Answer::of(self.methods_in(file, &owner, name), how),
            Receiver::Outside(module) => Answer::Outside(module),
            Receiver::Unknown if reference.kind == ReferenceKind::New => self.plain(caller, ReferenceKind::New, name),
            Receiver::Unknown if reference.kind == ReferenceKind::Reference => Answer::Unknown,
            Receiver::Unknown => match self.in_namespace(receiver, reference.kind, name) {
                found if !found.is_empty() => Answer::Chunks(found, Resolved::Exact),
                _ => self.method_by_name(caller, receiver, name),
            },
        }
    }

    /// Resolves a method of the base types of the enclosing type.
    fn base_method(&self, caller: u32, name: &str) -> Answer<'a> {
        let Some((types, _)) = self.own_type(caller) else {
            return Answer::Unknown;
        };
        let bases = self.bases(&types);
        match self.here_or_imported(self.method(&bases, name)) {
            Answer::Unknown => Answer::Outside(None),
            found => found,
        }
    }

    fn here_or_imported(&self, found: Vec<u32>) -> Answer<'a> {
        let is_here = found.iter().all(|number| self.names.file_of(*number) == self.file);
        Answer::of(found, if is_here { Resolved::Exact } else { Resolved::Import })
    }

    /// Returns the methods of that name of the types of that name in a file.
    fn methods_in(&self, file: u32, owner: &str, name: &str) -> Vec<u32> {
        let mut found = self.names.methods(owner, name).into_owned();
        found.retain(|number| self.names.file_of(*number) == file);
        found
    }

    fn bases(&self, types: &[u32]) -> Vec<u32> {
        let names = types.iter().flat_map(|number| &self.names.chunk(*number).bases);
        names.flat_map(|base| self.type_named(base).0.to_vec()).collect()
    }

    /// Returns the members of a namespace of this file.
    fn in_namespace(&self, receiver: &str, kind: ReferenceKind, name: &str) -> Vec<u32> {
        let spaces = self.names.top_level(self.file, receiver);
        let spaces = spaces.filter(|number| self.names.kind_of(*number) == Kind::Module);
        let inside: Vec<u32> = spaces.flat_map(|space| self.names.inside(space, name)).collect();
        self.wanted(kind, inside.into_iter())
    }

    /// Resolves a method of the enclosing type.
    pub(super) fn own_method(&self, caller: u32, name: &str) -> Answer<'a> {
        let Some((types, owner)) = self.own_type(caller) else {
            return Answer::Unknown;
        };
        let mut found = self.method(&types, name);
        if found.is_empty() {
            found = self.methods_in(self.file, owner, name);
        }
        self.here_or_imported(found)
    }

    /// Returns the enclosing type of a chunk: its definitions, if any, and its name.
    pub(super) fn own_type(&self, caller: u32) -> Option<(Vec<u32>, &'a str)> {
        let (mut at, mut level) = (caller, 0);
        loop {
            let chunk = self.names.chunk(at);
            if chunk.kind.is_type() || (chunk.kind == Kind::Module && self.language.modules_own_functions) {
                return Some((vec![at], &chunk.name));
            }
            if !chunk.owner.is_empty() {
                let mut types = self.names.types_in(self.file, &chunk.owner);
                if types.is_empty() {
                    types = self.type_named(&chunk.owner).0.to_vec();
                }
                return Some((types, &chunk.owner));
            }
            if chunk.kind == Kind::File {
                return None;
            }
            at = self.names.enclosing(at, &mut level);
        }
    }

    pub(super) fn constructor_of_base(&self, caller: u32, name: &str) -> Answer<'a> {
        let Some((types, _)) = self.own_type(caller) else {
            return Answer::Unknown;
        };
        if self.language.base_constructor != Some(name) {
            return Answer::Unknown;
        }
        let mut found = self.bases(&types);
        let is_made = |number: &u32| !matches!(self.names.kind_of(*number), Kind::Interface | Kind::Trait);
        found.retain(is_made);
        Answer::of(found, Resolved::Import)
    }

    /// Finds the methods with this name in types, or else in their base types: breadth-first search, each type once.
    fn method(&self, types: &[u32], name: &str) -> Vec<u32> {
        let mut found = Vec::new();
        if self.names.named(name).is_empty() {
            return found;
        }
        let mut seen = FxHashSet::default();
        let mut groups: VecDeque<Rc<[u32]>> = VecDeque::from([types.into()]);
        while let Some(group) = groups.pop_front() {
            let mut new = Vec::new();
            for number in group.iter() {
                if seen.len() < TYPES_MAX && seen.insert(*number) {
                    new.push(*number);
                }
            }
            let there: Vec<u32> = new.iter().flat_map(|number| self.method_of(*number, name)).collect();
            if there.is_empty() {
                groups.extend(new.iter().flat_map(|number| self.bases_of(*number)));
            }
            found.extend(there);
        }
        found
    }

    /// Returns the candidates of each base type, resolved in the file of the type.
    fn bases_of(&self, number: u32) -> Vec<Rc<[u32]>> {
        let Some(there) = self.at(self.names.file_of(number)) else {
            return Vec::new();
        };
        let bases = self.names.chunk(number).bases.iter().take(TYPES_MAX);
        bases.map(|base| there.type_named(base).0).collect()
    }

    /// Returns the methods of a type by name: in its file, else in its folder, else anywhere.
    fn method_of(&self, number: u32, name: &str) -> Vec<u32> {
        let own_name = self.names.name_of(number);
        let interop_group = self.names.interop_group_of(number);
        let mut found = self.names.methods(own_name, name).into_owned();
        found.retain(|other| self.names.interop_group_of(*other) == interop_group);
        let file = self.names.file_of(number);
        let folder = folder_of(self.names.path_of(number));
        keep_if_any(&mut found, |other| folder_of(self.names.path_of(*other)) == folder);
        keep_if_any(&mut found, |other| self.names.file_of(*other) == file);
        found
    }

    /// Finds a type by name: in this file, by imports, in the package, and finally anywhere.
    pub(super) fn type_named(&self, name: &str) -> TypesNamed {
        if let Some(known) = self.names.known_types(self.file, name) {
            return known;
        }
        let (types, how, is_outside) = self.look_up_type(name);
        let answer = (Rc::from(types), how, is_outside);
        self.names.remember_types(self.file, name, &answer);
        answer
    }

    fn look_up_type(&self, name: &str) -> (Vec<u32>, Resolved, bool) {
        let here = self.names.types_in(self.file, name);
        if !here.is_empty() {
            return (here, Resolved::Exact, false);
        }
        match self.imported(ReferenceKind::Extends, name) {
            Answer::Chunks(found, how) => return (found, how, false),
            Answer::Outside(_) => return (Vec::new(), Resolved::Import, true),
            _ if self.must_import() && self.language.modules != ModuleSystem::Crates => {
                return (Vec::new(), Resolved::Name, false);
            }
            _ => {}
        }
        let is_it = |number: &&u32| {
            let kind = self.names.kind_of(**number);
            self.names.interop_group_of(**number) == Some(self.language.interop_group)
                && (kind.is_type() || (kind == Kind::Module && self.language.modules_own_functions))
        };
        let found: Vec<u32> = self.names.named(name).iter().filter(is_it).copied().collect();
        (found, Resolved::Name, false)
    }

    pub(super) fn in_module(
        &self,
        module: &Module,
        spec: Option<&'a str>,
        name: &str,
        kind: ReferenceKind,
    ) -> Answer<'a> {
        match module {
            Module::Outside => Answer::Outside(spec),
            Module::Crate(folder, modules) => {
                let is_wanted = |number: u32| !self.wanted(kind, std::iter::once(number)).is_empty();
                Answer::of(self.names.in_crate(folder, modules, name, is_wanted), Resolved::Import)
            }
            Module::Files(files) => self.exported_by(files, name, kind),
        }
    }

    /// Resolves a Rust path call `a::b::f(..)`: a function of a module, or one of a type.
    fn path_call(&self, kind: ReferenceKind, receiver: &str, name: &str) -> Answer<'a> {
        let path = self.expanded(receiver);
        let module = self.names.module(self.file, &path);
        let (before, last) = path.rsplit_once("::").unwrap_or(("", &path));
        if last.starts_with(char::is_uppercase) {
            if let Module::Crate(folder, modules) = self.names.module(self.file, before) {
                let types = self
                    .names
                    .in_crate(&folder, &modules, last, |number| self.names.kind_of(number).is_type());
                let found = self.method(&types, name);
                if !found.is_empty() {
                    return Answer::Chunks(found, Resolved::Import);
                }
            }
            return Answer::Outside(None);
        }
        self.in_module(&module, None, name, kind)
    }

    /// Resolves to the methods with this name in any type, unless a built-in type has such a method.
    fn method_by_name(&self, caller: u32, receiver: &str, name: &'a str) -> Answer<'a> {
        if self.language.common_methods.contains(&name) {
            return Answer::Unknown;
        }
        let found = self.names.candidates(self.file, self.language, name);
        Answer::of(self.nearest(caller, receiver, found.to_vec()), Resolved::Name)
    }

    /// Narrows down several methods with the same name: to those of the type that the receiver is named after, else of
    /// types that this file mentions, else of imported files. A method that calls its own name on another receiver
    /// delegates, so that it is the last candidate.
    fn nearest(&self, caller: u32, receiver: &str, mut found: Vec<u32>) -> Vec<u32> {
        if found.len() > 1 {
            keep_if_any(&mut found, |number| {
                is_named_after(receiver, self.names.owner_of(*number))
            });
            keep_if_any(&mut found, |number| *number != caller);
        }
        if found.len() > 1 {
            let is_known = |number: &u32| {
                let owner = self.names.owner_of(*number);
                !self.imported_as(owner).is_empty() || !self.names.types_in(self.file, owner).is_empty()
            };
            keep_if_any(&mut found, is_known);
        }
        if found.len() > 1 && self.language.modules != ModuleSystem::Crates {
            let files = self.imported_files();
            keep_if_any(&mut found, |number: &u32| {
                files.binary_search(&self.names.file_of(*number)).is_ok()
            });
        }
        found
    }
}

/// True if the last component of a receiver is the name of a type, ignoring case and underscores: `argument`,
/// `self.dir_entry`.
fn is_named_after(receiver: &str, owner: &str) -> bool {
    let last = receiver.rsplit(['.', ':', '>']).next().unwrap_or(receiver);
    !owner.is_empty() && letters(last).eq(letters(owner))
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    let kept = text.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase)
}

/// Keeps the candidates that satisfy a predicate, or all when none does.
fn keep_if_any(found: &mut Vec<u32>, passes: impl Fn(&u32) -> bool) {
    if found.iter().any(&passes) {
        found.retain(passes);
    }
}
