//! No crate of the workspace has modules that use each other in a circle. What a crate declares as its layers is checked by its own tests.

#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_layering::{Tree, list};

/// The sources of all crates.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let mut all: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path().join("src")).collect();
    all.retain(|folder| folder.exists());
    all.extend([root.join("src"), root.join("fuzz/src")]);
    all.sort();
    all
}

#[test]
fn no_crate_has_a_circle_of_modules() {
    let mut circles = String::new();
    for folder in sources() {
        circles.push_str(&list(&Tree::read(&folder).unwrap().circles(true)));
    }
    assert!(circles.is_empty(), "{circles}");
}

/// What is built upon the core.
const FEATURES: [&str; 11] = [
    "openbrain",
    "lattice",
    "embed",
    "ralph",
    "dashboard",
    "plan forge",
    "plan-forge",
    "watcher",
    "transcript",
    "grammars",
    "databases",
];

/// Lists the features that a file names outside of its tests.
fn features_in(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    FEATURES.into_iter().filter(|feature| code.contains(feature)).collect()
}

#[test]
fn the_errors_and_the_settings_of_the_core_name_no_feature() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    for file in ["error.rs", "project/config.rs", "project/floor.rs"] {
        let text = fs::read_to_string(core.join(file)).unwrap();
        assert_eq!(features_in(&text), Vec::<&str>::new(), "{file}");
    }
    assert_eq!(features_in("enum Addon { Lattice }"), ["lattice"]);
}

/// Lists the files of the workspace, its Rust and its TypeScript, whose code has a text.
fn files_with(text: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = sources();
    folders.push(root.join("lib"));
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
        {
            let is_code = path
                .extension()
                .is_some_and(|ending| ending == "rs" || ending == "ts" || ending == "tsx");
            if path.is_dir() {
                folders.push(path);
            } else if is_code
                && fs::read_to_string(&path)
                    .unwrap()
                    .split("#[cfg(test)]")
                    .next()
                    .unwrap()
                    .contains(text)
            {
                found.push(path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn one_module_reads_the_file_of_the_settings() {
    let readers = ["\".forge.json\"", "'.forge.json'"].map(files_with).concat();
    assert_eq!(
        readers,
        [
            "crates/core/src/project/config.rs",
            // What follows names the file to people, changes it, or watches it.
            "lib/init/findings.ts",
            "lib/init/forge-file.ts",
            "lib/watcher/watcher.ts",
        ]
    );
}
