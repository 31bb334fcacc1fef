//! What a module's name leads to, by the ways of each language.

use super::names::{Names, is_under};
use super::view::View;
use crate::language::Modules;

/// What a module's name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// Files of this project.
    Files(Vec<u32>),
    /// A crate of this project and the path of a module in it.
    Crate(String, Vec<String>),
    /// Something outside.
    Outside,
}

const SCRIPT_ENDS: [&str; 10] = [
    "", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts",
];

impl Names<'_> {
    /// Finds the module that `spec` names in a file.
    pub fn module(&self, ways: Modules, file: u32, spec: &str) -> Module {
        let path = self.files[file as usize].path;
        let found = match ways {
            Modules::Paths => self.script(path, spec),
            Modules::Dotted => self.dotted(path, spec),
            Modules::Crates => return self.crate_path(path, spec),
            Modules::Folders => self.go_folder(path, spec),
            Modules::Packages => self.package(self.files[file as usize].language, spec).to_vec(),
            Modules::Includes => self.included(path, spec),
            Modules::Global => Vec::new(),
        };
        if found.is_empty() {
            Module::Outside
        } else {
            Module::Files(found)
        }
    }

    fn script(&self, path: &str, spec: &str) -> Vec<u32> {
        if spec.starts_with('.') {
            return joined(folder_of(path), spec)
                .and_then(|base| self.script_file(&base))
                .into_iter()
                .collect();
        }
        // A package of the same project, by its manifest.
        for (folder, name) in self.manifests("package.json") {
            if let Some(rest) = spec.strip_prefix(name).filter(|_| !name.is_empty()) {
                let inner = rest.trim_start_matches('/');
                if rest.is_empty() || rest.starts_with('/') {
                    let tries = [inner.to_owned(), format!("src/{inner}"), format!("lib/{inner}")];
                    let found = tries
                        .iter()
                        .find_map(|inner| self.script_file(&under(folder, inner.trim_end_matches('/'))));
                    if let Some(found) = found {
                        return vec![found];
                    }
                }
            }
        }
        // What build tools commonly let `@/` and `~/` stand for, and paths from the top.
        let bare = spec
            .trim_start_matches("@/")
            .trim_start_matches("~/")
            .trim_start_matches("#");
        let tries = if bare.len() < spec.len() {
            vec![format!("src/{bare}"), format!("app/{bare}"), bare.to_owned()]
        } else if spec.contains('/') {
            vec![spec.to_owned()]
        } else {
            Vec::new()
        };
        let top = self
            .manifest_above(path, "package.json")
            .map_or("", |(folder, _)| folder);
        tries
            .iter()
            .find_map(|tail| self.script_file(&under(top, tail)))
            .into_iter()
            .collect()
    }

    fn script_file(&self, base: &str) -> Option<u32> {
        let direct = SCRIPT_ENDS.iter().find_map(|end| self.file(&format!("{base}{end}")));
        // TypeScript imports `a.js` where `a.ts` is meant.
        let renamed = || {
            let (stem, end) = base.rsplit_once('.')?;
            let ends: &[&str] = match end {
                "js" => &["ts", "tsx", "jsx", "d.ts"],
                "mjs" => &["mts", "d.mts"],
                "cjs" => &["cts", "d.cts"],
                "jsx" => &["tsx"],
                _ => return None,
            };
            ends.iter().find_map(|end| self.file(&format!("{stem}.{end}")))
        };
        let index = || {
            SCRIPT_ENDS
                .iter()
                .skip(1)
                .find_map(|end| self.file(under(base, &format!("index{end}")).as_str()))
        };
        direct.or_else(renamed).or_else(index)
    }

    fn dotted(&self, path: &str, spec: &str) -> Vec<u32> {
        let dots = spec.bytes().take_while(|b| *b == b'.').count();
        let tail = spec[dots..].replace('.', "/");
        let mut folder = folder_of(path);
        if dots > 0 {
            for _ in 1..dots {
                folder = folder_of(folder);
            }
            return self.python_file(&under(folder, &tail)).into_iter().collect();
        }
        // From the folder of the file upwards: what is nearest shadows what is further.
        loop {
            if let Some(found) = self.python_file(&under(folder, &tail)) {
                return vec![found];
            }
            if folder.is_empty() {
                break;
            }
            folder = folder_of(folder);
        }
        ["src", "lib", "python"]
            .iter()
            .find_map(|top| self.python_file(&under(top, &tail)))
            .into_iter()
            .collect()
    }

    fn python_file(&self, base: &str) -> Option<u32> {
        let base = base.trim_end_matches('/');
        let tries = [
            format!("{base}.py"),
            under(base, "__init__.py"),
            format!("{base}.pyi"),
            under(base, "__init__.pyi"),
        ];
        tries.iter().find_map(|path| self.file(path))
    }

    fn crate_path(&self, path: &str, spec: &str) -> Module {
        let own = self
            .manifest_above(path, "Cargo.toml")
            .map_or("", |(folder, _)| folder)
            .to_owned();
        let mut parts: Vec<String> = spec
            .split("::")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let Some(first) = parts.first().cloned() else {
            return Module::Outside;
        };
        match first.as_str() {
            "crate" => {
                parts.remove(0);
                Module::Crate(own, parts)
            }
            "self" | "super" => {
                let mut at = module_path(path, &own);
                while parts.first().is_some_and(|part| part == "self" || part == "super") {
                    if parts.remove(0) == "super" {
                        at.pop();
                    }
                }
                at.extend(parts);
                Module::Crate(own, at)
            }
            name => {
                let is_it = |(_, package): &(&str, &str)| package.replace('-', "_") == name;
                if let Some((folder, _)) = self.manifests("Cargo.toml").find(is_it) {
                    parts.remove(0);
                    return Module::Crate(folder.to_owned(), parts);
                }
                // A module beside this one, or below it.
                let mut at = module_path(path, &own);
                let below = under(folder_of(path), name);
                let within = under(path.strip_suffix(".rs").unwrap_or(path), name);
                for (base, is_below) in [(below, false), (within, true)] {
                    if self.file(&format!("{base}.rs")).is_some() || self.file(&format!("{base}/mod.rs")).is_some() {
                        if !is_below && !is_folder_module(path) {
                            at.pop();
                        }
                        at.extend(parts);
                        return Module::Crate(own, at);
                    }
                }
                Module::Outside
            }
        }
    }

    fn go_folder(&self, path: &str, spec: &str) -> Vec<u32> {
        let inside = self.manifests("go.mod").find_map(|(folder, name)| {
            let rest = spec.strip_prefix(name).filter(|_| !name.is_empty())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| under(folder, rest.trim_start_matches('/')))
        });
        let _ = path;
        match inside {
            Some(folder) => self.folder(folder.trim_end_matches('/')).to_vec(),
            None => Vec::new(),
        }
    }

    fn included(&self, path: &str, spec: &str) -> Vec<u32> {
        if spec.is_empty() {
            return Vec::new();
        }
        let beside = joined(folder_of(path), spec).and_then(|path| self.file(&path));
        match beside {
            Some(file) => vec![file],
            None => self.files_ending(spec.trim_start_matches("./").trim_start_matches("../")),
        }
    }
}

