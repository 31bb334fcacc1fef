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
