//! The modules of the engine stand in layers: a layer uses those below it only, and no modules use each other in a circle.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use forge_memory_layering::{Rules, Tree, list};

/// The lowest first. What a record leaves besides its line (the queue, the events, the counts) lies below the engine that
/// leaves it there.
const LAYERS: [&[&str]; 11] = [
    &["error"],
    &["text"],
    &["model"],
    &["project"],
    &["index"],
    &["outbox"],
    &["observe"],
    &["engine"],
    &["upkeep"],
    &["agent"],
    &["memory"],
];

const RULES: Rules<'_> = Rules {
    layers: &LAYERS,
    count_folder_files: true,
};

fn sources() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

#[test]
fn no_module_uses_a_layer_above_it_and_none_use_each_other_in_a_circle() {
    let violations = Tree::read(sources()).unwrap().check(&RULES);
    assert!(violations.is_empty(), "{}", list(&violations));
}