impl View<'_, '_> {
    /// Returns what has that name in a crate, best at the end of that path of modules.
    pub(super) fn in_crate(
        &self,
        folder: &str,
        modules: &[String],
        name: &str,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let in_crate = |number: &&u32| {
            let path = self.path_of(**number);
            path.ends_with(".rs") && is_under(path, folder) && self.is_free(**number) && is_wanted(**number)
        };
        let all: Vec<u32> = self.named(name).iter().filter(in_crate).copied().collect();
        let is_there = |number: &&u32| {
            let mut at = module_path(self.path_of(**number), folder);
            let holder = self.holder_of(**number);
            if !holder.is_empty() {
                at.push(holder.to_owned());
            }
            at == modules
        };
        let there: Vec<u32> = all.iter().filter(is_there).copied().collect();
        if !there.is_empty() {
            return there;
        }
        // Re-exported from further below.
        let below = |number: &&u32| module_path(self.path_of(**number), folder).starts_with(modules);
        let below: Vec<u32> = all.iter().filter(below).copied().collect();
        if below.is_empty() { all } else { below }
    }
}

/// The modules that lead to a Rust file from the top of its crate.
fn module_path(path: &str, folder: &str) -> Vec<String> {
    let inner = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
    let inner = inner.strip_prefix("src/").unwrap_or(inner);
    let inner = inner.strip_suffix(".rs").unwrap_or(inner);
    let mut parts: Vec<String> = inner.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| last == "mod" || (parts.len() == 1 && (last == "lib" || last == "main")))
    {
        parts.pop();
    }
    parts
}

fn is_folder_module(path: &str) -> bool {
    ["mod.rs", "lib.rs", "main.rs"]
        .iter()
        .any(|name| path.rsplit('/').next() == Some(name))
}

pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn under(folder: &str, tail: &str) -> String {
    match (folder.is_empty(), tail.is_empty()) {
        (true, _) => tail.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{tail}"),
    }
}

/// Joins a relative path to a folder; `None` when it leaves the project.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
