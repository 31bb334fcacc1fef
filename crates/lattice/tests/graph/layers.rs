//! The modules of this crate are layers: no dependency points up, and there are no cycles.

use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_lattice::language;
use forge_memory_layering::{Rules, Tree, list};

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[
    // Values, limits and files.
    &["budget", "contents", "globs", "kind", "paths", "terms"],
    // Single files: their facts, and the declaration of their language.
    &["facts"],
    &["language"],
    &["scan"],
    // All files: the resolution of their names, and the graph.
    &["resolve"],
    &["graph"],
    // The index on disk, the runs that update it, and the queries.
    &["storage"],
    &["index", "query"],
    &["lattice"],
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lattice/src")
}

#[test]
fn dependencies_point_down_and_have_no_cycles() {
    let tree = Tree::read(&sources()).unwrap();
    let violations = tree.check(&Rules {
        layers: LAYERS,
        count_folder_files: true,
    });
    assert!(violations.is_empty(), "{}", list(&violations));
}

/// Everything in which languages differ is declared in their folders, so that a new language changes no other file.
#[test]
fn no_module_outside_of_a_language_asks_for_its_name_or_files() {
    let mut files = Vec::new();
    rust_files(&sources(), &mut files);
    let extensions = language::all()
        .iter()
        .flat_map(|language| language.extensions.iter().copied());
    let manifests = language::all()
        .iter()
        .filter_map(|language| language.manifest.map(|manifest| manifest.file_name));
    let mut words: Vec<String> = language::all()
        .iter()
        .map(|language| format!("\"{}\"", language.name))
        .collect();
    words.extend(extensions.map(|extension| format!("\".{extension}\"")));
    words.extend(manifests.map(|manifest| format!("\"{manifest}\"")));
    words.push("language.name ==".to_owned());
    words.push("language.name !=".to_owned());
    let mut found = Vec::new();
    for file in files
        .iter()
        .filter(|file| !file.starts_with(sources().join("language")))
    {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        found.extend(
            words
                .iter()
                .filter(|word| code.contains(*word))
                .map(|word| format!("{}: {word}", file.display())),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}
