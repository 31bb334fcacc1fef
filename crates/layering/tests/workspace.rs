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

/// What is built upon the core, as its code would name it.
const FEATURES: [&str; 10] = [
    "openbrain",
    "lattice",
    "forge-memory-embed",
    "ralph",
    "dashboard",
    "plan forge",
    "plan-forge",
    "watcher",
    "transcript",
    "grammars",
];

/// The features that code of the core names all the same: words of formats and answers, which other programs know.
const NAMED: [(&str, &str, &str); 15] = [
    (
        "core/src/agent/preload/context.rs",
        "openbrain",
        "who answered, in an answer",
    ),
    ("core/src/agent/preload/watching.rs", "watcher", "the words of a prompt"),
    ("core/src/engine/destinations.rs", "openbrain", "a field of the outcome"),
    ("core/src/engine/outcome.rs", "openbrain", "a field of the outcome"),
    ("record/src/model/said.rs", "watcher", "an author of records"),
    ("record/src/model/input.rs", "watcher", "an author of records"),
    (
        "record/src/model/scope.rs",
        "plan forge",
        "whose file it is that is not written",
    ),
    (
        "core/src/observe/events/followed.rs",
        "watcher",
        "the source of an event",
    ),
    ("core/src/observe/report/mod.rs", "dashboard", "what may lie in .forge"),
    ("core/src/observe/report/mod.rs", "lattice", "what may lie in .forge"),
    ("core/src/observe/report/mod.rs", "openbrain", "what may lie in .forge"),
    ("project/src/files.rs", "openbrain", "the names of files"),
    ("project/src/gitignore.rs", "lattice", "what is not committed"),
    ("project/src/gitignore.rs", "openbrain", "what is not committed"),
    (
        "project/src/lib.rs",
        "plan-forge",
        "a name that records of another program have",
    ),
];

/// Lists the features that the code of a file names, outside of its comments and tests.
fn features_in(text: &str) -> Vec<&'static str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_lowercase();
    let lines: Vec<&str> = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    FEATURES
        .into_iter()
        .filter(|feature| lines.iter().any(|line| line.contains(feature)))
        .collect()
}

/// Lists the files of Rust and TypeScript below folders, without those of tests, by their paths.
fn code_in(mut folders: Vec<PathBuf>) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["rs", "ts", "tsx"].contains(&ending) && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")
}

#[test]
fn the_core_names_no_feature_but_in_words_of_formats() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["core/src", "project/src", "record/src", "text/src"].map(|folder| crates.join(folder));
    let mut named: Vec<(String, &str)> = code_in(folders.to_vec())
        .iter()
        .flat_map(|(path, text)| {
            features_in(text)
                .into_iter()
                .map(|feature| (below(&crates, path), feature))
        })
        .collect();
    let mut known: Vec<(String, &str)> = NAMED
        .iter()
        .map(|(file, feature, _)| ((*file).to_owned(), *feature))
        .collect();
    known.sort();
    named.sort();
    assert_eq!(named, known);
    assert_eq!(features_in("enum Addon { Lattice }"), ["lattice"]);
}

/// Lists the files of the workspace, its Rust and its TypeScript, whose code has one of some texts.
fn files_with(texts: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = sources();
    folders.push(root.join("lib"));
    let has = |text: &str| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        texts.iter().any(|text| code.contains(text))
    };
    let found = code_in(folders).into_iter().filter(|(_, text)| has(text));
    let mut found: Vec<String> = found.map(|(path, _)| below(&root, &path)).collect();
    found.sort();
    found
}

#[test]
fn the_names_of_settings_are_written_in_their_declaration_only() {
    let declared = ["crates/settings/src/lib.rs", "lib/shared/declared-settings.ts"];
    assert_eq!(files_with(&["\".forge.json\"", "'.forge.json'"]), declared);
    assert_eq!(files_with(&["\"settings.json\"", "'settings.json'"]), declared);
    assert_eq!(files_with(&["\"config.json\"", "'config.json'"]), declared);
}

#[test]
fn one_module_of_each_language_reads_the_environment() {
    assert_eq!(
        files_with(&["env::var(", "env::var_os("]),
        // Where agents keep their sessions is said by variables of theirs.
        ["crates/moment/src/machine.rs", "src/backfill.rs"]
    );
    assert_eq!(
        files_with(&["process.env.", "process.env["]),
        [
            // What is written here runs in another program.
            "lib/cli/program/main.ts",
            // Where agents keep their files is said by variables of theirs.
            "lib/init/places.ts",
            "lib/init/plugins.ts",
            "lib/mcp/whereabouts.ts",
        ]
    );
}
