//! The modules of this crate are layers: no dependency points up, and there are no cycles.

#![allow(missing_docs)]

use std::path::Path;

use forge_memory_layering::{Rules, Tree, list};

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[
    // The machine, texts, files and payloads.
    &["fields", "lines", "machine"],
    &["private"],
    // What hosts say, and what texts mention.
    &[
        "hosts",
        "action",
        "declarations",
        "failure",
        "paths",
        "qualified",
        "own_lines",
    ],
    &["command_line", "marks", "call", "prompt"],
    &["statement"],
    &["answer", "claim"],
    &["alarm"],
    // What is kept between calls.
    &["journal", "session", "switches", "scopes", "team", "transcript"],
    &["stats"],
    // A call in its project: what is found, said and learned.
    &["workplace"],
    &["quoted", "receipt", "symbols", "test_command", "told"],
    &["evidence", "learn"],
    &["start", "note"],
    &["changes"],
    &["moment"],
    &["process"],
];

#[test]
fn dependencies_point_down_and_have_no_cycles() {
    let tree = Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let violations = tree.check(&Rules {
        layers: LAYERS,
        count_folder_files: true,
    });
    assert!(violations.is_empty(), "{}", list(&violations));
}
