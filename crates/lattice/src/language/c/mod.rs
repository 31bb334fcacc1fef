//! C.

use super::{InteropGroup, Language, Module, ModuleSystem, ProjectFiles};
use crate::paths::{folder_of, joined};

pub(super) static LANGUAGE: Language = Language {
    name: "c",
    extensions: &["c"],
    interop_group: InteropGroup::C,
    modules: ModuleSystem::Includes,
    types_are_called: true,
    macros_are_called: true,
    body_extensions: &["c"],
    find_module: find_included,
    ..Language::DEFAULTS
};

/// Finds an included file: beside the including file, else anywhere with a path that ends like this.
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
