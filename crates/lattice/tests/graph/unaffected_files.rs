//! Property: incremental runs are exact. Small files of many languages that import, re-export, extend and call each other's
//! few names are edited at random. After every round the index must equal, byte for byte, the one that a full run makes.

use std::fs;

use crate::support::Project;
use crate::support::snippets::{HEADS, LANGUAGES, Part, source};
use proptest::prelude::*;

/// The folders of each language's files; some files see each other by folder, some by path, some by name.
const PLACES: [&str; 4] = ["m0", "m1", "sub/m2", "sub/m3"];
const FILES: usize = LANGUAGES.len() * PLACES.len();

#[derive(Debug, Clone)]
enum Edit {
    Replace(usize, usize, Part),
    Insert(usize, usize, Part),
    /// The same part with one other name.
    Swap(usize, usize, usize, u8),
    /// Another part with the same names.
    Turn(usize, usize, u8),
    Remove(usize, usize),
    Head(usize, usize),
    Manifest(usize, usize),
}

/// One file: its package, and its parts.
#[derive(Debug, Clone)]
struct Text {
    head: usize,
    parts: Vec<Part>,
}

fn part() -> impl Strategy<Value = Part> {
    (any::<u8>(), any::<[u8; 6]>()).prop_map(|(snippet, names)| Part { snippet, names })
}

fn texts() -> impl Strategy<Value = Vec<Text>> {
    let text = prop::collection::vec(part(), 1..7).prop_map(|parts| Text { head: 0, parts });
    prop::collection::vec(text, FILES)
}

/// Most edits are in one language, so that they interact; those in others show what must not be mixed up.
fn rounds() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    (0..LANGUAGES.len()).prop_flat_map(|language| {
        let near = language * PLACES.len()..(language + 1) * PLACES.len();
        let file = prop_oneof![9 => near, 1 => 0..FILES].boxed();
        let at = 0..8_usize;
        let edit = prop_oneof![
            4 => (file.clone(), at.clone(), part()).prop_map(|(file, at, part)| Edit::Replace(file, at, part)),
            4 => (file.clone(), at.clone(), part()).prop_map(|(file, at, part)| Edit::Insert(file, at, part)),
            4 => (file.clone(), at.clone(), any::<u8>()).prop_map(|(file, at, snippet)| Edit::Turn(file, at, snippet)),
            6 => (file.clone(), at.clone(), 0..6_usize, any::<u8>())
                .prop_map(|(file, at, which, name)| Edit::Swap(file, at, which, name)),
            3 => (file.clone(), at).prop_map(|(file, at)| Edit::Remove(file, at)),
            2 => (file, 0..HEADS).prop_map(|(file, head)| Edit::Head(file, head)),
            1 => (0..3_usize, 0..3_usize).prop_map(|(file, name)| Edit::Manifest(file, name)),
        ];
        prop::collection::vec(prop::collection::vec(edit, 1..3), 4..16)
    })
}

fn path_of(file: usize) -> String {
    format!("{}.{}", PLACES[file % PLACES.len()], LANGUAGES[file / PLACES.len()].end)
}

fn write(project: &Project, file: usize, text: &Text, second: u64) {
    let language = &LANGUAGES[file / PLACES.len()];
    project.write_at(&path_of(file), source(language, text.head, &text.parts), second);
}

fn write_manifest(project: &Project, file: usize, name: usize, second: u64) {
    let name = ["m0", "shop", "other"][name];
    let (path, text) = match file {
        0 => ("package.json", format!("{{ \"name\": \"{name}\" }}\n")),
        1 => ("Cargo.toml", format!("[package]\nname = \"{name}\"\n")),
        _ => ("go.mod", format!("module {name}\n")),
    };
    project.write_at(path, text, second);
}

fn apply(project: &Project, texts: &mut [Text], edit: Edit, second: u64) {
    let file = match edit {
        Edit::Replace(file, at, part) => {
            let parts = &mut texts[file].parts;
            match parts.len() {
                0 => parts.push(part),
                count => parts[at % count] = part,
            }
            file
        }
        Edit::Insert(file, at, part) => {
            let parts = &mut texts[file].parts;
            parts.insert(at % (parts.len() + 1), part);
            file
        }
        Edit::Swap(file, at, which, name) => {
            let parts = &mut texts[file].parts;
            let count = parts.len().max(1);
            if let Some(part) = parts.get_mut(at % count) {
                part.names[which] = name;
            }
            file
        }
        Edit::Turn(file, at, snippet) => {
            let parts = &mut texts[file].parts;
            let count = parts.len().max(1);
            if let Some(part) = parts.get_mut(at % count) {
                part.snippet = snippet;
            }
            file
        }
        Edit::Remove(file, at) => {
            let parts = &mut texts[file].parts;
            if !parts.is_empty() {
                parts.remove(at % parts.len());
            }
            file
        }
        Edit::Head(file, head) => {
            texts[file].head = head;
            file
        }
        Edit::Manifest(file, name) => return write_manifest(project, file, name, second),
    };
    write(project, file, &texts[file], second);
}

const KEPT: [&str; 6] = [
    "edges.jsonl",
    "chunks.jsonl",
    "graph.bin",
    "facts.bin",
    "states.bin",
    "meta.json",
];

fn kept(project: &Project) -> Vec<Vec<u8>> {
    KEPT.iter()
        .map(|name| fs::read(project.lattice_file(name)).unwrap_or_default())
        .collect()
}

/// Returns the differing lines, for the message of a failure.
fn difference(kept: &[u8], fresh: &[u8]) -> String {
    let (kept, fresh) = (String::from_utf8_lossy(kept), String::from_utf8_lossy(fresh));
    let pairs = kept.lines().zip(fresh.lines());
    let first = pairs.filter(|(kept, fresh)| kept != fresh).take(3);
    first
        .map(|(kept, fresh)| format!("kept  {kept}\nfresh {fresh}\n"))
        .collect()
}

/// The number of projects that are tried; more with `PROPTEST_CASES`.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn references_affected_by_an_edit_are_resolved_again_in_every_language(texts in texts(), rounds in rounds()) {
        let project = Project::new();
        let mut texts = texts;
        for (file, text) in texts.iter().enumerate() {
            write(&project, file, text, 0);
        }
        for file in 0..3 {
            write_manifest(&project, file, file, 0);
        }
        project.index();
        let mut second = 0;
        for round in rounds {
            for edit in round.clone() {
                second += 1;
                apply(&project, &mut texts, edit, second);
            }
            project.index();
            let patched = kept(&project);
            fs::remove_dir_all(project.path(".forge")).unwrap();
            project.index();
            for ((name, patched), fresh) in KEPT.iter().zip(&patched).zip(&kept(&project)) {
                prop_assert!(patched == fresh, "{name} after {round:?}\n{}", difference(patched, fresh));
            }
        }
    }
}
