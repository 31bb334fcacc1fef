//! The checker finds every kind of violation: made-up crates with one violation each.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use forge_memory_layering::{Rules, Tree, Violation, list};

fn violations(files: &[(&str, &str)], layers: &[&[&str]], count_folder_files: bool) -> Vec<Violation> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    Tree::read(folder.path()).unwrap().check(&Rules {
        layers,
        count_folder_files,
    })
}

fn modules_of_cycle(violation: &Violation) -> &[String] {
    match violation {
        Violation::Cycle { modules, .. } => modules,
        _ => &[],
    }
}

#[test]
fn a_crate_that_keeps_its_layers_passes() {
    let files = [
        ("lib.rs", "mod low; mod high; pub use high::Top;"),
        ("low.rs", "pub struct Base;"),
        ("high.rs", "use crate::low::Base; pub struct Top(Base);"),
    ];
    assert_eq!(violations(&files, &[&["low"], &["high"]], true), []);
}

#[test]
fn a_dependency_on_an_upper_layer_is_found_with_its_line() {
    let files = [
        ("lib.rs", "mod low; mod high;"),
        ("low.rs", "pub struct Base;\npub fn leap() { crate::high::top() }"),
        ("high.rs", "pub fn top() {}"),
    ];
    let found = violations(&files, &[&["low"], &["high"]], false);
    assert!(
        matches!(&found[..], [Violation::Upward { from, to, line: 2, .. }] if from == "low" && to == "high"),
        "{}",
        list(&found)
    );
}

#[test]
fn a_cycle_within_one_layer_is_found() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use super::c::C; pub struct B;"),
        ("c.rs", "fn f() { let _ = crate::a::x(); } pub struct C;"),
    ];
    let found = violations(&files, &[&["a", "b", "c"]], false);
    assert_eq!(found.len(), 1, "{}", list(&found));
    assert_eq!(modules_of_cycle(&found[0]), ["a", "b", "c"]);
    assert!(found[0].to_string().contains("c -> a at"), "{}", found[0]);
}

#[test]
fn a_cycle_inside_a_folder_is_found() {
    let files = [
        ("lib.rs", "mod folder;"),
        ("folder/mod.rs", "mod a; mod b;"),
        ("folder/a.rs", "use super::b::B; pub struct A;"),
        ("folder/b.rs", "use crate::folder::a; pub struct B(a::A);"),
    ];
    let found = violations(&files, &[&["folder"]], false);
    assert_eq!(found.len(), 1, "{}", list(&found));
    assert_eq!(modules_of_cycle(&found[0]), ["a", "b"]);
}

#[test]
fn a_reexport_leads_to_the_module_that_defines_the_name() {
    let files = [
        ("lib.rs", "mod low; mod high; pub use high::{Top, inner as renamed};"),
        ("low.rs", "use crate::Top;"),
        ("high/mod.rs", "pub mod inner; pub use inner::Top;"),
        ("high/inner.rs", "pub struct Top; pub fn f() {}"),
    ];
    let found = violations(&files, &[&["low"], &["high"]], false);
    assert!(
        matches!(&found[..], [Violation::Upward { to, .. }] if to == "high::inner"),
        "{}",
        list(&found)
    );
}

#[test]
fn groups_aliases_globs_and_inline_modules_are_read() {
    let forms = [
        "use crate::{other::{X, Y}, high::{self}};",
        "use crate::high as above;",
        "use crate::high::*;",
        "mod inner { use super::super::high::Top; }",
        "fn f() { println!(\"{}\", crate::high::Top) }",
        "use super::*;",
    ];
    for form in forms {
        let root = "mod low; mod high; mod other; use high::Top;";
        let files = [
            ("lib.rs", root),
            ("low.rs", form),
            ("high.rs", "pub struct Top;"),
            ("other.rs", "pub struct X; pub struct Y;"),
        ];
        let found = violations(&files, &[&["other"], &["low"], &["high"]], false);
        assert!(
            matches!(&found[..], [Violation::Upward { .. }]),
            "{form}: {}",
            list(&found)
        );
    }
}

#[test]
fn tests_strings_and_comments_are_not_dependencies() {
    let low = "//! Uses crate::high::Top.\n/* crate::high::Top */ const TEXT: &str = \"crate::high::Top\";\n\
        #[cfg(test)] mod tests;\n#[cfg(test)]\nmod inline { use crate::high::Top; }\n#[cfg(test)]\nuse crate::high::Top;\n\
        #[cfg(test)] fn helper() { crate::high::top() }";
    let files = [
        ("lib.rs", "mod low; mod high;"),
        ("low.rs", low),
        ("high.rs", "pub struct Top; pub fn top() {}"),
    ];
    assert_eq!(violations(&files, &[&["low"], &["high"]], true), []);
}

#[test]
fn code_outside_of_tests_counts_as_a_dependency() {
    let low = "#[cfg(not(test))]\nuse crate::high::Top;";
    let files = [
        ("lib.rs", "mod low; mod high;"),
        ("low.rs", low),
        ("high.rs", "pub struct Top;"),
    ];
    assert_eq!(violations(&files, &[&["low"], &["high"]], true).len(), 1);
}

#[test]
fn every_module_belongs_to_exactly_one_layer() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", ""),
        ("b.rs", ""),
        ("c.rs", ""),
    ];
    let found = violations(&files, &[&["a", "b"], &["b", "gone"]], false);
    assert_eq!(
        found,
        [
            Violation::Unplaced("b".into()),
            Violation::Unplaced("c".into()),
            Violation::Missing("gone".into())
        ]
    );
}

#[test]
fn mod_rs_of_a_folder_is_its_module() {
    let files = [
        ("lib.rs", "mod folder;"),
        (
            "folder/mod.rs",
            "mod child; pub struct Shared; pub fn run() { child::work() }",
        ),
        ("folder/child.rs", "use super::Shared; pub fn work() {}"),
    ];
    assert_eq!(violations(&files, &[&["folder"]], false), []);
    let found = violations(&files, &[&["folder"]], true);
    assert_eq!(found.len(), 1, "{}", list(&found));
    assert_eq!(modules_of_cycle(&found[0]), ["child", "mod"]);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lib.rs"), "mod absent;").unwrap();
    let error = Tree::read(Path::new(folder.path())).unwrap_err();
    assert!(error.to_string().contains("absent"), "{error}");
}
