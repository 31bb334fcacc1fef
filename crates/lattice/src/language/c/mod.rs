//! C.

use std::borrow::Cow;

use tree_sitter::Node;

use super::{Family, Imports, Language, Module, ModuleSystem, ProjectFiles, unquoted};
use crate::facts::Import;
use crate::paths::{folder_of, joined};

pub(super) static LANGUAGE: Language = Language {
    name: "c",
    extensions: &["c"],
    family: Family::C,
    modules: ModuleSystem::Includes,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    types_are_called: true,
    macros_are_called: true,
    body_extensions: &["c"],
    import,
    find_module: find_included,
    ..Language::DEFAULTS
};

pub(super) fn import<'a>(node: Node<'_>, source: &'a [u8], found: &mut Imports<'a>) {
    let Some(path) = node.child_by_field_name("path") else {
        return;
    };
    found.push(Import {
        local: Cow::Borrowed(""),
        name: Cow::Borrowed("*"),
        module: unquoted(path, source),
        is_exported: true,
    });
}

/// Finds an included file: beside the one that includes it, else wherever the path ends like this.
pub(super) fn find_included(files: &dyn ProjectFiles, file: u32, spec: &str) -> Module {
    if spec.is_empty() {
        return Module::Outside;
    }
    let beside = joined(folder_of(files.path(file)), spec).and_then(|path| files.find(&path));
    match beside {
        Some(file) => Module::of_files([file]),
        None => Module::of_files(files.ending_with(spec.trim_start_matches("./").trim_start_matches("../"))),
    }
}
