//! Property: an index that was updated through random edits equals, byte for byte, the one that a full run makes.

use std::fs;

use crate::support::Project;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, Vec<(usize, usize)>),
    Delete(usize),
    Rename(usize, usize),
    Touch(usize),
}

const PATHS: [&str; 8] = [
    "a.js", "b.ts", "lib/c.js", "lib/d.py", "lib/e.py", "f.rs", "src/g.rs", "h.md",
];
const NAMES: [&str; 5] = ["load", "store", "parse", "render", "check"];

/// A file that defines some names and calls others; imports appear and disappear with the files they name.
fn source(path: &str, parts: &[(usize, usize)]) -> String {
    let mut text = match path.rsplit('.').next() {
        Some("js" | "ts") => "import { load } from './b.js'\nimport * as c from './lib/c.js'\n".to_owned(),
        Some("py") => "from .d import store\n".to_owned(),
        Some("rs") => "use crate::g::parse;\n".to_owned(),
        _ => String::new(),
    };
    for (name, called) in parts {
        let (name, called) = (NAMES[*name], NAMES[*called]);
        text += &match path.rsplit('.').next() {
            Some("js" | "ts") => format!("export function {name}() {{ return {called}() + c.{called}() }}\n"),
            Some("py") => format!("def {name}():\n    return {called}()\n"),
            Some("rs") => format!("fn {name}() {{ {called}(); }}\n"),
            _ => format!("# {name}\n\n{called}\n"),
        };
    }
    text
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let path = 0..PATHS.len();
    let parts = prop::collection::vec((0..NAMES.len(), 0..NAMES.len()), 0..5);
    let edit = prop_oneof![
        4 => (path.clone(), parts).prop_map(|(path, parts)| Edit::Write(path, parts)),
        1 => path.clone().prop_map(Edit::Delete),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path.prop_map(Edit::Touch),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..5), 1..6)
}

fn apply(project: &Project, edit: &Edit, second: u64) {
    match edit {
        Edit::Write(path, parts) => project.write_at(PATHS[*path], source(PATHS[*path], parts), second),
        Edit::Delete(path) => drop(fs::remove_file(project.path(PATHS[*path]))),
        Edit::Rename(from, to) => {
            if let Some(folder) = project.path(PATHS[*to]).parent() {
                fs::create_dir_all(folder).unwrap();
            }
            drop(fs::rename(project.path(PATHS[*from]), project.path(PATHS[*to])));
        }
        Edit::Touch(path) => {
            if let Ok(text) = fs::read(project.path(PATHS[*path])) {
                project.write_at(PATHS[*path], text, second);
            }
        }
    }
}

/// Files that are never edited, and call definitions in edited ones. While most files are unchanged, the index is patched.
fn bystanders(project: &Project) {
    for at in 0..30 {
        let called = NAMES[at % NAMES.len()];
        let text =
            format!("import {{ load }} from '../b.js'\nexport function near{at}(x) {{ load(); x.{called}() }}\n");
        project.write_at(&format!("near/n{at}.js"), text, 0);
        let text = format!("from lib.e import {called}\n\ndef far{at}():\n    {called}()\n");
        project.write_at(&format!("near/f{at}.py"), text, 0);
    }
}

const FILES: [&str; 6] = [
    "chunks.jsonl",
    "edges.jsonl",
    "graph.bin",
    "facts.bin",
    "states.bin",
    "meta.json",
];

fn files(project: &Project) -> Vec<Vec<u8>> {
    FILES
        .iter()
        .map(|name| fs::read(project.lattice_file(name)).unwrap_or_default())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_incrementally_updated_index_equals_a_rebuilt_one(rounds in edits()) {
        let project = Project::new();
        project.write_at("Cargo.toml", "[package]\nname = \"x\"\n", 0);
        bystanders(&project);
        let mut second = 1;
        for (at, round) in rounds.iter().enumerate() {
            for edit in round {
                second += 1;
                apply(&project, edit, second);
            }
            if at % 2 == 0 {
                project.index();
            } else {
                // A path that neither exists nor was indexed is refused.
                let there = ["lib", "a.js"].into_iter().filter(|path| project.path(path).exists());
                project.index_paths(&there.collect::<Vec<_>>()).unwrap();
            }
        }
        project.index();
        let kept = files(&project);
        fs::remove_dir_all(project.path(".forge")).unwrap();
        project.index();
        let fresh = files(&project);
        for ((name, kept), fresh) in FILES.iter().zip(&kept).zip(&fresh) {
            prop_assert_eq!(kept, fresh, "{}", name);
        }
    }
}
