//! The committed types and fields are those of the arguments and answers. `UPDATE=1` writes them again.

#![allow(clippy::unwrap_used)]
use std::path::Path;

use forge_memory_operations::{answers, declared, inputs, typescript};

fn assert_committed(path: &str, written: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, written).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), written, "{path}");
}

#[test]
fn the_types_are_those_of_the_arguments_and_answers() {
    let head = "// Written from the declarations of the arguments and answers: UPDATE=1 cargo test -p forge-memory-operations\n\n";
    let end = "\n// Written by napi from src/: npm run build\n";
    let committed = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../index.d.ts")).unwrap();
    let (_, functions) = committed.split_once(end).unwrap();
    let types = [typescript(&inputs()), typescript(&answers())].join("\n");
    assert_committed("../../index.d.ts", &format!("{head}{types}{end}{functions}"));
}

#[test]
fn the_fields_are_those_of_the_arguments_and_answers() {
    let files = ["../../lib/shared/declared.json", "../../lib/mcp/answer/told.json"];
    let tools = texts_of_tools(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib"));
    let is_told = |name: &str| tools.contains(&format!(">('{name}')"));
    for (file, schemas) in files.iter().zip(declared(is_told)) {
        assert_committed(file, &format!("{}\n", serde_json::to_string_pretty(&schemas).unwrap()));
    }
}

/// Returns the texts of the MCP server and of the tools of each feature.
fn texts_of_tools(lib: &Path) -> String {
    let rooms = std::fs::read_dir(lib)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("mcp"));
    let folders = rooms.filter(|folder| folder.is_dir()).chain([lib.join("mcp")]);
    folders.map(|folder| texts_under(&folder)).collect()
}

/// What tools tell of an answer, they take by its name: `declared<Type>('Name')`.
fn texts_under(folder: &Path) -> String {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.map(|path| {
        if path.is_dir() {
            texts_under(&path)
        } else {
            std::fs::read_to_string(&path).unwrap_or_default()
        }
    });
    texts.collect()
}
