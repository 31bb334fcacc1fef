//! The modules of the engine are layers: a layer uses only those below it, and modules have no cyclic dependencies.

use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_layering::{Rules, Tree, list};

/// The layers, lowest first. The other outputs of a write (queue, events, counts) are below the engine that writes them.
const LAYERS: [&[&str]; 9] = [
    &["freshness"],
    &["index"],
    &["meaning"],
    &["outbox"],
    &["observe"],
    &["engine"],
    &["upkeep"],
    &["agent"],
    &["memory"],
];

/// The layers of the crate below, of which the core knows the names.
const RECORD_LAYERS: [&[&str]; 3] = [&["error"], &["model"], &["judgement"]];

const RULES: Rules<'_> = Rules {
    layers: &LAYERS,
    count_folder_files: true,
};

/// The layers that are crates of their own, or a folder in one.
const BELOW: [(&str, &str); 5] = [
    ("project", "project/src"),
    ("judgement", "record/src/judgement"),
    ("model", "record/src/model"),
    ("truth", "text/src/truth"),
    ("text", "text/src"),
];

fn crates() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn sources() -> PathBuf {
    crates().join("core/src")
}

#[test]
fn modules_use_only_layers_below_and_have_no_cycles() {
    for (folder, layers) in [("core/src", &LAYERS[..]), ("record/src", &RECORD_LAYERS)] {
        let rules = Rules { layers, ..RULES };
        let violations = Tree::read(&crates().join(folder)).unwrap().check(&rules);
        assert!(violations.is_empty(), "{}", list(&violations));
    }
}

#[test]
fn a_dependency_on_an_upper_layer_is_found() {
    let found = list(&check_with("meaning/nearest.rs", "use crate::memory::Memory;"));
    assert!(
        found.contains("meaning::nearest uses memory, which is in a layer above it"),
        "{found}"
    );
}

#[test]
fn a_cycle_of_modules_is_found() {
    let found = list(&check_with(
        "meaning/quantization.rs",
        "use crate::meaning::nearest::Near;",
    ));
    assert!(
        found.contains("cycle of 3 modules in meaning: nearest, quantization, vector_file"),
        "{found}"
    );
}

#[test]
fn a_module_that_no_layer_names_is_found() {
    let found = list(&check_with("lib.rs", "mod stray {}"));
    assert!(
        found.contains("module stray must be named by exactly one layer"),
        "{found}"
    );
}

/// What makes a line of a decision. Only the judge writes one: what a file of another layer has of these, it has decided by itself.
const DECISIONS: [&str; 6] = [
    "(Ruling {",
    "= Ruling {",
    "push(Line::",
    "vec![Line::",
    "Told::All)]",
    "action_line(",
];

/// The files that write what the judge decides: the one append to a journal, and a merge of two files by git.
const WRITERS: [&str; 2] = ["core/src/engine/writer.rs", "core/src/upkeep/merge.rs"];

/// Where the lines of decisions are made, and what they are.
const JUDGES: [&str; 2] = ["record/src/judgement/", "record/src/model/thought/"];

#[test]
fn nothing_but_the_judge_makes_the_lines_of_decisions() {
    let mut found = Vec::new();
    let mut look_at = |path: &Path, text: &str| {
        let name = path
            .strip_prefix(crates())
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        if JUDGES.iter().any(|judge| name.starts_with(judge)) || WRITERS.contains(&name.as_str()) {
            return;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        found.extend(
            DECISIONS
                .iter()
                .filter(|sign| code.contains(**sign))
                .map(|sign| format!("{name}: {sign}")),
        );
    };
    for folder in ["core/src", "project/src", "record/src"] {
        each_source(&crates().join(folder), &mut look_at);
    }
    assert_eq!(found, Vec::<String>::new());
}

fn each_source(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            each_source(&path, visit);
        } else {
            visit(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

/// Checks a copy of the sources with one more line in a file.
fn check_with(file: &str, line: &str) -> Vec<forge_memory_layering::Violation> {
    let folder = tempfile::tempdir().unwrap();
    copy(&sources(), folder.path());
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\n{line}\n")).unwrap();
    Tree::read(folder.path()).unwrap().check(&RULES)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_map_names_every_module() {
    let map = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md")).unwrap();
    let own = LAYERS
        .into_iter()
        .flatten()
        .map(|layer| (*layer, sources().join(layer)));
    let below = BELOW.into_iter().map(|(layer, folder)| (layer, crates().join(folder)));
    let missing: Vec<String> = own
        .chain(below)
        .flat_map(|(layer, folder)| {
            let row = map.lines().find(|line| line.starts_with(&format!("| `{layer}")));
            let row = row.unwrap_or_default();
            let modules = modules_of(&folder).into_iter();
            let missing = modules.filter(move |name| !row.contains(&format!("`{name}`")));
            missing.map(move |name| format!("{layer}/{name}")).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "missing in ARCHITECTURE.md");
}

/// The modules of a layer: none when it is a file.
fn modules_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    let names = entries.map(|entry| entry.path().file_stem().unwrap().to_string_lossy().into_owned());
    names
        .filter(|name| !["mod", "lib", "tests", "truth"].contains(&name.as_str()))
        .collect()
}
