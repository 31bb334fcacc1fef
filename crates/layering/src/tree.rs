//! The modules of a crate and their uses of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use crate::scan::{Mention, Role, Scanned, scan};

/// The path of a module from the root of its crate; the root itself is empty.
pub type ModulePath = Vec<String>;

/// The modules of one crate.
#[derive(Debug)]
pub struct Tree {
    modules: BTreeMap<ModulePath, Module>,
}

/// One module.
#[derive(Debug)]
struct Module {
    file: PathBuf,
    mentions: Vec<Mention>,
}

/// A use of one module by another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The using module.
    pub from: ModulePath,
    /// The module with the definition.
    pub to: ModulePath,
    /// The file with the path.
    pub file: PathBuf,
    /// Its line.
    pub line: usize,
}

/// The maximum number of re-exports between a name and its definition; more mean a cycle of re-exports.
const HOPS_MAX: usize = 32;

impl Tree {
    /// Reads the crate whose `lib.rs` (or `main.rs`) is in the given folder. A file that is missing or unreadable, or
    /// that has unbalanced brackets, is an error that names it.
    pub fn read(sources: &Path) -> io::Result<Self> {
        let root = if sources.join("lib.rs").exists() {
            "lib.rs"
        } else {
            "main.rs"
        };
        let mut tree = Self {
            modules: BTreeMap::new(),
        };
        tree.read_file(Vec::new(), &sources.join(root), sources)?;
        Ok(tree)
    }

    fn read_file(&mut self, path: ModulePath, file: &Path, folder: &Path) -> io::Result<()> {
        let text = fs::read_to_string(file).map_err(|error| about(file, &error))?;
        let tokens = text.parse::<TokenStream>().map_err(|error| about(file, &error))?;
        self.add(path, file, folder, scan(tokens))
    }

    fn add(&mut self, path: ModulePath, file: &Path, folder: &Path, scanned: Scanned) -> io::Result<()> {
        for name in scanned.outside {
            let plain = folder.join(format!("{name}.rs"));
            let child = if plain.exists() {
                plain
            } else {
                folder.join(&name).join("mod.rs")
            };
            self.read_file(joined(&path, &name), &child, &folder.join(&name))?;
        }
        for (name, inner) in scanned.inline {
            self.add(joined(&path, &name), file, &folder.join(&name), inner)?;
        }
        self.modules.insert(
            path,
            Module {
                file: file.to_owned(),
                mentions: scanned.mentions,
            },
        );
        Ok(())
    }

    /// Returns the names of a module's children.
    pub(crate) fn children(&self, parent: &[String]) -> BTreeSet<&str> {
        let below = self
            .modules
            .keys()
            .filter(|path| path.len() == parent.len() + 1 && path.starts_with(parent));
        below.filter_map(|path| path.last().map(String::as_str)).collect()
    }

    /// Returns the modules with children, the root included.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &ModulePath> {
        self.modules.keys().filter(|path| !self.children(path).is_empty())
    }

    /// Returns each use of a module of this crate by another. A re-export is not a use, because it only passes a name
    /// on.
    pub(crate) fn uses(&self) -> Vec<Use> {
        let mut out = Vec::new();
        for (from, module) in &self.modules {
            for mention in &module.mentions {
                if matches!(
                    mention.role,
                    Role::Import { is_public: true, .. } | Role::Glob { is_public: true }
                ) {
                    continue;
                }
                for to in self.targets(from, mention) {
                    if to != *from {
                        out.push(Use {
                            from: from.clone(),
                            to,
                            file: module.file.clone(),
                            line: mention.line,
                        });
                    }
                }
            }
        }
        out.sort();
        out.dedup();
        out
    }

    /// Returns the modules with the definitions that a path refers to; none for a path that leads out of the crate.
    fn targets(&self, from: &[String], mention: &Mention) -> Vec<ModulePath> {
        let Some(to) = self.resolve(from, &mention.path, HOPS_MAX) else {
            return Vec::new();
        };
        let mut out = vec![to.clone()];
        if matches!(mention.role, Role::Glob { .. })
            && let Some(module) = self.modules.get(&to)
        {
            // All names of a module are its own and those it imports.
            let imports = module
                .mentions
                .iter()
                .filter(|mention| matches!(mention.role, Role::Import { .. }));
            out.extend(imports.filter_map(|import| self.resolve(&to, &import.path, HOPS_MAX)));
        }
        out
    }

    fn resolve(&self, from: &[String], path: &[String], hops: usize) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (Vec::new(), rest),
            "self" => (from.to_vec(), rest),
            "super" => (from.split_last()?.1.to_vec(), rest),
            // Other relative paths begin with a child, or with an import, which was scanned where it is
            // declared.
            name if self.modules.contains_key(&joined(from, name)) => (joined(from, name), rest),
            _ => return None,
        };
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop();
            } else if self.modules.contains_key(&joined(&at, name)) {
                at.push(name.clone());
            } else {
                return Some(self.through_import(&at, name, after, hops).unwrap_or(at));
            }
            rest = after;
        }
        Some(at)
    }

    /// Resolves a name that a module imports to the module that defines it.
    fn through_import(&self, at: &[String], wanted: &str, rest: &[String], hops: usize) -> Option<ModulePath> {
        let hops = hops.checked_sub(1)?;
        let module = self.modules.get(at)?;
        let import = module.mentions.iter().find(|mention| match &mention.role {
            Role::Import { name, .. } => name == wanted,
            _ => false,
        })?;
        let path = import.path.iter().chain(rest).cloned().collect::<Vec<_>>();
        self.resolve(at, &path, hops)
    }
}

fn joined(path: &[String], name: &str) -> ModulePath {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn about(file: &Path, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", file.display()))
}
