//! The modules of this crate are layers: no dependency points up, and there are no cycles.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use forge_memory_layering::{Rules, Tree, list};

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[&["pattern"], &["language"], &["chunk"]];

#[test]
fn no_dependency_points_up_or_in_a_circle() {
    let tree = Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let violations = tree.check(&Rules {
        layers: LAYERS,
        count_folder_files: true,
    });
    assert!(violations.is_empty(), "{}", list(&violations));
}
