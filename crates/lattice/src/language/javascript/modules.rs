//! Module resolution of JavaScript and TypeScript.

use super::super::{Module, ProjectFiles};
use crate::paths::{folder_of, joined, under};

const EXTENSIONS: [&str; 10] = [
    "", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts",
];

/// The file that names a package.
pub(super) const MANIFEST: &str = "package.json";

/// Returns the name of the package that a manifest declares.
pub(super) fn manifest_name(text: &str) -> Option<String> {
    let value = serde_json::from_str::<serde_json::Value>(text).ok()?;
    value.get("name")?.as_str().map(str::to_owned)
}

/// Finds a module: relative to the file, in a package of the same project, under a common alias, or from the root.
pub(super) fn find_module(files: &dyn ProjectFiles, file: u32, spec: &str) -> Module {
    let path = files.path(file);
    if spec.starts_with('.') {
        let base = joined(folder_of(path), spec);
        return Module::of_files(base.and_then(|base| module_file(files, &base)));
    }
    if let Some(found) = in_packages(files, spec) {
        return Module::of_files([found]);
    }
    // The common aliases `@/` and `~/` of build tools, and paths from the root.
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
    let top = files.manifest_above(path, MANIFEST).map_or("", |(folder, _)| folder);
    Module::of_files(tries.iter().find_map(|tail| module_file(files, &under(top, tail))))
}

/// Finds a file of a package of the same project, by its manifest.
fn in_packages(files: &dyn ProjectFiles, spec: &str) -> Option<u32> {
    for (folder, name) in files.manifests(MANIFEST) {
        let Some(rest) = spec.strip_prefix(&**name).filter(|_| !name.is_empty()) else {
            continue;
        };
        if rest.is_empty() || rest.starts_with('/') {
            let inner = rest.trim_start_matches('/');
            let tries = [inner.to_owned(), format!("src/{inner}"), format!("lib/{inner}")];
            let found = tries
                .iter()
                .find_map(|inner| module_file(files, &under(folder, inner.trim_end_matches('/'))));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn module_file(files: &dyn ProjectFiles, base: &str) -> Option<u32> {
    let direct = EXTENSIONS.iter().find_map(|end| files.find(&format!("{base}{end}")));
    // TypeScript imports `a.ts` as `a.js`.
    let renamed = || {
        let (stem, end) = base.rsplit_once('.')?;
        let ends: &[&str] = match end {
            "js" => &["ts", "tsx", "jsx", "d.ts"],
            "mjs" => &["mts", "d.mts"],
            "cjs" => &["cts", "d.cts"],
            "jsx" => &["tsx"],
            _ => return None,
        };
        ends.iter().find_map(|end| files.find(&format!("{stem}.{end}")))
    };
    let index = || {
        EXTENSIONS
            .iter()
            .skip(1)
            .find_map(|end| files.find(under(base, &format!("index{end}")).as_str()))
    };
    direct.or_else(renamed).or_else(index)
}
