//! Module resolution of Rust.

use super::super::{Module, ProjectFiles};
use crate::paths::{folder_of, under};

/// The file that names a crate.
pub(super) const MANIFEST: &str = "Cargo.toml";

/// Returns the name of the package that the manifest declares.
pub(super) fn manifest_name(text: &str) -> Option<String> {
    let after = text.split_once("[package]").map_or("", |(_, rest)| rest);
    let before_next = after.lines().take_while(|line| !line.trim_start().starts_with('['));
    before_next
        .filter_map(|line| line.trim().strip_prefix("name")?.trim_start().strip_prefix('='))
        .map(|value| value.trim().trim_matches('"').to_owned())
        .next()
}

/// Finds a module: from the root of the crate, relative to the importing module, or in another crate of the project.
pub(super) fn find_module(files: &dyn ProjectFiles, file: u32, spec: &str) -> Module {
    let path = files.path(file);
    let own = files
        .manifest_above(path, MANIFEST)
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
            let mut packages = files.manifests(MANIFEST).iter();
            if let Some((folder, _)) = packages.find(|(_, package)| is_crate(package, name)) {
                parts.remove(0);
                return Module::Crate((*folder).to_owned(), parts);
            }
            // A sibling module, or a child.
            let mut at = module_path(path, &own);
            let below = under(folder_of(path), name);
            let within = under(path.strip_suffix(".rs").unwrap_or(path), name);
            for (base, is_below) in [(below, false), (within, true)] {
                if files.find(&format!("{base}.rs")).is_some() || files.find(&format!("{base}/mod.rs")).is_some() {
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

/// True if a package has that name in code, where its hyphens are underscores.
fn is_crate(package: &str, name: &str) -> bool {
    let mut pairs = package.bytes().zip(name.bytes());
    package.len() == name.len() && pairs.all(|(a, b)| a == b || (a, b) == (b'-', b'_'))
}

/// Returns the module path of a file from the root of its crate.
pub(super) fn module_path(path: &str, folder: &str) -> Vec<String> {
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
